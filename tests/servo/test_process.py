"""The servo as a process: ready, watched, killed; and what that means for the device."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import robots
from sim_devices.ends import PtyEnd
from sim_devices.hand import Hand
from sim_devices.syntaxer.emulator import SyntaxerEmulator
from station.clock import WALL
from station.private import runtime_folder
from station.run.launch import ServoProcess, ServoStartError
from station.servo.job import Job
from station.servo.rig import Wanted
from station.servo.shared import StateReader
from tests.servo.rigs import GANTRY

pytestmark = pytest.mark.wall_clock

PATIENCE = 60.0  # [s]
# Pushes against a stop again and again: on a busy machine the device may be lost in between.
HAND = "tighten 0.8 in 0.1; " + 20 * (
    "reach 0.22 0 0 in 0.5; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 1.5; release deadman; "
)
WATCHDOG = 0.020  # of the firmware [s]


def job(device: str, file: Path, **wanted: object) -> Job:
    return Job(file=str(file), devices={"": device}, wanted=Wanted(**wanted))  # type: ignore[arg-type]


@pytest.fixture
def gantry(tmp_path: Path) -> Path:
    file = tmp_path / "gantry.mad"
    file.write_text(GANTRY, encoding="utf8")
    return file


@contextlib.contextmanager
def emulator() -> Iterator[SyntaxerEmulator]:
    """An emulated syntaxer that lives in this process, at a pseudo-terminal; on time, as hardware is."""
    policy, before = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))
    try:
        with contextlib.closing(SyntaxerEmulator(PtyEnd("syntaxer"), WALL, None, None)) as made:
            yield made
    finally:
        os.sched_setscheduler(0, policy, before)


def lives(emulator: SyntaxerEmulator, until: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Let the emulator live on wall time until something is true; returns whether it became so."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        emulator.run(0.01)
        if until():
            return True
    return False


def started(file: Path, device: str) -> subprocess.Popen[str]:
    """A servo process that is not waited for, as the emulator has to live meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "station.servo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write(job(device, file).to_line() + "\n")
    process.stdin.flush()
    return process


def test_a_killed_servo_leaves_the_device_without_force(gantry: Path) -> None:
    with emulator() as device:
        servo = started(gantry, device.address)
        try:
            device.run(0.5)
            assert lives(device, lambda: state_of(servo) is not None)
            device.hand = Hand(f"hold {device.signals['t'] + 0.3:.3f}; {HAND}", 0)  # its time began with the emulator
            heard, currents = watched(device)
            assert lives(device, lambda: np.abs(device.firmware.given).max() > 100.0), "never pushed"  # [mA]
            os.kill(servo.pid, signal.SIGKILL)
            assert lives(device, lambda: np.abs(device.firmware.given).max() == 0.0, 5.0)
            # By the emulator's own time, which no busy machine stretches: from the last bytes it heard to no current.
            off = next(time for time, current in reversed(currents) if current > 0.0)
            assert off - heard[-1] <= WATCHDOG + 2 * device.period
        finally:
            servo.kill()
            servo.communicate()  # closes its pipes


def watched(device: SyntaxerEmulator) -> tuple[list[float], list[tuple[float, float]]]:
    """From now on: when the emulator hears something, and its largest current after every tick [s, mA]."""
    heard: list[float] = []
    currents: list[tuple[float, float]] = []
    plain = device._tick

    def tick(data: bytes) -> None:
        plain(data)
        if data:
            heard.append(device._now)
        currents.append((device._now, float(np.abs(device.firmware.given).max())))

    device._tick = tick  # type: ignore[method-assign, assignment]
    return heard, currents


def state_of(servo: subprocess.Popen[str]) -> Path | None:
    """Where its shared state is, if it is ready."""
    path = runtime_folder() / f"servo-{servo.pid}.state"
    return path if path.exists() else None


@pytest.mark.parametrize(
    ("device", "wanted", "words"),
    [
        ("sim:syntaxer", {"frame": "nowhere"}, "no frame 'nowhere'; there are"),
        ("sim:syntaxer", {"rate": 100.0}, "250 to 4000"),
        ("sim:syntaxer?rate=9000", {}, "250 to 4000"),
        ("sim:teapot", {}, "there is no emulator 'teapot'"),
        ("serial:/dev/no-such-port", {}, "/dev/no-such-port"),
    ],
)
def test_a_bench_that_cannot_be_ends_with_one_line(
    device: str, wanted: dict[str, object], words: str, gantry: Path
) -> None:
    with pytest.raises(ServoStartError) as caught, ServoProcess(job(device, gantry, **wanted)):
        pass
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_servo_says_ready_ticks_and_ends_when_told(gantry: Path) -> None:
    told: list[str] = []
    with ServoProcess(job("sim:syntaxer", gantry), told.append) as servo:
        assert "loading compiled code" in told
        with StateReader(servo.ready.state) as state:
            first = wait_for_tick(state, 1)
            later = wait_for_tick(state, first + 50)
            assert later > first
            assert state.text["robot"] == "gantry"
        servo.close()
        assert servo.ending == ""
    assert not servo.running
    assert not servo.ready.state.exists()


def test_a_killed_reader_changes_nothing_for_the_servo(gantry: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from station.servo.shared import StateReader, RecordReader\n"
        "state = StateReader(Path(sys.argv[1])); reader = RecordReader(state); print('reading', flush=True)\n"
        "while True: reader.read(); state.read()"
    )
    with ServoProcess(job("sim:syntaxer", gantry)) as servo, StateReader(servo.ready.state) as state:
        reader = subprocess.Popen(
            [sys.executable, "-c", script, str(servo.ready.state)], stdout=subprocess.PIPE, text=True
        )
        assert reader.stdout is not None
        assert reader.stdout.readline().strip() == "reading"
        before = wait_for_tick(state, 1)
        reader.send_signal(signal.SIGKILL)
        reader.wait()
        reader.stdout.close()
        assert wait_for_tick(state, before + 100) > before
        assert servo.running


def test_a_servo_that_dies_is_told_in_words(gantry: Path) -> None:
    with ServoProcess(job("sim:syntaxer", gantry)) as servo:
        os.kill(servo.ready.process, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while servo.running and time.monotonic() < end:
            time.sleep(0.01)
        assert "SIGKILL" in servo.ending


def wait_for_tick(state: StateReader, least: int) -> int:
    """Wait until a tick of that number or a later one is shown; returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        shown = state.read()
        if shown is not None and shown.tick[0] >= least:
            return int(shown.tick[0])
        time.sleep(0.01)
    raise AssertionError("the servo does not tick")


def test_station_run_ends_with_a_summary_and_a_report(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    answer = subprocess.run(
        [sys.executable, "-m", "station", "run", "ur5e", "--seconds", "2", "--json", "--report", str(page)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    data = json.loads(answer.stdout)
    assert data["robot"] == "ur5e"
    assert data["ticks"] > 100
    assert page.read_text(encoding="utf8").startswith("<!")
    assert robots.path("ur5e").exists()


def faults(process: int) -> int:
    """How often threads of a process have touched a page that was not there yet."""
    words = [path.read_text().rpartition(")")[2].split() for path in Path(f"/proc/{process}/task").glob("*/stat")]
    return sum(int(word[7]) + int(word[9]) for word in words)


def test_ticks_touch_no_memory_for_the_first_time(gantry: Path) -> None:
    with ServoProcess(job("sim:syntaxer", gantry)) as servo:
        if any("locked memory" in note for note in servo.ready.notes):
            pytest.skip("memory may not be locked here")
        process, found = servo.ready.process, []
        time.sleep(1.0)  # the hand takes hold
        for _ in range(3):
            before = faults(process)
            time.sleep(0.5)
            found.append(faults(process) - before)
    assert min(found) == 0
    assert sum(found) < 3, found  # an odd one, as something happens for the first time
