"""Faults of the device, end to end: force gone from the motors within 20 ms, and no jump when the hand comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.faults import KINDS
from station.devices.device import DeviceStatus
from station.devices.errors import DeviceMismatchError
from station.servo.shared import Event, Reset, ServoState
from tests.servo.rigs import GANTRY, Bench, emulated

# Up to the middle, engaged, 40 mm beyond a stop; later the dead-man is let go, the hand comes back and begins anew.
HAND = """tighten 0.8 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 1.0
release deadman; reach 0.22 0 0 in 0.3; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 1"""
BEGINS, ENDS, PRESSED_AGAIN, END = 1.5, 1.9, 2.5, 3.3  # [s]
JUMP = 0.001  # [m]
# Wide circles across the stop, so that every arm travels far: a stuck encoder can then be told from a hand at rest.
CIRCLING = """tighten 0.8 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 0.3
circle radius=70mm period=1 for 2; release deadman; reach 0.22 0 0 in 0.3; press deadman; hold 0.1
reach 0.22 0.06 0 in 0.4; hold 0.6"""
CIRCLED = 4.7  # [s]

LOST = ["silence", "unplug", "drop p=1", "corrupt p=1", "torn p=1", "delay ms=60", "deaf", "restart", "watchdog-trip"]
UNFIT = ["brown-out", "overheat", "encoder-glitch axis=0 counts=5000", "encoder-offset axis=1 counts=5000"]
OTHER = ["other-version version=9", "other-device"]  # something else answers where it was
BORNE = [
    "duplicate p=1",
    "reorder p=0.3",
    "drop p=0.2",
    "jitter ms=3",
    "garbage p=0.5",
    "corrupt p=0.2",
    "counter-wrap",
]


def test_every_fault_is_tried_here() -> None:
    assert {each.split()[0] for each in (*LOST, *UNFIT, *OTHER, *BORNE)} | {"stuck-encoder"} == set(KINDS)


def current(bench: Bench) -> float:
    """Largest current in a motor [A]."""
    return float(np.abs(bench.device.emulator.firmware.given).max()) / 1000.0


def state(bench: Bench) -> ServoState:
    return bench.servo.part.state


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
    assert state(bench) is ServoState.ENGAGED
    assert current(bench) > 0.1
    assert np.linalg.norm(bench.shared.wrench[:3]) > 1.0


def begins_anew(bench: Bench, end: float = END) -> None:
    """The hand has let go and pressed again: it moves the robot, and nothing jumped on the way."""
    assert until(bench, end) < JUMP
    assert state(bench) is ServoState.ENGAGED
    assert np.linalg.norm(bench.shared.wrench[:3]) > 1.0
    assert current(bench) > 0.1


@pytest.mark.parametrize("fault", LOST)
def test_a_lost_device_loses_its_force_within_20_ms_and_comes_back_without_a_jump(fault: str, tmp_path: Path) -> None:
    seconds = 0.01 if fault == "restart" else ENDS - BEGINS
    with emulated(GANTRY, tmp_path, HAND, f"{fault} at {BEGINS} for {seconds}") as bench:
        pushing(bench)
        until(bench, BEGINS + 0.020)
        assert current(bench) == 0.0
        until(bench, BEGINS + 0.030)  # that the watchdog spoke is heard a little later
        assert state(bench) is ServoState.HOLD
        assert bench.shared.cause is Event.DEVICE_LOST
        until(bench, ENDS + 0.3)
        assert current(bench) == 0.0
        begins_anew(bench)


@pytest.mark.parametrize("fault", UNFIT)
def test_an_unfit_device_is_a_fault_that_a_person_resets(fault: str, tmp_path: Path) -> None:
    seconds = 0.02 if "encoder" in fault else ENDS - BEGINS
    with emulated(GANTRY, tmp_path, HAND, f"{fault} at {BEGINS} for {seconds}") as bench:
        pushing(bench)
        until(bench, BEGINS + 0.020)
        assert np.linalg.norm(bench.shared.wrench) == 0.0
        assert current(bench) == 0.0
        until(bench, ENDS)
        assert current(bench) == 0.0
        assert state(bench) is ServoState.FAULT
        assert bench.shared.fault is Event.DEVICE_FAULT
        until(bench, ENDS + 0.2)
        assert state(bench) is ServoState.FAULT  # not by itself
        bench.servo.part.orders.decide(Reset())
        until(bench, ENDS + 0.3)
        assert state(bench) is ServoState.READY
        begins_anew(bench)


@pytest.mark.parametrize("fault", BORNE)
def test_a_poor_link_is_borne(fault: str, tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, HAND, f"{fault} at {BEGINS} for {ENDS - BEGINS}") as bench:
        pushing(bench)
        assert until(bench, ENDS) < JUMP
        assert state(bench) is ServoState.ENGAGED
        assert np.linalg.norm(bench.shared.wrench[:3]) > 1.0


@pytest.mark.parametrize(("fault", "named"), [(OTHER[0], "version 9"), (OTHER[1], "thermostat")])
def test_something_else_in_its_place_gets_no_force_and_is_not_taken_for_it(
    fault: str, named: str, tmp_path: Path
) -> None:
    with emulated(GANTRY, tmp_path, HAND, f"{fault} at {BEGINS} for {ENDS - BEGINS}") as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        assert current(bench) == 0.0
        assert until(bench, ENDS) < JUMP
        assert bench.device.status is DeviceStatus.FAULT
        assert state(bench) is ServoState.FAULT
        assert bench.shared.fault is Event.DEVICE_FAULT
        assert named in bench.device.reason
        assert current(bench) == 0.0
        until(bench, ENDS + 0.3)
        assert current(bench) == 0.0
        bench.servo.part.orders.decide(Reset())
        begins_anew(bench)


@pytest.mark.parametrize("fault", OTHER)
def test_something_else_is_refused_from_the_start_with_one_line(fault: str, tmp_path: Path) -> None:
    with pytest.raises(DeviceMismatchError) as caught, emulated(GANTRY, tmp_path, HAND, fault):
        pass
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_stuck_encoder_is_a_fault_as_soon_as_it_is_seen_and_nothing_jumps(axis: int, tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, CIRCLING, f"stuck-encoder axis={axis} at {BEGINS} for 1.8") as bench:
        pushing(bench)
        while bench.device.status is DeviceStatus.READY:
            assert until(bench, bench.servo.clock.now() + 0.001) < JUMP
            assert bench.servo.clock.now() < BEGINS + 1.8, "not seen"
        until(bench, bench.servo.clock.now() + 0.020)
        assert f"encoder {axis + 1}" in bench.device.reason
        assert current(bench) == 0.0
        assert state(bench) is ServoState.FAULT
        assert until(bench, BEGINS + 1.9) < JUMP
        assert current(bench) == 0.0
        bench.servo.part.orders.decide(Reset())
        begins_anew(bench, CIRCLED)


def test_an_encoder_that_has_lost_counts_for_good_begins_anew_where_it_says_it_is(tmp_path: Path) -> None:
    """A person has looked at it and reset it: places are wrong from then on, but the robot does not jump there."""
    with emulated(GANTRY, tmp_path, HAND, f"encoder-offset axis=1 counts=300 at {BEGINS}") as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        assert current(bench) == 0.0
        assert until(bench, ENDS) < JUMP
        assert state(bench) is ServoState.FAULT
        bench.servo.part.orders.decide(Reset())
        assert until(bench, END) < JUMP
        assert state(bench) is ServoState.ENGAGED


def test_an_encoder_that_jumps_for_one_reading_moves_nothing(tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, HAND, f"encoder-glitch axis=2 counts=5000 at {BEGINS} for 0.0006") as bench:
        pushing(bench)
        assert until(bench, BEGINS + 0.020) < JUMP
        if state(bench) is not ServoState.ENGAGED:
            assert current(bench) == 0.0
        assert until(bench, ENDS) < JUMP
        bench.servo.part.orders.decide(Reset())
        begins_anew(bench)
