"""Obstacles as the hand is to feel them coming: distance, and how it changes with the hand."""

from __future__ import annotations

from station.haptics.kernels.layout import HAND, MOST_OBSTACLES, OBSTACLE, OBSTACLE_COUNT, OBSTACLE_ROWS, ROW, SLOW
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.mechanism.kernels.tree import frame_jacobian
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import CONTACTS
from station.servo.kernels.hand import felt_gradient

Address = int


@kernel
def fill_obstacles(mem: Address, robot: Block) -> None:
    """A row for every obstacle within the range of the effect: distance, and how it changes with the hand."""
    rows, settings, inputs = at.obstacles(mem), at.haptics_settings(mem), at.haptics_inputs(mem)
    spread, gradient, jacobian, point = at.spread(mem), at.gradient(mem), at.jacobian(mem), at.point(mem)
    begins, filled = max(settings[OBSTACLE + 2], settings[SLOW + 1]), 0
    for c in range(int(at.memory(mem)[CONTACTS])):
        if rows[c, 0] >= begins or filled >= MOST_OBSTACLES:
            continue
        for i in range(3):
            point[i] = rows[c, 4 + i]
        frame_jacobian(robot, int(rows[c, 7]), point, robot_at.rotation(robot), robot_at.position(robot), jacobian)
        for i in range(6):
            gradient[i] = 0.0
        for j in range(spread.shape[0]):
            along = rows[c, 1] * jacobian[0, j] + rows[c, 2] * jacobian[1, j] + rows[c, 3] * jacobian[2, j]
            for i in range(6):
                gradient[i] += along * spread[j, i]
        row = OBSTACLE_ROWS + ROW * filled
        inputs[row] = rows[c, 0]
        felt_gradient(at.mapping_state(mem), gradient, inputs, row + 1)
        for i in range(3):  # no lever: what turning does to the distance is not felt
            inputs[row + 4 + i] = inputs[HAND + i]
        filled += 1
    inputs[OBSTACLE_COUNT] = filled
