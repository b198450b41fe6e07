"""Where the tool is for given driven joints, and how far from where it was sent lately."""

from __future__ import annotations

import math

import numpy as np

from station.mechanism import Mechanism
from station.tasks.task.joints import close_path, driven_joints, frame_path
from station.tasks.task.model import Floats


class ToolPlace:
    """Forward kinematics of one frame; loops are closed from where they were last."""

    def __init__(self, mechanism: Mechanism, frame: int) -> None:
        self._memory, self._frame = mechanism.memory, mechanism.frame_number(frame)
        self.driven = driven_joints(mechanism)
        self._passive = np.array(
            [number for number in range(len(mechanism.joints)) if number not in self.driven], dtype=np.int64
        )
        self._whole, self._poses, self._gap = mechanism.q[None], np.eye(4)[None].copy(), np.zeros(1)

    def of(self, q: Floats) -> Floats:
        """Place of the tool [m]."""
        self._whole[0, self.driven] = q
        if len(self._passive):
            close_path(self._memory, self._passive, self._whole, self._gap)
        frame_path(self._memory, self._frame, self._whole, self._poses)
        return np.array(self._poses[0, :3, 3])

    @property
    def whole(self) -> Floats:
        """All joints of the last answer, in the order of the file [rad | m]."""
        whole: Floats = self._whole[0]
        return whole

    @property
    def pose(self) -> Floats:
        """4×4 of the frame in the last answer [m]."""
        pose: Floats = self._poses[0]
        return pose


class Trail:
    """Where the tool was sent lately: an arm that is late is on its way, one that is elsewhere is not."""

    def __init__(self, longest: float, period: float) -> None:
        self._period = period
        self._places = np.full((max(math.ceil(longest / period), 2), 3), math.nan)
        self._count = 0

    def put(self, place: Floats) -> None:
        """The newest."""
        self._places[self._count % len(self._places)] = place
        self._count += 1

    def clear(self) -> None:
        """Nothing was sent yet."""
        self._places[:] = math.nan
        self._count = 0

    def off(self, place: Floats, within: float) -> float:
        """Distance from where the tool was sent within a time up to now [m]; 0 if it was sent nowhere."""
        known = min(self._count, len(self._places))
        last = min(max(int(within / self._period), 1), known)
        if not last:
            return 0.0
        rows = self._places[(self._count - 1 - np.arange(last)) % len(self._places)]
        a, b = rows[1:], rows[:-1]  # also between two of them
        if last == 1:
            return float(np.linalg.norm(rows[0] - place))
        along = b - a
        share = np.einsum("ij,ij->i", place - a, along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-30)
        nearest = a + np.clip(share, 0.0, 1.0)[:, None] * along
        return float(np.sqrt(np.einsum("ij,ij->i", nearest - place, nearest - place).min()))
