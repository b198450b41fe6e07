"""Worker: pink with daqp, position and speed limits on; option `lm` is the task's Levenberg-Marquardt damping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pink  # type: ignore[import-not-found]
import pinocchio as pin  # type: ignore[import-untyped]

from benchmarks.peers.workers.pinned import Model
from benchmarks.peers.workers.serve import Array, serve


class Pink:
    """One frame task; pink has no ball closure, so only trees."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.tree = Model(case)
        self.dt = case["dt"]
        self.configuration = pink.Configuration(self.tree.model, self.tree.data, self.tree.vector(case["start"]))
        damping = case["options"].get("lm", 0.0)
        self.task = pink.tasks.FrameTask(case["frame"], position_cost=1.0, orientation_cost=1.0, lm_damping=damping)

    def place(self, q: Array) -> None:
        """Stand at q."""
        self.configuration.update(self.tree.vector(q))

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """Solve, integrate, update the kinematics."""
        self.task.set_target(pin.SE3(target))
        velocity = pink.solve_ik(self.configuration, [self.task], self.dt, solver="daqp", safety_break=False)
        self.configuration.integrate_inplace(velocity, self.dt)

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.configuration.q[self.tree.columns])

    def pose(self, name: str) -> Array:
        """Pose of a URDF link."""
        return np.asarray(self.configuration.get_transform_frame_to_world(name).homogeneous)


if __name__ == "__main__":
    serve(Pink, ["pin-pink", "pin", "daqp", "numpy"])
