"""Faults of the device, end to end: force gone from the motors within 20 ms, and no jump when the hand comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from station.servo.shared import Event, Reset, ServoState
from tests.servo.rigs import GANTRY, Bench, emulated

# Up to the middle, engaged, 40 mm beyond a stop; later the dead-man is let go, the hand comes back and begins anew.
HAND = """tighten 0.8 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 1.0
release deadman; reach 0.22 0 0 in 0.3; press deadman; hold 0.1; reach 0.22 0.06 0 in 0.4; hold 1"""
BEGINS, ENDS, PRESSED_AGAIN, END = 1.5, 1.9, 2.5, 3.3  # [s]
JUMP = 0.001  # [m]

LOST = ["silence", "unplug", "drop p=1", "corrupt p=1", "torn p=1", "delay ms=60", "deaf", "restart", "watchdog-trip"]
UNFIT = ["brown-out", "overheat", "encoder-glitch axis=0 counts=5000", "encoder-offset axis=1 counts=5000"]
BORNE = [
    "duplicate p=1",
    "reorder p=0.3",
    "drop p=0.2",
    "jitter ms=3",
    "garbage p=0.5",
    "corrupt p=0.2",
    "counter-wrap",
]


def current(bench: Bench) -> float:
    """Largest current in a motor [A]."""
    return float(np.abs(bench.device.emulator.firmware.given).max()) / 1000.0


def state(bench: Bench) -> ServoState:
    return bench.servo.state


def until(bench: Bench, time: float) -> float:
    """Tick until a time [s]; returns the longest way of the predicted robot in one tick [m]."""
    longest, before = 0.0, bench.shared.predicted_pose[:3, 3].copy()
    while bench.servo.clock.now() < time - 1e-9:
        bench.ticks()
        place = bench.shared.predicted_pose[:3, 3].copy()
        if bench.shared.tick[0] > 1:
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


def begins_anew(bench: Bench) -> None:
    """The hand has let go and pressed again: it moves the robot, and nothing jumped on the way."""
    assert until(bench, END) < JUMP
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
        assert Event(int(bench.shared.cause[0])) is Event.DEVICE_LOST
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
        assert Event(int(bench.shared.fault[0])) is Event.DEVICE_FAULT
        until(bench, ENDS + 0.2)
        assert state(bench) is ServoState.FAULT  # not by itself
        bench.servo.orders.decide(Reset())
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
