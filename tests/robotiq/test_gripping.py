"""A gripper that the hand leads: bytes, emulated fingers, and what the servo shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import robots
import station
from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from station.controllers.errors import ControllerAddressError
from station.controllers.tool import ToolStatus
from station.controllers.tools import open_tool
from station.run.gripping import Grasp, Gripper, Gripping, NoGripError, Report, button_of, gripper_of
from station.servo.shared import BusyError, GripperCode, ServoState, ShowGripper
from station.servo.shared.writer import StateWriter
from tests.robotiq.benches import Bench, driver

pytestmark = pytest.mark.wall_clock

GRASP = Grasp(closed=0.0, opened=0.085, force=40.0)


def shown(grip: float = 0.0, state: ServoState = ServoState.ENGAGED, buttons: int = 0) -> Any:
    return SimpleNamespace(state=[int(state)], hand_grip=[grip], hand_buttons=[buttons])


@pytest.fixture
def bench() -> Iterator[Bench]:
    clock, end = VirtualClock(), SocketEnd("gripper")
    emulator = RobotiqEmulator(end, clock)
    try:
        yield Bench(clock, emulator, driver(end, clock))
    finally:
        emulator.close()


def led(bench: Bench, gripping: Gripping, moment: Any, seconds: float, silence: float = 0.0) -> None:
    for _ in range(round(seconds / 0.01)):
        gripping.look(moment, silence)
        bench.clock.advance(0.01)


def width(bench: Bench) -> float:
    return bench.settled(1.0).width


def test_nothing_moves_until_the_hand_leads(bench: Bench) -> None:
    gripping = Gripping(bench.gripper, GRASP)
    led(bench, gripping, shown(0.5, ServoState.READY), 1.0)
    assert bench.gripper.status is ToolStatus.IDLE
    led(bench, gripping, shown(0.5), 6.0)
    assert str(bench.gripper.status) == ToolStatus.READY
    assert width(bench) == pytest.approx(0.0425, abs=1e-3)


def test_fingers_follow_the_grip_to_both_ends(bench: Bench) -> None:
    bench.activated()
    gripping = Gripping(bench.gripper, GRASP)
    for grip in (0.3, 0.301, 1.0, 0.7, 0.0):
        led(bench, gripping, shown(grip), 1.5)
    assert width(bench) == pytest.approx(0.085, abs=1e-3)
    led(bench, gripping, shown(1.0), 2.0)
    assert width(bench) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("why", ["hold", "fault", "silent", "gone"])
def test_fingers_stand_when_the_hand_ceases_to_lead(bench: Bench, why: str) -> None:
    bench.activated()
    gripping = Gripping(bench.gripper, GRASP)
    led(bench, gripping, shown(0.0), 1.5)
    led(bench, gripping, shown(1.0), 0.1)  # they begin to close
    state = {"hold": ServoState.HOLD, "fault": ServoState.FAULT}.get(why, ServoState.ENGAGED)
    moment = None if why == "gone" else shown(1.0, state)
    led(bench, gripping, moment, 1.5, silence=1.0 if why == "silent" else 0.0)
    assert width(bench) > 0.05


def test_a_grip_that_is_no_number_changes_nothing(bench: Bench) -> None:
    bench.activated()
    gripping = Gripping(bench.gripper, GRASP)
    led(bench, gripping, shown(0.5), 1.5)
    led(bench, gripping, shown(float("nan")), 1.0)
    assert width(bench) == pytest.approx(0.0425, abs=1e-3)


def test_a_button_closes_and_opens_in_turn(bench: Bench) -> None:
    bench.activated()
    gripping = Gripping(bench.gripper, GRASP, button=1)
    seen = []
    for buttons in (0, 2, 0, 2, 0):
        led(bench, gripping, shown(buttons=buttons), 2.0)
        seen.append(round(width(bench), 2))
    assert seen == pytest.approx([0.085, 0.0, 0.0, 0.085, 0.085], abs=0.01)


def test_the_button_is_found_by_its_name_and_a_device_without_any_is_refused() -> None:
    assert button_of({"grip": True, "buttons": ["grip"]}) == -1
    assert button_of({"grip": False, "buttons": ["centre", "left", "up", "right"]}) == 3
    with pytest.raises(NoGripError, match="neither a grip nor a button"):
        button_of({"grip": False, "buttons": ["deadman"]})


def test_the_file_says_which_gripper_unless_the_command_does() -> None:
    arm = station.load(robots.path("hobby-arm")).robots[0]
    assert gripper_of(arm, None) == Gripper("sim:gripper", Grasp(0.0, 0.07, 15.0))
    assert gripper_of(arm, "none") is None
    assert gripper_of(arm, "robotiq:/dev/ttyUSB0") == Gripper("robotiq:/dev/ttyUSB0", Grasp(0.0, 0.07, 15.0))
    plain = station.load(robots.path("ur5e")).robots[0]
    assert gripper_of(plain, None) is None
    with pytest.raises(ControllerAddressError, match="unknown kind of tool 'hand'; there are: robotiq"):
        open_tool("hand:/dev/ttyUSB0")


def test_what_the_gripper_says_goes_to_the_servo(bench: Bench) -> None:
    sent: list[ShowGripper] = []
    report = Report(SimpleNamespace(send=sent.append))  # type: ignore[arg-type]
    bench.activated()
    gripping = Gripping(bench.gripper, GRASP)
    for grip in (0.0, 1.0):
        for _ in range(200):
            gripping.look(shown(grip), 0.0)
            report.tell(gripping.told)
            bench.clock.advance(0.01)
    assert sent[-1].status is GripperCode.READY
    assert sent[-1].wanted == 0.0
    assert sent[-1].width == pytest.approx(0.0, abs=1e-3)
    assert max(told.width or 0.0 for told in sent) == pytest.approx(0.085, abs=1e-3)
    assert 40 <= len(sent) < 400  # now and then while nothing changes, so that silence is noticed
    Report(None).tell(gripping.told)


def test_a_servo_that_does_not_listen_is_no_trouble_for_the_gripper() -> None:
    def busy(_command: object) -> None:
        raise BusyError("16 commands are not answered yet")

    Report(SimpleNamespace(send=busy)).tell(ShowGripper(GripperCode.READY, 0.01))  # type: ignore[arg-type]


def test_a_gripper_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with StateWriter(6, {"grip": True}, folder=tmp_path) as writer:
        command = [sys.executable, "-m", "station.run.gripping", str(writer.path), "robotiq:/dev/none", "0", "0.1"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 2
    assert said.stderr.count("\n") == 1
    assert "/dev/none" in said.stderr
