"""Who leads what in a scene; and which frame when nobody says: a hand by its name, else the end of the longest chain.

A file says it by a constraint (`constraint { frame 3 sensor ( 0 1 ) }`) or by a tool; a URDF has neither, and its last
frame is as likely the base, a pedestal or a sensor as a hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from station.mad.scene import (
    BASE_ID,
    NULL_DEVICE,
    Camera,
    Constraint,
    Device,
    Frame,
    Link,
    Robot,
    Scene,
    Source,
)
from station.mad.units import JointType

# Words of names, best first; a name is taken apart at signs and at capitals: `LeftHand_tcp`.
WORDS = (
    {"tool0"},
    {"tcp"},
    {"tool"},
    {"ee", "eef", "eff", "effector", "endeffector"},
    {"hand", "gripper", "palm"},
)
# Words that make a name that of a part of a hand, or of something that is mounted somewhere.
PARTS = frozenset(
    (
        *("finger", "fingers", "fingertip", "thumb", "index", "middle", "ring", "little", "pinky", "tip", "jaw"),
        *("mover", "knuckle", "flex", "inner", "outer", "single", "double", "parallel", "virtual", "dh"),
    )
)
MOUNTED = frozenset(
    (
        *("camera", "cam", "optical", "imu", "accelerometer", "accel", "gyro", "range", "led", "laser", "lidar"),
        *("sensor", "light", "ft", "force", "torque", "motor", "rotor", "mount", "screw", "changer", "collision"),
        *("shape", "visual"),
    )
)
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


class Lead(NamedTuple):
    """A device that may lead a frame of a robot."""

    robot: Robot
    device: Device
    constraint: Constraint | None  # that ties them; None: no constraint does, and the frame is that of `led_frame`
    at_once: bool  # from the start; if not, its device leads something else, or another device leads this frame

    @property
    def name(self) -> str:
        """For people: of the device, of the robot if nobody leads it."""
        return name_of(self.device) if self.device.id != NULL_DEVICE else self.robot.name


class Led(NamedTuple):
    """A frame that a hand leads, and why that one."""

    id: int
    why: str  # for people


def name_of(device: Device) -> str:
    """What people call a device: its name, or its number if it has none or a blank one."""
    return device.name if device.name and device.name.strip() else str(device.id)


def leads_of(scene: Scene, only: Sequence[str] = ()) -> tuple[tuple[Lead, ...], tuple[str, ...]]:
    """Who leads what, as the constraints say, in the order of the file; and a line for what of it is not used.

    Every robot is there, `only` those that are named; one that no constraint ties to a device is led by the first
    device that leads nothing else, and by nobody if there is none, or if a constraint of the frame that would be led
    lists only 'none': then commands lead it. Robots without a joint are there only if no other is.
    """
    devices = {device.id: device for device in scene.devices if device.id != NULL_DEVICE}
    tied = {number for robot in scene.robots for one in robot.constraints for number in one.devices}
    free = [device for number, device in devices.items() if number not in tied]
    if not devices:
        free = [Device(id=1)]  # a plain one
    chosen = [robot for robot in scene.robots if not only or robot.name in only]
    still = [robot for robot in chosen if not _has_joint(robot) and not _lists_device(robot)]
    still = still if len(still) < len(chosen) else []
    leads: list[Lead] = []
    busy: set[int] = set()
    for robot in [robot for robot in chosen if robot not in still]:
        own = [lead for one in robot.constraints for lead in _leads_by(robot, one, devices, busy)]
        if not own:
            none = _led_by_none(robot)
            device = free.pop(0) if free and none is None else Device(id=NULL_DEVICE)
            own = [Lead(robot, device, none, at_once=True)]
        leads += own
    used = {lead.device.id for lead in leads}
    idle = [device for number, device in devices.items() if number not in used]
    lines = [f"{place_text(scene, one.source)}device {name_of(one)} leads nothing" for one in idle]
    lines += [f"{place_text(scene, one.source)}robot {one.name} has no joint: it stays as it is" for one in still]
    return tuple(leads), tuple(lines)


def _led_by_none(robot: Robot) -> Constraint | None:
    """The constraint that lets the frame to lead follow 'none'."""
    led = led_frame(robot)
    held = [one for one in robot.constraints if not one.closes_loop and one.targets]
    return next((one for one in held if led is not None and one.targets[0].id == led.id), None)


def _has_joint(robot: Robot) -> bool:
    return any(link.joint is not JointType.FIXED for link in robot.links)


def _lists_device(robot: Robot) -> bool:
    return any(number != NULL_DEVICE for one in robot.constraints for number in one.devices)


def _leads_by(robot: Robot, constraint: Constraint, devices: Mapping[int, Device], busy: set[int]) -> list[Lead]:
    """All devices that a constraint lists: one of them leads at once, the first that leads nothing else yet."""
    if constraint.closes_loop or not constraint.targets:
        return []
    listed = [number for number in dict.fromkeys(constraint.devices) if number in devices]
    first = next((number for number in listed if number not in busy), None)
    if first is not None:
        busy.add(first)
    return [Lead(robot, devices[number], constraint, number == first) for number in listed]


def place_text(scene: Scene, source: Source) -> str:
    """Where something stands in the file, for the beginning of a line."""
    line, column = source.place
    return f"{scene.file or scene.name}:{line}:{column}: " if line else ""


def led_frame(robot: Robot) -> Led | None:
    """The frame to lead; None if nothing of the robot moves by a joint."""
    if robot.tools:
        return Led(robot.tools[-1].id, "the last tool of the file")
    joints, steps = _depths(robot)
    held = {target.id for constraint in robot.constraints if constraint.holds for target in constraint.targets}
    movable = [item for item in robot.placed() if joints[item.id] and not isinstance(item, Camera)]
    free = [item for item in movable if item.id not in held] or movable
    named = [item for item in movable if isinstance(item, Frame) and item.name]  # where loops meet: often the tool
    frames = [item for item in free if isinstance(item, Frame)] or named or free
    if not frames:
        return None
    # The first of the best: of two arms the file's first.
    best = min(frames, key=lambda item: (_rank(item.name), -joints[item.id], -steps[item.id]))
    if _rank(best.name) < len(WORDS):
        return Led(best.id, "by its name")
    last = max(frames, key=lambda item: (joints[item.id], not _words(item.name) & MOUNTED, steps[item.id]))
    return Led(last.id, f"the end of the longest chain ({joints[last.id]} joints); no frame is named like a hand")


def frame_text(robot: Robot, number: int) -> str:
    """A link or frame for people: `tool0 (frame 14)`, `frame 3`."""
    item = next((item for item in robot.placed() if item.id == number), None)
    if item is None:
        return "the base" if number == BASE_ID else f"frame {number}"
    word = type(item).__name__.lower()
    return f"{item.name} ({word} {number})" if item.name else f"{word} {number}"


def movable_frames(robot: Robot) -> list[str | int]:
    """Names, or ids where there are none, of all that a joint moves, deepest first: what may be led."""
    joints, steps = _depths(robot)
    items = [item for item in robot.placed() if joints[item.id]]
    items.sort(key=lambda item: (_rank(item.name), -joints[item.id], -steps[item.id]))
    return [item.name or item.id for item in items]


def _rank(name: str | None) -> int:
    """How much a name is one of a hand: 0 most; the number of ranks if it is none."""
    words = _words(name)
    if words & (PARTS | MOUNTED):
        return len(WORDS)
    return next((rank for rank, known in enumerate(WORDS) if words & known), len(WORDS))


def _words(name: str | None) -> set[str]:
    """In small letters, with and without the digits at their ends."""
    words = [word.lower() for word in _WORD.findall(name or "")]
    return {*words, *(word.rstrip("0123456789") for word in words)}


def _depths(robot: Robot) -> tuple[dict[int, int], dict[int, int]]:
    """For every link and frame: joints between it and the base, and steps of the tree."""
    items = {item.id: item for item in robot.placed()}
    joints, steps = {BASE_ID: 0}, {BASE_ID: 0}
    for start in items:
        branch, at = [], start
        while at not in joints:
            branch.append(at)
            at = items[at].pred
        for name in reversed(branch):
            item = items[name]
            moves = isinstance(item, Link) and item.joint is not JointType.FIXED
            joints[name], steps[name] = joints[item.pred] + moves, steps[item.pred] + 1
    return joints, steps
