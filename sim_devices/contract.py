"""What every device keeps: one class of tests, run on emulated and real devices alike.

In your own tests:

    class TestMyDevice(DeviceContract):
        url = "mydevice:somewhere"

or, for whatever is plugged in: `pytest --station-device URL --pyargs sim_devices.contract`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from station.clock import WALL, Clock
from station.devices import AxisKind, Device, DeviceStatus, Sample, open_device

SOME_TIME = 0.5  # that a test listens for [s]
TICK = 0.001  # [s]


class DeviceContract:
    """Subclass it and set `url`, or override the fixture `device`."""

    url = ""
    clock: Clock = WALL

    @pytest.fixture
    def device(self) -> Iterator[Device]:
        """The device under test, open."""
        device = open_device(self.url, self.clock)
        yield device
        device.close()

    def listen(self, device: Device, seconds: float = SOME_TIME) -> list[Sample]:
        """Tick for so long [s]; returns what came."""
        samples = []
        for _ in range(round(seconds / TICK)):
            sample = device.newest()
            device.command(np.zeros(6))
            if sample is not None:
                samples.append(sample)
            self.clock.sleep_until(self.clock.now() + TICK)
        return samples

    def test_it_is_usable_once_open(self, device: Device) -> None:
        """An opening function returns a device that gives samples, or raises."""
        assert device.status in (DeviceStatus.READY, DeviceStatus.HOMING)
        assert (device.reason == "") == (device.status is DeviceStatus.READY)
        assert self.listen(device)

    def test_it_declares_what_it_can_do(self, device: Device) -> None:
        """Every axis has two ends, and forces only where it is actuated; the dead-man is one of the buttons."""
        able = device.capabilities
        assert able.model
        assert able.rate > 0.0
        assert any(axis.kind is not AxisKind.NONE for axis in able.axes)
        assert able.dead_man is None or 0 <= able.dead_man < len(able.buttons)
        for axis in able.axes:
            assert (axis.low < axis.high) == (axis.kind is not AxisKind.NONE)
            assert 0.0 <= axis.force <= axis.peak or not axis.actuated
            assert axis.actuated or axis.stiffness == 0.0 or axis.force > 0.0

    def test_samples_are_numbers_in_order(self, device: Device) -> None:
        """Finite, a true rotation, never the same twice, never from the future."""
        samples = self.listen(device)
        for sample in samples:
            rotation = sample.pose[:3, :3]
            assert np.isfinite(sample.pose).all()
            assert np.abs(rotation @ rotation.T - np.eye(3)).max() < 1e-9
            assert np.isfinite(sample.velocity).all()
            assert 0.0 <= sample.grip <= 1.0
            assert 0 <= sample.buttons < 1 << max(len(device.capabilities.buttons), 1)
            assert sample.arrival <= self.clock.now()
        for first, second in pairwise(samples):
            assert second.sequence > first.sequence
            assert second.arrival >= first.arrival
            assert second.device_time >= first.device_time

    def test_a_sample_is_returned_once(self, device: Device) -> None:
        """Asked again at the same instant it says None, or something newer."""
        samples = self.listen(device)
        again = device.newest()
        assert again is None or again.sequence > samples[-1].sequence

    def test_no_force_before_it_is_enabled(self, device: Device) -> None:
        """And none at all from a device without motors."""
        assert not device.force_enabled
        device.command(np.ones(6))
        assert not device.force_enabled
        enabled = device.enable_force()
        assert enabled == (device.capabilities.actuated and device.status is DeviceStatus.READY)
        self.listen(device, 0.05)
        device.disable_force()
        assert not device.force_enabled

    def test_nonsense_does_not_upset_it(self, device: Device) -> None:
        """Forces that are no numbers, or far too large."""
        device.enable_force()
        for value in (np.nan, np.inf, -np.inf, 1e300):
            device.command(np.full(6, value))
        device.disable_force()
        assert self.listen(device)

    def test_closing_is_final_and_may_be_done_twice(self, device: Device) -> None:
        """Nothing comes afterwards, and nothing breaks."""
        device.close()
        device.close()
        assert device.status is DeviceStatus.CLOSED
        assert device.newest() is None
        device.command(np.zeros(6))
        assert not device.enable_force()
