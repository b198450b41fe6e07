"""`station check FILE --assemblies`: the ways in which robots can be assembled, as postures, text and pictures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.bench import Bench
from station.errors import StationError
from station.kernel import Floats
from station.mad.leading import led_frame
from station.mad.placement import angles_of
from station.mad.scene import Robot
from station.mad.units import LengthUnit, Unit, from_text, scale_of, to_text
from station.mechanism import Mechanism
from station.mechanism.assemblies import STARTS, Assemblies, Assembly, Tell, of_joints, of_pose
from station.tasks.task.joints import independent_joints

JOINTS, TOOL = "joints", "tool"  # what is held
SHOWN_AFTER = 2.0  # how far a search is, is told from then on [s]
TOLD_EVERY = 0.5  # [s]
SAME_POSTURE = 1e-3  # joint values this near are those of a posture of the file [rad | m]
DIGITS = 8  # after the point, of degrees and millimetres
TILE = (480, 400)  # of a picture [px]
COLUMNS = 3


class AssembliesError(StationError, ValueError):
    """Assemblies were asked for that there are not, or what is to be held is not there."""


class Named(NamedTuple):
    """An assembly with a name to call it by."""

    name: str
    known: bool  # a posture of the file already
    assembly: Assembly
    pose: Floats | None  # of the frame that is led [m]


class Found(NamedTuple):
    """What was found of one robot."""

    mechanism: Mechanism
    held: str  # JOINTS or TOOL
    held_links: tuple[int, ...]
    frame: int | None
    result: Assemblies
    named: tuple[Named, ...]


def frame_of(robot: Robot) -> int | None:
    """The frame that tells assemblies apart: that which a hand leads."""
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            return constraint.targets[0].id
    led = led_frame(robot)
    return None if led is None else led.id


def find(
    scene: Bench, robot: str | None, hold: str, starts: int = STARTS, seed: int = 1998, tell: Tell | None = None
) -> Found:
    """The assemblies of a robot; of the only one with loops if none is named."""
    mechanism = scene[_chosen(scene, robot, hold)]
    frame = frame_of(mechanism.robot)
    if hold == TOOL:
        if frame is None:
            raise AssembliesError(f"robot {mechanism.robot.name} has no frame whose pose could be held")
        held: list[int] = []
        result = of_pose(mechanism, frame, starts=starts, seed=seed, tell=tell)
    else:
        held = _held(mechanism)
        frames = () if frame is None else (frame,)
        result = of_joints(mechanism, held, frames, starts=starts, seed=seed, tell=tell)
    links = tuple(mechanism.joints[number].id for number in held)
    return Found(mechanism, hold, links, frame, result, tuple(_named(mechanism, frame, result)))


def _chosen(scene: Bench, name: str | None, hold: str) -> str:
    names = [robot.name for robot in scene.robots]
    if name is not None:
        if name not in names:
            raise AssembliesError(f"no robot '{name}' in this scene; there are: {', '.join(names) or 'none'}")
        return name
    looped = [robot.name for robot in scene.robots if hold == TOOL or any(part.holds for part in robot.constraints)]
    if not looped:
        raise AssembliesError("no robot of this scene has a loop; what can be asked of it: --assemblies --hold tool")
    if len(looped) > 1:
        raise AssembliesError(f"several robots; choose one with --robot: {', '.join(looped)}")
    return looped[0]


def _held(mechanism: Mechanism) -> list[int]:
    """The driven joints; where a file does not say which these are, as many as the robot has freedoms."""
    driven = [number for number, joint in enumerate(mechanism.joints) if joint.active]
    return driven if len(driven) <= mechanism.mobility else independent_joints(mechanism)


def _named(mechanism: Mechanism, frame: int | None, result: Assemblies) -> list[Named]:
    robot = mechanism.robot
    taken, number, named = {posture.name for posture in robot.postures}, 0, list[Named]()
    for assembly in result.found:
        known = _posture_of(mechanism, assembly.q)
        number += 1
        while known is None and f"assembly-{number}" in taken:
            number += 1
        pose = None if frame is None else mechanism.pose_at(frame, assembly.q)
        named.append(Named(known or f"assembly-{number}", known is not None, assembly, pose))
    return named


def _posture_of(mechanism: Mechanism, q: Floats) -> str | None:
    """A posture of the file at which all joints are, if there is one."""
    numbers = {joint.id: number for number, joint in enumerate(mechanism.joints)}
    for posture in mechanism.robot.postures:
        values = {link: value for link, value in posture.joints if link in numbers}
        if len(values) == len(numbers) and all(
            _apart(mechanism, numbers[link], q[numbers[link]] - value) < SAME_POSTURE for link, value in values.items()
        ):
            return posture.name
    return None


def _apart(mechanism: Mechanism, number: int, difference: float) -> float:
    if mechanism.memory.joint_kind[number] == 0:  # turning: whole turns do not count
        difference = math.remainder(difference, 2.0 * math.pi)
    return abs(difference)


# For people and programs -------------------------------------------------------------------------------------------


def describe(found: Found, length: LengthUnit, *, all_of_them: bool = False) -> str:
    """What was found, for people, with postures that can be pasted into the file."""
    result, robot = found.result, found.mechanism.robot
    usual = [one for one in found.named if not one.assembly.strange]
    strange = len(found.named) - len(usual)
    shown = found.named if all_of_them else usual
    what = "the tool where it is" if found.held == TOOL else f"links {', '.join(map(str, found.held_links))} held"
    rarest = min(one.assembly.times for one in usual)
    sure = f"each at least {rarest} times" if result.enough else "more may be found with more --starts"
    lines = [
        f"robot {robot.name}, {what}: {_plural(len(usual), 'assembly', 'assemblies')} "
        f"with {result.starts} starts, of which {result.closed} closed; {sure}"
    ]
    if result.loose:
        lines.append(
            f"  {result.loose} of its motions are not held by that: of each kind one of infinitely many is told"
        )
    lines += [_line(found, number, one) for number, one in enumerate(shown, start=1)]
    if strange and not all_of_them:
        lines.append(f"  {strange} more are where this robot never moves to; see them with --all")
    new = [one for one in shown if not one.known]
    if new:  # a file takes no posture beyond the stops: those are remarks
        lines.append("")
        lines += [("// " if one.assembly.beyond else "") + posture_text(found, one, length) for one in new]
    return "\n".join(lines)


def _line(found: Found, number: int, one: Named) -> str:
    parts = [f"  {number:>2}  {one.name:<14}"]
    if one.pose is not None and found.held == JOINTS:
        place, turn = 1000.0 * one.pose[:3, 3], np.degrees(angles_of(one.pose))
        x, y, z, a, b, c = (f"{round(float(value), 2) + 0.0:8.2f}" for value in (*place, *turn))
        parts.append(f"{x} {y} {z} mm {a} {b} {c} °")
    if number == 1:
        parts.append("where it is")
    if one.assembly.side:
        parts.append("side +" if one.assembly.side > 0 else "side -")
    if one.assembly.beyond:
        parts.append(f"beyond the stops of link {', '.join(map(str, one.assembly.beyond))}")
    return "  ".join(parts)


def posture_text(found: Found, one: Named, length: LengthUnit) -> str:
    """A posture block for the file."""
    values = " ".join(
        f"link {joint.id} {to_text(value, scale_of(Unit.JOINT, length, joint.type))}"
        for joint, value in zip(found.mechanism.joints, _rounded(found, one, length), strict=True)
    )
    return f"posture {one.name} {{ joints ( {values} ) }}"


def _rounded(found: Found, one: Named, length: LengthUnit) -> list[float]:
    """Joint values [rad | m] with as many digits of the file's units as mean something."""
    scales = [scale_of(Unit.JOINT, length, joint.type) for joint in found.mechanism.joints]
    pairs = zip(one.assembly.q, scales, strict=True)
    return [from_text(f"{round(float(value) / float(scale), DIGITS) + 0.0!r}", scale) for value, scale in pairs]


def data(found: Found) -> dict[str, Any]:
    """What was found, in plain types; SI units."""
    result = found.result
    return {
        "robot": found.mechanism.robot.name,
        "held": found.held,
        "held_links": list(found.held_links),
        "frame": found.frame,
        "starts": result.starts,
        "closed": result.closed,
        "enough": result.enough,
        "loose": result.loose,
        "joints": [joint.id for joint in found.mechanism.joints],
        "assemblies": [
            {
                "name": one.name,
                "posture": one.known,
                "q": one.assembly.q.tolist(),
                "pose": None if one.pose is None else one.pose.tolist(),
                "times": one.assembly.times,
                "ways": one.assembly.ways,
                "gap": one.assembly.gap._asdict(),
                "beyond_stops": list(one.assembly.beyond),
                "strange": one.assembly.strange,
                "side": one.assembly.side,
            }
            for one in found.named
        ],
    }


# Into files --------------------------------------------------------------------------------------------------------


def new_postures(found: Found) -> list[Named]:
    """Those that a file can take: not there yet, within the stops, and where the robot moves to."""
    return [one for one in found.named if not (one.known or one.assembly.beyond or one.assembly.strange)]


def with_postures(text: str, file: str, found: Found) -> str:
    """The text of a file with a posture for each assembly that it has none for; all else stays as it is."""
    from station.view.design.rewriting import with_posture
    from station.view.design.source import Source

    for one in new_postures(found):
        source, joints = Source(text, file), found.mechanism.joints
        values = {joint.id: value for joint, value in zip(joints, _rounded(found, one, source.length), strict=True)}
        text = with_posture(source, found.mechanism.robot.name, one.name, values)
    return text


def draw(scene: Bench, found: Found, out: Path, *, all_of_them: bool = False) -> int:
    """A picture of all assemblies side by side; returns how many."""
    from station.view.png import render_image, sheet, write_png
    from station.view.scene_view import SceneView
    from station.view.theme import LIGHT

    shown = [one for one in found.named if all_of_them or not one.assembly.strange]
    images = []
    for one in shown:
        view = SceneView(scene, LIGHT)
        view.show_labels = False
        view.status = [one.name + (", beyond its stops" if one.assembly.beyond else "")]
        view.robots[found.mechanism.robot.name].predict(one.assembly.q)
        view.look("perspective", TILE[0] / TILE[1])
        images.append(render_image(view, TILE))
    write_png(out, sheet(images, min(COLUMNS, len(images))))
    return len(shown)


def telling(show: Callable[[str], object]) -> Tell:
    """Tells how far a search is, from two seconds on."""
    begin, last = time.monotonic(), [0.0]

    def tell(starts: int, count: int) -> None:
        now = time.monotonic()
        if now - begin > SHOWN_AFTER and now - last[0] > TOLD_EVERY:
            last[0] = now
            show(f"{starts} starts, {_plural(count, 'assembly', 'assemblies')} so far")

    return tell


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
