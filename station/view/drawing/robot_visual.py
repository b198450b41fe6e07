"""`RobotVisual`: a whole robot in one draw call. The poses of its links are a texture, 4 texels per link."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from station.view.drawing.library import gloo
from station.view.drawing.lighting import Lighting
from station.view.drawing.shaders import LINK_TEXELS, ROBOT_FRAGMENT, ROBOT_VERTEX
from station.view.geometry.mesh import Colour, Mesh

CLEAR = 0.995  # opacity below which a surface is drawn after the others
PUSH = 1e-4  # how far a ghost stands back in depth: where it coincides with the solid robot, that one is seen
NONE: Colour = (0.0, 0.0, 0.0, 0.0)
CORNER = np.dtype(
    [("a_position", np.float32, 3), ("a_normal", np.float32, 3), ("a_colour", np.float32, 4), ("a_rows", np.float32, 2)]
)


class Style(IntEnum):
    """How a robot is drawn."""

    SOLID = 0
    GLASS = 1  # a ghost that one looks through
    FLAT = 2  # one colour: shadows
    WIRE = 3  # a ghost of lines
    CLEAR = 4  # what is translucent of a solid robot


class LinkStates:
    """What changes of a robot from frame to frame: poses, marks and highlights of its links, as one texture."""

    def __init__(self, count: int) -> None:
        self.numbers = np.zeros((count, LINK_TEXELS, 4), np.float32)
        self.numbers[:, :3, :3] = np.eye(3, dtype=np.float32)
        self.numbers[:, 4, 0] = 1.0
        self._texture: gloo.Texture2D | None = None
        self._changed = True
        self.faded = False  # whether a link is translucent that was not made so

    def put(self, poses: NDArray[np.float64]) -> None:
        """Poses (links, 4, 4) in the world [m]."""
        self.numbers[:, :3, :] = poses[:, :3, :]
        self._changed = True

    def mark(self, row: int, colour: Colour | None, opacity: float = 1.0) -> None:
        """Colour of a link, its fourth number telling how much of it; None: its own paint. And how opaque it is."""
        self.numbers[row, 3] = (0.0, 0.0, 0.0, 0.0) if colour is None else colour
        self.numbers[row, 4, 0] = opacity
        self.faded = bool((self.numbers[:, 4, 0] < CLEAR).any())
        self._changed = True

    def forget_canvas(self) -> None:
        """Another canvas will draw it."""
        self._texture = None

    def texture(self) -> gloo.Texture2D:
        """For the graphics card; only what has changed is sent."""
        if self._texture is None:
            self._texture = gloo.Texture2D(
                self.numbers, interpolation="nearest", wrapping="clamp_to_edge", internalformat="rgba32f"
            )
        elif self._changed:
            self._texture.set_data(self.numbers)
        self._changed = False
        return self._texture


class RobotVisual:
    """The triangles of a robot on the graphics card.

    Args:
        mesh: all its triangles, each in the frame of its link.
        rows: for each corner the link that moves it.
        owners: for each corner the link that it belongs to.
        wires: pairs of corners that a wireframe shows.
        links: how many links there are.
    """

    def __init__(
        self,
        mesh: Mesh,
        rows: NDArray[np.int32],
        owners: NDArray[np.int32],
        wires: NDArray[np.int64],
        links: int,
    ) -> None:
        self._rows = np.column_stack([rows, owners])
        self._buffer = gloo.VertexBuffer(_corners(mesh, self._rows))
        self._program = gloo.Program(ROBOT_VERTEX, ROBOT_FRAGMENT)
        self._program.bind(self._buffer)
        self._program["u_link_count"] = float(links)
        self._solid: gloo.IndexBuffer | None = None
        self._clear: gloo.IndexBuffer | None = None
        self._all: gloo.IndexBuffer | None = None
        self._wires = _indices(wires)
        self._faces: NDArray[np.int64] | None = None
        self._shared = np.zeros(0, np.bool_)  # which faces are translucent
        self._share(mesh)
        self._set: dict[str, object] = {}
        self._lighting: Lighting | None = None

    def replace(self, mesh: Mesh) -> bool:
        """Other places and colours for the same corners; returns False if there are not as many."""
        if len(mesh.points) != len(self._rows):
            return False
        self._buffer.set_data(_corners(mesh, self._rows))
        return True

    def fill(self, mesh: Mesh) -> None:
        """Other corners and faces; at most as many corners as there were at first."""
        if len(mesh.points):
            self._buffer.set_subdata(_corners(mesh, self._rows[: len(mesh.points)]))
        self._share(mesh)

    def _share(self, mesh: Mesh) -> None:
        """Which faces are solid, which translucent."""
        clear = mesh.colours[mesh.faces[:, 0], 3] < CLEAR
        if self._faces is not None and np.array_equal(mesh.faces, self._faces) and np.array_equal(clear, self._shared):
            return  # as it was: new buffers cost more than all the rest
        self._faces, self._shared = mesh.faces, clear
        self._solid, self._clear = _indices(mesh.faces[~clear]), _indices(mesh.faces[clear])
        self._all = _indices(mesh.faces)

    def light(self, lighting: Lighting) -> None:
        """What the camera sees and how things are lit, for the draws that follow."""
        if self._lighting is lighting:
            return
        self._lighting = lighting
        self._program["u_view_projection"], self._program["u_eye"] = lighting.view_projection, lighting.eye
        self._program["u_key"], self._program["u_fill"] = lighting.key, lighting.fill
        self._put("u_light", lighting.light)

    def draw(self, states: LinkStates) -> None:
        """The robot as a solid body."""
        self._go(states, Style.SOLID, NONE, NONE, self._solid)

    def draw_clear(self, states: LinkStates) -> None:
        """Its translucent parts, if any; after everything solid, with blending on."""
        self._go(states, Style.CLEAR, NONE, NONE, self._all if states.faded else self._clear)

    def draw_shadow(self, states: LinkStates, floor: float, paint: Colour) -> None:
        """Its shadow straight down on the floor [m]."""
        self._go(states, Style.FLAT, paint, (floor, 1.0, 0.0, 0.0), self._all)

    def draw_depth(self, states: LinkStates, push: float = PUSH) -> None:
        """Nothing but its depth, so that a ghost shows only its outside; colours must be masked."""
        self._go(states, Style.FLAT, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, push, 0.0), self._all)

    def draw_glass(self, states: LinkStates, paint: Colour, push: float = PUSH) -> None:
        """The robot as a ghost of glass, after `draw_depth`."""
        self._go(states, Style.GLASS, paint, (0.0, 0.0, push, 0.0), self._all)

    def draw_wire(self, states: LinkStates, paint: Colour, push: float = PUSH) -> None:
        """The robot as a ghost of lines."""
        self._go(states, Style.WIRE, paint, (0.0, 0.0, push, 0.0), self._wires, "lines")

    def _go(
        self,
        states: LinkStates,
        style: Style,
        paint: Colour,
        flat: Colour,
        indices: gloo.IndexBuffer | None,
        mode: str = "triangles",
    ) -> None:
        if indices is None:
            return
        texture = states.texture()
        if self._set.get("u_links") is not texture:
            self._set["u_links"] = self._program["u_links"] = texture
        self._put("u_style", float(style))
        self._put("u_paint", paint)
        self._put("u_flat", flat)
        self._program.draw(mode, indices)

    def _put(self, name: str, value: float | tuple[float, ...]) -> None:
        """Set a uniform, if it has another value: each one that is sent costs some microseconds."""
        if self._set.get(name) != value:
            self._set[name] = value
            self._program[name] = value


def _corners(mesh: Mesh, rows: NDArray[np.int32]) -> NDArray[np.void]:
    corners = np.zeros(len(mesh.points), CORNER)
    corners["a_position"], corners["a_normal"], corners["a_colour"] = mesh.points, mesh.normals, mesh.colours
    corners["a_rows"] = rows
    return corners


def _indices(faces: NDArray[np.int64]) -> gloo.IndexBuffer | None:
    return gloo.IndexBuffer(np.ascontiguousarray(faces, np.uint32).ravel()) if len(faces) else None
