"""Where a frame of a robot can go, and how well it moves there: joint values at random, loops closed, stops kept.

Dexterity at a place is the least over the largest gain from joint speeds to the speed of the frame (0: it cannot move
some way, 1: all ways alike), with the loops closed. Of all samples in one cell of space, the most dexterous is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import Robot
from station.mechanism import Mechanism
from station.mechanism.assembly import squared_gap
from station.mechanism.compiling import compile_robot
from station.mechanism.memory import JointKind
from station.mechanism.results import MechanismError
from station.mechanism.tree import frame_jacobian, frame_pose
from station.view.design.errors import DesignError

Floats = NDArray[np.float64]

LEAST_SAMPLES, MOST_SAMPLES = 100, 500_000
MOST_POINTS = 50_000  # that are kept
FIRST = 200  # samples from which the size of cells is taken
CELLS = 36  # across the largest extent of the workspace
REPORTS = 40  # from start to end
INSIDE = 1e-9  # by which a stop may be passed [rad | m]


@dataclass(frozen=True, kw_only=True)
class SweepRequest:
    """What is asked for."""

    robot: Robot
    frame: int
    samples: int = 20_000
    turning: bool = False  # whether turning counts too, weighed by the size of the robot
    seed: int = 1998

    def __post_init__(self) -> None:
        if not LEAST_SAMPLES <= self.samples <= MOST_SAMPLES:
            raise DesignError(f"{self.samples} samples; allowed: {LEAST_SAMPLES} to {MOST_SAMPLES}")
        if self.frame not in [item.id for item in self.robot.placed()]:
            known = ", ".join(str(item.id) for item in self.robot.placed())
            raise DesignError(f"robot {self.robot.name} has no part {self.frame}; there are: {known}")


@dataclass(frozen=True)
class Reachable:
    """What was found so far."""

    points: Floats = field(default_factory=lambda: np.empty((0, 3)))  # in the world [m]
    dexterity: Floats = field(default_factory=lambda: np.empty(0))  # 0 to 1, at each
    tried: int = 0  # samples
    closed: int = 0  # of them, whose loops could be closed within the stops
    cell: float = 0.0  # edge of a cell [m]

    @property
    def volume(self) -> float:
        """Of all cells that were reached [m³]; of something flat it says little."""
        return len(self.points) * self.cell**3


def sweep(request: SweepRequest) -> Iterator[Reachable]:
    """Look where the frame can go; yields what was found so far, again and again, and at last everything."""
    sampler = Sampler(request)
    cells = Cells()
    closed, batch = 0, max(request.samples // REPORTS, 1)
    for tried in range(1, request.samples + 1):
        found = sampler.sample()
        if found is not None:
            closed += 1
            cells.add(*found)
        if tried % batch == 0 or tried == request.samples:
            yield Reachable(*cells.all(), tried, closed, cells.size)


class Sampler:
    """Configurations of a robot at random, and what its frame does there."""

    def __init__(self, request: SweepRequest) -> None:
        robot = request.robot
        self._mechanism = Mechanism(robot)
        if not self._mechanism.joints:
            raise DesignError(f"robot {robot.name} has no joint to move")
        compiled = compile_robot(robot)
        self._memory, self._frame = compiled.memory, compiled.frames[request.frame]
        self._looped = bool(self._mechanism.report.closure_rows)
        self._loops = self._mechanism.report.closure_rank
        self._generator = np.random.default_rng(request.seed)
        self._rows = 6 if request.turning else 3
        axes = "x y z rx ry rz" if request.turning else "x y z"
        self._rank = self._mechanism.rank(request.frame, axes)
        self._start = self._last = self._mechanism.q
        mem = self._memory
        self._size = mem.length
        spread = np.where(mem.joint_kind == JointKind.REVOLUTE, math.pi, 2.0 * self._size)
        self._low = np.where(np.isfinite(mem.q_min), mem.q_min, self._start - spread)
        self._high = np.where(np.isfinite(mem.q_max), mem.q_max, self._start + spread)
        self._driven = np.array([joint.active for joint in self._mechanism.joints])
        if not self._driven.any():
            self._driven[:] = True

    def sample(self) -> tuple[Floats, float] | None:
        """A place of the frame [m] and its dexterity; None if the loops do not close there within the stops."""
        wanted = self._generator.uniform(self._low, self._high)
        if self._looped:
            # Driven joints anywhere; the others near where they were, as loops close from there or not at all.
            near = self._last if self._generator.random() < 0.8 else self._start
            wanted = np.where(self._driven, wanted, near)
            if self._generator.random() < 0.5:  # half of the time a smaller step, which more often succeeds
                wanted = near + self._generator.uniform(0.05, 0.5) * (wanted - near)
        q = self._closed(wanted)
        return None if q is None else self._measured(q)

    def _closed(self, wanted: Floats) -> Floats | None:
        if not self._looped:
            return wanted
        try:
            self._mechanism.q = wanted
        except MechanismError:
            return None
        q = self._mechanism.q
        if ((q < self._low - INSIDE) | (q > self._high + INSIDE)).any():
            return None
        self._last = q
        return q

    def _measured(self, q: Floats) -> tuple[Floats, float]:
        mem = self._memory
        squared_gap(mem, q, True)
        pose, rows = np.zeros((3, 4)), np.zeros((6, len(q)))
        frame_pose(mem, self._frame, mem.rotation, mem.position, pose)
        frame_jacobian(mem, self._frame, pose[:, 3].copy(), mem.rotation, mem.position, rows)
        rows[3:] *= self._size
        used = rows[: self._rows]
        if self._loops:
            used = used @ np.linalg.svd(mem.matrix[:, : len(q)])[2][self._loops :].T
        gains = np.linalg.svd(used, compute_uv=False)
        largest = gains[0] if len(gains) else 0.0
        least = gains[self._rank - 1] if 0 < self._rank <= len(gains) else 0.0
        return pose[:, 3].copy(), float(least / largest) if largest > 0.0 else 0.0


class Cells:
    """The most dexterous sample of every cell of space; the size of cells comes from the first samples."""

    def __init__(self) -> None:
        self.size = 0.0  # [m]
        self._first: list[tuple[Floats, float]] = []
        self._best: dict[tuple[int, int, int], tuple[Floats, float]] = {}

    def add(self, point: Floats, dexterity: float) -> None:
        """One more sample."""
        if not self.size:
            self._first.append((point, dexterity))
            if len(self._first) >= FIRST:
                self._settle()
            return
        self._put(point, dexterity)

    def _settle(self) -> None:
        places = np.array([point for point, _ in self._first])
        self.size = max(float(np.ptp(places, axis=0).max()) / CELLS, 1e-6)
        for point, dexterity in self._first:
            self._put(point, dexterity)

    def _put(self, point: Floats, dexterity: float) -> None:
        x, y, z = (int(value) for value in np.floor(point / self.size))
        old = self._best.get((x, y, z))
        if old is None and len(self._best) >= MOST_POINTS:
            return
        if old is None or dexterity > old[1]:
            self._best[x, y, z] = (point, dexterity)

    def all(self) -> tuple[Floats, Floats]:
        """Places [m] and dexterity of what is kept."""
        kept = list(self._best.values()) or self._first
        if not kept:
            return np.empty((0, 3)), np.empty(0)
        return np.array([point for point, _ in kept]), np.array([dexterity for _, dexterity in kept])
