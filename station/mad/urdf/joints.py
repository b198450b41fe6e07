"""`<joint>` elements: what they say, in SI, before anything is placed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from station.mad.reader import Findings, suggestion
from station.mad.scene import Friction, Place, Source, Vector
from station.mad.units import LARGEST
from station.mad.urdf.attributes import Origin, nearest, number_of, numbers_of, origin_of, text_of
from station.mad.urdf.bounds import Bounds, Kind, read_bounds, read_friction
from station.mad.urdf.elements import Element, source_of

X_AXIS = Vector(1.0, 0.0, 0.0)


class Mimic(NamedTuple):
    """This joint moves with another: q = multiplier · q_leader + offset."""

    leader: str
    multiplier: float  # [rad or m per rad or m of the leader]
    offset: float  # [rad | m]
    place: Place


@dataclass(frozen=True)
class UrdfJoint:
    """One joint, with the names of the links that it joins."""

    name: str
    kind: Kind
    parent: str
    child: str
    source: Source
    origin: Origin = Origin()
    axis: Vector = X_AXIS  # unit vector in the axes of the child
    bounds: Bounds = field(default_factory=Bounds)
    friction: Friction | None = None
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """False for a fixed joint."""
        return self.kind is not Kind.FIXED


def read_joint(element: Element, findings: Findings) -> UrdfJoint | None:
    """The joint, or None if it lacks a name, a type or a link; all that is wrong with it is noted."""
    name = text_of(element, "name", findings)
    kind = _kind(element, findings)
    parent, child = (_linked(element, tag, findings) for tag in ("parent", "child"))
    origin = origin_of(element, findings)
    if name is None or kind is None or parent is None or child is None:
        return None
    if kind is Kind.FIXED:
        return UrdfJoint(name, kind, parent, child, _source(element), origin)
    return UrdfJoint(
        name,
        kind,
        parent,
        child,
        _source(element),
        origin,
        _axis(element, findings),
        read_bounds(element, name, kind, findings),
        read_friction(element, findings),
        _mimic(element, kind, findings),
    )


def check_mimics(joints: Iterable[UrdfJoint], findings: Findings) -> None:
    """Every mimic names another joint that moves."""
    joints = list(joints)
    movable = [joint.name for joint in joints if joint.moves]
    known = set(movable)
    for joint in joints:
        if joint.mimic is None:
            continue
        if joint.mimic.leader == joint.name:
            findings.error(joint.mimic.place, f"joint '{joint.name}' mimics itself; name another joint")
        elif joint.mimic.leader not in known:
            names = nearest(joint.mimic.leader, movable, findings)
            findings.error(joint.mimic.place, f"no joint '{joint.mimic.leader}' that moves, to mimic{names}")


def _kind(element: Element, findings: Findings) -> Kind | None:
    given = text_of(element, "type", findings)
    allowed = [kind.value for kind in Kind]
    if given in allowed:
        return Kind(given)
    if given in ("floating", "planar"):
        why = "has several degrees of freedom; compose it of joints that have one"
        findings.error(element.place, f"joint type '{given}' {why}; allowed: {', '.join(allowed)}")
    elif given is not None:
        findings.error(element.place, f"unknown joint type '{given[:40]}'; {suggestion(given, allowed)}")
    return None


def _linked(element: Element, tag: str, findings: Findings) -> str | None:
    end = element.first(tag)
    if end is None:
        findings.error(element.place, f'<joint> needs a <{tag} link="…"/>')
        return None
    return text_of(end, "link", findings)


def _axis(element: Element, findings: Findings) -> Vector:
    axis = element.first("axis")
    given = X_AXIS if axis is None else numbers_of(axis, "xyz", 3, findings)
    if axis is None or given is None:
        return X_AXIS
    size = math.hypot(*given)
    if size == 0.0:
        findings.error(axis.place, "the axis of a joint is zero; it has no direction")
        return X_AXIS
    return Vector(*(part / size for part in given))


def _mimic(element: Element, kind: Kind, findings: Findings) -> Mimic | None:
    mimic = element.first("mimic")
    if mimic is None:
        return None
    leader = text_of(mimic, "joint", findings)
    multiplier = number_of(mimic, "multiplier", findings, 1.0, largest=LARGEST)
    offset = number_of(mimic, "offset", findings, 0.0)
    if leader is None or multiplier is None or offset is None:
        return None
    return Mimic(leader, multiplier, kind.stated(offset), mimic.place)


def _source(element: Element) -> Source:
    origin, limit, dynamics = (element.first(tag) for tag in ("origin", "limit", "dynamics"))
    return source_of(element, parameters=origin, limits=limit, speed=limit, effort=limit, friction=dynamics)
