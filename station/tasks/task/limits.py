"""Limits of the driven joints, as arrays: of the scene, and of the arm where one is connected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.controllers import scene_joints, shaping
from station.controllers.controller import ControlledJoint
from station.controllers.shaping import JointLimits, ShapingSettings
from station.mechanism import Mechanism
from station.tasks.task.model import Floats

SHARE = 0.9  # of the limits that a task may use: what is sent goes through a shaping that allows as much


class Limits(NamedTuple):
    """One number per driven joint; infinite where there is none [rad | m and per s, s², s³]."""

    low: Floats
    high: Floats
    speed: Floats
    acceleration: Floats
    jerk: Floats
    effort: Floats  # [N·m | N]

    def scaled(self, share: float) -> Limits:
        """With a share of speed, acceleration and jerk."""
        return self._replace(speed=share * self.speed, acceleration=share * self.acceleration, jerk=share * self.jerk)


def joint_limits(
    mechanism: Mechanism, arm: Sequence[ControlledJoint] | None = None, share: float = SHARE
) -> tuple[JointLimits, ...]:
    """Within what setpoints are kept: a share of the smaller of what scene and arm say; the arm's are in our order."""
    return shaping.joint_limits(mechanism, arm, ShapingSettings(share=share, file_share=share))


def limits_for(mechanism: Mechanism, arm: Sequence[ControlledJoint] | None = None, share: float = SHARE) -> Limits:
    """The same as arrays, with efforts."""
    rows = joint_limits(mechanism, arm, share)
    ours = scene_joints(mechanism.joints)
    efforts = [_least(joint.effort, None if arm is None else arm[k].effort) for k, joint in enumerate(ours)]
    low, high, speed, acceleration, jerk = (
        np.array([getattr(row, name) for row in rows]) for name in ("low", "high", "speed", "acceleration", "jerk")
    )
    effort = np.array([math.inf if one is None else one for one in efforts])
    return Limits(low, high, speed, acceleration, jerk, effort)


def _least(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else min(a, b)
