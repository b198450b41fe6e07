"""What `station check` prints of a scene, with a drawing of each robot's tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from station.check.data import driven, mobility
from station.mad.scene import BASE_ID, NULL_DEVICE, Device, Frame, Link, Robot, Scene
from station.mad.units import JointType, LengthUnit, joint_text

if TYPE_CHECKING:
    from station.mechanism import Report


def describe(scene: Scene, reports: dict[str, Report]) -> str:
    """The scene for people."""
    version = ".".join(map(str, scene.version or (1, 0)))
    lines = [f"{scene.name} (MAD {version}, lengths in {scene.unit.name.lower()})"]
    for robot in scene.robots:
        lines += ["", *_robot_lines(robot, scene, reports)]
    if scene.devices:
        lines += ["", "devices", *(f"  {device.id}  {_device_text(device)}" for device in scene.devices)]
    if scene.obstacles:
        lines += ["", f"obstacles: {', '.join(obstacle.name for obstacle in scene.obstacles)}"]
    if not scene.robots:
        lines += ["", "no robot in this scene"]
    return "\n".join(lines)


def _robot_lines(robot: Robot, scene: Scene, reports: dict[str, Report]) -> Iterator[str]:
    joints = sum(link.joint is not JointType.FIXED for link in robot.links)
    closures = sum(constraint.closes_loop for constraint in robot.constraints)
    freedom = f"mobility {mobility(robot, reports)}"
    yield f"robot {robot.name}: {_plural(joints, 'joint')}, {_plural(closures, 'loop')}, {freedom}"
    yield from _tree_lines(robot, scene.unit)
    yield from _constraint_lines(robot)
    if robot.calibrated is not None:
        whom = f", for the arm {robot.calibrated.serial}" if robot.calibrated.serial else ""
        yield f"  measured  calibration {robot.calibrated.result}{whom}"
    if robot.name in reports:
        yield from _assembly_lines(reports[robot.name])
    if robot.postures:
        yield f"  postures  {', '.join(posture.name for posture in robot.postures)}"
    for controller in robot.controllers:
        yield f"  driven by {controller.address}: links {', '.join(map(str, driven(controller, robot)))}"
    if robot.obstacles:
        yield f"  carries   {', '.join(obstacle.name for obstacle in robot.obstacles)}"
    if robot.base.mobile is not None:
        yield f"  wheels    {robot.base.mobile.drive.name.lower()}"


def _constraint_lines(robot: Robot) -> Iterator[str]:
    for constraint in robot.constraints:
        if constraint.closes_loop:
            ends = " – ".join(f"{target.word} {target.id}" for target in constraint.targets)
            axes = " ".join(axis.name.lower() for axis in constraint.axes)
            yield f"  loop      {ends}: {axes or constraint.kind.name.lower()}, {_plural(constraint.rows, 'row')}"
    for coupling in robot.couplings:
        terms = " + ".join(f"{ratio:.6g}·q{link}" for link, ratio in coupling.equals)
        yield f"  coupling  q{coupling.link} = {terms} + {coupling.offset:.6g}  [rad | m]"


def _assembly_lines(report: Report) -> Iterator[str]:
    repeated = f", {report.redundant_rows} of them repeat others" if report.redundant_rows else ""
    opened = f"open by {_gap(report.opened, report.opened_turn)} in the file"
    left = _gap(report.left, report.left_turn)
    now = "closed now" if left == _gap(0.0, 0.0) else f"by {left} now: parts that do not quite fit"
    yield f"  assembly  {report.closure_rows} rows{repeated}; {opened}, {now}"
    if report.loose_joints:
        yield f"  loose     links {', '.join(map(str, report.loose_joints))}: passive, and no loop determines them"


def _gap(metres: float, radians: float) -> str:
    """As people read it; below a nanometre and a billionth of a degree nothing."""
    millimetres, degrees = 1000.0 * metres, math.degrees(radians)
    parts = [f"{millimetres:.3g} mm"] if millimetres > 1e-6 else []
    parts += [f"{degrees:.3g}°"] if degrees > 1e-9 else []
    return " and ".join(parts) or "0 mm"


def _tree_lines(robot: Robot, length: LengthUnit) -> list[str]:
    """The tree as a drawing: a chain runs straight down, and only branches move to the right."""
    children: dict[int, list[Link | Frame]] = {}
    for item in robot.placed():
        children.setdefault(item.pred, []).append(item)
    followed = {c.targets[0].id: c.devices for c in robot.constraints if not c.closes_loop}
    rows = [("  base", f'"{robot.base.name}"' if robot.base.name else "")]
    # Depth first without recursion: a chain may be thousands of links long.
    waiting = _branches(children.get(BASE_ID, []), "  ", chain=False)
    while waiting:
        item, lead, below = waiting.pop()
        rows.append((f"{lead}{type(item).__name__.lower()} {item.id}", _details(item, length, followed.get(item.id))))
        waiting += _branches(children.get(item.id, []), below, chain=True)
    width = min(max(len(label) for label, _ in rows), 60)
    return [f"{label:<{width}}  {details}".rstrip() for label, details in rows]


def _branches(items: list[Link | Frame], below: str, *, chain: bool) -> list[tuple[Link | Frame, str, str]]:
    """Children with what to draw before them and before what hangs on them; last one first, as a stack wants them."""
    if chain and len(items) == 1:
        return [(items[0], below, below)]
    drawn = [(item, f"{below}├─ ", f"{below}│  ") for item in items[:-1]]
    drawn += [(item, f"{below}└─ ", f"{below}   ") for item in items[-1:]]
    return drawn[::-1]


def _details(item: Link | Frame, length: LengthUnit, devices: tuple[int, ...] | None) -> str:
    parts = [f'"{item.name}"'] if item.name else []
    if isinstance(item, Link):
        parts.append(item.joint.name.lower())
        if item.joint is not JointType.FIXED:
            parts.append(joint_text(item.initial, item.joint, length))
        if item.stops is not None:
            lo, hi = (joint_text(stop, item.joint, length) for stop in item.stops)
            parts.append(f"[{lo} … {hi}]")
        if item.passive:
            parts.append("passive")
        if item.gear != 1.0:
            parts.append(f"gear {item.gear:.8g}")
    if devices is not None:
        parts.append("follows " + " or ".join("none" if d == NULL_DEVICE else f"device {d}" for d in devices))
    return "  ".join(parts)


def _device_text(device: Device) -> str:
    where = device.address or device.port
    parts = [device.type or "no type", f'"{device.name}"' if device.name else "", f"at {where}" if where else ""]
    return "  ".join(part for part in parts if part)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count or 'no'} {what}s"
