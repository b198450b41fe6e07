"""A gripping tool does what a task asks, over real bytes, and tells when it cannot."""

from __future__ import annotations

import pytest

from firmware_bridge.robotiq.registers import Fault
from station.clock import VirtualClock
from station.controllers.tool import ToolStatus
from station.servo.shared import GripperCode, ShowGripper
from station.tasks.task import Action
from tests.tasks.execute.places import Gripping, gripper_at


def settle(clock: VirtualClock, made: Gripping, seconds: float = 5.0) -> float:
    """Until it is no longer busy; the time that took [s]."""
    began = clock.now()
    while made.tool.busy and clock.now() < began + seconds:
        made.tool.listen()
        clock.advance(0.001)
    return clock.now() - began


def busy(made: Gripping) -> bool:
    return made.tool.busy


def test_it_wakes_up_grips_and_holds_what_is_there() -> None:
    clock = VirtualClock()
    with gripper_at(clock) as made:
        assert not busy(made)
        made.tool.wake()
        assert busy(made)  # the fingers find their range
        assert 0.3 < settle(clock, made) < 3.0
        assert made.driver.status is ToolStatus.READY
        made.emulator.fingers.thing = 150.0  # counts: something is between the fingers
        made.tool.begin(Action("grip", 0.0))
        assert 0.1 < settle(clock, made) < 3.0
        assert made.tool.last is not None
        assert made.tool.last.holds
        assert made.width > 0.02
        made.tool.begin(Action("open"))
        settle(clock, made)
        assert made.width == pytest.approx(0.085, abs=1e-3)
        assert not made.tool.trouble


def test_it_says_how_it_is_doing_for_everybody_who_watches() -> None:
    clock = VirtualClock()
    with gripper_at(clock) as made:
        assert made.tool.told == ShowGripper(GripperCode.OPENING) or made.tool.told.wanted is None
        made.tool.wake()
        settle(clock, made)
        made.emulator.fingers.thing = 150.0
        made.tool.begin(Action("grip", 0.0))
        settle(clock, made)
        told = made.tool.told
        assert (told.status, told.wanted, told.detected) == (GripperCode.READY, 0.0, True)
        assert told.width == pytest.approx(made.width)
        made.tool.begin(Action("open", 0.08))
        assert made.tool.told.width is not None  # also before the next word of it
        settle(clock, made)
        assert not made.tool.told.detected


def test_what_it_cannot_do_is_told_before_and_trouble_meanwhile() -> None:
    clock = VirtualClock()
    with gripper_at(clock) as made:
        assert made.tool.check(Action("grip", 0.02)) == ""
        assert "can grip and open" in made.tool.check(Action("weld"))
        assert "allowed: 0 to 85 mm" in made.tool.check(Action("grip", 0.2))
        made.tool.begin(Action("grip", 0.02))
        assert "refused to grip" in made.tool.trouble  # it was never activated
        made.tool.wake()
        settle(clock, made)
        made.emulator.fingers.broken = Fault.INTERNAL
        for _ in range(500):
            made.tool.listen()
            clock.advance(0.001)
        assert "the gripper is fault" in made.tool.trouble
