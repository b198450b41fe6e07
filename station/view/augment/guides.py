"""Guides and zones that the file lays into the world, as lines and glass."""

from __future__ import annotations

import math

import numpy as np

from station.mad.scene import Guide, GuideKind, Scene, Vector
from station.view.augment.additions import Additions, line_strip, spot, together
from station.view.augment.marks import ball
from station.view.augment.reading import Floats
from station.view.drawing.label import Label
from station.view.geometry.mesh import unit
from station.view.geometry.primitives import frame_about
from station.view.theme import Theme

LENGTH = 0.6  # half length of a line and side of a plane, over the reach
SMALL = 0.012  # radius of a point, over the reach
AROUND = 33  # places of a circle
GLASS = 0.22  # opacity of zones
WIDTH = 2.0  # [px]


def scene_guides(scene: Scene, theme: Theme, reach: float) -> Additions:
    """All guides of a scene, with their names."""
    return together(_drawn(guide, theme, reach) for guide in scene.guides)


def _drawn(guide: Guide, theme: Theme, reach: float) -> Additions:
    place, colour = _array(guide.pos), theme.guide
    turn = frame_about(_array(guide.direction) if guide.direction is not None else np.array([1.0, 0.0, 0.0]))
    length = LENGTH * reach
    if guide.type is GuideKind.CURVE:
        points = np.array(guide.points, np.float64)
        paths = [points[: 3 * (len(points) // 3)].reshape(-1, 3)]
        place = paths[0][0] if len(paths[0]) else place
    elif guide.type in (GuideKind.LINE, GuideKind.AXIS):
        paths = [place + np.outer([-length, length], turn[:, 2])]
    elif guide.type is GuideKind.PLANE:
        paths = _grid(place, turn, length)
    elif guide.type is GuideKind.CONE:
        paths = _cone(place, turn, guide.half_angle or 0.3, 0.5 * length)
    else:
        paths = []
    mesh = Additions()
    if guide.type is GuideKind.POINT:
        mesh = Additions(mesh=ball(place, SMALL * reach, colour))
    elif guide.type is GuideKind.ZONE:
        mesh = Additions(mesh=ball(place, guide.size or SMALL * reach, (*colour[:3], GLASS)))
    lines = tuple(line_strip(path, colour, WIDTH) for path in paths)
    label = Label(guide.name, spot(place), colour, theme.text_back, (10.0, -12.0))
    return together([mesh, Additions(lines=lines, labels=(label,))])


def _grid(place: Floats, turn: Floats, length: float) -> list[Floats]:
    """A square of four by four fields."""
    steps = np.linspace(-0.5 * length, 0.5 * length, 5)
    ends = np.array([steps[0], steps[-1]])
    paths = []
    for a, b in ((0, 1), (1, 0)):
        paths += [place + np.outer(ends, turn[:, a]) + step * turn[:, b] for step in steps]
    return paths


def _cone(tip: Floats, turn: Floats, half_angle: float, length: float) -> list[Floats]:
    """Two circles and four edges."""
    angle = np.linspace(0.0, 2.0 * math.pi, AROUND)
    around = np.outer(np.cos(angle), turn[:, 0]) + np.outer(np.sin(angle), turn[:, 1])
    radius = math.tan(half_angle)
    edges = unit(radius * around + turn[:, 2])
    rings = [tip + part * length * (turn[:, 2] + radius * around) for part in (0.5, 1.0)]
    far = length / math.cos(half_angle)
    return [*rings, *(np.array([tip, tip + far * edges[k]]) for k in range(0, AROUND - 1, (AROUND - 1) // 4))]


def _array(vector: Vector | None) -> Floats:
    return np.zeros(3) if vector is None else np.array(vector, np.float64)
