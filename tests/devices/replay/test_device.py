"""The device that plays a recording, on a virtual clock."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from station.clock import WALL, VirtualClock
from station.devices.address import parse_address
from station.devices.device import LOST_AFTER, AxisKind, DeviceStatus, Sample
from station.devices.errors import AddressError, DeviceMismatchError, DeviceNotFoundError
from station.devices.registry import Scheme
from station.devices.replay import ReplayDevice
from station.devices.replay.device import SCHEME
from tests.devices.replay.recordings import CAPABILITIES, bits, made_up, write

TICK = 0.001  # [s]


class Bench:
    """A recording, its player and a clock; `seen` are the states, one per tick."""

    def __init__(self, folder: Path, samples: list[Sample], options: str = "", start: float = 50.0) -> None:
        self.clock = VirtualClock(start)
        self.samples = samples
        self.path = write(folder / "run.mcap", samples)
        self.device = SCHEME.open(parse_address(f"replay:{self.path}{options}"), self.clock)
        self.seen: list[tuple[DeviceStatus, str]] = []

    def run(self, seconds: float, tick: float = TICK) -> list[Sample]:
        """Look once per tick."""
        came = []
        for _ in range(round(seconds / tick)):
            sample = self.device.newest()
            self.seen.append((self.device.status, self.device.reason))
            if sample is not None:
                assert sample.arrival <= self.clock.now()
                came.append(sample)
            self.clock.sleep_until(self.clock.now() + tick)
        return came

    @property
    def states(self) -> list[DeviceStatus]:
        """States without repetition."""
        kinds = [status for status, _ in self.seen]
        return [kind for index, kind in enumerate(kinds) if index == 0 or kinds[index - 1] is not kind]


def ending_elsewhere(count: int = 50) -> list[Sample]:
    """A hand that ends 30 mm from where it began."""
    return made_up(2 * count)[: count + 1]


def test_it_is_a_scheme_that_finds_nothing_by_itself() -> None:
    scheme: Scheme = SCHEME
    assert not list(scheme.find())


def test_samples_are_as_recorded_and_come_at_their_times(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(100))
    came = bench.run(0.12, tick=0.0001)
    assert len(came) == 100
    first = bench.samples[0].arrival
    for sample, recorded in zip(came, bench.samples, strict=True):
        assert sample.arrival - 50.0 == pytest.approx(recorded.arrival - first, abs=1e-9)
        assert bits(sample._replace(arrival=recorded.arrival)) == bits(recorded)


def test_it_begins_with_the_first_look(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(10))
    assert (bench.device.status, bench.device.reason) == (DeviceStatus.READY, "")
    bench.clock.advance(100.0, step=10.0)
    sample = bench.device.newest()
    assert sample is not None
    assert (sample.sequence, sample.arrival) == (10, 150.0)


def test_who_looks_seldom_gets_the_newest_and_each_only_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(100))
    came = bench.run(0.09, tick=0.010)
    assert [round(sample.sequence, -1) for sample in came] == list(range(10, 100, 10))
    assert bench.device.newest() is not None
    assert bench.device.newest() is None
    assert bench.device.status is DeviceStatus.READY


def test_at_the_end_it_is_lost_and_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(20))
    bench.run(0.1)
    assert bench.states == [DeviceStatus.READY, DeviceStatus.LOST]
    assert bench.device.reason == f"{bench.device.url}: the recording has ended"
    assert bench.device.newest() is None


def test_a_file_that_is_cut_short_is_refused_or_says_so_at_its_end(tmp_path: Path) -> None:
    path = write(tmp_path / "run.mcap", made_up(20))
    path.write_bytes(path.read_bytes()[:3500])
    clock = VirtualClock()
    with pytest.raises(DeviceMismatchError, match=r"cut short after \d+ samples; make a run's file whole"):
        SCHEME.open(parse_address(f"replay:{path}"), clock)
    device = SCHEME.open(parse_address(f"replay:{path}?cut=yes"), clock)
    count = 0
    while device.status is DeviceStatus.READY:
        count += device.newest() is not None
        clock.advance(TICK)
    assert 0 < count < 20
    assert device.reason.endswith(f"the recording has ended; the file is cut short after {count} samples")


@pytest.mark.parametrize("speed", [0.1, 0.5, 2.0])
def test_speed_stretches_times_and_scales_velocity(tmp_path: Path, speed: float) -> None:
    bench = Bench(tmp_path, made_up(50), f"?speed={speed}")
    came = bench.run(0.06 / speed, tick=0.0001)
    assert len(came) == 50
    for sample, recorded in zip(came, bench.samples, strict=True):
        since = (recorded.arrival - bench.samples[0].arrival) / speed
        assert sample.arrival - 50.0 == pytest.approx(since, abs=1e-9)
        assert sample.device_time == pytest.approx(7.0 + (recorded.device_time - 7.0) / speed)
        np.testing.assert_array_equal(sample.velocity, recorded.velocity * speed)
        np.testing.assert_array_equal(sample.pose, recorded.pose)


def test_slow_motion_is_not_silence(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(20), "?speed=0.01")
    bench.run(1.8)
    assert bench.states == [DeviceStatus.READY]


def test_a_loop_goes_on_without_a_break_where_the_hand_ends_where_it_began(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(400), "?loop=yes")
    came = bench.run(1.3, tick=0.0005)
    assert len(came) > 1200
    assert bench.states == [DeviceStatus.READY]
    assert [sample.sequence for sample in came] == list(range(10, 10 + len(came)))
    assert all(first.device_time < second.device_time for first, second in itertools.pairwise(came))
    assert all(first.arrival < second.arrival for first, second in itertools.pairwise(came))
    np.testing.assert_array_equal(came[403].pose, bench.samples[3].pose)


def test_a_loop_that_would_jump_is_lost_in_between(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ending_elsewhere(), "?loop=yes")
    came = bench.run(0.2)
    assert bench.states[:3] == [DeviceStatus.READY, DeviceStatus.LOST, DeviceStatus.READY]
    assert f"{bench.device.url}: the recording begins again" in {reason for _, reason in bench.seen}
    assert len(came) > 60


def test_a_single_sample_can_be_looped(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(1), "?loop=yes")
    assert len(bench.run(0.05)) == 50
    assert bench.states == [DeviceStatus.READY]


def test_a_gap_in_the_recording_is_a_loss_and_nothing_old_is_given(tmp_path: Path) -> None:
    samples = made_up(40)
    later = [sample._replace(arrival=sample.arrival + 0.1) for sample in samples[20:]]
    bench = Bench(tmp_path, samples[:20] + later)
    came = bench.run(0.135)
    assert bench.states == [DeviceStatus.READY, DeviceStatus.LOST, DeviceStatus.READY]
    assert any("no sample in the recording for" in reason for _, reason in bench.seen)
    assert all(sample.arrival > bench.clock.now() - 1.0 for sample in came)
    lost = sum(status is DeviceStatus.LOST for status, _ in bench.seen) * TICK
    assert lost == pytest.approx(0.1 - LOST_AFTER, abs=3 * TICK)


def test_who_looks_too_late_gets_nothing_old(tmp_path: Path) -> None:
    samples = made_up(20)
    bench = Bench(tmp_path, [*samples[:19], samples[19]._replace(arrival=samples[19].arrival + 1.0)])
    bench.device.newest()
    bench.clock.advance(0.5)
    assert bench.device.newest() is None
    assert bench.device.status is DeviceStatus.LOST


def test_it_is_the_recorded_device_without_its_motors(tmp_path: Path) -> None:
    device = Bench(tmp_path, made_up(3)).device
    able = device.capabilities
    assert (able.model, able.buttons, able.rate, able.grip) == ("Wand", CAPABILITIES.buttons, 1000.0, True)
    assert [axis.kind for axis in able.axes] == [axis.kind for axis in CAPABILITIES.axes]
    assert [(axis.low, axis.high) for axis in able.axes] == [(axis.low, axis.high) for axis in CAPABILITIES.axes]
    assert able.axes[0].kind is AxisKind.ABSOLUTE
    assert not able.actuated
    assert not able.homing
    assert all(axis.peak == axis.stiffness == 0.0 for axis in able.axes)
    assert not device.enable_force()
    device.command(np.full(6, np.nan))
    assert not device.force_enabled


def test_closing_is_final(tmp_path: Path) -> None:
    bench = Bench(tmp_path, made_up(3))
    with bench.device as device:
        assert device.newest() is not None
    device.close()
    assert device.status is DeviceStatus.CLOSED
    assert device.newest() is None


@pytest.mark.parametrize("options", ["?speed=0", "?speed=fast", "?speed=nan", "?loop=maybe", "?lop=yes"])
def test_options_that_make_no_sense_are_refused(tmp_path: Path, options: str) -> None:
    path = write(tmp_path / "run.mcap", made_up(3))
    with pytest.raises(AddressError):
        SCHEME.open(parse_address(f"replay:{path}{options}"), VirtualClock())


def test_a_file_must_be_named_and_be_there(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="name the file"):
        SCHEME.open(parse_address("replay:"), VirtualClock())
    with pytest.raises(DeviceNotFoundError, match="there is no such file"):
        SCHEME.open(parse_address(f"replay:{tmp_path / 'none.mcap'}"), VirtualClock())


def test_it_plays_on_wall_time(tmp_path: Path) -> None:
    path = write(tmp_path / "run.mcap", made_up(30))
    device: ReplayDevice = SCHEME.open(parse_address(f"replay:{path}"), WALL)
    came = []
    while device.status is DeviceStatus.READY:
        came.append(device.newest())
    assert any(sample is not None for sample in came)
    assert "the recording has ended" in device.reason
