"""URDF text in, scene out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from station.errors import MadError, Severity
from station.mad.checks import check
from station.mad.checks.tree import MOST_JOINTS, MOST_PARTS, too_many
from station.mad.reader import Findings
from station.mad.scene import Robot, Scene, Source
from station.mad.units import LengthUnit
from station.mad.urdf.attributes import text_of
from station.mad.urdf.bodies import read_link
from station.mad.urdf.build import build_robot
from station.mad.urdf.elements import ROBOT, Element, parse_elements
from station.mad.urdf.joints import check_mimics, read_joint
from station.mad.urdf.materials import read_materials
from station.mad.urdf.meshes import Meshes, meshes_moved
from station.mad.urdf.shapes import ShapeReader
from station.mad.urdf.tree import by_name, check_joints, in_order


def scene_from_urdf(
    text: str, file: str = "<text>", package_path: Sequence[str | Path] = (), *, mesh_folder: Path | None = None
) -> Scene:
    """Read a scene from URDF text: one robot, whose joint values [rad | m] and frame names are those of the URDF.

    Args:
        text: the URDF, with all xacro expanded.
        file: its name in messages; relative mesh paths are relative to its folder.
        package_path: folders in which the `package://` names of meshes are looked up, or such packages themselves.
        mesh_folder: folder of the MAD file to be written, from which mesh paths are to lead; the URDF's own if None.

    Raises:
        MadError: with every problem of the file, each with the line and column of its XML element.
    """
    findings = Findings(file)
    element = parse_elements(text, file)
    if element.tag != "robot":
        findings.error(element.place, f"{ROBOT}, not <{element.tag}>")
    _check_size(element, findings)
    _stop_at_errors(findings)
    folder = Path(file).parent
    robot = _robot(element, Meshes(folder, [Path(entry) for entry in package_path]), findings)
    scene = Scene(name=robot.name, version=(2, 0), unit=LengthUnit.M, robots=(robot,), source=Source(element.place))
    # Checked as a file beside the URDF, where the meshes can be looked up; moved afterwards.
    scene = check(scene, findings)
    if mesh_folder is not None:
        scene = replace(scene, robots=(meshes_moved(robot, folder, mesh_folder),))
    return scene


def _check_size(element: Element, findings: Findings) -> None:
    """Before anything is built; the same limits as for any robot, of which a joint makes up to two frames."""
    name = element.attributes.get("name", "")[:40]
    links, joints = element.all("link"), element.all("joint")
    moving = sum(joint.attributes.get("type") != "fixed" for joint in joints)
    for count, most, what in ((moving, MOST_JOINTS, "joints"), (len(links), MOST_PARTS - 2 * MOST_JOINTS, "links")):
        if count > most:
            findings.error(element.place, too_many(name, count, most, what))


def _robot(element: Element, meshes: Meshes, findings: Findings) -> Robot:
    """The robot; raises MadError if a part of it is unusable, so that no message is about a stand-in."""
    name = text_of(element, "name", findings)
    shapes = ShapeReader(read_materials(element, findings), meshes, findings)
    bodies = [read_link(link, shapes, findings) for link in element.all("link")]
    links = by_name([body for body in bodies if body is not None], findings)
    if not bodies:
        findings.error(element.place, "this robot has no <link>")
    found = [read_joint(joint, findings) for joint in element.all("joint")]
    joints = [joint for joint in found if joint is not None]
    whole = check_joints(joints, links, findings) and len(joints) == len(found) and len(links) == len(bodies)
    check_mimics(joints, findings)
    root, order = in_order(joints, links, findings) if whole and links else ("", [])
    _stop_at_errors(findings)
    robot = build_robot(name or "", root, order, links, findings)
    return replace(robot, source=Source(element.place))


def _stop_at_errors(findings: Findings) -> None:
    problems = sorted(findings.problems, key=lambda problem: (problem.line, problem.column))
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise MadError(problems)
