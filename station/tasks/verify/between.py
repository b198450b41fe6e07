"""What is between the robots of a task: distances at every instant, and whether what ties them stays together.

Robots that are held together are one mechanism (`Bench.systems`). Pairs of bodies of different robots are those that
the servo knows: within such a mechanism, and of one mechanism with the others around it. All move at the same time, so
a path has the joints of all of them side by side, and distances are found between samples as for one robot
(clearance.py). A robot of the scene that is not in the task stands where the file puts it.

A tie, seen from one of its ends, bends away from the straight line between two samples by no more than an eighth of
its second derivative, which joint motions bound; where this leaves it open whether the tie holds, one looks between.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from station.bench import Bench, System
from station.collision import CollisionSettings, Surroundings
from station.collision.pairs import Candidate
from station.collision.passage import Exact, ExactTogether, chain_reaches, reaches
from station.collision.results import CollisionError, Pair
from station.collision.solids import Solid
from station.mad.joined import part_text
from station.mechanism.assembly import loop_gap
from station.mechanism.closures import closure_rows
from station.mechanism.memory import JointKind
from station.mechanism.tree import forward
from station.tasks.task import EditError, Kind, Segment, Task, TaskError, changed, content_hash, joint_limits
from station.tasks.task.clips import move_between
from station.tasks.task.joints import closed_path, driven_joints, start_of, whole_path
from station.tasks.task.model import Floats
from station.tasks.verify.checks import EASE_SHARE, Workbench, checked_way, ease_in, ease_limits, how_far
from station.tasks.verify.clearance import Pairs, place_at, survey
from station.tasks.verify.joints import Outcome
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Finding, Margin, Verdict
from station.tasks.verify.settings import VerifySettings
from station.tasks.verify.touching import expected_contacts, outcome_of, tool_frames

HALVINGS = 8  # of the way between two samples, to see whether a tie holds

Stretches = Sequence[tuple[float, float]]


class Tie(NamedTuple):
    """Parts of two robots that are held together."""

    number: int  # of the closure in the mechanism
    name: str
    own: float  # what is open where the robots are assembled, as their parts do not quite fit [m]
    joints: list[int]  # between the two
    turns: list[bool]  # which of them turn


class Gap(NamedTuple):
    """How far a tie is open."""

    metres: float
    radians: float
    size: float  # both as one [m]

    @property
    def text(self) -> str:
        """For people."""
        return f"{1e3 * self.metres:.3g} mm and {math.degrees(self.radians):.2g}°"


class Moving:
    """Robots that move as one along a path, and what is around them."""

    def __init__(self, scene: Bench, system: System, others: Sequence[System]) -> None:
        self.system, self.others, mechanism = system, tuple(others), system.mechanism
        self.start = mechanism.q
        around = Surroundings(scene, mechanism, CollisionSettings(), others=[one.mechanism for one in others])
        self.around = around
        self.exact: Exact = ExactTogether(mechanism, around.others, around.solids, around.table)
        self.carried = {robot.name for robot in scene.robots if robot.base.on is not None} & set(system.robots)
        self.ties = self._ties()

    def _ties(self) -> list[Tie]:
        mechanism, mem = self.system.mechanism, self.system.mechanism.memory
        found = []
        for number, closure in enumerate(mechanism._compiled.closures):
            owners = {self.system.owner(target.id) for target in closure.targets}
            if len(owners) > 1:
                name = " and ".join(part_text(mechanism.robot, target) for target in closure.targets)
                chain = mem.closure_joint[mem.closure_start[number] : mem.closure_start[number + 1]]
                joints = [int(joint) for joint in chain]
                turns = [mem.joint_kind[joint] == JointKind.REVOLUTE for joint in joints]
                own = self.gap(number, self.start).size
                found.append(Tie(number, name, own, joints, turns))
        return found

    def gap(self, closure: int, q: Floats) -> Gap:
        """How far a loop is open at joint values [rad | m]; `restored` puts the mechanism's bodies back."""
        size = float(self.sizes(closure, q[None])[0])
        return Gap(*loop_gap(self.system.mechanism.memory, closure), size)

    def sizes(self, closure: int, path: Floats) -> Floats:
        """The same along a path, as one number: the root of all squares, a radian at the length of the robots [m]."""
        mem = self.system.mechanism.memory
        rotation, position, residual = mem.rotation, mem.position, mem.residual
        rows = residual[mem.row_start[closure] : mem.row_start[closure + 1]]
        found = np.empty(len(path))
        for sample, q in enumerate(path):
            forward(mem, q, rotation, position)
            closure_rows(mem, q, False)
            found[sample] = rows @ rows
        return np.asarray(np.sqrt(found))

    def restored(self) -> None:
        """Bodies of all mechanisms are where their joints are."""
        for one in (self.system, *self.others):
            one.mechanism._refresh()

    def driven_of(self, robot: str) -> list[int]:
        """Places of a robot's driven joints among those of all."""
        joints = self.system.joints_of(robot)
        return [number for number in driven_joints(self.system.mechanism) if number in joints]

    def whole(self, paths: Mapping[str, Floats], samples: int) -> Floats:
        """All joints, from the driven ones of robots that move; raises a TaskError where loops do not close."""
        mechanism, driven = self.system.mechanism, driven_joints(self.system.mechanism)
        whole = np.tile(self.start, (samples, 1))
        for robot in self.system.robots:
            if robot in paths:
                whole[:, self.driven_of(robot)] = paths[robot]
        if len(driven) < whole.shape[1]:
            whole = whole_path(mechanism, np.ascontiguousarray(whole[:, driven])).q
        return whole

    @property
    def before(self) -> str:
        """What stands before the names of its bodies, so that they tell the robot."""
        return "" if self.system.is_joined else f"{self.system.robots[0]} "

    def left_out(self, scene: Bench) -> list[str]:
        """Notes on pairs of different robots that are not looked at, as they are never apart."""
        found = []
        for body, obstacle, why in self.around.left_out:
            first = f"{self.before}{body}"
            foreign = any(obstacle.startswith(f"{robot.name} ") for robot in scene.robots)
            if foreign and first.split()[0] != obstacle.split()[0]:
                found.append(f"not looked at: {first} and {obstacle} ({why})")
        return found

    def owner_of(self, solid: Solid) -> str | None:
        """The robot that carries a solid; None: it stands in the world."""
        if solid.frame is None:
            return None
        return (self.system if solid.other is None else self.others[solid.other]).owner(solid.frame)


class Between:
    """All robots of a scene, of which some have paths; made once, used for many."""

    def __init__(self, scene: Bench, robots: Sequence[str], settings: VerifySettings) -> None:
        """Make solids; takes a moment. `robots` are those that move."""
        self.robots, self.settings = tuple(robots), settings
        moving = [system for system in scene.systems() if set(system.robots) & set(robots)]
        standing = [system for system in scene.systems() if system not in moving]
        self.moving = [
            Moving(scene, system, [*moving[number + 1 :], *standing]) for number, system in enumerate(moving)
        ]
        self._still = {one.mechanism.robot.name: one.mechanism.q for one in standing}
        absent = [robot.name for robot in scene.robots if robot.name not in robots]
        self.notes = tuple(
            f"{name} is not in the task: it is taken to stand where the scene file puts it" for name in absent
        )
        self.notes += tuple(
            f"{name} stands on another robot: efforts and singularities were checked as if its base stood still"
            for one in self.moving
            for name in sorted(one.carried & set(robots))
        )
        self.notes += tuple(note for one in self.moving for note in one.left_out(scene))

    def check(self, tasks: Sequence[Task], contacts: bool = True, loose: frozenset[str] = frozenset()) -> list[Outcome]:
        """Distances, then ties.

        `contacts`: tools may touch where both tasks expect contact. `loose`: robots whose ties are not looked at.
        """
        samples = len(tasks[0].q)
        by_name = {task.robot: task for task in tasks}
        paths = {name: np.asarray(task.q) for name, task in by_name.items()}
        try:
            wholes = [one.whole(paths, samples) for one in self.moving]
        except TaskError as error:
            return [_failed(Check.CLOSURE, str(error), tasks[0], self.settings.tie)]
        motions: dict[str, Motion] = {}
        for one, whole in zip(self.moving, wholes, strict=True):
            for robot in one.system.robots:
                if robot in by_name:
                    task = by_name[robot]
                    seen = changed(task, frame=one.system.frame_id(robot, task.frame))
                    motions[robot] = Motion(seen, one.system.mechanism, whole, np.zeros(samples))
        expected = {name: expected_contacts(task) if contacts else [] for name, task in by_name.items()}
        try:
            distances = self._distances(wholes, motions, expected)
        except CollisionError as error:
            distances = _failed(Check.COLLISION, str(error), tasks[0], self.settings.clearance)
        ties = [
            self._tie(one, tie, whole, motions)
            for one, whole in zip(self.moving, wholes, strict=True)
            for tie in one.ties
            if not loose & set(one.system.robots)
        ]
        for one in self.moving:
            one.restored()
        return [distances, *ties]

    # Distances -------------------------------------------------------------------------------------------------

    def _distances(
        self, wholes: Sequence[Floats], motions: Mapping[str, Motion], expected: Mapping[str, Stretches]
    ) -> Outcome:
        places = {one.system.mechanism.robot.name: whole for one, whole in zip(self.moving, wholes, strict=True)}
        findings: list[Finding] = []
        nearest = Margin(Check.COLLISION, math.inf, "m", "", None, "robots that cannot come near each other")
        for one, whole in zip(self.moving, wholes, strict=True):
            rows = [whole]
            for other in one.others:
                name = other.mechanism.robot.name
                rows.append(places[name] if name in places else np.tile(self._still[name], (len(whole), 1)))
            path = np.ascontiguousarray(np.hstack(rows))
            for names, chosen in self._pairs_by_robots(one).items():
                motion = next(motions[name] for name in names if name in motions)
                pairs = self._looked_at(one, chosen, path)
                free, skip = self._expected(one, pairs, names, motions, expected)
                found = survey(pairs, path, self.settings.clearance, free, skip)
                outcome = outcome_of(motion, Check.COLLISION, found, self.settings.clearance)
                findings += outcome.findings
                nearest = min(nearest, outcome.margin, key=lambda margin: margin.room)
        return Outcome(findings, nearest)

    def _pairs_by_robots(self, one: Moving) -> dict[tuple[str, str], list[Candidate]]:
        """Pairs of two robots, one of them at least in the task; "" is the world, for robots that stand on others."""
        found: dict[tuple[str, str], list[Candidate]] = {}
        for pair in one.around._pairs:
            a, b = one.owner_of(one.around.solids[pair.a]), one.owner_of(one.around.solids[pair.b])
            if a is None or a == b or (b is None and a not in one.carried):
                continue
            if {a, b} & set(self.robots):
                found.setdefault((a, b or ""), []).append(pair)
        return found

    def _looked_at(self, one: Moving, chosen: Sequence[Candidate], path: Floats) -> Pairs:
        solids, others = one.around.solids, one.around.others
        reach = reaches(one.system.mechanism, solids, chosen, np.abs(path).max(axis=0), others=others)
        names = [
            Pair(f"{one.before}{solids[pair.a].name}", solids[pair.b].name, solids[pair.a].frame or 0, False)
            for pair in chosen
        ]
        return Pairs(names, chosen, reach, one.exact)

    def _expected(
        self,
        one: Moving,
        pairs: Pairs,
        names: tuple[str, str],
        motions: Mapping[str, Motion],
        expected: Mapping[str, Stretches],
    ) -> tuple[Stretches, list[bool]]:
        """Where which pairs may touch: tools, while the tasks of both robots expect contact."""
        a, b = names
        if a not in motions or (b and b not in motions):
            return [], []
        free = list(expected[a]) if not b else overlaps(expected[a], expected[b])
        if not free:
            return [], []
        tools = [tool_frames(motions[name].mechanism, motions[name].task.frame) if name else None for name in names]
        solids, skip = one.around.solids, []
        for pair in pairs.pairs:
            ends = (solids[pair.a].frame or 0, solids[pair.b].frame or 0)
            skip.append(all(tool is None or end in tool for tool, end in zip(tools, ends, strict=True)))
        return free, skip

    # Ties ------------------------------------------------------------------------------------------------------

    def _tie(self, one: Moving, tie: Tie, whole: Floats, motions: Mapping[str, Motion]) -> Outcome:
        """Whether a tie holds along a path; the margin is proven between samples, too."""
        motion = next(motions[name] for name in one.system.robots if name in motions)
        allowed = self.settings.tie + tie.own
        sizes = one.sizes(tie.number, whole)
        most = np.maximum(sizes[1:], sizes[:-1])
        bends = self._bends(one, tie, whole)
        bounds = most + bends
        for segment in map(int, np.flatnonzero((bounds > allowed) & (most <= allowed))):
            bounds[segment] = self._halved(one, tie, whole, float(segment), 1.0, float(bends[segment]), allowed)
        findings = []
        for first, last in motion.intervals(bounds > allowed):
            worst = first + int(np.argmax(sizes[first : last + 2]))
            gap = one.gap(tie.number, whole[worst])
            text = (
                f"what ties {tie.name} is torn: {gap.text} apart, "
                f"{1e3 * self.settings.tie:.3g} mm are allowed, {motion.at_text(worst)}"
            )
            begin, end = first * motion.task.period, (last + 1) * motion.task.period
            value = max(float(bounds[first : last + 1].max()), gap.size)
            findings.append(Finding(Check.CLOSURE, text, begin, end, value, allowed, motion.where(worst)))
        worst = int(np.argmax(bounds))
        room = allowed - float(bounds[worst])
        return Outcome(findings, Margin(Check.CLOSURE, room, "m", tie.name, motion.where(worst)))

    def _bends(self, one: Moving, tie: Tie, whole: Floats) -> Floats:
        """By how much a tie may be more open between two samples than at both of them [m]."""
        mechanism, mem = one.system.mechanism, one.system.mechanism.memory
        steps = np.abs(np.diff(whole, axis=0))
        reach = np.zeros(whole.shape[1])
        for end in (mem.closure_a[tie.number], mem.closure_b[tie.number]):
            extent = float(np.linalg.norm(mem.frame_offset[end][:, 3]))
            body = int(mem.frame_body[end])
            for joint, far in chain_reaches(mechanism, body, extent, np.abs(whole).max(axis=0)).items():
                reach[joint] = max(reach[joint], far)
        turning = steps[:, [joint for joint, turns in zip(tie.joints, tie.turns, strict=True) if turns]].sum(axis=1)
        way = steps[:, tie.joints] @ reach[tie.joints]
        # In the frame of one end: |p''| ≤ 2·(sum of turns)·(sum of ways); the angle's is bounded by the turns squared.
        return np.asarray(2.0 * turning * np.maximum(way, mem.length * turning) / 8.0)

    def _halved(
        self, one: Moving, tie: Tie, whole: Floats, at: float, span: float, bend: float, allowed: float
    ) -> float:
        """The same bound, with looks between the two samples until it is clear, or clear that it is not."""
        for _ in range(HALVINGS):
            span, bend = 0.5 * span, 0.25 * bend
            places = np.minimum(np.arange(at, at + 1.0 + 0.5 * span, span), len(whole) - 1.0)
            worst = float(one.sizes(tie.number, np.array([place_at(whole, float(x)) for x in places])).max())
            if worst > allowed or worst + bend <= allowed:
                break
        return worst + bend


def overlaps(one: Stretches, other: Stretches) -> list[tuple[float, float]]:
    """Where two lists of stretches are both."""
    both = ((max(a[0], b[0]), min(a[1], b[1])) for a, b in itertools.product(one, other))
    return [(first, last) for first, last in both if first < last]


def together_hash(hashes: Sequence[str]) -> str:
    """Of all that several robots do at the same time, from the content hash of each."""
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def make_between(scene: Bench, robots: Sequence[str], settings: VerifySettings) -> Between | None:
    """What is between robots that have tasks and all others of the scene; None: there is one robot only."""
    return Between(scene, robots, settings) if len(scene.robots) > 1 else None


def verify_between(tasks: Sequence[Task], between: Between) -> Verdict:
    """Check tasks that are executed at the same time, each of which was checked by itself."""
    began = time.perf_counter()
    outcomes = between.check(tasks)
    findings = sorted((finding for outcome in outcomes for finding in outcome.findings), key=lambda one: one.begin)
    return Verdict(
        tasks[0].name,
        together_hash([content_hash(task) for task in tasks]),
        tuple(findings),
        tuple(outcome.margin for outcome in outcomes),
        tasks[0].duration,
        time.perf_counter() - began,
        between.notes,
    )


def _failed(check: Check, text: str, task: Task, limit: float) -> Outcome:
    unit = Margin(check, -math.inf, "m", "", None)
    return Outcome([Finding(check, text, 0.0, task.duration, math.nan, limit, None)], unit)


# The way to where a task begins -----------------------------------------------------------------------------------


class Approach(NamedTuple):
    """A robot of a task that is brought to a place."""

    task: Task
    bench: Workbench
    measured: Floats  # driven joints [rad | m]
    goal: Floats
    moves: bool  # if not, it stands there already


def ease_in_together(approaches: Sequence[Approach], between: Between | None) -> list[Task | None]:
    """Slow moves of several robots at the same time, of equal length, checked with each other; raises a TaskError.

    None for those that stand. Robots that are tied move along their loop, all of them: it is not torn. One alone of
    them is brought back only where it is off its path by no more than what counts as there.
    """
    ways: dict[str, Floats] = {}
    tied: set[str] = set()
    loose: set[str] = set()
    for one in () if between is None else between.moving:
        members = [each for each in approaches if each.task.robot in one.system.robots]
        if one.ties and any(each.moves for each in members):
            tied |= {each.task.robot for each in members}
            if not all(each.moves for each in members):
                loose |= tied
            ways |= _along_loop(one, members)
    for each in approaches:
        if each.moves and each.task.robot not in tied:
            ways[each.task.robot] = np.asarray(ease_in(each.task, each.bench, each.measured, each.goal).q)
    samples = max(map(len, ways.values()), default=2)
    made = []
    for each in approaches:
        q = ways.get(each.task.robot, each.goal[None])
        q = np.vstack([q, np.tile(q[-1], (samples - len(q), 1))])
        segment = Segment(0, samples - 1, Kind.FREE, "ease in")
        made.append(changed(each.task, q=q, segments=(segment,), marks=(), name=f"{each.task.name}: ease in"))
    if between is not None:
        outcomes = between.check(made, contacts=False, loose=frozenset(loose))
        wrong = [finding for outcome in outcomes for finding in outcome.findings]
        if wrong:
            raise TaskError(f"the way of the arms to where the task begins is not free: {wrong[0].text}")
    return [way if way.robot in ways else None for way in made]


def _along_loop(one: Moving, members: Sequence[Approach]) -> dict[str, Floats]:
    """Robots that are tied, moved as one from where they are measured; a TaskError if the tie does not fit there."""
    mechanism, driven = one.system.mechanism, driven_joints(one.system.mechanism)
    tolerance = min(each.bench.settings.start for each in members)
    standing = [each for each in members if not each.moves]
    if standing:  # an arm that is off its path alone
        far = max(members, key=lambda each: float(np.abs(each.measured - each.goal).max()))
        if np.abs(far.measured - far.goal).max() > tolerance:
            away = how_far(far.task, far.measured, far.goal)
            names = " and ".join(tie.name for tie in one.ties)
            raise TaskError(f"{far.task.robot}: {away}, and {names} are tied: lead it back by hand, or begin anew")
        return {
            each.task.robot: np.asarray(ease_in(each.task, each.bench, each.measured, each.goal).q)
            for each in members
            if each.moves
        }
    places = {each.task.robot: [driven.index(number) for number in one.driven_of(each.task.robot)] for each in members}
    measured, goal = one.start[driven], one.start[driven]
    limits = list(joint_limits(mechanism, share=EASE_SHARE * members[0].bench.settings.share))
    for each in members:
        measured[places[each.task.robot]], goal[places[each.task.robot]] = each.measured, each.goal
        for place, limit in zip(places[each.task.robot], ease_limits(each.bench), strict=True):
            limits[place] = limit
    start = _fitted(one, measured, goal, tolerance)
    try:
        clip = move_between(mechanism, start, goal, limits, members[0].task.period, "ease in")
    except EditError as error:
        raise TaskError(f"there is no way for the tied arms to where the task begins: {error}") from None
    q = clip.q if len(clip.q) > 1 else np.tile(goal, (2, 1))
    found = {}
    for each in members:
        path = np.ascontiguousarray(q[:, places[each.task.robot]])
        checked_way(each.task, each.bench, path, f"{each.task.robot}: {how_far(each.task, each.measured, each.goal)}")
        found[each.task.robot] = path
    return found


def _fitted(one: Moving, measured: Floats, goal: Floats, tolerance: float) -> Floats:
    """Where tied arms are, with their loop closed; a TaskError if they are not where it can be."""
    mechanism, driven = one.system.mechanism, driven_joints(one.system.mechanism)
    whole = np.array(one.start)
    whole[driven] = measured
    gaps = [(one.gap(tie.number, whole), tie.name) for tie in one.ties]
    one.restored()
    gap, name = max(gaps, key=lambda found: found[0].size)
    try:
        start_of(mechanism, goal, driven)  # the same assembly of the loop
        start = np.asarray(closed_path(mechanism, measured[None])[0])
    except TaskError:
        start = np.full(len(driven), math.inf)
    if not np.abs(start - measured).max() <= tolerance:
        raise TaskError(
            f"{name} are tied, and where the arms are measured they are {gap.text} apart: lead the arms by hand, or "
            "park them, to where they fit"
        )
    return start
