"""Worker: roboticstoolbox, compiled Levenberg-Marquardt with random restarts inside the stops.

Its tolerance is on half the squared error: 5e-11 makes the error itself at most 1e-5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import roboticstoolbox as rtb  # type: ignore[import-not-found]

from benchmarks.peers.workers.serve import Array, serve

TOLERANCE = 5e-11


class Toolbox:
    """One chain of elementary transforms from the world to the followed body."""

    def __init__(self, case: dict[str, Any]) -> None:
        by_name = {body["name"]: body for body in case["bodies"]}
        chain = []
        at = case["frame"]
        while at in by_name:
            chain.append(by_name[at])
            at = by_name[at]["parent"]
        ets = rtb.ETS()
        for body in reversed(chain):
            ets = ets * rtb.ET.SE3(np.array(body["origin"]))
            if body["joint"] != "fixed":
                make = rtb.ET.Rz if body["joint"] == "revolute" else rtb.ET.tz
                ets = ets * make(qlim=[body["lower"], body["upper"]])
        self.ets = ets
        self.frame = case["frame"]
        self.q = case["start"]
        self.settings = {"tol": TOLERANCE, "joint_limits": True, "k": 0.1, "method": "chan"}

    def place(self, q: Array) -> None:
        """The seed."""
        self.q = q

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """A whole solve, with up to 100 searches of up to 30 iterations (its defaults)."""
        self.q = self.ets.ik_LM(target, q0=self.q, **self.settings)[0]

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.q)

    def pose(self, name: str) -> Array:
        """Pose of the end of the chain."""
        assert name == self.frame
        return np.asarray(self.ets.eval(self.q))


if __name__ == "__main__":
    serve(Toolbox, ["roboticstoolbox-python", "numpy"])
