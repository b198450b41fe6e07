"""What the hand is led to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from station.mad.scene.values import VECTOR, Item, Vector
from station.mad.schema import Head, Number, NumberList, Numbers, Sign, Word, entry, head
from station.mad.units import Unit


class GuideKind(Enum):
    """What a guide leads the hand to; docs/haptics.md has their forces."""

    POINT = "point"
    LINE = "line"
    PLANE = "plane"
    AXIS = "axis"
    CURVE = "curve"
    CONE = "cone"
    ZONE = "zone"


@dataclass(frozen=True, kw_only=True)
class Guide(Item):
    """Something in the world that the hand is led to, felt and not touched."""

    name: str = head(Head.NAME)
    type: GuideKind = entry("type", Word(GuideKind), "what it is", since=2)
    pos: Vector | None = entry(
        "pos",
        VECTOR,
        "the point, a point of line, plane or axis, tip of a cone, middle of a zone",
        default=None,
        since=2,
    )
    direction: Vector | None = entry(
        "direction",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "of a line or axis; where a cone opens to; the normal of a plane",
        default=None,
        since=2,
    )
    points: tuple[float, ...] = entry(
        "points", NumberList(Unit.LENGTH), "of a curve, from one to the next: x y z of each", default=(), since=2
    )
    half_angle: float | None = entry(
        "half_angle", Number(Unit.ANGLE, Sign.POSITIVE), "half of the opening of a cone", default=None, since=2
    )
    size: float | None = entry(
        "size", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "radius of a zone, free inside", default=None, since=2
    )
    radius: float | None = entry(
        "radius", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "how far it attracts; 0: without end", default=None, since=2
    )
    stiffness: float | None = entry(
        "stiffness", Number(Unit.STIFFNESS, Sign.POSITIVE), "spring to its nearest point", default=None, since=2
    )
    damping: float | None = entry(
        "damping", Number(Unit.DAMPING, Sign.NOT_NEGATIVE), "damper across it", default=None, since=2
    )
    force: float | None = entry("force", Number(Unit.FORCE, Sign.POSITIVE), "largest pull", default=None, since=2)
    torque: float | None = entry(
        "torque",
        Number(Unit.TORQUE, Sign.NOT_NEGATIVE),
        "of an axis, on a tool that is square to it; less as it turns along it",
        default=None,
        since=2,
    )
    tool: Vector | None = entry(
        "tool",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "direction in the handle that an axis turns along itself; z if absent",
        default=None,
        since=2,
    )
