"""Faults of an emulated Falcon behind the servo: no force within 20 ms, and no jump when the hand comes back.

What real firmware does when its host falls silent is not known. Where the device cannot hear the station any more, the
motors are looked at on an emulator whose firmware lets go after 18 ms; without such a watchdog they would keep the last
force, and all that the station can do is not to ask for any, and to say so with the first bytes that are heard again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.falcon.orders import NO_WORDS
from sim_devices.faults import KINDS
from station.devices.device import DeviceStatus
from station.servo.shared import Event, Reset, ServoState
from tests.firmware_bridge.falcon.bench import image_file
from tests.servo.rigs import GANTRY, Bench, emulated_falcon

SCENE = GANTRY.replace("scale { 1 1 1 }", "deadman 2  scale { 1 1 1 }")
# In the middle, engaged, 20 mm beyond a stop; later the dead-man is let go, the hand comes back and begins anew.
PRESSING = "press centre; hold 0.1; reach 0 0.04 0 in 0.3; "
HAND = (
    f"tighten 0.8 in 0.1; reach 0 0 0 in 0.4; {PRESSING} hold 1.1; release centre; reach 0 0 0 in 0.4; "
    f"{PRESSING} hold 0.7"
)
# The same, but moving on along the stop, so that every leg travels; a stuck one is then seen.
SWEEPING = (
    f"tighten 0.8 in 0.1; reach 0 0 0 in 0.4; {PRESSING} hold 0.3; reach -0.02 0.035 0 in 0.3; "
    f"reach 0.02 0.035 0 in 0.3; hold 0.2; release centre; reach 0 0 0 in 0.4; {PRESSING} hold 0.7"
)
# Back to where it was switched off needs homing: all the way out and all the way in.
HOMING = (
    f"tighten 0.8 in 0.1; reach 0 0 0 in 0.4; {PRESSING} hold 0.4; release centre; hold 2; reach 0.055 0 0 in 0.4; "
    f"hold 0.2; reach -0.055 0 0 in 0.6; hold 0.2; reach 0 0 0 in 0.4; {PRESSING} hold 0.7"
)
BEGINS, ENDS, END = 1.2, 1.8, 3.3  # [s]
HOMED_END = 6.1  # [s]
JUMP = 0.001  # [m]
WATCHDOG = 0.018  # of an emulated firmware that has one [s]

LOST = ["silence", "drop p=1", "delay ms=50", "torn keep=0.9", "other-version"]
UNHEARD = ["deaf", "unplug", "other-device"]
UNFIT = ["encoder-offset axis=0 counts=300", "encoder-offset axis=0 counts=5000", "counter-wrap"]
BORNE = ["duplicate p=1", "drop p=0.02", "jitter ms=2", "garbage bytes=20", "encoder-glitch axis=2 counts=5000"]
HELD_BACK = ["reorder p=0.05", "corrupt p=0.2"]  # borne or lost, as the dice fall; a false place never gets far
UNSEEN = ["watchdog-trip", "overheat"]
GONE = ["brown-out", "restart"]


def test_every_fault_is_tried_here() -> None:
    tried = {each.split()[0] for each in (*LOST, *UNHEARD, *UNFIT, *BORNE, *HELD_BACK, *UNSEEN, *GONE)}
    assert tried | {"stuck-encoder"} == set(KINDS)


def force_of_motors(bench: Bench) -> float:
    """What the motors truly push with [N]."""
    return float(np.linalg.norm(bench.emulator.motor_force))


def until(bench: Bench, time: float) -> float:
    """Tick until a time [s]; returns the longest way of the predicted robot in one tick [m]."""
    longest, before = 0.0, bench.shared.predicted_pose[:3, 3].copy()
    while bench.servo.clock.now() < time - 1e-9:
        bench.ticks()
        place = bench.shared.predicted_pose[:3, 3].copy()
        if bench.shared.tick > 1:
            longest = max(longest, float(np.linalg.norm(place - before)))
        before = place
    return longest


def pushing(bench: Bench) -> None:
    """Go on until the hand pushes against the stop."""
    until(bench, 0.05)
    assert until(bench, BEGINS - 0.002) < JUMP
    assert bench.servo.part.state is ServoState.ENGAGED
    assert force_of_motors(bench) > 1.0


def begins_anew(bench: Bench, end: float = END) -> None:
    """The hand has let go and pressed again: it moves the robot, and nothing jumped on the way."""
    assert until(bench, end) < JUMP
    assert bench.servo.part.state is ServoState.ENGAGED
    assert force_of_motors(bench) > 1.0


def fault(text: str) -> str:
    return f"{text} at {BEGINS} for {ENDS - BEGINS}"


@pytest.mark.parametrize("text", LOST)
def test_without_good_answers_the_force_is_gone_within_20_ms(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        assert force_of_motors(bench) == 0.0
        until(bench, BEGINS + 0.025)
        assert bench.servo.part.state is ServoState.HOLD
        assert bench.shared.cause is Event.DEVICE_LOST
        assert until(bench, ENDS + 0.1) < JUMP
        assert force_of_motors(bench) == 0.0  # not by itself, though the dead-man is still held
        begins_anew(bench)


@pytest.mark.parametrize("text", UNHEARD)
def test_unheard_the_station_asks_for_no_force_within_20_ms_and_a_watchdog_lets_go(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text), watchdog=WATCHDOG) as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        assert np.linalg.norm(bench.shared.wrench) == 0.0
        assert force_of_motors(bench) == 0.0
        until(bench, BEGINS + 0.025)
        assert bench.servo.part.state is ServoState.HOLD
        assert bench.shared.cause is Event.DEVICE_LOST
        assert not bench.device.force_enabled
        begins_anew(bench)


@pytest.mark.parametrize("text", UNHEARD)
def test_heard_again_the_first_thing_it_is_told_is_no_force(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:  # no watchdog: the worst firmware there could be
        pushing(bench)
        until(bench, ENDS - 0.01)
        assert force_of_motors(bench) > 1.0
        requests = bench.emulator.requests
        while bench.emulator.requests == requests:
            bench.ticks()
            assert bench.servo.clock.now() < ENDS + 1.0
        assert bench.emulator.words == NO_WORDS
        begins_anew(bench)


@pytest.mark.parametrize("text", UNFIT)
def test_an_unfit_device_is_a_fault_that_a_person_resets(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        assert force_of_motors(bench) == 0.0
        assert until(bench, ENDS + 0.1) < JUMP
        assert bench.servo.part.state is ServoState.FAULT
        assert bench.shared.fault is Event.DEVICE_FAULT
        assert force_of_motors(bench) == 0.0
        assert bench.servo.part.orders.decide(Reset()).name == "ACCEPTED"
        begins_anew(bench)


def test_a_stuck_encoder_ends_the_force_as_soon_as_it_is_seen(tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, SWEEPING, fault("stuck-encoder axis=1")) as bench:
        pushing(bench)
        while bench.device.status is DeviceStatus.READY:
            assert until(bench, bench.servo.clock.now() + 0.001) < JUMP
            assert bench.servo.clock.now() < ENDS
        until(bench, bench.servo.clock.now() + 0.020)
        assert "leg 2 stands still" in bench.device.reason
        assert force_of_motors(bench) == 0.0
        assert until(bench, ENDS + 0.05) < JUMP
        assert bench.servo.part.state is ServoState.FAULT
        assert bench.servo.part.orders.decide(Reset()).name == "ACCEPTED"
        begins_anew(bench)


@pytest.mark.parametrize("text", BORNE)
def test_a_poor_link_is_borne(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:
        pushing(bench)
        assert until(bench, ENDS) < JUMP
        assert bench.servo.part.state is ServoState.ENGAGED
        assert force_of_motors(bench) > 1.0
        begins_anew(bench)


@pytest.mark.parametrize("text", HELD_BACK)
def test_answers_that_lie_move_nothing_by_more_than_a_millimetre_in_a_tick(text: str, tmp_path: Path) -> None:
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:
        pushing(bench)
        assert until(bench, ENDS) < JUMP
        assert bench.servo.part.state in (ServoState.ENGAGED, ServoState.HOLD)
        if bench.servo.part.state is ServoState.HOLD:
            assert force_of_motors(bench) == 0.0
        begins_anew(bench)


@pytest.mark.parametrize("text", UNSEEN)
def test_motors_that_let_go_by_themselves_push_nobody_and_move_nothing(text: str, tmp_path: Path) -> None:
    """The frames do not tell: the robot goes on following, as its limits allow."""
    with emulated_falcon(SCENE, tmp_path, HAND, fault(text)) as bench:
        pushing(bench)
        until(bench, BEGINS + 0.020)
        assert force_of_motors(bench) == 0.0
        assert until(bench, ENDS + 0.05) < JUMP
        assert bench.servo.part.state is ServoState.ENGAGED
        begins_anew(bench)


@pytest.mark.parametrize("text", GONE)
def test_firmware_that_is_gone_is_sent_again_and_after_homing_the_hand_begins_anew(text: str, tmp_path: Path) -> None:
    file, image = image_file(tmp_path)
    url, seconds = f"usb:falcon?firmware={file}", 0.1 if text == "restart" else 0.3
    told = f"{text} at {BEGINS} for {seconds}"
    with emulated_falcon(SCENE, tmp_path, HOMING, told, url=url, image=image) as bench:
        pushing(bench)
        until(bench, BEGINS + 0.020)
        assert force_of_motors(bench) == 0.0
        until(bench, BEGINS + 0.030)
        assert bench.servo.part.state is ServoState.HOLD
        until(bench, 3.2)
        assert bench.device.status is DeviceStatus.HOMING
        assert force_of_motors(bench) == 0.0
        assert bench.servo.part.state in (ServoState.HOLD, ServoState.OFF)
        begins_anew(bench, HOMED_END)
