"""Worker: pinocchio and numpy by hand, without limits: one damped least-squares step on task and loop rows stacked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from benchmarks.peers.workers.pinned import Model
from benchmarks.peers.workers.serve import Array, serve

DAMPING = 1e-8  # squared, of rows in m and rad


class Pinocchio:
    """The augmented Jacobian, rebuilt and solved once per step."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.tree = Model(case)
        self.q = self.tree.vector(case["start"])
        self.follow = self.tree.frame(case["frame"])
        self.loops = [(self.tree.frame(c["one"]), self.tree.frame(c["other"]), c["kind"]) for c in case["closures"]]
        self.identity = DAMPING * np.eye(self.tree.model.nv)

    def place(self, q: Array) -> None:
        """Stand at q."""
        self.q = self.tree.vector(q)
        pin.framesForwardKinematics(self.tree.model, self.tree.data, self.q)

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """Kinematics, rows, normal equations, integrate."""
        model, data = self.tree.model, self.tree.data
        pin.computeJointJacobians(model, data, self.q)
        pin.updateFramePlacements(model, data)
        wanted = pin.SE3(target)
        at = data.oMf[self.follow]
        turn = pin.log3(wanted.rotation @ at.rotation.T)
        errors = [np.concatenate([wanted.translation - at.translation, turn])]
        rows = [self._jacobian(self.follow)]
        for one, other, kind in self.loops:
            ours, theirs = data.oMf[one], data.oMf[other]
            count = 3 if kind == "ball" else 6
            gap = theirs.translation - ours.translation
            if kind == "weld":
                gap = np.concatenate([gap, pin.log3(theirs.rotation @ ours.rotation.T)])
            errors.append(gap)
            rows.append((self._jacobian(one) - self._jacobian(other))[:count])
        stacked, error = np.vstack(rows), np.concatenate(errors)
        self.q = self.q + np.linalg.solve(stacked.T @ stacked + self.identity, stacked.T @ error)

    def _jacobian(self, frame: int) -> Array:
        return np.asarray(pin.getFrameJacobian(self.tree.model, self.tree.data, frame, pin.LOCAL_WORLD_ALIGNED))

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.q[self.tree.columns])

    def pose(self, name: str) -> Array:
        """Pose of a URDF link."""
        return np.asarray(self.tree.data.oMf[self.tree.frame(name)].homogeneous)


if __name__ == "__main__":
    serve(Pinocchio, ["pin", "numpy"])
