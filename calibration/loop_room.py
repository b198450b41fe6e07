"""Where the loops of a robot leave no room: near the stops of joints without a drive, and near singularities.

A robot that is not as its file says is not where its file says either, and near a singularity that grows without bound:
poses to measure at stay away from both. A robot without loops has all the room there is.
"""

from __future__ import annotations

import numpy as np

from calibration.parameters import Floats
from station.mechanism import Mechanism
from station.mechanism.closures import closure_rows
from station.mechanism.tree import forward

FROM_STOPS = 0.02  # of a joint's range, that stays free at each end
FASTER = 3.0  # than where the robot begins, that a joint without a drive may move per motion of the drives
EVERY = 4  # place of a path is looked at for that


class LoopRoom:
    """What the joints without a drive allow; the mechanism is where the robot begins when this is made."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._driven = [number for number, joint in enumerate(mechanism.joints) if joint.active]
        self._others = [number for number, joint in enumerate(mechanism.joints) if not joint.active]
        self._all = bool(self._others) and mechanism.report.closure_rows > 0
        self._most = FASTER * self._following(mechanism.q) if self._all else np.inf

    def trouble(self, path: Floats) -> str:
        """What there is no room for on a path (n, all joints) [rad | m]; empty if there is."""
        if not self._all:
            return ""
        for number in self._others:
            joint, values = self._mechanism.joints[number], path[:, number]
            if joint.limits is None:
                continue
            low, high = joint.limits
            free = FROM_STOPS * (high - low)
            if values.min() < low + free or values.max() > high - free:
                return f"the loops would push link {joint.id} to its stop"
        if max(self._following(q) for q in (*path[::EVERY], path[-1])) > self._most:
            return "the robot would come near a singularity of its loops"
        return ""

    def _following(self, q: Floats) -> float:
        """Most that a joint without a drive moves per motion of one with [rad | m per rad | m]."""
        memory, q = self._mechanism.memory, np.ascontiguousarray(q)
        forward(memory, q, memory.rotation, memory.position)
        closure_rows(memory, q, True)
        rows = np.array(memory.matrix[:, : len(q)])
        self._mechanism._refresh()
        moved = np.linalg.lstsq(rows[:, self._others], rows[:, self._driven], rcond=None)[0]
        return float(np.abs(moved).max())
