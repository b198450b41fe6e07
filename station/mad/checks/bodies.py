"""Bodies: shapes, masses and mesh files."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from station.mad.checks.names import check_unique, listed
from station.mad.reader import Findings
from station.mad.scene import BASE_ID, Body, DriveKind, MobileBase, Obstacle, Place, Robot, Shape, Tool

SWEEPS = 10  # of rotations; three by three is done after four or five
SHAPES = ("box", "sphere", "cylinder", "capsule", "plane", "mesh")


def check_bodies(robot: Robot, folder: Path | None, findings: Findings) -> None:
    """Everything that a robot is made of and carries. Missing mesh files are warnings: the body is drawn as `auto`."""
    meshes = folder / (robot.path or "") if folder is not None else None
    for body in (robot.base, *robot.placed()):
        _check_mass(body, findings)
        for shape in (*body.visual, *body.collision):
            _check_shape(shape, meshes, findings)
        for file in body.filename:
            if isinstance(file, str):
                _check_mesh(file, meshes, body.source.of("filename"), findings)
    if robot.base.mobile is not None:
        _check_mobile(robot.base.mobile, findings)
    for tool in robot.tools:
        _check_gripper(tool, findings)
    check_unique([(obstacle.name, obstacle.source.place) for obstacle in robot.obstacles], "obstacle", findings)
    for obstacle in robot.obstacles:
        check_obstacle(obstacle, robot, meshes, findings)


def check_obstacle(obstacle: Obstacle, robot: Robot | None, meshes: Path | None, findings: Findings) -> None:
    """A solid in the world (`robot` None) or carried by a link."""
    _check_shape(obstacle, meshes, findings)
    place = obstacle.source.of("pred")
    if robot is None:
        if obstacle.pred is not None:
            findings.error(place, "an obstacle outside a robot stands in the world; leave out 'pred'")
        return
    ids = sorted({BASE_ID, *(item.id for item in robot.placed())})
    if obstacle.pred not in ids:
        findings.error(
            place, f"obstacle {obstacle.name} needs 'pred': the link that carries it; there are: {listed(ids)}"
        )


def _check_shape(shape: Shape, meshes: Path | None, findings: Findings) -> None:
    given = [name for name in SHAPES if getattr(shape, name) not in (None, False)]
    if len(given) != 1 and not any(name in shape.source.entries for name in SHAPES if name not in given):
        said = f"has {' and '.join(given)}" if given else "has no shape"
        findings.error(shape.source.place, f"a solid {said}; give exactly one of: {', '.join(SHAPES)}")
    if shape.colour is not None and max(shape.colour) > 1.0:
        findings.error(shape.source.of("colour"), "the parts of a colour are numbers from 0 to 1")
    if shape.mesh is not None:
        _check_mesh(shape.mesh, meshes, shape.source.of("mesh"), findings)


def _check_mesh(file: str, folder: Path | None, place: Place, findings: Findings) -> None:
    # os.path, since pathlib raises for names that are too long to be a file.
    if folder is None or "://" in file or os.path.isfile(folder / file):  # noqa: PTH113
        return
    findings.warning(place, f"mesh file '{file}' is not there; the body is drawn as 'auto'")


def _check_mass(body: Body, findings: Findings) -> None:
    place = body.source.of("inertia")
    if body.inertia is None:
        return
    if body.mass is None:
        findings.warning(place, "an inertia without a mass has no effect; give 'mass' too")
    for why in _impossible(body):
        findings.warning(place, f"no real body has this inertia: {why}")


def _impossible(body: Body) -> Iterator[str]:
    assert body.inertia is not None
    xx, yy, zz, xy, xz, yz = body.inertia
    smallest, middle, largest = eigenvalues([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    tolerance = 1e-6 * abs(largest)
    if smallest < -tolerance:
        yield f"a principal moment is negative ({smallest:.3g} kg·m²)"
    elif smallest + middle < largest - tolerance:
        yield f"the principal moments {smallest:.3g} and {middle:.3g} kg·m² add up to less than {largest:.3g}"


def eigenvalues(matrix: list[list[float]]) -> list[float]:
    """Of a symmetric matrix, smallest first, by Jacobi's rotations; numpy takes longer to load than a file to check."""
    a, size = [list(row) for row in matrix], range(len(matrix))
    pairs = [(p, q) for q in size for p in range(q)]
    for _ in range(SWEEPS):
        for p, q in ((p, q) for p, q in pairs if a[p][q] != 0.0):
            apart = a[q][q] - a[p][p]
            angle = 0.5 * math.atan(2.0 * a[p][q] / apart) if apart else 0.25 * math.pi
            c, s = math.cos(angle), math.sin(angle)
            for k in size:  # columns, then rows
                a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
            for k in size:
                a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
    return sorted(a[k][k] for k in size)


def _check_mobile(mobile: MobileBase, findings: Findings) -> None:
    if mobile.drive is DriveKind.DIFFERENTIAL and mobile.track is None:
        findings.error(mobile.source.place, "a differential drive needs 'track' (distance between the driven wheels)")


def _check_gripper(tool: Tool, findings: Findings) -> None:
    gripper = tool.gripper
    if gripper is not None and not 0.0 <= gripper.stroke.lo < gripper.stroke.hi and "stroke" in gripper.source.entries:
        findings.error(gripper.source.of("stroke"), "'stroke' is the closed and the open width: 0 ≤ closed < open")
