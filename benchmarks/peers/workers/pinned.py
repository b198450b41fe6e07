"""What the workers built on pinocchio share: the model from URDF, joint order, poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from benchmarks.peers.workers.serve import Array, joint_names


class Model:
    """A pinocchio model whose joint vectors are seen in file order."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.model = pin.buildModelFromXML(case["urdf"])
        self.data = self.model.createData()
        self.columns = np.array([self.model.joints[self.model.getJointId(name)].idx_q for name in joint_names(case)])

    def vector(self, q: Array) -> Array:
        """File order → pinocchio order."""
        ordered = np.empty(self.model.nq)
        ordered[self.columns] = q
        return ordered

    def frame(self, name: str) -> int:
        """Index of the URDF link of that name."""
        return int(self.model.getFrameId(name, pin.FrameType.BODY))
