"""What `station check` prints of a scene, with a drawing of each robot's tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from station.check.data import driven, mobility, together
from station.mad.assumed import assumed_limits
from station.mad.joined import Joined
from station.mad.leading import leads_of
from station.mad.scene import BASE_ID, NULL_DEVICE, Constraint, Device, Frame, Link, Robot, Scene, Tie
from station.mad.units import JointType, LengthUnit, joint_text

if TYPE_CHECKING:
    from station.mechanism import Report


def describe(scene: Scene, reports: dict[str, Report]) -> str:
    """The scene for people."""
    version = ".".join(map(str, scene.version or (1, 0)))
    lines = [f"{scene.name} (MAD {version}, lengths in {scene.unit.name.lower()})"]
    for robot in scene.robots:
        lines += ["", *_robot_lines(robot, scene, reports)]
    for joined in together(scene):
        lines += ["", *_joined_lines(joined, scene, reports)]
    if scene.devices:
        lines += ["", "devices", *(f"  {device.id}  {_device_text(device, scene)}" for device in scene.devices)]
    if scene.obstacles:
        lines += ["", f"obstacles: {', '.join(obstacle.name for obstacle in scene.obstacles)}"]
    if not scene.robots:
        lines += ["", "no robot in this scene"]
    return "\n".join(lines)


def _robot_lines(robot: Robot, scene: Scene, reports: dict[str, Report]) -> Iterator[str]:
    joints = sum(link.joint is not JointType.FIXED for link in robot.links)
    closures = sum(constraint.holds for constraint in robot.constraints)
    freedom = f"mobility {mobility(robot, reports)}"
    yield f"robot {robot.name}: {_plural(joints, 'joint')}, {_plural(closures, 'loop')}, {freedom}"
    yield from _tree_lines(robot, scene.unit)
    yield from _constraint_lines(robot)
    yield from _assumed_lines(robot, scene.unit)
    if robot.calibrated is not None:
        whom = f", for the arm {robot.calibrated.serial}" if robot.calibrated.serial else ""
        yield f"  measured  calibration {robot.calibrated.result}{whom}"
    if robot.name in reports:
        yield from _assembly_lines(reports[robot.name])
    if robot.postures:
        yield f"  postures  {', '.join(posture.name for posture in robot.postures)}"
    for controller in robot.controllers:
        yield f"  driven by {controller.address}: links {', '.join(map(str, driven(controller, robot)))}"
    if scene.devices and any(lead.robot is robot and lead.device.id == NULL_DEVICE for lead in leads_of(scene)[0]):
        yield "  led by    no device: commands can lead it"
    if robot.obstacles:
        yield f"  carries   {', '.join(obstacle.name for obstacle in robot.obstacles)}"
    if robot.base.mobile is not None:
        yield f"  wheels    {robot.base.mobile.drive.name.lower()}"


def _joined_lines(joined: Joined, scene: Scene, reports: dict[str, Report]) -> Iterator[str]:
    """Robots that move as one: what holds them together, and what freedom that leaves."""
    names = [member.robot.name for member in joined.members]
    ties = [tie for tie in scene.ties if tie.parts[0].robot in names]
    joints = _plural(sum(link.joint is not JointType.FIXED for link in joined.links), "joint")
    who = f"{', '.join(names[:-1])} and {names[-1]}"
    loops, freedom = _plural(sum(not tie.off for tie in ties), "loop"), mobility(joined, reports)
    yield f"{who} move as one: {joints}, {loops} between them, mobility {freedom}"
    for member in joined.members:
        part = member.robot.base.on.part if member.robot.base.on is not None else None
        if part is not None:
            yield f"  carried   {member.robot.name} by {part.robot} {part.target.word} {part.target.id}"
    for tie in ties:
        ends = " – ".join(f"{part.robot} {part.target.word} {part.target.id}" for part in tie.parts)
        yield f"  loop      {ends}: {_held(tie)}"
    if joined.name in reports:
        yield from _assembly_lines(reports[joined.name])


def _held(closure: Constraint | Tie) -> str:
    axes = " ".join(axis.name.lower() for axis in closure.axes)
    return f"{axes or closure.kind.name.lower()}, {_plural(closure.rows, 'row')}{', off' if closure.off else ''}"


def _constraint_lines(robot: Robot) -> Iterator[str]:
    for constraint in robot.constraints:
        if constraint.closes_loop:
            ends = " – ".join(f"{target.word} {target.id}" for target in constraint.targets)
            yield f"  loop      {ends}: {_held(constraint)}"
    for coupling in robot.couplings:
        terms = [f"{ratio:.6g}·q{link}" for link, ratio in coupling.equals]
        if coupling.cam:
            repeats = ", periodic" if coupling.periodic else ""
            terms.append(f"cam(q{coupling.leader}: {len(coupling.cam)} points{repeats})")
        terms += [f"{number:.6g}·q{coupling.leader}^{power}" for power, number in enumerate(coupling.polynomial)]
        yield f"  coupling  q{coupling.link} = {' + '.join(terms)} + {coupling.offset:.6g}  [rad | m]"


def _assumed_lines(robot: Robot, length: LengthUnit) -> Iterator[str]:
    """Joints without `speed`, by the speed that they are held to, and the acceleration of robots without any."""
    links, same = {link.id: link for link in robot.links}, dict[str, list[int]]()
    for number, assumed in assumed_limits(robot).items():
        joint = links[number].joint
        text = f"{joint_text(assumed.speed, joint, length, digits=4)}/s"
        if assumed.acceleration is not None:
            text += f", reached in {1000.0 * assumed.speed / assumed.acceleration:.0f} ms where a hand leads"
        same.setdefault(text, []).append(number)
    for speed, numbers in same.items():
        why = "by the robot's size and other joints: no 'speed' in the file"
        yield f"  assumed   at most {speed}: {_listed(numbers)}, {why}"


def _listed(numbers: list[int]) -> str:
    """`link 3`, `links 1, 2, 4 to 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"link{'s' if len(numbers) > 1 else ''} {', '.join(texts)}"


def _assembly_lines(report: Report) -> Iterator[str]:
    repeated = f", {report.redundant_rows} of them repeat others" if report.redundant_rows else ""
    opened = f"open by {report.opened_text} in the file"
    now = "not closed" if report.note else "closed now"
    yield f"  assembly  {report.closure_rows} rows{repeated}; {opened}, {now}"
    if report.note:
        yield f"  strained  {report.note}"
    if report.loose_joints:
        yield f"  loose     links {', '.join(map(str, report.loose_joints))}: passive, and no loop determines them"


def _tree_lines(robot: Robot, length: LengthUnit) -> list[str]:
    """The tree as a drawing: a chain runs straight down, and only branches move to the right."""
    children: dict[int, list[Link | Frame]] = {}
    for item in robot.placed():
        children.setdefault(item.pred, []).append(item)
    followed = {c.targets[0].id: c for c in robot.constraints if not c.closes_loop}
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


def _details(item: Link | Frame, length: LengthUnit, follows: Constraint | None) -> str:
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
    if follows is not None:
        devices = " or ".join("none" if d == NULL_DEVICE else f"device {d}" for d in follows.devices)
        parts.append(f"follows {devices}" + (f", {follows.first.name.lower()} first" if follows.first else ""))
        parts += [f"rank {follows.rank}"] if follows.rank else []
    return "  ".join(parts)


def _device_text(device: Device, scene: Scene) -> str:
    where = device.address or device.port
    parts = [device.type or "no type", f'"{device.name}"' if device.name else "", f"at {where}" if where else ""]
    if scene.robots and not any(lead.device.id == device.id for lead in leads_of(scene)[0]):
        parts.append("leads nothing")
    return "  ".join(part for part in parts if part)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count or 'no'} {what}s"
