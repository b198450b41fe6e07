"""`Surroundings`: what is around a robot, how far away, and what the solver and the forces must know of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from station.collision.bodies import obstacle_solids, robot_solids
from station.collision.errors import CollisionError
from station.collision.exact import Exact
from station.collision.filling import fill_table
from station.collision.kernels.picking import learn, pick, relative
from station.collision.kernels.table import CONDITION, HALFSPACE, PICKED, ROWS
from station.collision.kernels.tell import tell
from station.collision.pairs import Candidate, apart_somewhere, candidates, neighbours_of
from station.collision.passage import check_path, find_touch, reaches
from station.collision.results import Condition, Distance, Floats, Ints, LeftOut, Pair, Passage, Told
from station.collision.settings import CollisionSettings
from station.mad.scene import Scene
from station.mechanism import Contact, Mechanism

CONDITIONS = tuple(map(Condition, range(8)))  # making one takes longer than looking it up


class Surroundings:
    """Obstacles around one robot of a scene, and its own bodies.

    In a tick: `tell(dt)` before the solver's step, `refine()` after it. Anything else takes longer.
    """

    def __init__(
        self,
        scene: Scene,
        mechanism: Mechanism,
        settings: CollisionSettings | None = None,
        *,
        include_self: bool = False,
    ) -> None:
        """Make all solids; takes a moment.

        Args:
            scene: to which the robot belongs.
            mechanism: the robot, whose memory tells where its bodies are.
            settings: distances and speeds.
            include_self: whether ticks also tell of the robot's bodies among themselves.
        """
        self.settings = settings or CollisionSettings()
        self.mechanism = mechanism
        bodies, notes = robot_solids(scene, mechanism.robot, float(mechanism._mem.scale[0]))
        self.solids = [*bodies, *obstacle_solids(scene, mechanism.robot)]
        self.notes = tuple(notes)
        scratch = fill_table(mechanism, self.solids, [], self.settings)
        body_of = [int(body) for body in scratch.solid_body]
        exact = Exact(mechanism, self.solids, scratch)
        possible = candidates(self.solids, len(bodies), body_of, neighbours_of(mechanism))
        self._pairs, left_out = apart_somewhere(
            mechanism, self.solids, possible, exact.put, exact.measure, self.settings.samples
        )
        self.left_out: tuple[LeftOut, ...] = tuple(left_out)
        self.pairs = tuple(self._name(pair) for pair in self._pairs)
        ticking = [pair for pair in self._pairs if include_self or self.solids[pair.b].obstacle]
        self._in_ticks = [self._name(pair) for pair in ticking]
        self._table = fill_table(mechanism, self.solids, ticking, self.settings)
        self._exact = Exact(mechanism, self.solids, self._table)
        self._queries = [self._exact.query(*pair) for pair in ticking]
        self._turns, self._places = list(self._table.pick_rotation), list(self._table.pick_position)
        self._answers = list(self._table.answers)
        self._blocks = mechanism._mem.block, self._table.block
        self._counts, self._picked, self._rows = self._table.counts, self._table.picked, self._table.rows
        self._failed = 0
        self.refresh()
        self.tell(1e-3)  # so that the first tick has nothing left to compile
        self.refine()

    def _name(self, pair: Candidate) -> Pair:
        a, b = self.solids[pair.a], self.solids[pair.b]
        return Pair(a.name, b.name, a.frame or 0, not b.obstacle)

    # In a tick -------------------------------------------------------------------------------------------

    @property
    def block(self) -> int:
        """Address of the table, for kernels: `tell`, `put_rows`, `pick` and `learn` of station.collision.kernels."""
        return self._table.block

    def tell(self, dt: float) -> Told:
        """Tell distances where the robot is now, and the solver what bounds its next step of `dt` [s]; never raises."""
        contacts = tell(*self._blocks, float(dt))
        count, condition = int(self._counts[ROWS]), CONDITIONS[self._counts[CONDITION] | self._failed]
        return Told(count, contacts, float(self._rows[0, 0]) if count else math.inf, condition)

    def refine(self) -> int:
        """Ask the library about the pairs that need it most, where the robot is now; returns how many; never raises.

        Best right after the robot's step: then the next `tell` has fresh directions, and nobody waits for them.
        """
        count = pick(*self._blocks)
        if not count:
            return 0
        queries, fine = self._queries, True
        for k in range(count):
            fine = queries[self._picked[k]].ask(self._turns[k], self._places[k], self._answers[k]) and fine
        learnt = learn(self._table.block)
        self._failed = 0 if fine and learnt else 1
        return count

    @property
    def rows(self) -> Floats:
        """n×7, nearest first: distance [m], unit normal away from the obstacle, near point of the body [m]; world."""
        rows: Floats = self._rows[: self._counts[ROWS]]
        return rows

    @property
    def row_pairs(self) -> list[Pair]:
        """Which pairs the rows are of."""
        return [self._in_ticks[pair] for pair in self._table.row_pair[: self._counts[ROWS]]]

    @property
    def row_numbers(self) -> Ints:
        """Which pairs the rows are of, by number."""
        numbers: Ints = self._table.row_pair[: self._counts[ROWS]]
        return numbers

    @property
    def bodies(self) -> list[int]:
        """The moving body of every pair that ticks tell of, as kernels number them."""
        return [int(self._table.solid_body[a]) for a in self._table.pair_a]

    def contacts(self, dt: float) -> tuple[Contact, ...]:
        """The half-spaces of `tell` as `Mechanism.step` takes them; for those who are not in a hurry."""
        mem, ids = self.mechanism._mem, {number: name for name, number in self.mechanism._frames.items()}
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
        table, poses = self._table, self._exact.poses
        self._exact.put(self.mechanism.q)
        for number, (a, b) in enumerate(zip(table.pair_a, table.pair_b, strict=True)):
            if self.solids[b].kind == HALFSPACE:
                continue  # its direction is known
            table.picked[0], table.counts[PICKED] = number, 1
            relative(poses[a], poses[b], table.pick_rotation[0], table.pick_position[0])
            known = self._queries[number].ask(self._turns[0], self._places[0], self._answers[0])
            if not (known and learn(table.block)):
                pair = self._in_ticks[number]
                raise CollisionError(f"the distance between {pair.body} and {pair.obstacle} cannot be found")

    def move(self, obstacle: str, pose: ArrayLike) -> None:
        """Put an obstacle elsewhere: 4×4 pose in the world, or on the link that carries it [m]."""
        numbers = [k for k, solid in enumerate(self.solids) if solid.obstacle and solid.name == obstacle]
        placed = np.array(pose, dtype=np.float64)
        if placed.shape != (4, 4) or not np.isfinite(placed).all():
            raise CollisionError(f"a pose is a finite 4×4 array, not one of shape {placed.shape}")
        if np.abs(placed[:3, :3] @ placed[:3, :3].T - np.eye(3)).max() > 1e-6:
            raise CollisionError(f"obstacle {obstacle} cannot be stretched: the pose is not a rotation and a place")
        if not numbers:
            known = ", ".join(sorted({solid.name for solid in self.solids if solid.obstacle})) or "none"
            raise CollisionError(f"no obstacle '{obstacle}'; there are: {known}")
        for number in numbers:
            seat = self._seat(number)
            self._table.solid_offset[number] = (seat @ placed)[:3]

    def _seat(self, number: int) -> Floats:
        """Pose on its body of the frame that carries a solid."""
        frame, seat = self.solids[number].frame, np.eye(4)
        if frame is not None:
            seat[:3] = self.mechanism._mem.frame_offset[self.mechanism._frames[frame]]
        return seat

    def distances(self, q: ArrayLike | None = None, *, include_self: bool = True) -> tuple[Distance, ...]:
        """Exact signed distances of all pairs, nearest first, where the robot is or at other joint values [rad | m]."""
        values = (
            self.mechanism.q
            if q is None
            else check_path(self.mechanism, np.atleast_2d(np.asarray(q, dtype=np.float64)))[0]
        )
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
        if not 0.0 <= clearance < np.inf:
            raise CollisionError(f"a clearance of {clearance} m; allowed: 0 or more")
        chosen = [k for k, name in enumerate(self.pairs) if include_self or not name.with_itself]
        pairs, names = [self._pairs[k] for k in chosen], [self.pairs[k] for k in chosen]
        reach = reaches(self.mechanism, self.solids, pairs, np.abs(samples).max(axis=0))
        return find_touch(self._exact, samples, pairs, names, reach, clearance)
