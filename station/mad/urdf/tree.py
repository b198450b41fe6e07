"""The tree that joints make of links: one root, one way to every link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from station.mad.checks.names import listed
from station.mad.reader import Findings
from station.mad.scene import Body, Place
from station.mad.urdf.attributes import nearest
from station.mad.urdf.joints import UrdfJoint

TREE = "a URDF is a tree; close loops in the MAD file, by 'constraint'"


def by_name(bodies: Iterable[Body], findings: Findings) -> dict[str, Body]:
    """Links by name; a name that comes twice is noted."""
    found: dict[str, Body] = {}
    for body in bodies:
        name = body.name or ""
        _note_twice("link", name, body.source.place, found.get(name), findings)
        found.setdefault(name, body)
    return found


def check_joints(joints: Iterable[UrdfJoint], links: dict[str, Body], findings: Findings) -> bool:
    """True if every joint has a name of its own and joins two known links, no link having two parents."""
    before = len(findings.problems)
    named: dict[str, UrdfJoint] = {}
    above: dict[str, UrdfJoint] = {}
    for joint in joints:
        place = joint.source.place
        _note_twice("joint", joint.name, place, named.get(joint.name), findings)
        named.setdefault(joint.name, joint)
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                findings.error(place, f"joint '{joint.name}': no {end} link '{link}'{nearest(link, links, findings)}")
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            both = f"'{other.name}' (line {other.source.place.line}) and '{joint.name}'"
            findings.error(place, f"link '{joint.child}' has two parents, by joints {both}; {TREE}")
    return len(findings.problems) == before


def in_order(joints: Sequence[UrdfJoint], links: dict[str, Body], findings: Findings) -> tuple[str, list[UrdfJoint]]:
    """The root link and the joints depth-first from it, branches in file order; notes what is not one tree."""
    below: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in joints}
    roots = [name for name in links if name not in children]
    if len(roots) > 1:
        place = links[roots[1]].source.place
        findings.error(place, f"{len(roots)} links have no parent: {listed(roots)}; join them by <joint> to one root")
        return roots[0], []
    order: list[UrdfJoint] = []
    waiting = below.get(roots[0], [])[::-1] if roots else []
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += below.get(joint.child, [])[::-1]
    if len(order) < len(joints):
        reached = {joint.name for joint in order}
        _note_circle([joint for joint in joints if joint.name not in reached], findings)
    return roots[0] if roots else "", order


def _note_circle(joints: Sequence[UrdfJoint], findings: Findings) -> None:
    """Name the links of one circle; every joint given hangs below one."""
    above = {joint.child: joint for joint in joints}
    walked: dict[str, UrdfJoint] = {}  # in order, so that the circle can be shown
    link = joints[0].child
    while link not in walked:
        walked[link] = above[link]
        link = above[link].parent
    names = list(walked)
    circle = [link, *reversed(names[names.index(link) :])]
    findings.error(above[link].source.place, f"links run in a circle: {' → '.join(circle)}; {TREE}")


def _note_twice(what: str, name: str, place: Place, first: Body | UrdfJoint | None, findings: Findings) -> None:
    if first is not None:
        findings.error(place, f"{what} '{name}' is declared twice; the first is at line {first.source.place.line}")
