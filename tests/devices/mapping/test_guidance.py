"""What a person is told at every stage, and that text comes without force where the device cannot know its place."""

from __future__ import annotations

import math

import pytest

from station.devices.device import DeviceStatus
from station.devices.mapping import Guide, MappingSettings, Stage, guidance
from tests.devices.mapping.hands import BUTTONS, DEAD_MAN, Bench, pose_of

READY = DeviceStatus.READY


def led(**settings: object) -> Bench:
    bench = Bench(MappingSettings(engagement=BUTTONS, **settings))  # type: ignore[arg-type]
    bench.mapping.guide()
    return bench


def test_a_device_that_must_be_homed_gives_its_own_words_and_no_force() -> None:
    bench = led(guide=Guide(start=(0.1, 0.0, 0.0)))
    bench.tick(ready=False)
    told = guidance(bench.mapping, DeviceStatus.HOMING, "push the knob in and pull it out")
    assert (told.stage, told.text) == (Stage.HOMING, "push the knob in and pull it out")
    assert "all its ends" in guidance(bench.mapping, DeviceStatus.HOMING).text
    assert not bench.mapping.own_wrench.any()


def test_a_lost_device_gives_its_reason() -> None:
    told = guidance(Bench().mapping, DeviceStatus.LOST, "unplugged: plug it in again")
    assert (told.stage, told.text) == (Stage.DEVICE, "unplugged: plug it in again")
    assert guidance(Bench().mapping, DeviceStatus.LOST).text == "the device is lost"


def test_the_way_to_the_start_is_told_as_the_person_sees_it() -> None:
    bench = led(guide=Guide(start=(0.05, -0.02, 0.0)), seat=(0.0, 0.0, math.pi))
    bench.tick()
    told = guidance(bench.mapping, READY)
    assert told.stage is Stage.TO_START
    assert told.text == "bring the handle to the start: 50 mm left, 20 mm away from you"
    assert told.distance == pytest.approx(math.hypot(0.05, 0.02))


def test_then_the_person_is_led_to_the_buttons() -> None:
    bench = led(guide=Guide(start=(0.01, 0.0, 0.0), radius=0.005))
    bench.press(DEAD_MAN)
    bench.hand = pose_of((0.01, 0.0, 0.0))
    bench.go((0.01, 0.0, 0.0))
    steps = [guidance(bench.mapping, READY).text]
    for buttons in (0, DEAD_MAN, DEAD_MAN | 2):
        bench.press(buttons)
        steps.append(guidance(bench.mapping, READY).text)
    assert steps == [
        "let go of the dead-man button, then hold it to move the robot",
        "hold the dead-man button to move the robot",
        "the hand moves the robot",
        "the hand moves alone; let go of the clutch to move the robot",
    ]
    bench.tick(permitted=False)
    assert guidance(bench.mapping, READY).stage is Stage.FORBIDDEN
    assert guidance(Bench().mapping, READY).stage is Stage.DEVICE
