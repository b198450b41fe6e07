"""What every cap keeps, whatever its link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from station.devices.device import AxisKind, DeviceStatus
from station.devices.software.deflection import FULL
from tests.firmware_bridge.spacemouse.benches import AWAY, BENCHES, LET_GO, Bench


@pytest.fixture(params=list(BENCHES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def bench(name: str) -> Iterator[Bench]:
    bench = BENCHES[name]()
    yield bench
    bench.close()


def test_it_is_ready_once_opened_and_says_what_it_is(bench: Bench) -> None:
    capabilities = bench.device.capabilities
    assert bench.device.status is DeviceStatus.READY
    assert bench.device.reason == ""
    assert capabilities.model
    assert len(capabilities.buttons) >= 2
    assert all(axis.kind is AxisKind.INCREMENTAL and not axis.actuated for axis in capabilities.axes)


def test_at_rest_it_stays_ready_for_long_and_tells_zeros_at_every_tick(bench: Bench) -> None:
    before = bench.device.newest()
    last = bench.run(8.0)
    assert set(bench.seen) == {DeviceStatus.READY}
    assert before is not None
    assert last is not None
    assert last.sequence - before.sequence == 8_000
    np.testing.assert_array_equal(last.pose, np.eye(4))
    assert last.buttons == 0


def test_full_deflection_is_the_declared_travel_along_every_axis_both_ways(bench: Bench) -> None:
    for axis in range(6):
        for sign in (-1.0, 1.0):
            check_full_deflection(bench, axis, sign)


def check_full_deflection(bench: Bench, axis: int, sign: float) -> None:
    bench.hand.move(lambda _: tuple(sign * float(place == axis) for place in range(6)))
    sample = bench.run(0.12)
    assert sample is not None
    turn = sample.pose[:3, :3]
    told = np.array([*sample.pose[:3, 3], turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    told[3:] = np.arcsin(told[3:] / 2.0)
    np.testing.assert_allclose(told, sign * FULL * (np.arange(6) == axis), rtol=1e-12, atol=1e-15)
    travel = bench.device.capabilities.axes[axis]
    assert told[axis] == pytest.approx(travel.high if sign > 0 else travel.low)


def test_deflections_follow_the_hand_and_return_to_zero(bench: Bench) -> None:
    bench.hand.move(lambda t: (0.6 * np.sin(6.0 * t), 0.0, 0.3, 0.0, -0.5, 0.0))
    bench.run(1.0)
    bench.hand.move(None)
    sample = bench.run(0.3)
    assert sample is not None
    np.testing.assert_array_equal(sample.pose, np.eye(4))
    assert set(bench.seen) == {DeviceStatus.READY}


def test_every_button_shows_as_its_own_bit(bench: Bench) -> None:
    count = min(len(bench.device.capabilities.buttons), 8 if "flx" not in bench.emulator.address else 12)
    for button in range(count):
        bench.hand.press(button)
        sample = bench.run(0.15)
        assert sample is not None
        assert sample.buttons == 1 << button
        bench.hand.release(button)
        sample = bench.run(0.15)
        assert sample is not None
        assert sample.buttons == 0


def test_a_stream_that_stops_while_deflected_lets_go_within_the_stated_time(bench: Bench, name: str) -> None:
    bench.hand.move(lambda _: AWAY)
    bench.hand.press(0)
    bench.run(0.5)
    bench.emulator.faults.add("silence")
    assert bench.time_until(DeviceStatus.LOST) <= LET_GO[name.split()[0]]
    assert bench.device.newest() is None
    assert bench.device.reason.startswith(bench.device.url)
    assert "\n" not in bench.device.reason


def test_after_silence_it_comes_back_with_where_the_cap_is_then(bench: Bench) -> None:
    bench.hand.move(lambda _: AWAY)
    bench.run(0.5)
    bench.emulator.faults.add("silence for 1")
    bench.time_until(DeviceStatus.LOST)
    bench.hand.move(lambda _: (0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    bench.run(1.0)
    bench.time_until(DeviceStatus.READY)
    sample = bench.run(0.2)
    assert sample is not None
    np.testing.assert_allclose(sample.pose[:3, 3], (0.0, FULL[1], 0.0))


def test_pulling_the_cable_is_lost_at_the_next_tick_and_putting_it_in_brings_it_back(bench: Bench) -> None:
    bench.hand.move(lambda _: AWAY)
    bench.run(0.5)
    bench.emulator.faults.add("unplug for 0.7")
    assert bench.time_until(DeviceStatus.LOST) <= 0.003
    bench.hand.move(None)
    bench.run(0.7)
    bench.time_until(DeviceStatus.READY)
    sample = bench.run(0.01)
    assert sample is not None
    np.testing.assert_array_equal(sample.pose, np.eye(4))


def test_samples_never_repeat_a_number_or_go_back_in_time(bench: Bench) -> None:
    bench.emulator.faults.add("drop p=0.2; corrupt p=0.1")
    bench.hand.move(lambda t: (np.sin(t), 0.0, 0.0, 0.0, 0.0, 0.2))
    last = None
    for _ in range(3000):
        sample = bench.run(0.001)
        if sample is not None:
            assert sample.arrival == bench.clock.now()
            assert np.isfinite(sample.pose).all()
            assert last is None or sample.sequence > last.sequence
            last = sample


def test_it_cannot_push_and_does_not_mind_being_asked(bench: Bench) -> None:
    assert not bench.device.enable_force()
    assert not bench.device.force_enabled
    bench.device.command(np.full(6, np.nan))
    bench.device.disable_force()


def test_closing_twice_is_fine_and_nothing_comes_afterwards(bench: Bench) -> None:
    bench.device.close()
    bench.device.close()
    assert bench.device.status is DeviceStatus.CLOSED
    assert bench.device.newest() is None
    bench.device.command(np.zeros(6))
