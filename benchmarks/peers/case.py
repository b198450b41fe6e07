"""From a MAD file to a case: the mechanism as plain bodies, a start, and the poses to follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.bodies import (
    PRISMATIC,
    REVOLUTE,
    WORLD,
    Array,
    Body,
    Closure,
    forward,
    gaps,
    movable,
)
from benchmarks.peers.mjcf import mjcf
from benchmarks.peers.urdf import urdf
from station.mad import load as load_scene
from station.mad.placement import from_position, in_predecessor, world_poses
from station.mad.scene import BASE_ID, ClosureKind, Frame, Link, Robot
from station.mad.units import JointType

ROBOTS = Path(__file__).resolve().parents[2] / "robots"
JOINTS = {JointType.REVOLUTE: REVOLUTE, JointType.PRISMATIC: PRISMATIC}
KINDS = {ClosureKind.BALL: "ball", ClosureKind.WELD: "weld"}
TICK = 1e-3  # [s]
POSE_TOLERANCE = 1e-9  # of the export, against the reference walk of the tree [m, and in rotation matrices]


@dataclass(frozen=True)
class Case:
    """One mechanism, one start, and one list of targets for the followed frame."""

    file: str
    robot: str
    follow: int
    bodies: tuple[Body, ...]
    closures: tuple[Closure, ...]
    start: Array
    targets: Array = field(default_factory=lambda: np.zeros((0, 4, 4)))
    independent: bool = False  # each target from `start` anew, to convergence

    @property
    def frame(self) -> str:
        """Name of the followed body."""
        return name_of(self.follow)

    def message(self, options: dict[str, Any]) -> str:
        """All that a worker needs, as one line of JSON."""
        return json.dumps(
            {
                "file": self.file,
                "robot": self.robot,
                "follow": self.follow,
                "frame": self.frame,
                "bodies": [asdict(body) for body in self.bodies],
                "closures": [asdict(closure) for closure in self.closures],
                "start": self.start.tolist(),
                "probe": probe(self).tolist(),
                "targets": self.targets.tolist(),
                "independent": self.independent,
                "dt": TICK,
                "urdf": urdf(self.robot, self.bodies),
                "mjcf": mjcf(self.robot, self.bodies, self.closures),
                "options": options,
            }
        )

    def following(self, targets: Array, *, independent: bool = False) -> Case:
        """The same mechanism with other targets."""
        return replace(self, targets=targets, independent=independent)

    def home(self) -> Array:
        """Pose of the followed body at the start."""
        return np.asarray(forward(self.bodies, self.start[None])[self.frame][0])


def name_of(item: int) -> str:
    """Name of a body by its id in the MAD file."""
    return f"n{item}"


def load(file: str | Path, robot: str | None = None, follow: int | None = None) -> Case:
    """Read a robot, export it and check the export; `follow` defaults to what a device drives in the file."""
    path = ROBOTS / f"{file}.mad" if isinstance(file, str) else file
    scene = load_scene(path)
    described = scene.robot(robot or path.stem)
    driven = [c.targets[0].id for c in described.constraints if not c.closes_loop]
    case = Case(
        file=str(path),
        robot=described.name,
        follow=driven[0] if follow is None else follow,
        bodies=tuple(bodies_of(described)),
        closures=tuple(
            Closure(name_of(c.targets[0].id), name_of(c.targets[1].id), KINDS[c.kind])
            for c in described.constraints
            if c.closes_loop
        ),
        start=np.array([link.initial for link in described.links if link.joint in JOINTS]),
    )
    check_export(case, described)
    return replace(case, start=assembled(case, case.start))


def bodies_of(robot: Robot) -> list[Body]:
    """The base, then all links and frames; joint values are those of the file, so that origins are at joint value 0."""
    base = from_position(robot.base.pos, robot.base.ori)
    return [Body(name_of(BASE_ID), WORLD, _rows(base)), *(_body(item) for item in robot.placed())]


def _body(item: Link | Frame) -> Body:
    name, parent = name_of(item.id), name_of(item.pred)
    if isinstance(item, Frame) or item.joint not in JOINTS:
        return Body(name, parent, _rows(in_predecessor(item)))
    lower, upper = item.stops or (-np.inf, np.inf)
    return Body(
        name,
        parent,
        _rows(in_predecessor(item, 0.0)),
        JOINTS[item.joint],
        lower,
        upper,
        item.speed or np.inf,
        item.acceleration or np.inf,
    )


def _rows(pose: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in pose)


def probe(case: Case) -> Array:
    """A joint vector away from the start, at which workers must agree with the reference walk."""
    spread = np.random.default_rng(7).uniform(-0.3, 0.3, len(case.start))
    return np.asarray(case.start + spread * [0.1 if b.joint == PRISMATIC else 1.0 for b in movable(case.bodies)])


def check_export(case: Case, robot: Robot) -> None:
    """The bodies stand where the reference walk of the MAD tree puts them."""
    q = probe(case)
    ids = [link.id for link in robot.links if link.joint in JOINTS]
    expected = world_poses(robot, dict(zip(ids, q, strict=True)))
    found = forward(case.bodies, q[None])
    for item, pose in expected.items():
        worst = float(np.abs(found[name_of(item)][0] - pose).max())
        assert worst < POSE_TOLERANCE, f"{robot.name}: export of {item} is {worst:.2g} off"


def assembled(case: Case, start: Array, held: Sequence[int] = ()) -> Array:
    """Joint values near `start` with all loops closed, by Gauss-Newton; the `held` columns keep their values."""
    q = start.copy()
    free = [column for column in range(len(q)) if column not in held]
    for _ in range(100):
        gap = gaps(case.bodies, case.closures, q[None])[0]
        if gap.size == 0 or np.abs(gap).max() < 1e-12:
            return q
        shifted = np.tile(q, (2 * len(free), 1))
        for row, column in enumerate(free):
            shifted[2 * row, column] += 1e-6
            shifted[2 * row + 1, column] -= 1e-6
        moved = gaps(case.bodies, case.closures, shifted)
        slope = (moved[0::2] - moved[1::2]).T / 2e-6
        q[free] -= np.linalg.lstsq(slope, gap, rcond=1e-7)[0]
    worst = float(np.abs(gap).max())
    assert worst < 1e-9, f"{case.robot} cannot be assembled: {worst:.2g} open"
    return q
