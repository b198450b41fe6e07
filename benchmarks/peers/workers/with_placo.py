"""Worker: placo, everything in C++; loops as hard relative tasks, position and speed limits on.

Options: `solve_only` leaves `update_kinematics` out of the time; `mask` closes only those axes of each ball ("xy").
"""

from __future__ import annotations

from typing import Any

import numpy as np
import placo  # type: ignore[import-not-found]

from benchmarks.peers.workers.serve import Array, joint_names, serve


class Placo:
    """One frame task over hard closures; the floating base that placo always adds is masked."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.options = case["options"]
        self.robot = placo.RobotWrapper("", 0, case["urdf"])
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.solver.dt = case["dt"]
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(True)
        self.columns = np.array([self.robot.get_joint_offset(name) for name in joint_names(case)])
        self.place(case["start"])
        self.task = self.solver.add_frame_task(case["frame"], self.robot.get_T_world_frame(case["frame"]))
        self.task.configure("follow", "soft", 1.0, 1.0)
        for number, closure in enumerate(case["closures"]):
            self._close(number, closure)
        if "regularization" in self.options:
            self.solver.add_regularization_task(self.options["regularization"])

    def _close(self, number: int, closure: dict[str, str]) -> None:
        one, other = closure["one"], closure["other"]
        if closure["kind"] == "ball":
            task = self.solver.add_relative_position_task(one, other, np.zeros(3))
            if "mask" in self.options:
                task.mask.set_axises(self.options["mask"], "local")
        else:
            task = self.solver.add_relative_frame_task(one, other, np.eye(4))
        task.configure(f"loop {number}", "hard", 1.0)

    def place(self, q: Array) -> None:
        """Stand at q."""
        state = self.robot.state.q.copy()
        state[self.columns] = q
        self.robot.state.q = state
        self.robot.update_kinematics()

    def prepare(self, target: Array) -> None:
        """Kinematics at the joint values of the last step, if only the solve is timed."""
        if "solve_only" in self.options:
            self.robot.update_kinematics()
            self.task.T_world_frame = target

    def step(self, target: Array) -> None:
        """One solve, which also moves the joints."""
        if "solve_only" not in self.options:
            self.robot.update_kinematics()
            self.task.T_world_frame = target
        self.solver.solve(True)

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.robot.state.q[self.columns])

    def pose(self, name: str) -> Array:
        """Pose of a URDF link."""
        return np.asarray(self.robot.get_T_world_frame(name))


if __name__ == "__main__":
    serve(Placo, ["placo", "pin", "numpy"])
