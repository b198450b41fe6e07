"""Obstacles as the hand is to feel them coming: distance, and how it changes with the hand."""

from __future__ import annotations

from station.haptics.kernels.layout import HAND, MOST_OBSTACLES, OBSTACLE, OBSTACLE_COUNT, OBSTACLE_ROWS, ROW, SLOW
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import REVOLUTE, Block
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import OBSTACLES
from station.servo.kernels.hand import felt_gradient

Address = int


@kernel
def fill_obstacles(mem: Address, robot: Block) -> None:
    """A row for every obstacle within the range of the effect: distance, and how it changes with the hand."""
    rows, settings, inputs = at.obstacles(mem), at.haptics_settings(mem), at.haptics_inputs(mem)
    gradient = at.gradient(mem)
    begins, filled = max(settings[OBSTACLE + 2], settings[SLOW + 1]), 0
    for c in range(int(at.memory(mem)[OBSTACLES])):
        if rows[c, 0] >= begins or filled >= MOST_OBSTACLES:
            continue
        _fill_gradient(mem, robot, c)
        row = OBSTACLE_ROWS + ROW * filled
        inputs[row] = rows[c, 0]
        felt_gradient(at.mapping_state(mem), gradient, inputs, row + 1)
        for i in range(3):  # no lever: what turning does to the distance is not felt
            inputs[row + 4 + i] = inputs[HAND + i]
        filled += 1
    inputs[OBSTACLE_COUNT] = filled


@kernel
def _fill_gradient(mem: Address, robot: Block, c: int) -> None:
    """How the distance of a row changes with the followed frame, into `gradient`: normal · dp/dq · dq/dx."""
    rows, spread, gradient = at.obstacles(mem), at.spread(mem), at.gradient(mem)
    rotation, position, parents = robot_at.rotation(robot), robot_at.position(robot), robot_at.parents(robot)
    nx, ny, nz = rows[c, 1], rows[c, 2], rows[c, 3]
    for i in range(6):
        gradient[i] = 0.0
    j = int(rows[c, 7])
    while j >= 0:
        zx, zy, zz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
        if robot_at.joint_kind(robot)[j] == REVOLUTE:
            rx, ry, rz = rows[c, 4] - position[j, 0], rows[c, 5] - position[j, 1], rows[c, 6] - position[j, 2]
            along = nx * (zy * rz - zz * ry) + ny * (zz * rx - zx * rz) + nz * (zx * ry - zy * rx)
        else:
            along = nx * zx + ny * zy + nz * zz
        for i in range(6):
            gradient[i] += along * spread[j, i]
        j = parents[j]
