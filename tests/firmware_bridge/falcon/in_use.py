"""A Falcon in use with its force on, for tests of what faults do to it."""

from __future__ import annotations

import numpy as np

from station.devices.device import LOST_AFTER, DeviceStatus
from tests.firmware_bridge.falcon.bench import TICK, Bench, force_on

PUSH = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
HONEST = 1.5e-4  # a sample is no farther than this from where the grip was: a count is 45 µm, and three add up [m]
IN_TIME = LOST_AFTER + 2 * TICK  # silence shows at the first look after 20 ms [s]


def with_force() -> Bench:
    """A Falcon in use, its grip led round by a hand."""
    bench = Bench()
    bench.open()
    assert np.linalg.norm(force_on(bench, PUSH)) > 0.3
    return bench


def assert_no_force(bench: Bench) -> None:
    assert not bench.device.force_enabled
    assert bench.emulator.words == (0, 0, 0)


def assert_recovers(bench: Bench, seconds: float = 1.0) -> None:
    """Ready again by itself, but without force."""
    bench.run(seconds, PUSH)
    assert bench.is_(DeviceStatus.READY)
    assert_no_force(bench)
    samples = bench.run(0.1, PUSH)
    assert len(samples) > 95
    assert bench.dishonesty(samples) < HONEST
