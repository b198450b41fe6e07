"""Generated bodies: a readable robot out of parameters alone.

Joints that turn are cylinders along their axes, joints that slide are boxes on rails or rods in tubes, links are
tapered bars, bodies held by several legs are plates. A coloured band marks a joint that is driven.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import BASE_ID, Auto, ClosureKind, MobileBase, Robot
from station.mad.units import JointType
from station.view.geometry.links import WHEEL, deck
from station.view.geometry.mesh import Mesh, coloured, joined, placed
from station.view.geometry.primitives import (
    JOINT_SIDES,
    along,
    bar,
    box,
    cylinder,
    plate,
    rounded_outline,
    sphere,
)
from station.view.geometry.skeleton import Carrier, JointPlace, Skeleton
from station.view.theme import PAINT


class Part(NamedTuple):
    """Some triangles of a robot."""

    mesh: Mesh
    row: int  # id of what moves them, in whose frame they are
    owner: int  # id of what they belong to when somebody clicks on them


def auto_parts(skeleton: Skeleton, drawn: set[int]) -> Iterator[Part]:
    """The generated bodies of all links in `drawn` (ids; 0 is the base)."""
    for name, carrier in skeleton.carriers.items():
        if name in drawn:
            yield Part(_link_mesh(skeleton, carrier), name, name)
    for name, joint in skeleton.joints.items():
        if name not in drawn:
            continue
        yield Part(_rotor(joint), name, name)
        if joint.link.joint is JointType.PRISMATIC:
            yield from _slide(joint)
    yield from _loop_joints(skeleton, drawn)


def _link_mesh(skeleton: Skeleton, carrier: Carrier) -> Mesh:
    rod = carrier.rod
    paint = PAINT.rod if rod else PAINT.body
    if carrier.platform:
        return coloured(_plate(skeleton, carrier), PAINT.base if carrier.id == BASE_ID else PAINT.plate)
    bars = [coloured(bar(*segment), paint) for segment in carrier.segments]
    if carrier.id == BASE_ID:
        bars.append(_foot(skeleton))
    return joined(bars)


def _rotor(joint: JointPlace) -> Mesh:
    """The joint itself, in the frame of its link: dark, with a coloured band if it is driven."""
    if joint.link.joint is JointType.PRISMATIC:
        return _carriage(joint)
    pose = np.eye(4)
    pose[2, 3] = joint.centre
    chamfer = 0.12 * joint.radius
    parts = [coloured(cylinder(joint.radius, 2.0 * joint.half, chamfer, JOINT_SIDES), PAINT.joint)]
    if not joint.link.passive:
        band = cylinder(1.03 * joint.radius, 0.5 * joint.half, sides=JOINT_SIDES)
        parts.append(coloured(band, PAINT.driven))
    # A ridge where the joint angle is counted from, so that one sees it turn.
    ridge = box((0.16 * joint.radius, 0.16 * joint.radius, 1.7 * joint.half), (1.02 * joint.radius, 0.0, 0.0))
    parts.append(coloured(ridge, PAINT.mark))
    return placed(joined(parts), pose)


def _carriage(joint: JointPlace) -> Mesh:
    """What slides: a box on a rail, or the end of a rod."""
    low, high = _stroke(joint)
    width = 2.1 * joint.radius
    if joint.carrier == BASE_ID:
        return coloured(box((width, width, 2.0 * joint.half)), PAINT.driven if not joint.link.passive else PAINT.joint)
    length = high - 0.8 * low if _telescopic(low, high) else high - min(low, 0.0) + joint.half
    thin = 0.5 * joint.radius
    direction = -1.0 if joint.link.initial >= 0.0 else 1.0
    return coloured(bar((0.0, 0.0, 0.0), (0.0, 0.0, direction * length), thin, thin), PAINT.rod)


def _slide(joint: JointPlace) -> Iterator[Part]:
    """What a slider runs in: on the base a rail, on a link a tube or a box."""
    low, high = _stroke(joint)
    sign = 1.0 if joint.link.initial >= 0.0 else -1.0
    if joint.carrier == BASE_ID:
        ends = sorted((sign * low, sign * high))
        start, end = min(ends[0], 0.0) - joint.half, max(ends[1], 0.0) + joint.half
        side = 1.3 * joint.radius
        rail = box((side, side, end - start), (0.0, 0.0, 0.5 * (start + end)))
        mesh = coloured(rail, PAINT.rail)
    elif _telescopic(low, high):
        end = sign * 0.9 * low
        tube = placed(cylinder(0.85 * joint.radius, abs(end), 0.1 * joint.radius), along((0, 0, 0), (0, 0, end)))
        collar = cylinder(1.0 * joint.radius, 0.6 * joint.radius, 0.1 * joint.radius)
        pose = np.eye(4)
        pose[2, 3] = end - sign * 0.3 * joint.radius
        foot = coloured(sphere(0.95 * joint.radius), PAINT.joint)
        mesh = joined([coloured(tube, PAINT.body), coloured(placed(collar, pose), PAINT.driven), foot])
    else:
        side = 2.3 * joint.radius
        paint = PAINT.driven if not joint.link.passive else PAINT.joint
        mesh = coloured(box((side, side, 2.0 * joint.half)), paint)
    yield Part(placed(mesh, joint.mount), joint.carrier, joint.link.id)


def _stroke(joint: JointPlace) -> tuple[float, float]:
    """Least and largest joint value, counted in the direction in which the slider starts out [m]."""
    start = joint.link.initial
    stops = joint.link.stops or (start - 4.0 * joint.half, start + 4.0 * joint.half)
    low, high = stops if start >= 0.0 else (-stops[1], -stops[0])
    return low, high


def _telescopic(low: float, high: float) -> bool:
    """Whether a rod of constant length in a tube can do this stroke."""
    return low > 0.0 and high <= 1.8 * low


def _foot(skeleton: Skeleton) -> Mesh:
    """A base of one or two joints: a flange and, where the base is above the floor, a column down to it."""
    robot = skeleton.robot
    if robot.base.mobile is not None:
        return _vehicle(skeleton, robot.base.mobile)
    size = skeleton.size
    upright = abs(_axis_up(skeleton)) > 0.9
    if not upright or len(skeleton.children[BASE_ID]) != 1:
        return coloured(sphere(0.5 * size), PAINT.base)
    height = float(robot.base.pos.z)
    first = skeleton.children[BASE_ID][0]
    under = float(first.on_carrier[2]) - first.half  # the lower end of the first joint
    pose = np.eye(4)
    pose[2, 3] = (0.0 if height > size else 0.25 * size) if under > 0.0 or height > size else under
    parts = [placed(cylinder(1.9 * size, 0.5 * size, 0.1 * size), pose)]
    if height > size:
        parts.append(bar((0, 0, 0), (0, 0, -height + size), 1.2 * size, 1.4 * size))
        pose = np.eye(4)
        pose[2, 3] = -height + 0.2 * size
        parts.append(placed(cylinder(2.6 * size, 0.4 * size, 0.1 * size), pose))
    return coloured(joined(parts), PAINT.base)


def _axis_up(skeleton: Skeleton) -> float:
    return float(skeleton.children[BASE_ID][0].mount[2, 2]) if skeleton.children[BASE_ID] else 0.0


def _vehicle(skeleton: Skeleton, mobile: MobileBase) -> Mesh:
    """A box on wheels."""
    track, wheel, top = mobile.track or 0.5, mobile.wheel or WHEEL, deck(skeleton)
    length, width, low = 1.7 * track, 0.86 * track, 0.6 * wheel
    parts = [coloured(box((length, width, top - low), (0.0, 0.0, 0.5 * (top + low))), PAINT.base)]
    for x, radius in ((-0.3 * length, wheel), (0.38 * length, 0.5 * wheel)):
        for y in (-0.5 * track, 0.5 * track):
            pose = np.eye(4)
            pose[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
            pose[:3, 3] = x, y, radius
            parts.append(coloured(placed(cylinder(radius, 0.12 * track, 0.02 * track), pose), PAINT.joint))
    return joined(parts)


def _plate(skeleton: Skeleton, carrier: Carrier) -> Mesh:
    """A plate through the places where legs hold it, with a boss at each."""
    corners = np.array(carrier.platform)
    centre = corners.mean(axis=0)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = _plane_axes(corners - centre), centre
    flat = (corners - centre) @ pose[:3, :2]
    radius = min(skeleton.radius(carrier.distance), 0.3 * _closest(flat))
    normal = pose[:3, 2] * (1.0 if pose[2, 2] > 0.0 else -1.0)
    drop = _drop(skeleton, carrier, normal) * normal
    pose[:3, 3] -= drop
    parts = [placed(plate(rounded_outline(flat, 1.1 * radius), 0.7 * radius), pose)]
    for corner in corners:
        boss = pose.copy()
        boss[:3, 3] = corner - 0.5 * drop
        height = 1.2 * radius + float(np.linalg.norm(drop))
        parts.append(placed(cylinder(0.9 * radius, height, 0.1 * radius), boss))
    return joined(parts)


def _closest(points: NDArray[np.float64]) -> float:
    """Least distance between two of the points that do not coincide [m]."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    return float(gaps[gaps > 0.05 * gaps.max()].min())


def _drop(skeleton: Skeleton, carrier: Carrier, normal: NDArray[np.float64]) -> float:
    """How far a base plate lies below its joints [m]: a plane mechanism moves above it, not in it."""
    axes = [joint.mount[:3, 2] for joint in skeleton.children[carrier.id]]
    plane = carrier.id == BASE_ID and all(abs(axis @ normal) > 0.99 for axis in axes)
    return 2.2 * skeleton.size if plane else 0.0


def _plane_axes(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """3×3 rotation whose z is across the plane of the points."""
    axes = np.linalg.svd(points)[2].T
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return np.asarray(axes)


def _loop_joints(skeleton: Skeleton, drawn: set[int]) -> Iterator[Part]:
    """Joints that close loops: a ball, or a pin along z; a weld is no joint."""
    for constraint in skeleton.robot.constraints:
        if not constraint.holds or constraint.kind is ClosureKind.WELD:
            continue
        target = constraint.targets[0].id
        carrier, pose = skeleton.seats[target]
        if carrier not in drawn:
            continue
        radius = 0.75 * skeleton.radius(skeleton.carriers[carrier].distance)
        mesh = sphere(radius) if constraint.kind is ClosureKind.BALL else cylinder(radius, 2.4 * radius, 0.1 * radius)
        yield Part(placed(coloured(mesh, PAINT.joint), pose), carrier, carrier)


def drawn_links(robot: Robot) -> set[int]:
    """Ids of what is drawn by generated bodies: what says `auto`, and all links where none of them has looks.

    The base does not count: `base { filename ( auto ) }` says nothing of the links.
    """
    bodies = {BASE_ID: robot.base, **{item.id: item for item in robot.placed()}}
    drawn = {name for name, body in bodies.items() if Auto.AUTO in body.filename}
    if not any(item.filename or item.visual for item in robot.placed()):
        drawn |= {link.id for link in robot.links}
        drawn |= set() if robot.base.filename or robot.base.visual else {BASE_ID}
    return drawn
