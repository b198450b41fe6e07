"""Worker: mink with daqp, loops as hard equality constraints, position and speed limits on; option `lm` as in pink."""

from __future__ import annotations

from typing import Any

import mink  # type: ignore[import-not-found]
import mujoco  # type: ignore[import-untyped]
import numpy as np

from benchmarks.peers.workers.serve import Array, joint_names, serve


class Mink:
    """One frame task on a site, over MuJoCo's equality constraints."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.dt = case["dt"]
        self.model = mujoco.MjModel.from_xml_string(case["mjcf"])
        self.columns = np.array([self.model.joint(name).qposadr[0] for name in joint_names(case)])
        self.configuration = mink.Configuration(self.model)
        damping = case["options"].get("lm", 0.0)
        self.task = mink.FrameTask(case["frame"], "site", position_cost=1.0, orientation_cost=1.0, lm_damping=damping)
        self.limits = [mink.ConfigurationLimit(self.model)]
        speeds = {f"{b['name']}_joint": b["speed"] for b in case["bodies"] if np.isfinite(b["speed"])}
        if speeds:
            self.limits.append(mink.VelocityLimit(self.model, speeds))
        self.constraints = [mink.EqualityConstraintTask(self.model, cost=1.0)] if case["closures"] else None

    def place(self, q: Array) -> None:
        """Stand at q."""
        ordered = np.empty(self.model.nq)
        ordered[self.columns] = q
        self.configuration.update(ordered)

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """Solve, integrate, update the kinematics."""
        self.task.set_target(mink.SE3.from_matrix(target))
        velocity = mink.solve_ik(
            self.configuration,
            [self.task],
            self.dt,
            solver="daqp",
            limits=self.limits,
            constraints=self.constraints,
        )
        self.configuration.integrate_inplace(velocity, self.dt)

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.configuration.q[self.columns])

    def pose(self, name: str) -> Array:
        """Pose of a site."""
        return np.asarray(self.configuration.get_transform_frame_to_world(name, "site").as_matrix())


if __name__ == "__main__":
    serve(Mink, ["mink", "mujoco", "daqp", "numpy"])
