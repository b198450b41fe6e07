"""What a robot does with freedom that no task asks for: three wishes, each with its rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from station.kernel import Floats
from station.mechanism.results import MechanismError

if TYPE_CHECKING:
    from station.mechanism.mechanism import Mechanism

STRIDE = 1e-4  # of a joint, to feel which way dexterity grows [rad | m]


@dataclass(frozen=True)
class Preference:
    """Wishes of lowest priority; they never change what the tasks get.

    Attributes:
        posture: joint values to go towards, by link [rad | m].
        posture_rate: how fast [1/s].
        centre_rate: how fast joints go towards the middle between their stops [1/s].
        dexterity: frame whose Jacobian should be well conditioned.
        dexterity_rate: how far the joints go per second and unit of growth of ln(dexterity) [rad² | m² per s].
    """

    posture: Mapping[Any, float] | None = None  # link, by id or name
    posture_rate: float = 2.0
    centre_rate: float = 0.0
    dexterity: int | str | None = None
    dexterity_rate: float = 0.5

    def fill(self, robot: Mechanism, wish: Floats, weight: Floats, dt: float) -> None:
        """Write the wished motion of this step [rad | m] and its weight per joint."""
        q = robot.q
        wish[:] = 0.0
        rates = (self.posture_rate, self.centre_rate, self.dexterity_rate, *(self.posture or {}).values())
        if not all(map(math.isfinite, rates)):
            raise MechanismError("a preference that is not finite")
        if self.posture:
            for link, value in self.posture.items():
                joint = robot.joint_number(link)
                wish[joint] += min(self.posture_rate * dt, 1.0) * (value - q[joint])
                weight[joint] = 1.0
        if self.centre_rate > 0.0:
            for joint, known in enumerate(robot.joints):
                if known.limits is not None:
                    wish[joint] += min(self.centre_rate * dt, 1.0) * (0.5 * sum(known.limits) - q[joint])
                    weight[joint] = 1.0
        if self.dexterity is not None:
            wish += self.dexterity_rate * dt * _growth(robot, self.dexterity)
            weight[:] = 1.0


def _growth(robot: Mechanism, frame: int | str) -> Floats:
    """Gradient of ln(dexterity) over the joints, dexterity being the product of singular values of the Jacobian."""
    q = robot.q
    gradient = np.zeros(len(q))
    for joint in range(len(q)):
        values = []
        for side in (-STRIDE, STRIDE):
            moved = q.copy()
            moved[joint] += side
            values.append(_log_dexterity(robot.jacobian_at(frame, moved)))
        gradient[joint] = (values[1] - values[0]) / (2.0 * STRIDE)
    return gradient


def _log_dexterity(jacobian: Floats) -> float:
    values = np.linalg.svd(jacobian, compute_uv=False)
    return float(np.log(values[values > 1e-9]).sum())
