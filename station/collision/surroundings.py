"""`Surroundings`: what is around a robot, how far away, and what the solver and the forces must know of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from station.collision.bodies import mechanism_solids, world_solids
from station.collision.contacts import tell
from station.collision.gjk import FAILED, refine
from station.collision.pairs import NEVER_APART, Candidate, apart_somewhere, candidates, neighbours_of, sampled
from station.collision.passage import Exact, Room, check_path, find_touch, reaches, room_of
from station.collision.results import CollisionError, Condition, Distance, Floats, Ints, LeftOut, Pair, Passage, Told
from station.collision.solids import Solid
from station.collision.survey import learn, move_solids, put_solids
from station.collision.table import CollisionSettings, SolidKind, Table, fill_table, seat_of
from station.kernel.se3 import relative
from station.mad.joined import Joined
from station.mad.scene import Scene
from station.mechanism import Contact, Mechanism
from station.mechanism.tree import forward

CONDITIONS = tuple(map(Condition, range(8)))  # making one takes longer than looking it up


class Surroundings:
    """Obstacles around one mechanism of a scene, its own bodies, and other robots.

    In a tick: `tell(dt)` before the solver's step, `refine()` after it. Anything else takes longer. In compiled code
    `move_solids(table, other.memory, which)` comes before `tell`, for each of the `others`.
    """

    def __init__(
        self,
        scene: Scene,
        mechanism: Mechanism,
        settings: CollisionSettings | None = None,
        *,
        include_self: bool = False,
        others: Sequence[Mechanism] = (),
    ) -> None:
        """Make all solids; takes a moment.

        Args:
            scene: to which the robot belongs.
            mechanism: the robot, whose memory tells where its bodies are.
            settings: distances and speeds.
            include_self: whether ticks also tell of the robot's bodies among themselves. Of robots that move as one,
                bodies of different robots are told in any case.
            others: mechanisms of the same scene whose bodies are obstacles that move.
        """
        self.settings = settings or CollisionSettings()
        self.mechanism = mechanism
        self.others = tuple(others)
        own = mechanism_solids(scene, mechanism.robot)
        foreign = [mechanism_solids(scene, other.robot, number) for number, other in enumerate(self.others)]
        self.solids: list[Solid] = [*own.bodies, *world_solids(scene), *own.carried]
        rooms = [room_of(mechanism, solid) for solid in own.bodies]
        for other, part in zip(self.others, foreign, strict=True):
            self.solids += [solid for solid in (*part.bodies, *part.carried) if self._meets(other, solid, rooms)]
        self.notes = tuple(note for part in (own, *foreign) for note in part.notes)
        self._pairs, left_out = self._find_pairs(len(own.bodies))
        self.left_out: tuple[LeftOut, ...] = tuple(out for _, out in left_out)
        self.pairs = tuple(self._name(pair) for pair in self._pairs)
        ticking = [
            pair for pair, name in zip(self._pairs, self.pairs, strict=True) if include_self or not name.with_itself
        ]
        # An obstacle that is never left now may be once it was moved: its pairs sleep until then.
        asleep = [pair for pair, out in left_out if out.why.startswith(NEVER_APART) and self.solids[pair.b].obstacle]
        self._in_ticks = [self._name(pair) for pair in (*ticking, *asleep)]
        self._table = fill_table(mechanism, self.solids, [*ticking, *asleep], self.settings, self.others)
        self._table.pair_count = len(ticking)
        self._exact = Exact(mechanism, self.solids, self._table)
        self._queries = [self._exact.query(*pair) for pair in (*ticking, *asleep)]
        self._turns, self._places = list(self._table.pick_rotation), list(self._table.pick_position)
        self._answers = list(self._table.answers)
        self._picked, self._rows = self._table.picked, self._table.rows
        self._memory = mechanism.memory
        self._failed = 0
        self.refresh()
        self.tell(1e-3)  # so that the first tick has nothing left to compile
        self.refine()

    def _meets(self, other: Mechanism, solid: Solid, rooms: list[Room]) -> bool:
        """Whether a solid of another mechanism can come near any body of this one."""
        centre, radius = room_of(other, solid)
        return any(
            np.linalg.norm(centre - room.centre) - radius - room.radius <= self.settings.horizon for room in rooms
        )

    def _find_pairs(self, bodies: int) -> tuple[list[Candidate], list[tuple[Candidate, LeftOut]]]:
        """Pairs that may touch, and those that are left out, looked at in many places of this robot and of others."""
        mechanism, count = self.mechanism, self.settings.samples
        scratch = fill_table(mechanism, self.solids, [], self.settings, self.others)
        exact = Exact(mechanism, self.solids, scratch)
        places = [list(sampled(other, count)) for other in self.others]
        number = 0

        def put(q: Floats) -> None:
            nonlocal number
            for which, other in enumerate(self.others):
                mem = other.memory
                rotation, position = np.zeros_like(mem.rotation), np.zeros_like(mem.position)
                forward(mem, places[which][number % len(places[which])], rotation, position)
                put_solids(scratch, which, rotation, position)
            exact.put(q)
            number += 1

        body_of = [int(body) for body in scratch.solid_body]
        possible = candidates(self.solids, bodies, body_of, neighbours_of(mechanism))
        possible += self._first_links_and_other_bases(bodies, body_of, set(possible))
        return apart_somewhere(mechanism, self.solids, possible, put, exact.measure, count)

    def _first_links_and_other_bases(self, bodies: int, body_of: list[int], known: set[Candidate]) -> list[Candidate]:
        """Of robots that move as one: a joint holds a link to the base of its own robot, not to those of others."""
        standing = [k for k in range(bodies) if body_of[k] < 0]
        moving = [k for k in range(bodies) if body_of[k] >= 0]
        held = {int(a) for pair in neighbours_of(self.mechanism, loops=True) if -1 in pair for a in pair}
        return [
            pair
            for pair in (Candidate(a, b) for a in moving for b in standing)
            if pair not in known
            and body_of[pair.a] not in held
            and self._member(self.solids[pair.a]) != self._member(self.solids[pair.b])
        ]

    def _name(self, pair: Candidate) -> Pair:
        a, b = self.solids[pair.a], self.solids[pair.b]
        own = not b.obstacle and b.other is None
        return Pair(a.name, b.name, a.frame or 0, own and self._member(a) == self._member(b))

    def _member(self, solid: Solid) -> int:
        """Which of several robots that move as one carries a body, by the offset of its ids."""
        robot = self.mechanism.robot
        return robot.member_of(solid.frame).offset if isinstance(robot, Joined) and solid.frame is not None else 0

    # In a tick -------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """The record that kernels work on: `tell`, `put_rows`, `pick` and `learn`."""
        return self._table

    def tell(self, dt: float) -> Told:
        """Tell distances where the robot is now, and the solver what bounds its next step of `dt` [s]; never raises."""
        self.follow_others()
        rows, contacts, nearest, condition = tell(self._memory, self._table, float(dt))
        return Told(rows, contacts, nearest, CONDITIONS[condition | self._failed])

    def follow_others(self) -> bool:
        """Put what other robots carry where they are now; False: one of them is nowhere, and stays where it was."""
        fine = True
        for which, other in enumerate(self.others):
            fine = move_solids(self._table, other.memory, which) and fine
        return fine

    def refine(self) -> int:
        """Find the distances of the pairs that need it most, where the robot is now; returns how many; never raises.

        Best right after the robot's step: then the next `tell` has fresh directions, and nobody waits for them.
        """
        left = refine(self._memory, self._table)
        self._failed = int(Condition.QUERY_FAILED) if left == FAILED else 0
        if 0 < left < FAILED:
            self.ask_library(left)
        return self._table.pick_count

    def ask_library(self, left: int) -> None:
        """Ask the library about picks that compiled code found no distance of, given as bits; never raises."""
        queries, fine = self._queries, True
        for k in range(self._table.pick_count):
            if left >> k & 1:
                fine = queries[self._picked[k]].ask(self._turns[k], self._places[k], self._answers[k]) and fine
        learnt = learn(self._table)
        self._failed = 0 if fine and learnt else int(Condition.QUERY_FAILED)

    @property
    def rows(self) -> Floats:
        """n×7, nearest first: distance [m], unit normal away from the obstacle, near point of the body [m]; world."""
        rows: Floats = self._rows[: self._table.row_count]
        return rows

    @property
    def row_pairs(self) -> list[Pair]:
        """Which pairs the rows are of."""
        return [self._in_ticks[pair] for pair in self._table.row_pair[: self._table.row_count]]

    @property
    def row_numbers(self) -> Ints:
        """Which pairs the rows are of, by number."""
        numbers: Ints = self._table.row_pair[: self._table.row_count]
        return numbers

    @property
    def bodies(self) -> list[int]:
        """The moving body of every pair that ticks tell of, as kernels number them."""
        return [int(self._table.solid_body[a]) for a in self._table.pair_a[: self._table.pair_count]]

    def contacts(self, dt: float) -> tuple[Contact, ...]:
        """The half-spaces of `tell` as `Mechanism.step` takes them; for those who are not in a hurry."""
        mem, ids = self.mechanism.memory, {number: name for name, number in self.mechanism._frames.items()}
        return tuple(
            Contact(
                ids[int(mem.contact_frame[k])],
                mem.contact_point[k].copy(),
                mem.contact_normal[k].copy(),
                float(mem.contact_distance[k]),
            )
            for k in range(self.tell(dt).contacts)
        )

    # At leisure ------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Ask the library about every pair, as after the robot has jumped; raises CollisionError where it cannot."""
        self.follow_others()
        self._exact.put(self.mechanism.q)
        for number in range(self._table.pair_count):
            self._ask(number)

    def _ask(self, number: int) -> None:
        """Ask the library about one pair, where the solids were put."""
        table, poses = self._table, self._exact.poses
        a, b = int(table.pair_a[number]), int(table.pair_b[number])
        if self.solids[b].kind == SolidKind.HALFSPACE:
            return  # its direction is known
        table.picked[0], table.pick_count = number, 1
        relative(poses[a], poses[b], table.pick_rotation[0], table.pick_position[0])
        known = self._queries[number].ask(self._turns[0], self._places[0], self._answers[0])
        if not (known and learn(table)):
            pair = self._in_ticks[number]
            raise CollisionError(f"the distance between {pair.body} and {pair.obstacle} cannot be found")

    def _solids_of(self, obstacle: str, of_world: bool) -> list[int]:
        """Numbers of the solids of an obstacle: one, or all pieces of a mesh, which have a number behind its name."""
        return [
            k
            for k, solid in enumerate(self.solids)
            if solid.obstacle
            and (solid.name == obstacle or solid.name.startswith(f"{obstacle} ("))
            and not (of_world and solid.frame is not None)
        ]

    def radius_of(self, obstacle: str) -> float:
        """How far an obstacle of the world reaches from its own frame [m]; 0: there is none of that name."""
        found = [self.solids[k] for k in self._solids_of(obstacle, True)]
        return max((float(np.linalg.norm(solid.centre)) + solid.ball for solid in found), default=0.0)

    def move(self, obstacle: str, pose: ArrayLike, *, of_world: bool = False) -> None:
        """Put an obstacle elsewhere: 4×4 pose in the world, or on the link that carries it [m].

        `of_world`: not one of that name that a link carries.

        Nothing is made anew, and the next tick tells where it is. Pairs that were left out since the obstacle was never
        left are told from the moment at which they are apart.
        """
        numbers = self._solids_of(obstacle, of_world)
        placed = np.array(pose, dtype=np.float64)
        if placed.shape != (4, 4) or not np.isfinite(placed).all():
            raise CollisionError(f"a pose is a finite 4×4 array, not one of shape {placed.shape}")
        if np.abs(placed[:3, :3] @ placed[:3, :3].T - np.eye(3)).max() > 1e-6:
            raise CollisionError(f"obstacle {obstacle} cannot be stretched: the pose is not a rotation and a place")
        if not numbers:
            known = ", ".join(sorted({solid.name for solid in self.solids if solid.obstacle})) or "none"
            raise CollisionError(f"no obstacle '{obstacle}'; there are: {known}")
        table = self._table
        for number in numbers:
            solid = self.solids[number]
            if solid.other is not None and solid.frame is not None:
                (k,) = np.flatnonzero(table.other_solid == number)
                table.other_seat[k] = (seat_of(self.others[solid.other], solid.frame) @ placed)[:3]
            else:
                seat = np.eye(4) if solid.frame is None else seat_of(self.mechanism, solid.frame)
                table.solid_offset[number] = (seat @ placed)[:3]
        if table.pair_count < len(table.pair_a):
            self._wake(set(numbers))

    def follow_geometry(self, mechanism: Mechanism, frames: Collection[int]) -> None:
        """The geometry of this mechanism, or of one of the others, has changed: solids on these frames go along.

        Their shapes stay, bars from joint to joint too. Obstacles that were moved on a link are back where they were.
        """
        table = self._table
        for number, solid in enumerate(self.solids):
            if solid.frame is None or solid.frame not in frames:
                continue
            carrier = self.mechanism if solid.other is None else self.others[solid.other]
            if carrier is not mechanism:
                continue
            seat = (seat_of(carrier, solid.frame) @ solid.pose)[:3]
            if solid.other is None:
                table.solid_offset[number] = seat
            else:
                (k,) = np.flatnonzero(table.other_solid == number)
                table.other_seat[k] = seat

    def _wake(self, moved: set[int]) -> None:
        """Tell of pairs with moved obstacles that slept and are apart now."""
        table = self._table
        self.follow_others()
        self._exact.put(self.mechanism.q)
        for number in range(table.pair_count, len(table.pair_a)):
            pair = Candidate(int(table.pair_a[number]), int(table.pair_b[number]))
            if pair.b not in moved or self._exact.measure(*pair) <= 0.0:
                continue
            last = table.pair_count
            for pairs in (table.pair_a, table.pair_b):
                pairs[last], pairs[number] = int(pairs[number]), int(pairs[last])
            names, queries = self._in_ticks, self._queries
            names[last], names[number] = names[number], names[last]
            queries[last], queries[number] = queries[number], queries[last]
            self._ask(last)
            table.pair_count = last + 1
            self._pairs.append(pair)
            self.pairs = (*self.pairs, name := self._in_ticks[last])
            self.left_out = tuple(
                out for out in self.left_out if (out.body, out.obstacle) != (name.body, name.obstacle)
            )

    def distances(self, q: ArrayLike | None = None, *, include_self: bool = True) -> tuple[Distance, ...]:
        """Exact signed distances of all pairs, nearest first, where the robot is or at other joint values [rad | m]."""
        values = (
            self.mechanism.q
            if q is None
            else check_path(self.mechanism, np.atleast_2d(np.asarray(q, dtype=np.float64)))[0]
        )
        self.follow_others()
        self._exact.put(values)
        asked = [(name, pair) for name, pair in zip(self.pairs, self._pairs, strict=True)]
        found = [self._exact.distance(name, *pair) for name, pair in asked if include_self or not name.with_itself]
        return tuple(sorted(found, key=lambda row: row.distance))

    def clear_along(
        self, q0: ArrayLike, q1: ArrayLike, *, clearance: float = 0.0, include_self: bool = True
    ) -> Passage:
        """Whether the straight way between two configurations is free; the earliest contact if not."""
        return self.clear_path(np.array([q0, q1], dtype=np.float64), clearance=clearance, include_self=include_self)

    def clear_path(self, path: ArrayLike, *, clearance: float = 0.0, include_self: bool = True) -> Passage:
        """Whether a path, straight in joint space between its samples, is free everywhere, not only at samples.

        Args:
            path: joint values [rad | m], one row for each sample.
            clearance: distance that counts as a contact [m].
            include_self: whether the robot's bodies among themselves count.
        """
        samples = check_path(self.mechanism, path)
        self.follow_others()
        if not 0.0 <= clearance < np.inf:
            raise CollisionError(f"a clearance of {clearance} m; allowed: 0 or more")
        chosen = [k for k, name in enumerate(self.pairs) if include_self or not name.with_itself]
        pairs, names = [self._pairs[k] for k in chosen], [self.pairs[k] for k in chosen]
        reach = reaches(self.mechanism, self.solids, pairs, np.abs(samples).max(axis=0))
        return find_touch(self._exact, samples, pairs, names, reach, clearance)
