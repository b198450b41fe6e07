"""Worker: ikpy, which minimises with scipy inside the stops."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from ikpy.chain import Chain  # type: ignore[import-not-found]

from benchmarks.peers.workers.serve import Array, serve


class Ikpy:
    """The chain from the base to the last body of the URDF."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.frame = case["frame"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_text(case["urdf"])
            self.chain = Chain.from_urdf_file(str(file), base_elements=["world"])
        self.active = np.array([link.joint_type != "fixed" for link in self.chain.links])
        self.chain.active_links_mask = self.active
        self.q = case["start"]

    def _all(self, q: Array) -> Array:
        values = np.zeros(len(self.chain.links))
        values[self.active] = q
        return values

    def place(self, q: Array) -> None:
        """The seed."""
        self.q = q

    def prepare(self, target: Array) -> None:
        """Nothing."""

    def step(self, target: Array) -> None:
        """A whole solve for position and orientation."""
        found = self.chain.inverse_kinematics_frame(target, initial_position=self._all(self.q), orientation_mode="all")
        self.q = np.asarray(found)[self.active]

    def joints(self) -> Array:
        """Joint values in file order."""
        return np.asarray(self.q)

    def pose(self, name: str) -> Array:
        """Pose of the end of the chain."""
        assert name == self.frame
        return np.asarray(self.chain.forward_kinematics(self._all(self.q)))


if __name__ == "__main__":
    serve(Ikpy, ["ikpy", "numpy"])
