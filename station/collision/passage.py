"""Exact distances at any joint values; and whether a motion is free, also between its samples.

Conservative advancement: two solids that are d apart cannot touch before some point of one has moved by d as the other
sees it. How far points move is bounded by how far joints move, times how far a solid can be from each joint. So one
goes on by d, looks again, and either comes to the end or to a contact (B. Mirtich, 'Impulse-based dynamic simulation of
rigid body systems'). Along a path of many samples the distance carries over from one to the next: most samples are
never looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.collision.library import Query
from station.collision.pairs import Candidate
from station.collision.results import CollisionError, Distance, Floats, Pair, Passage, Touch
from station.collision.solids import Solid
from station.collision.survey import move_solids, place_solids
from station.collision.table import ANSWER, Table
from station.kernel.se3 import relative
from station.mad.scene import BASE_ID
from station.mechanism import Mechanism
from station.mechanism.memory import JointKind
from station.mechanism.tree import forward

TOUCHING = 1e-4  # distance beyond the wanted clearance that counts as none [m]


class Exact:
    """Asks the library about two solids where a robot is put, without touching the robot itself."""

    def __init__(self, mechanism: Mechanism, solids: list[Solid], table: Table) -> None:
        self._memory, self._table, self._solids = mechanism.memory, table, solids
        self._rotation, self._position = np.zeros_like(self._memory.rotation), np.zeros_like(self._memory.position)
        self.poses = np.zeros((len(solids), 3, 4))  # of all solids in the world [m]
        self._queries: dict[tuple[int, int], Query] = {}
        self._turn, self._place, self._answer = np.zeros((3, 3)), np.zeros(3), np.zeros(ANSWER)
        self.count = 0  # questions so far

    def query(self, a: int, b: int) -> Query:
        """The question about two solids, made once."""
        if (a, b) not in self._queries:
            self._queries[a, b] = Query(self._solids[a].geometry, self._solids[b].geometry)
        return self._queries[a, b]

    def put(self, q: Floats) -> None:
        """Place all solids for these joint values [rad | m]."""
        forward(self._memory, q, self._rotation, self._position)
        place_solids(self._table, self._rotation, self._position, self.poses)

    def measure(self, a: int, b: int) -> float:
        """Signed distance [m]; raises CollisionError where the library has no answer."""
        relative(self.poses[a], self.poses[b], self._turn, self._place)
        self.count += 1
        if not (self.query(a, b).ask(self._turn, self._place, self._answer) and math.isfinite(self._answer[0])):
            names = f"{self._solids[a].name} and {self._solids[b].name}"
            raise CollisionError(f"the distance between {names} cannot be found where the robot is")
        return float(self._answer[0])

    def distance(self, pair: Pair, a: int, b: int) -> Distance:
        """The whole answer, in the world."""
        distance, pose = self.measure(a, b), self.poses[b]
        normal, point, other = self._answer[1:4], self._answer[4:7], self.query(a, b).other_point()
        turn, place = pose[:, :3], pose[:, 3]
        return Distance(pair, distance, turn @ point + place, turn @ other + place, turn @ normal)


class ExactTogether(Exact):
    """The same where other mechanisms are put elsewhere, too: their memories tell where their bodies are meanwhile."""

    def __init__(self, mechanism: Mechanism, others: Sequence[Mechanism], solids: list[Solid], table: Table) -> None:
        super().__init__(mechanism, solids, table)
        self._others = tuple(others)

    def put(self, q: Floats) -> None:
        """Place all solids for the joint values of the robot and, after them, those of the others [rad | m]."""
        first = len(self._memory.q)
        for which, other in enumerate(self._others):
            mem = other.memory
            forward(mem, q[first : first + len(mem.q)], mem.rotation, mem.position)
            move_solids(self._table, mem, which)
            first += len(mem.q)
        super().put(q[: len(self._memory.q)])


def reaches(
    mechanism: Mechanism,
    solids: list[Solid],
    pairs: Sequence[Candidate],
    longest: Floats,
    turned: bool = False,
    others: Sequence[Mechanism] = (),
) -> Floats:
    """For each pair and joint: how far any point of one solid moves, as the other sees it, per joint motion at most.

    In metres per radian for a joint that turns, metres per metre for one that slides. Joints that move both solids
    alike count nothing.

    Args:
        mechanism: the robot.
        solids: all of them.
        pairs: by number of the solids.
        longest: largest absolute joint values on the way [rad | m].
        turned: instead, per radian that the seat of a joint is turned, whether the joint itself turns or slides.
        others: mechanisms around it that move, too: their joints come after its own. Else what they carry stands still.
    """
    firsts = np.cumsum([0, *(len(one.memory.q) for one in (mechanism, *others))])
    table = np.zeros((len(pairs), int(firsts[-1])))
    for row, pair in zip(table, pairs, strict=True):
        chains: list[dict[int, float]] = []
        for number in pair:
            solid = solids[number]
            which = 0 if solid.other is None else solid.other + 1
            if solid.frame is None or which > len(others):
                chains.append({})
                continue
            one, first = (mechanism, *others)[which], int(firsts[which])
            mem, frame = one.memory, one._frames[solid.frame]
            extent = solid.ball + float(np.linalg.norm(solid.pose[:3, :3] @ solid.centre + solid.pose[:3, 3]))
            extent += float(np.linalg.norm(mem.frame_offset[frame][:, 3]))
            chain = chain_reaches(one, int(mem.frame_body[frame]), extent, longest[first:], turned)
            chains.append({first + joint: reach for joint, reach in chain.items()})
        for joint in set(chains[0]) ^ set(chains[1]):
            row[joint] = chains[0].get(joint, 0.0) + chains[1].get(joint, 0.0)
    return table


def chain_reaches(
    mechanism: Mechanism, body: int, extent: float, longest: Floats, turned: bool = False
) -> dict[int, float]:
    """Joints between the base and a body, each with how far a point of that body may be from its axis [m]."""
    mem, reach = mechanism.memory, extent
    found = {}
    while body >= 0:
        turns = mem.joint_kind[body] == JointKind.REVOLUTE
        slide = 0.0 if turns else float(longest[body])
        found[body] = reach + slide if turned else reach if turns else 1.0
        reach += float(np.linalg.norm(mem.before[body][:, 3])) + slide
        body = int(mem.parents[body])
    return found


class Room(NamedTuple):
    """A ball in the world that a solid never leaves; `radius` may be infinite [m]."""

    centre: Floats
    radius: float


def room_of(mechanism: Mechanism, solid: Solid) -> Room:
    """Where a solid of a mechanism can be at all, whatever its joints do within their stops."""
    mem = mechanism.memory
    number = mechanism.frame_number(BASE_ID if solid.frame is None else solid.frame)
    body = int(mem.frame_body[number])
    seat = np.vstack([mem.frame_offset[number], [0.0, 0.0, 0.0, 1.0]]) @ solid.pose
    centre = seat[:3, :3] @ solid.centre + seat[:3, 3]
    radius = solid.ball
    while body >= 0:
        turns = mem.joint_kind[body] == JointKind.REVOLUTE
        radius += float(np.linalg.norm(centre))
        radius += 0.0 if turns else float(max(abs(mem.q_min[body]), abs(mem.q_max[body])))
        centre, body = mem.before[body][:, 3], int(mem.parents[body])
    return Room(np.array(centre), radius)


def check_path(mechanism: Mechanism, path: ArrayLike) -> Floats:
    """A path as joint values, one row for each sample; raises CollisionError."""
    samples, count = np.array(path, dtype=np.float64), len(mechanism.joints)
    if samples.ndim != 2 or samples.shape[1] != count or len(samples) < 1 or not np.isfinite(samples).all():
        raise CollisionError(f"a path is rows of {count} finite joint values, not an array of shape {samples.shape}")
    return samples


def find_touch(
    exact: Exact, path: Floats, pairs: Sequence[Candidate], names: Sequence[Pair], reach: Floats, clearance: float
) -> Passage:
    """The earliest place of a path, straight in joint space between samples, with less than a clearance [m]."""
    steps = np.abs(np.diff(path, axis=0))
    end = float(len(path) - 1)
    first: Touch | None = None
    nearest, before = math.inf, exact.count
    for number, pair in enumerate(pairs):
        moved = np.concatenate([[0.0], np.cumsum(steps @ reach[number])])
        at = 0.0
        while True:
            segment = min(int(at), max(len(path) - 2, 0))
            q = _between(path, segment, at - segment)
            exact.put(q)
            left = exact.measure(*pair) - clearance
            nearest = min(nearest, left + clearance)
            if left <= TOUCHING:
                answer = exact.distance(names[number], *pair)
                first = Touch(names[number], segment, at - segment, q, answer.distance, answer.point, answer.normal)
                end = at  # what comes later does not matter any more
                break
            at = _advanced(moved, at, left)
            if at >= end and not (first is None and at == end):
                break
        if first is not None and end == 0.0:
            break
    return Passage(first, nearest, exact.count - before)


def _between(path: Floats, segment: int, share: float) -> Floats:
    """Joint values on a segment."""
    if share <= 0.0:
        return np.array(path[segment])
    return np.asarray((1.0 - share) * path[segment] + share * path[segment + 1])


def _advanced(moved: Floats, at: float, distance: float) -> float:
    """Where on the path a point may have moved by a distance since `at`; infinite: not before its end."""
    last = len(moved) - 1
    segment = min(int(at), max(last - 1, 0))
    here = moved[segment] + ((moved[segment + 1] - moved[segment]) * (at - segment) if last else 0.0)
    wanted = here + distance
    if wanted > moved[-1]:
        return math.inf
    after = max(int(np.searchsorted(moved, wanted, side="left")), 1)
    span = moved[after] - moved[after - 1]
    return float(after - 1 + ((wanted - moved[after - 1]) / span if span > 0.0 else 0.0))
