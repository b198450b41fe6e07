"""`LooseMesh`: triangles in the world that may be others in every picture; one draw call, and nothing is made anew."""

from __future__ import annotations

import numpy as np

from station.view.drawing.lighting import Lighting
from station.view.drawing.robot_visual import LinkStates, RobotVisual
from station.view.geometry.mesh import Mesh, mesh_of

ROOM = 1024  # corners at first; more are made by doubling, as a new buffer costs milliseconds


class LooseMesh:
    """Shows any mesh; made on the graphics card when there is first something to show."""

    def __init__(self) -> None:
        self._shown: Mesh | None = None
        self._visual: RobotVisual | None = None
        self._room, self._still = 0, LinkStates(1)

    def put(self, mesh: Mesh) -> None:
        """Show another mesh from now on; the same object again costs nothing."""
        if mesh is self._shown:
            return
        self._shown = mesh
        if len(mesh.points) > self._room:
            self._room = max(ROOM, 1 << (len(mesh.points) - 1).bit_length())
            none, nothing = np.zeros(self._room, np.int32), np.zeros((self._room, 3))
            room = mesh_of(nothing, nothing, np.empty((0, 3)))
            self._visual = RobotVisual(room, none, none, np.empty((0, 2), np.int64), 1)
        if self._visual is not None:
            self._visual.fill(mesh)

    def light(self, lighting: Lighting) -> None:
        """What the camera sees and how things are lit, for the draws that follow."""
        if self._visual is not None and self._shown is not None and len(self._shown.faces):
            self._visual.light(lighting)

    def draw(self) -> None:
        """What is solid of it."""
        if self._visual is not None:
            self._visual.draw(self._still)

    def draw_clear(self) -> None:
        """What is translucent of it, after everything solid, with blending on."""
        if self._visual is not None:
            self._visual.draw_clear(self._still)
