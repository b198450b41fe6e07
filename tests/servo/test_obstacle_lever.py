"""Obstacles turn the hand where the device can: the torque is what turning does to the distance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.clock import VirtualClock
from station.devices.device import Axis, AxisKind, Capabilities, Sample
from station.haptics import Cause
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import SetGain
from tests.servo.rigs import Bench, IdealDevice, loaded
from tests.servo.test_obstacles import AWAY, SCENE

SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world
SMALL = 1e-4  # [m, rad]


class SixAxes(IdealDevice):
    """All six axes push; turning is taken as told."""

    def __init__(self, clock: VirtualClock, turning: AxisKind) -> None:
        super().__init__(clock, force=20.0)
        straight = self.capabilities.axes[0]
        about = Axis(kind=turning, low=-1.0, high=1.0, force=5.0, peak=5.0, stiffness=20.0)
        self.capabilities = Capabilities(
            model="six", axes=(straight,) * 3 + (about,) * 3, buttons=self.capabilities.buttons, rate=1000.0
        )
        self.turn = np.eye(3)

    def newest(self) -> Sample | None:
        sample = super().newest()
        if sample is not None:
            sample.pose[:3, :3] = self.turn
        return sample


@contextmanager
def before_the_wall(folder: Path, turning: AxisKind) -> Iterator[Bench]:
    """Engaged, at rest, so near a wall that it is felt coming."""
    clock = VirtualClock(1.0)
    device = SixAxes(clock, turning)
    with Servo(put_together(loaded(SCENE), device, Wanted()), clock=clock, folder=folder) as servo:
        bench = Bench(servo, device)
        for cause in (Cause.COUPLING, Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
            servo.part.orders.decide(SetGain(cause, 0.0))
        bench.engage()
        bench.lead(0.05 * AWAY, 0.5)
        for _ in range(150):
            if bench.shared.obstacle_distance < 0.0065:
                break
            bench.lead(device.place + 0.001 * AWAY, 0.03)
            bench.ticks(30)  # near a wall the robot comes after the hand
        bench.ticks(300)
        assert 0.003 < bench.shared.obstacle_distance < 0.009
        yield bench


def slopes(bench: Bench) -> Any:
    """How the least distance changes with the followed frame, by small motions of it: along, about [m/m, m/rad]."""
    robot, around = bench.robot, bench.servo.part.rig.surroundings
    assert around is not None
    back = np.linalg.pinv(robot.jacobian(bench.servo.part.followed.id))
    q = robot.q

    def least(joints: Any) -> float:
        robot.q = joints
        around.refresh()
        return min(row.distance for row in around.distances())

    steps = SMALL * back.T
    found = np.array([(least(q + step) - least(q - step)) / (2.0 * SMALL) for step in steps])
    least(q)
    return found


def test_the_torque_is_what_turning_does_to_the_distance(tmp_path: Path) -> None:
    with before_the_wall(tmp_path, AxisKind.ABSOLUTE) as bench:
        part = bench.shared.wrench_parts[Cause.OBSTACLES].copy()
        force, torque = SEAT @ part[:3], SEAT @ part[3:]
        slope = slopes(bench)
        along, about = slope[:3], slope[3:]
        push = float(np.linalg.norm(force) / np.linalg.norm(along))
        assert push > 0.5
        assert force == pytest.approx(push * along, abs=0.05 * push)
        # What acts along the normal is a force at a point; a screw about the normal is left out.
        square = about - along * (along @ about) / (along @ along)
        assert np.linalg.norm(square) > 0.02  # there is a lever at all
        assert torque == pytest.approx(push * square, abs=0.1 * push * float(np.linalg.norm(square)))


def test_a_handle_whose_deflection_is_a_speed_is_not_turned(tmp_path: Path) -> None:
    with before_the_wall(tmp_path, AxisKind.INCREMENTAL) as bench:
        part = bench.shared.wrench_parts[Cause.OBSTACLES]
        assert np.linalg.norm(part[:3]) > 0.5
        assert np.linalg.norm(part[3:]) == 0.0


def test_turning_into_a_wall_costs_what_turning_back_gives(tmp_path: Path) -> None:
    """The wrench is the slope of a potential: round a small loop of turning and moving nothing is won."""
    with before_the_wall(tmp_path, AxisKind.ABSOLUTE) as bench:
        device = bench.device
        corner = device.place.copy()
        energy = 0.0
        for nth in range(801):
            phase = 2.0 * np.pi * nth / 800
            angle, shift = 0.02 * np.sin(phase), 0.001 * (1.0 - np.cos(phase))
            turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0, 0, 1.0]])
            wrench = bench.shared.wrench_parts[Cause.OBSTACLES].copy()
            step = corner - shift * AWAY - device.place
            twist = np.array([0.0, 0.0, angle - np.arctan2(device.turn[1, 0], device.turn[0, 0])])
            energy -= float(wrench[:3] @ step + wrench[3:] @ twist)
            device.place, device.turn = corner - shift * AWAY, turn
            bench.ticks()
        assert energy > -2e-4
