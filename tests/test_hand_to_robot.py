"""From a scripted hand through device, driver and mapping to a robot that follows: everything up to the servo."""

from __future__ import annotations

import numpy as np

import robots
import station
from sim_devices.fixtures import Emulated
from station import mad
from station.devices.device import Floats
from station.devices.mapping import Mapping, Mode, settings_from_device
from station.mechanism import Status

TICK = 0.001  # [s]
BENCH = "RAFF v2.0 Bench device 1 { scale { 0.5 0.5 0.5 } turning_rate 30 }"


def test_a_robot_follows_the_hand_while_the_dead_man_is_held(emulated: Emulated) -> None:
    device = emulated("syntaxer")
    arm = station.load(robots.path("ur5e"))["ur5e"]
    arm.q = np.radians([0.0, -60.0, 90.0, -120.0, -90.0, 0.0])
    tool = arm.frame_id("flange")
    mapping = Mapping(settings_from_device(mad.loads(BENCH).devices[0], device.capabilities))
    seat = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    modes, worst, moved = set(), 0.0, 0.0
    starts: tuple[Floats, Floats] | None = None  # of hand and robot [m]
    for _ in range(9000):
        emulated.clock.advance(TICK)
        sample = device.newest()
        device.command(np.zeros(6))
        before = arm.pose(tool)[:3, 3].copy()
        mode = mapping.tick(emulated.clock.now(), sample, arm.pose(tool))
        modes.add(mode)
        step = arm.step({tool: mapping.target}, TICK)
        assert step.status is Status.OK
        worst = max(worst, float(np.linalg.norm(arm.pose(tool)[:3, 3] - before)))
        if mode is Mode.ENGAGED and sample is not None:
            starts = starts or (sample.pose[:3, 3].copy(), before)
            way = 0.5 * seat @ (sample.pose[:3, 3] - starts[0])
            wanted = starts[1] + way
            moved = max(moved, float(np.linalg.norm(way)))
            assert np.linalg.norm(arm.pose(tool)[:3, 3] - wanted) < 1e-3
    assert {Mode.WAITING, Mode.ENGAGED} <= modes
    assert moved > 0.02
    assert worst < 0.5 * 2.0 * TICK  # never faster than half of a hand at 2 m/s
