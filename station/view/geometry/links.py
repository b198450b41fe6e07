"""The lines that the links of a skeleton run along, and the bodies that are plates."""

from __future__ import annotations

import numpy as np

from station.mad.scene import BASE_ID, Camera, Frame, Link, Tool
from station.mad.units import JointType
from station.view.geometry.skeleton import Carrier, JointPlace, Point, Segment, Skeleton
from station.view.geometry.tools import gripper_depth

ROD = 0.45  # radius of a link between joints that nothing drives, over that of others
WHEEL = 0.12  # radius of a wheel whose file does not tell [m]
SLENDER = 0.35  # radius of a link at most, over its length


def run_links(skeleton: Skeleton) -> None:
    """Fill in the segments and platforms of all carriers."""
    for carrier in skeleton.carriers.values():
        _run(skeleton, carrier)
        if carrier.id == BASE_ID:
            carrier.segments = [_raised(skeleton, segment) for segment in carrier.segments]
        _find_platform(skeleton, carrier)


def _run(skeleton: Skeleton, carrier: Carrier) -> None:
    """Lines from the own joint to everything on the carrier: along z, along the common normal, along z again."""
    seen: set[tuple[float, ...]] = set()
    for joint in skeleton.children[carrier.id]:
        way = [*_way_to(skeleton, joint.link.pred), *_way_across(skeleton, joint)]
        _follow(skeleton, carrier, way, seen, _room_beside(skeleton, carrier, joint))
    for item in skeleton.frames_on(carrier.id):
        if _matters(skeleton, item):
            room = 0.0 if isinstance(item, Camera) else _room_beside(skeleton, carrier, None)
            _follow(skeleton, carrier, _way_to(skeleton, item.id), seen, room)


def _raised(skeleton: Skeleton, segment: Segment) -> Segment:
    """A piece of the base that rises from its origin: it stands on the floor or on wheels, not in it."""
    rise = segment.end - segment.start
    length = float(np.linalg.norm(rise))
    level = deck(skeleton) if skeleton.robot.base.mobile is not None else segment.start_radius
    if segment.start.any() or rise[2] < 0.9 * length or length <= level:
        return segment
    return segment._replace(start=segment.start + level / length * rise)


def deck(skeleton: Skeleton) -> float:
    """Height of the top of a mobile base [m]: under the lowest thing that stands on it."""
    mobile = skeleton.robot.base.mobile
    wheel = (mobile.wheel if mobile is not None else None) or WHEEL
    heights = [skeleton.seats[joint.link.pred][1][2, 3] for joint in skeleton.children[BASE_ID]]
    return max(0.85 * float(max(heights, default=0.0)), 2.2 * wheel)


def _room_beside(skeleton: Skeleton, carrier: Carrier, next_joint: JointPlace | None) -> float:
    """Largest radius of a link that is set off from its neighbours along the joint axes, as in folding arms [m]."""
    joints = [skeleton.joints.get(carrier.id), next_joint]
    offsets = [abs(joint.link.parameters.r) for joint in joints if joint is not None]
    return min((0.55 * offset for offset in offsets if offset > 0.5 * skeleton.size), default=skeleton.size)


def _follow(skeleton: Skeleton, carrier: Carrier, way: list[Point], seen: set[tuple[float, ...]], most: float) -> None:
    factor = ROD if carrier.rod else 1.0
    at, distance = carrier.own, carrier.distance
    total = sum(float(np.linalg.norm(b - a)) for a, b in zip([at, *way], way, strict=False))
    for point in way:
        length = float(np.linalg.norm(point - at))
        if length < 1e-3 * skeleton.size:
            continue
        key = tuple(np.round(np.concatenate([at, point]) / (1e-3 * skeleton.size)))
        if key not in seen:
            seen.add(key)
            thin = max(min(SLENDER * total, most), 0.25 * skeleton.size)
            radii = [min(factor * skeleton.radius(d), thin) for d in (distance, distance + length)]
            carrier.segments.append(Segment(at, point, *radii))
        at, distance = point, distance + length


def _way_to(skeleton: Skeleton, name: int) -> list[Point]:
    """Origins of the frames from the carrier's own to this one."""
    carrier, way, first = skeleton.seats[name][0], list[Point](), None
    while name != carrier:
        item = skeleton.items[name]
        way.append(_palm(skeleton, item) if isinstance(item, Tool) else skeleton.seats[name][1][:3, 3])
        first, name = item, item.pred
    way.reverse()
    if way and isinstance(first, Tool) and np.linalg.norm(way[0][:2]) < 1e-3 * skeleton.size:
        return way  # straight ahead on the joint's own axis: not first to the origin and back
    return [np.zeros(3), *way]


def _palm(skeleton: Skeleton, tool: Tool) -> Point:
    """Where a tool is held: behind its frame by the depth of the gripper."""
    pose = skeleton.seats[tool.id][1]
    radius = skeleton.radius(skeleton.carriers[skeleton.seats[tool.id][0]].distance)
    return np.asarray(pose[:3, 3] - gripper_depth(tool, radius) * pose[:3, 2])


def _way_across(skeleton: Skeleton, joint: JointPlace) -> list[Point]:
    """From the frame that a joint is mounted on to the centre of the joint."""
    start = skeleton.seats[joint.link.pred][1]
    axis = joint.mount[:3, 2]
    offset = joint.link.parameters.r if joint.link.joint is JointType.REVOLUTE else 0.0
    foot = joint.mount[:3, 3] - offset * axis
    corner = start[:3, 3] + joint.link.parameters.epsil * start[:3, 2]
    return [corner, foot, joint.on_carrier]


def _matters(skeleton: Skeleton, item: Link | Frame) -> bool:
    """Frames that something happens at: a tool, an end of a loop, what a hand leads, a fixed row."""
    named = {target.id for constraint in skeleton.robot.constraints for target in constraint.targets}
    tools = {part.id for part in (*skeleton.robot.tools, *skeleton.robot.cameras)}
    return isinstance(item, Link) or item.id in named or item.id in tools


def _find_platform(skeleton: Skeleton, carrier: Carrier) -> None:
    """Corners of a body that several legs hold, or of a base on which three or more joints stand."""
    corners = [joint.on_carrier for joint in skeleton.children[carrier.id]]
    if carrier.id != BASE_ID:
        if len(skeleton.ends[carrier.id]) < 2:
            return
        corners.append(carrier.own)
        corners += [_corner(skeleton, carrier.id, other, welded) for other, welded in skeleton.ends[carrier.id]]
    if len(corners) >= 3:
        spread = np.linalg.svd(np.array(corners) - np.mean(corners, axis=0), compute_uv=False)
        if spread[1] > skeleton.size and spread[2] < 0.5 * skeleton.size:
            carrier.platform = corners


def _corner(skeleton: Skeleton, carrier: int, other: int, welded: bool) -> Point:
    """Where a leg holds the body: at the other frame or, where that is welded to it, at the leg's last joint."""
    here = np.linalg.inv(skeleton.poses[carrier])
    partner = skeleton.seats[other][0]
    place = skeleton.poses[partner] @ [*skeleton.carriers[partner].own, 1.0] if welded else skeleton.poses[other][:, 3]
    return np.asarray((here @ place)[:3])
