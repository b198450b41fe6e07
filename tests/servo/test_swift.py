"""A tick that is compiled as a whole does what a tick with Python in it does, and stops where it has to."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware_bridge.arm.driver import ArmController
from firmware_bridge.syntaxer.connection import swift_transmit
from sim_devices.scheme import EmulatedDevice
from station.devices.swift import Transmitted
from station.servo import tick as need
from station.servo.shared import ServoState
from tests.servo.arm_benches import arm_bench
from tests.servo.rigs import GANTRY, Bench, emulated

PUSHING = "tighten 0.6 in 0.2; reach 0.22 0 0 in 0.3; press deadman; hold 0.1; reach 0.26 0 0 in 0.3; hold 9"
LED = 800  # ticks
TROUBLED = "drop p=0.1 at 0.3 for 0.3; jitter ms=2 at 0.7 for 0.2; silence at 1.1 for 0.06"


def needs(bench: Bench) -> Counter[int]:
    """Counts from now on what Python has to see to."""
    counted: Counter[int] = Counter()

    def counting(number: int, plain: Any) -> Any:
        def see_to(part: Any) -> None:
            counted[number] += 1
            plain(part)

        return see_to

    bench.servo._see_to = {number: counting(number, plain) for number, plain in bench.servo._see_to.items()}
    return counted


def session(folder: Path, ticks: int, faults: str = "") -> tuple[Any, Counter[int]]:
    folder.mkdir()
    with emulated(GANTRY, folder, PUSHING, faults, seed=3) as bench:
        counted, seen = needs(bench), []
        for _ in range(ticks):
            bench.ticks()
            shared = bench.shared
            seen.append([*bench.robot.q, *bench.servo.part.memory.wrench, shared.hand_sequence, shared.state])
        return np.array(seen), counted


@pytest.mark.parametrize("faults", ["", TROUBLED])
def test_compiled_or_not_the_tick_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: str) -> None:
    compiled, few = session(tmp_path / "compiled", 1500, faults)
    monkeypatch.setattr(EmulatedDevice, "swift", None)
    plain, many = session(tmp_path / "plain", 1500, faults)
    assert np.abs(plain[:, 3:6]).max() > 0.5  # it was felt [N]
    assert many[need.DEVICE] == many[need.PUSH] == 1500
    assert few[need.DEVICE] < (300 if faults else 5)
    np.testing.assert_allclose(compiled, plain, atol=1e-7)


def test_a_usual_tick_needs_no_python_at_all(tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, PUSHING) as bench:
        bench.ticks(900)  # pressed, and pushing
        counted = needs(bench)
        bench.ticks(640)
        assert set(counted) == {need.WAIT, need.RARELY}  # on a test's clock; on the wall's it waits by itself
        assert counted[need.RARELY] == 10


def test_force_that_is_taken_away_between_two_ticks_is_gone_in_the_next(tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, PUSHING) as bench:
        bench.ticks(1200)
        assert np.abs(bench.emulator.firmware.given).max() > 0.0
        bench.device.disable_force()
        bench.ticks(3)
        assert np.abs(bench.emulator.firmware.given).max() == 0.0


def test_a_wrench_that_is_no_number_counts_as_none(tmp_path: Path) -> None:
    with emulated(GANTRY, tmp_path, PUSHING) as bench:
        bench.ticks(1200)
        clock, swift = bench.servo.clock, bench.device.swift
        assert swift is not None
        given = []
        for value in (np.nan, np.inf, 0.0, 1.0):
            swift.state.wrench[:] = [value, 0.0, 0.0, 0.0, 0.0, 0.0]
            assert swift_transmit(swift.state, swift.memory, clock.now()) == Transmitted.SENT
            clock.sleep_until(clock.now() + 0.002)
            given.append(np.array(bench.emulator.firmware.given))
        assert (given[0] == given[2]).all()
        assert (given[1] == given[2]).all()
        assert (given[3] != given[2]).any()


def led_arm(folder: Path, link: str) -> tuple[Any, Counter[int]]:
    """What an arm is told while a hand leads it, and how often Python had a part in that."""
    with arm_bench(folder, link=link) as bench:
        bench.ticks(1000)
        assert bench.state() is ServoState.ENGAGED
        counted, told = needs(bench), []
        for _ in range(LED):
            bench.ticks()
            told.append(bench.shared.commanded_q.copy())
        return np.array(told), counted


def test_an_arm_over_zeromq_needs_python_only_to_look_after_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, few = led_arm(tmp_path, "tcp")
    assert set(few) == {need.WAIT, need.UPKEEP, need.RARELY}
    assert few[need.UPKEEP] < 0.03 * LED
    monkeypatch.setattr(ArmController, "native", None)
    plain, many = led_arm(tmp_path, "tcp")
    assert many[need.ARM] == many[need.SETPOINT] == LED
    assert many[need.UPKEEP] == 0
    # How long it takes to be welcomed is chance, and so is the noise of the force that is felt.
    assert np.abs(compiled - plain).max() < 0.003  # [rad]
    assert np.ptp(plain, axis=0).max() > 0.05  # it was led somewhere [rad]


def test_a_stop_of_the_arm_ends_setpoints_of_compiled_code_at_once(tmp_path: Path) -> None:
    with arm_bench(tmp_path, link="tcp") as bench:
        bench.ticks(1000)
        assert bench.servo.part.arm is not None
        arm = bench.servo.part.arm.memory
        assert arm.transmit != 0
        sent = arm.sent_at
        bench.servo.part.arm.controller.stop()  # between two ticks, by whomever
        bench.ticks(3)
        assert arm.sent_at == sent
        bench.ticks(20)
        assert bench.state() is ServoState.FAULT
