"""Parts of the program that run in processes of their own never run files of the folder one calls it from."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import calibration
import firmware_bridge
import robots
import sim_devices
import station
from sim_devices.kinds import Wishes
from sim_devices.launch import started
from station.child import python_module, safe_path
from station.run.beside import Beside
from station.run.launch import ServoProcess, ServoStartError
from station.servo.job import Job
from station.servo.rig import Wanted
from station.tasks.recording.launch import RecorderProcess
from station.view.design.sweep import LEAST_SAMPLES, SweepRequest
from station.view.design.sweeping import Sweeping

pytestmark = pytest.mark.wall_clock

NAMES = ("cobs", "serial", "zmq", "numba", "click", "json", "station", "sim_devices", "multiprocessing", "random")
PACKAGES = (station, firmware_bridge, sim_devices, calibration, robots)


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The current folder has modules of somebody else; which of them were run."""
    folder, marks = tmp_path / "folder of others", tmp_path / "ran"
    folder.mkdir()
    marks.mkdir()
    for name in NAMES:
        text = f"open({str(marks / name)!r}, 'w').close()\nraise SystemExit('run from the current folder')\n"
        (folder / f"{name}.py").write_text(text)
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(text)
    monkeypatch.chdir(folder)
    return lambda: sorted(path.name for path in marks.iterdir())


def test_a_servo_does_not_run_them(ran: Callable[[], list[str]], tmp_path: Path) -> None:
    missing = tmp_path / "none.mad"
    with pytest.raises(ServoStartError, match="there is no such file"):
        ServoProcess(Job(file=str(missing), devices={"": "sim:syntaxer"}, wanted=Wanted()))
    assert ran() == []


def test_an_emulator_does_not_run_them(ran: Callable[[], list[str]]) -> None:
    with started("magellan", Wishes()) as address:
        assert address.startswith("serial:")
    assert ran() == []


def test_a_recorder_does_not_run_them(ran: Callable[[], list[str]]) -> None:
    with RecorderProcess() as recorder:
        recorder.wait_until_loaded()
        assert recorder.running
    assert ran() == []


def test_a_process_beside_a_run_does_not_run_them(ran: Callable[[], list[str]], tmp_path: Path) -> None:
    arguments = [str(tmp_path / "none.state"), "robotiq:/dev/none", "0", "0.1"]
    with Beside("station.run.gripping", arguments, "ended") as process:
        process.process.wait(60.0)
        assert "/dev/none" in process.last_words
    assert ran() == []


def test_a_sweep_does_not_run_them(ran: Callable[[], list[str]]) -> None:
    robot = station.load(robots.path("scara")).robots[0]
    sweeping = Sweeping(SweepRequest(robot=robot, frame=next(iter(robot.placed())).id, samples=LEAST_SAMPLES))
    sweeping._reader.join(60.0)
    sweeping.cancel()
    assert not sweeping.trouble
    assert ran() == []


def test_a_command_of_ours_does_not_run_them(ran: Callable[[], list[str]]) -> None:
    done = subprocess.run(python_module("station", "--version"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["station"])
    assert ran() == []


def test_workers_do_not_run_them(ran: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with safe_path(), ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(os.getpid).result(60.0) != os.getpid()
    assert ran() == []
    assert "PYTHONSAFEPATH" not in os.environ


def test_nothing_starts_python_in_another_way() -> None:
    bench = "station/commands/machine.py"  # in the source tree, which is the program's own folder
    found = []
    for package in PACKAGES:
        root = Path(str(package.__file__)).parent
        for file in root.rglob("*.py"):
            name = str(file.relative_to(root.parent))
            if name not in ("station/child.py", bench) and re.search(r"sys\.executable", file.read_text()):
                found.append(name)
    assert found == []
