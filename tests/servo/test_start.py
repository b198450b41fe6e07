"""A run's parts get ready side by side, and how far they are is shown."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import robots
from sim_devices.arm_links.wishes import ArmWishes
from sim_devices.kinds import Wishes
from sim_devices.launch import Launched, beside, launched
from station.child import Lines, python_module
from station.clock import WALL
from station.devices import open_device
from station.devices.errors import AddressError, DeviceSilentError
from station.emulated import addresses_of
from station.kernel import kernel
from station.kernel.build import progress
from station.run import start as starting
from station.run.gripping import Grasp, Gripper
from station.run.places import DEFAULT_BENCH
from station.run.start import Progress, Start
from station.servo.job import Job
from station.servo.process import prepare

pytestmark = pytest.mark.wall_clock

JOB = Job(file="bench.mad", devices={"": "sim:syntaxer"}, controllers={"": "sim:arm"})


class Fake:
    """An emulator that notes when it is waited for."""

    def __init__(self, name: str, log: list[str]) -> None:
        self._name, self._log = name, log
        log.append(f"start {name}")

    def address(self, tell: Callable[[str], object]) -> str:
        self._log.append(f"wait for {self._name}")
        tell("compiling something")
        return {"device": "serial:/tmp/place/syntaxer"}.get(self._name, f"tcp://{self._name}")

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.append(f"end {self._name}")


class FakeServo:
    """What is done with a servo process."""

    def __init__(self, log: list[str]) -> None:
        log.append("start servo")
        self.stdin, self.stdout, self.stderr = io.StringIO(), io.StringIO(), io.StringIO()

    def poll(self) -> int:
        return 0


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in its order."""
    told: list[str] = []
    servos: list[FakeServo] = []

    def servo() -> FakeServo:
        servos.append(FakeServo(told))
        return servos[-1]

    class FakeServoProcess:
        def __init__(self, job: Job, tell: Callable[[str], object], process: FakeServo) -> None:
            (line,) = process.stdin.getvalue().splitlines()
            told.append(f"prepared for {json.loads(line)['controllers']['']}")
            told.append(f"job {job.devices['']} {job.controllers['']}")
            tell("reading the scene")

        def __enter__(self) -> FakeServoProcess:
            return self

        def __exit__(self, *_: object) -> None:
            told.append("end servo")

    monkeypatch.setattr(starting, "loading_servo", servo)
    monkeypatch.setattr("station.run.launch.ServoProcess", FakeServoProcess)
    for name in ("arm", "device", "gripper"):
        monkeypatch.setattr(f"station.emulated.launched_{name}", lambda *_, name=name: Fake(name, told))
    return told


def test_all_are_started_before_any_is_waited_for_and_end_in_the_reverse_order(log: list[str]) -> None:
    gripper = Gripper("sim:gripper", Grasp(0.0, 0.1))
    with Start(quiet=True) as start:
        start.launch(JOB, gripper)
        _, job, tool = start.ready(JOB, gripper)
    place = "sim:syntaxer?patient=1&rate=1000&at=/tmp/place/syntaxer"
    assert log == [
        *("start servo", "start arm", "start gripper", "start device"),
        *("wait for arm", "wait for gripper", "wait for device"),
        *("prepared for sim:arm", f"job {place} tcp://arm"),
        *("end servo", "end device", "end gripper", "end arm"),
    ]
    assert (job.devices[""], job.controllers[""]) == (place, "tcp://arm")
    assert tool is not None
    assert (tool.url, tool.name) == ("tcp://gripper", "sim:gripper (emulated)")


@pytest.fixture(name="launched_arms")
def _launched_arms(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[str | None, float]]]:
    """Robots and delays of the arms of each process that a start launches; nothing is really started."""
    processes: list[list[tuple[str | None, float]]] = []

    def launched(wishes: list[ArmWishes]) -> Fake:
        processes.append([(one.robot, one.delay) for one in wishes])
        return Fake("+".join(one.robot or "" for one in wishes), [])

    monkeypatch.setattr(starting, "loading_servo", lambda: FakeServo([]))
    monkeypatch.setattr("sim_devices.arm_links.wishes.launched_together", launched)
    monkeypatch.setattr("sim_devices.arm_links.wishes.launched", lambda wishes: launched([wishes]))
    return processes


BENCH = """RAFF v2.0 Bench
{robots}
constraint {{ robot a frame 2 robot c frame 2 }}
"""


def test_robots_that_are_tied_are_one_process_and_others_one_each(
    launched_arms: list[list[tuple[str | None, float]]], tmp_path: Path
) -> None:
    robot = "robot {} {{ base {{ }} link 1 {{ parameters {{ 0 0 0 0 }} type revolute pred 0 }} frame 2 {{ pred 1 }} }}"
    file = tmp_path / "bench.mad"
    file.write_text(BENCH.format(robots="\n".join(robot.format(name) for name in "abc")), encoding="utf-8")
    urls = {"c": "sim:arm?delay=0.05", "b": "sim:arm", "a": "sim:arm?delay=0.02"}
    with Start(quiet=True) as start:
        start.launch(Job(file=str(file), devices={}, controllers=urls), None)
    assert launched_arms == [[("c", 0.05), ("a", 0.02)], [("b", 0.0)]]


def test_a_mistake_in_the_address_of_any_of_them_is_told_at_once(
    launched_arms: list[list[tuple[str | None, float]]],
) -> None:
    urls = {"left": "sim:arm", "right": "sim:arm?delai=0.05"}
    job = Job(file=str(robots.path("two_arms_bar")), devices={}, controllers=urls)
    with Start(quiet=True) as start, pytest.raises(AddressError, match="delai"):
        start.launch(job, None)
    assert launched_arms == []


def test_each_arm_of_a_process_is_found_by_the_name_of_its_robot() -> None:
    assert addresses_of(["left", "right"], "tcp://one\tserial:two") == {"left": "tcp://one", "right": "serial:two"}
    assert addresses_of([""], "tcp://one") == {"": "tcp://one"}


def test_progress_says_which_of_how_many_what_and_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("station.run.start.time.monotonic", lambda: now[0])
    out = io.StringIO()
    progress = Progress(Console(file=out))
    assert str(progress) == "loading (0.0 s)"
    now[0], progress.steps = 102.13, 5
    progress.tell("reading the scene")
    assert str(progress) == "1 of 5: reading the scene (2.1 s)"
    progress.tell("compiling once for this machine: step, 1 of up to 9; all take about 3 min")
    progress.tell("compiling once for this machine: feel, 2 of up to 9; all take about 3 min")
    assert str(progress).startswith("1 of 5: compiling once for this machine: feel, 2 of up to 9")
    progress.tell("loading compiled code")
    assert str(progress) == "2 of 5: loading compiled code (2.1 s)"
    # Who looks at no terminal is told what takes minutes, once.
    assert out.getvalue() == "compiling once for this machine: step, 1 of up to 9; all take about 3 min\n"


def test_what_is_compiled_is_told_and_what_is_loaded_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("station.kernel.library.folder", lambda: tmp_path)
    told: list[str] = []

    @kernel
    def twice(x: float) -> float:
        return 2.0 * x

    with progress(told.append):
        twice(1.0)
        twice(2.0)
    twice(1)  # no longer listened to
    assert told == ["compiling once for this machine: twice"]


def test_lines_that_come_together_are_all_heard() -> None:
    process = subprocess.Popen(["printf", "a\\nb\\nc"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        process.wait()
        lines = Lines(process.stdout)
        assert [lines.next(60.0) for _ in range(4)] == ["a\n", "b\n", "c", ""]


def test_a_child_that_says_nothing_is_not_waited_for_longer_than_asked() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = Lines(process.stdout)
        assert lines.next(0.0) is None
        process.stdin.write("late\n")
        process.stdin.close()
        assert lines.next(60.0) == "late\n"


@pytest.mark.parametrize("kind", ["magellan", "spacemouse"])  # at a port, on a bus
def test_a_device_is_opened_beside_an_emulator_that_runs_already_under_its_own_name(kind: str) -> None:
    with launched(kind, Wishes(hand="none")) as emulator:
        url = beside(f"sim:{kind}?hand=none", emulator.address())
        with open_device(url, WALL) as device:
            assert device.url == f"sim:{kind}?hand=none"
            assert device.capabilities.model


def test_an_emulator_that_cannot_start_says_why_on_one_line() -> None:
    arguments = ["syntaxer", "--with-parent", "--hand", "dance"]
    with (
        Launched(arguments, "sim_devices", "the emulator", DeviceSilentError) as emulator,
        pytest.raises(DeviceSilentError, match=r"the emulator did not start: .*dance") as caught,
    ):
        emulator.address()
    assert "\n" not in str(caught.value)


def test_a_servo_prepares_for_a_job_whose_addresses_follow(tmp_path: Path) -> None:
    missing = Job(
        file=str(tmp_path / "none.mad"), devices={"": "sim:syntaxer"}, controllers={"": "sim:arm"}, follows=True
    )
    with subprocess.Popen(
        python_module("station.servo"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        said = process.communicate(missing.to_line() + "\n")[0]
    assert "there is no such file" in json.loads(said.splitlines()[-1])["text"]
    assert process.returncode == 2
    prepare(replace(missing, file=str(DEFAULT_BENCH)))
    assert Job.from_line(missing.to_line()) == missing


def test_a_servo_whose_job_never_follows_ends_by_itself() -> None:
    job = replace(JOB, file=str(DEFAULT_BENCH), follows=True)
    done = subprocess.run(
        python_module("station.servo"), input=job.to_line() + "\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""
