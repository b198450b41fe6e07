"""Solids: shapes of bodies, and obstacles."""

from __future__ import annotations

from dataclasses import dataclass

from station.mad.scene.values import ANGLES, ORIGIN, UNTURNED, VECTOR, Angles, Colour, Item, Round, Vector
from station.mad.schema import Flag, Head, Integer, Number, Numbers, Sign, Text, entry, head
from station.mad.units import Unit


@dataclass(frozen=True, kw_only=True)
class Shape(Item):
    """A solid: exactly one of box, sphere, cylinder, capsule, plane, mesh, placed by pos and ori."""

    pos: Vector = entry("pos", VECTOR, "where its frame is", default=ORIGIN, since=2)
    ori: Angles = entry("ori", ANGLES, "how its frame is turned", default=UNTURNED, since=2)
    box: Vector | None = entry(
        "box",
        Numbers(Vector, (Unit.LENGTH,) * 3, 3, Sign.POSITIVE),
        "full size along x, y, z, centred",
        default=None,
        since=2,
    )
    sphere: float | None = entry("sphere", Number(Unit.LENGTH, Sign.POSITIVE), "radius, centred", default=None, since=2)
    cylinder: Round | None = entry(
        "cylinder",
        Numbers(Round, (Unit.LENGTH,) * 2, 2, Sign.POSITIVE),
        "radius and length along z, centred",
        default=None,
        since=2,
    )
    capsule: Round | None = entry(
        "capsule",
        Numbers(Round, (Unit.LENGTH,) * 2, 2, Sign.POSITIVE),
        "radius and length along z between the centres of its round ends, centred",
        default=None,
        since=2,
    )
    plane: bool = entry("plane", Flag(), "everything below z = 0 is solid", default=False, since=2)
    mesh: str | None = entry("mesh", Text(), "a file: NFF, DXF, STL, OBJ, glTF or DAE", default=None, since=2)
    scale: Vector | None = entry(
        "scale", Numbers(Vector, (Unit.LENGTH,) * 3, 3), "what one unit of the mesh file is", default=None, since=2
    )
    colour: Colour | None = entry(
        "colour", Numbers(Colour, (Unit.NONE,) * 4, 3, Sign.NOT_NEGATIVE), "parts from 0 to 1", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Obstacle(Shape):
    """A solid that robots must not touch, in the world or carried by a link of a robot."""

    name: str = head(Head.NAME)
    pred: int | None = entry(
        "pred", Integer(), "the link or frame that carries it (inside a robot)", default=None, since=2
    )
