"""Worker: this project's solver; position, speed and acceleration limits are always on."""

from __future__ import annotations

from typing import Any

import numpy as np

import station
from benchmarks.peers.workers.serve import Array, serve
from station.mechanism import Status

LOST = int(Status.CLOSURE_LOST)


class Ours:
    """`arm.step` (or `arm.following`) for sequences, `arm.reach` for independent targets."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.arm = station.load(case["file"])[case["robot"]]
        self.follow = int(case["follow"])
        self.dt = float(case["dt"])
        self.reaching = bool(case["independent"])
        self.looped = bool(case["closures"])
        self.start = case["start"]
        self.follower = self.arm.following(self.follow) if case["options"].get("following") else None

    def place(self, q: Array) -> None:
        """Stand at q; a mechanism with loops cannot stand at any q, so it goes to the start."""
        self.arm.q = self.start if self.looped else q

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """The call that the servo makes."""
        if self.reaching:
            self.arm.reach(self.follow, target)
            return
        if self.follower:
            status = self.follower(target, self.dt)
        else:
            status = self.arm.step({self.follow: target}, self.dt).status
        if status == LOST:
            raise RuntimeError("CLOSURE_LOST")

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.arm.q)

    def pose(self, name: str) -> Array:
        """Pose by the id in the name."""
        return np.asarray(self.arm.pose(int(name[1:])))


if __name__ == "__main__":
    serve(Ours, ["haptic-station", "numpy"])
