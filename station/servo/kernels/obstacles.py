"""Obstacles as the hand is to feel them coming: distance, and how it changes with the hand.

The forces know an obstacle by its normal s and a near point; the torque is (point - hand) × s. So that this is what
turning the hand does to the distance, t, the point lies at hand + s × t/s². Turning counts along absolute axes only: an
obstacle that pushed a handle whose deflection is a speed would turn the tool by itself.
"""

from __future__ import annotations

from station.devices.mapping.kernels.frames import applied_back
from station.devices.mapping.kernels.layout import TURNING
from station.haptics.kernels.layout import HAND, MOST_OBSTACLES, OBSTACLE, OBSTACLE_COUNT, OBSTACLE_ROWS, ROW, SLOW
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import REVOLUTE, Block
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import OBSTACLES
from station.servo.kernels.hand import felt_gradient

Address = int
FLAT = 1e-6  # square of a normal that is none: the obstacle is near a part that the hand hardly moves


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
        _fill_near_point(mem, row)
        filled += 1
    inputs[OBSTACLE_COUNT] = filled


@kernel
def _fill_near_point(mem: Address, row: int) -> None:
    """Where the obstacle of a row has to push for its torque to be right; its normal must be there."""
    inputs, g = at.haptics_inputs(mem), at.gradient(mem)
    x, y, z = inputs[row + 1], inputs[row + 2], inputs[row + 3]
    a, b, c = applied_back(at.mapping_state(mem), TURNING, (g[3], g[4], g[5]))
    size = x * x + y * y + z * z
    share = 1.0 / size if size > FLAT else 0.0
    inputs[row + 4] = inputs[HAND] + share * (y * c - z * b)
    inputs[row + 5] = inputs[HAND + 1] + share * (z * a - x * c)
    inputs[row + 6] = inputs[HAND + 2] + share * (x * b - y * a)


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
