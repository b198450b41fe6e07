"""Homing by hand: guided, without force, and without a jump that looks like a motion."""

from __future__ import annotations

import numpy as np

from firmware_bridge.falcon.frames import Lamp
from station.devices.device import DeviceStatus, Sample
from tests.firmware_bridge.falcon.bench import Bench, force_on

PUSH = np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def unhomed() -> Bench:
    bench = Bench(homed=False, moving=False)
    bench.open()
    return bench


def home(bench: Bench) -> list[Sample]:
    """What the guidance says: all the way out, then all the way in."""
    bench.emulator.apply([8.0, 0.0, 0.0])
    samples = bench.run(0.5, PUSH)
    bench.emulator.apply([-8.0, 0.0, 0.0])
    return samples + bench.run(0.5, PUSH)


def test_the_person_is_told_what_to_do() -> None:
    bench = unhomed()
    bench.run(0.01)
    assert bench.is_(DeviceStatus.HOMING)
    assert "pull the grip all the way out" in bench.device.reason
    assert "legs 1, 2, 3" in bench.device.reason


def test_pulling_out_and_pushing_in_makes_it_ready_and_green() -> None:
    bench = unhomed()
    home(bench)
    assert bench.is_(DeviceStatus.READY)
    assert bench.device.reason == ""
    assert bench.emulator.lamps == Lamp.HOMING | Lamp.GREEN


def test_pushing_in_alone_does_not_do() -> None:
    bench = unhomed()
    bench.emulator.apply([-8.0, 0.0, 0.0])
    bench.run(0.5)
    assert bench.is_(DeviceStatus.HOMING)


def test_there_is_no_force_before_whatever_is_asked() -> None:
    bench = unhomed()
    assert not bench.device.enable_force()
    for _ in range(100):
        bench.run(0.01, PUSH)
        assert bench.emulator.words == (0, 0, 0)


def test_force_does_not_come_by_itself_when_homing_is_done() -> None:
    bench = unhomed()
    home(bench)
    assert not bench.device.force_enabled
    bench.run(0.05, PUSH)
    assert bench.emulator.words == (0, 0, 0)


def test_the_jump_of_coordinates_is_no_motion() -> None:
    bench = unhomed()
    bench.emulator.place([0.03, 0.02, -0.01])  # relative counts are then far from the true ones
    samples = home(bench)
    ready = [sample for sample in samples if sample.pose[:3, 3].any()]
    fastest = max(float(np.abs(sample.velocity).max()) for sample in ready)
    assert fastest < 3.0  # the pull of 8 N on 0.25 kg over 0.1 m
    assert bench.dishonesty(ready) < 1e-4
    before = max(sample.sequence for sample in samples if sample.sequence < ready[0].sequence)
    assert ready[0].sequence - before > 1  # a gap: nobody may bridge it
    np.testing.assert_array_equal(ready[0].velocity, 0.0)


def test_before_homing_the_place_is_the_centre_and_buttons_work() -> None:
    bench = unhomed()
    bench.emulator.place([0.02, 0.01, 0.0])
    bench.emulator.press(0b0101)
    sample = bench.run(0.01)[-1]
    np.testing.assert_array_equal(sample.pose, np.eye(4))
    np.testing.assert_array_equal(sample.velocity, 0.0)
    assert sample.buttons == 0b0101


def test_a_falcon_that_forgets_its_place_loses_its_force_at_once() -> None:
    bench = Bench(moving=False)
    bench.open()
    assert np.linalg.norm(force_on(bench, PUSH)) > 1.0
    bench.emulator.encoders.homed = 0b011
    bench.run(0.004, PUSH)
    assert bench.is_(DeviceStatus.HOMING)
    assert "leg 3 not found yet" in bench.device.reason
    assert not bench.device.force_enabled
    assert bench.emulator.words == (0, 0, 0)
    bench.emulator.encoders.homed = 0b111
    bench.run(0.05, PUSH)
    assert bench.is_(DeviceStatus.READY)
    assert bench.emulator.words == (0, 0, 0)


def test_counters_that_run_over_do_not_keep_it_from_being_homed() -> None:
    bench = unhomed()
    bench.fault("counter-wrap for 0.4")
    home(bench)
    assert bench.is_(DeviceStatus.READY)
