"""Every fault of the link, injected while force is on, and what must come of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.faults import KINDS
from station.devices.device import LOST_AFTER, DeviceStatus
from tests.firmware_bridge.falcon.in_use import HONEST, IN_TIME, PUSH, assert_recovers, with_force


def test_every_fault_is_tried_here() -> None:
    here = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*faults.py"))
    assert [kind for kind in KINDS if f'"{kind}' not in here] == []


def test_nothing_wrong_every_tick_has_an_honest_sample() -> None:
    bench = with_force()
    samples = bench.run(1.0, PUSH)
    assert len(samples) >= 999
    assert bench.dishonesty(samples) < HONEST
    assert np.diff([sample.sequence for sample in samples]).tolist() == [1] * (len(samples) - 1)


# Silence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["silence", "deaf", "drop p=1", "delay ms=50", "torn keep=0.9", "other-version"])
def test_without_answers_it_is_lost_in_20_ms_and_comes_back_without_force(fault: str) -> None:
    bench = with_force()
    begin = bench.clock.now()
    bench.fault(f"{fault} for 0.5")
    samples = bench.run(0.5, PUSH)
    assert bench.lost_after(begin) <= IN_TIME
    assert bench.is_(DeviceStatus.LOST)
    assert not samples or bench.dishonesty(samples) < HONEST
    assert_recovers(bench)


@pytest.mark.parametrize("delay", [2, 4, 7, 9, 12, 15, 19, 25, 33, 60, 110, 180, 300])
def test_late_answers_never_pass_for_new_ones(delay: int) -> None:
    bench = with_force()
    bench.fault(f"delay ms={delay} for 2")
    samples = bench.run(2.0, PUSH)
    assert not samples or bench.dishonesty(samples) < HONEST
    assert all(sample.arrival - sample.device_time < LOST_AFTER for sample in samples)
    if delay > 6:
        assert len(samples) < 5
        assert bench.is_(DeviceStatus.LOST)
    else:
        assert bench.device.force_enabled
        bench.device.disable_force()
    assert_recovers(bench)


@pytest.mark.parametrize("jitter", [2, 4, 8, 30, 100])
def test_answers_of_uneven_delay_never_pass_for_new_ones(jitter: int) -> None:
    bench = with_force()
    bench.fault(f"jitter ms={jitter} for 2")
    samples = bench.run(2.0, PUSH)
    assert not samples or bench.dishonesty(samples) < HONEST
    if jitter <= 4:
        assert len(samples) > 500
        assert bench.device.force_enabled


# Broken bytes --------------------------------------------------------------------------------------------


def test_one_lost_answer_is_a_gap_but_no_loss() -> None:
    bench = with_force()
    begin = bench.clock.now()
    bench.fault("drop p=1 for 0.0015")
    samples = bench.run(0.1, PUSH)
    assert bench.lost_after(begin) == float("inf")
    assert bench.device.force_enabled
    assert max(np.diff([sample.sequence for sample in samples])) > 1
    assert bench.dishonesty(samples) < HONEST


@pytest.mark.parametrize(
    "fault",
    ["drop p=0.02", "duplicate p=1", "duplicate p=0.3", "reorder p=0.05", "reorder p=1", "torn p=0.05 keep=0.9"],
)
def test_frames_lost_doubled_swapped_or_torn_leave_only_honest_samples(fault: str) -> None:
    bench = with_force()
    bench.fault(f"{fault} for 2")
    samples = bench.run(2.0, PUSH)
    assert not samples or bench.dishonesty(samples) < HONEST
    sequence = [sample.sequence for sample in samples]
    assert sequence == sorted(set(sequence))
    bench.device.disable_force()
    assert_recovers(bench)


def test_doubled_frames_do_no_harm() -> None:
    bench = with_force()
    bench.fault("duplicate")
    assert len(bench.run(0.5, PUSH)) > 490
    assert bench.device.force_enabled


def test_noise_between_the_frames_is_passed_over() -> None:
    bench = with_force()
    bench.fault("garbage bytes=20 for 2")
    samples = bench.run(2.0, PUSH)
    assert len(samples) > 1500
    assert bench.dishonesty(samples) < HONEST


def test_turned_bits_move_a_sample_by_millimetres_at_most() -> None:
    """Without a checksum a turned bit of a low nibble is a possible count; what is impossible is held back."""
    bench = with_force()
    bench.fault("corrupt p=0.2 for 2")
    samples = bench.run(2.0, PUSH)
    placed = [sample for sample in samples if sample.pose[:3, 3].any()]  # a turned homed bit gives no place
    assert len(placed) > 10
    assert bench.dishonesty(placed) < 0.003
    bench.device.disable_force()
    assert_recovers(bench)
