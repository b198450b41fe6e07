"""`<link>` elements: what a body looks like, what may touch it, and what it weighs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.mad.placement import from_angles
from station.mad.reader import Findings
from station.mad.scene import UNTURNED, Angles, Body, Inertia, Vector
from station.mad.units import LARGEST
from station.mad.urdf import tidy
from station.mad.urdf.attributes import number_of, origin_of, text_of
from station.mad.urdf.elements import Element, source_of
from station.mad.urdf.shapes import ShapeReader

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


class Weight(NamedTuple):
    """What `<inertial>` says: mass [kg], centre of mass [m], inertia about it in the axes of the link [kg·m²]."""

    mass: float | None = None
    com: Vector | None = None
    inertia: Inertia | None = None


def read_link(element: Element, shapes: ShapeReader, findings: Findings) -> Body | None:
    """The body of a link in the link's own coordinates, or None if it has no name."""
    name = text_of(element, "name", findings)
    inertial = element.first("inertial")
    weight = _weight(inertial, findings) if inertial is not None else Weight()
    visual, collision = (shapes.shapes(element, tag) for tag in ("visual", "collision"))
    if name is None:
        return None
    return Body(
        name=name,
        visual=visual,
        collision=collision,
        mass=weight.mass,
        com=weight.com,
        inertia=weight.inertia,
        source=source_of(element, mass=inertial, com=inertial, inertia=inertial),
    )


def _weight(inertial: Element, findings: Findings) -> Weight:
    origin = origin_of(inertial, findings)
    mass, inertia = inertial.first("mass"), inertial.first("inertia")
    if mass is None:
        findings.error(inertial.place, '<inertial> needs a <mass value="…"/>')
        return Weight()
    value = number_of(mass, "value", findings, largest=LARGEST)
    if value is not None and value < 0.0:
        findings.error(mass.place, f"'value' of <mass> must be at least 0, not {value:g}")
    if inertia is None:
        findings.warning(inertial.place, "<inertial> has no <inertia>; the mass is taken as a point")
        return Weight(value, origin.pos)
    return Weight(value, origin.pos, _inertia(inertia, origin.ori, findings))


def _inertia(element: Element, ori: Angles, findings: Findings) -> Inertia | None:
    """The inertia turned from the axes of `<inertial>` into those of the link."""
    found = [
        number_of(element, name, findings, None if name[1] == name[2] else 0.0, largest=LARGEST) for name in MOMENTS
    ]
    moments = [moment for moment in found if moment is not None]
    if len(moments) < len(MOMENTS):
        return None
    if ori == UNTURNED:
        return Inertia(*moments)
    xx, yy, zz, xy, xz, yz = moments
    turn = tidy.zeroed(from_angles(ori))
    turned = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    turned = np.where(np.abs(turned) <= tidy.NOISE * np.abs(moments).max(), 0.0, turned)
    return Inertia(*(float(turned["xyz".index(name[1]), "xyz".index(name[2])]) for name in MOMENTS))
