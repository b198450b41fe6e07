"""Joint stops as the hand feels them before they act: distance, and how it changes with the hand.

Half the travel of a sliding joint counts as one radian: one range and one stiffness then suit all joints.
"""

from __future__ import annotations

from station.haptics.kernels.layout import MOST_STOPS, ROW, STOP, STOP_COUNT, STOP_ROWS
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import REVOLUTE, Block
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.hand import felt_gradient

Address = int


@kernel
def fill_stops(mem: Address, robot: Block) -> None:
    """A row for every stop that is within the range of the effect."""
    q, low, high, kind = robot_at.q(robot), robot_at.q_min(robot), robot_at.q_max(robot), robot_at.joint_kind(robot)
    inputs, settings, mapping = at.haptics_inputs(mem), at.haptics_settings(mem), at.mapping_state(mem)
    spread, gradient = at.spread(mem), at.gradient(mem)
    begins, count = settings[STOP + 2], 0
    for j in range(q.size):
        unit = 1.0 if kind[j] == REVOLUTE else 2.0 / (high[j] - low[j])
        for side in range(2):
            distance = unit * (q[j] - low[j] if side == 0 else high[j] - q[j])
            if distance < begins and count < MOST_STOPS:
                sign = unit if side == 0 else -unit
                for i in range(6):
                    gradient[i] = sign * spread[j, i]
                row = STOP_ROWS + ROW * count
                inputs[row] = distance
                felt_gradient(mapping, gradient, inputs, row + 1)
                count += 1
    inputs[STOP_COUNT] = count
