"""Which solids can touch each other."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from station.collision.results import Floats, LeftOut
from station.collision.solids import Solid
from station.collision.table import SolidKind
from station.mechanism import Mechanism, MechanismError
from station.mechanism.memory import JointKind

NEVER_APART = "never apart"
Measure = Callable[[int, int], float]  # signed distance of two solids where the robot is put [m]


class Candidate(NamedTuple):
    """Two solids, by number: a of the robot, b an obstacle or nearer to the base."""

    a: int
    b: int


def candidates(
    solids: list[Solid], bodies: int, body_of: list[int], neighbours: set[frozenset[int]]
) -> list[Candidate]:
    """Every pair that moves against each other and is not held together by a joint or a closure.

    Args:
        solids: all of them, those of the robot first.
        bodies: how many are the robot's.
        body_of: the body of the mechanism that carries each; -1: none.
        neighbours: bodies that a joint or a closure holds together.
    """
    found = []
    for a, b in itertools.product(range(bodies), range(bodies, len(solids))):
        if body_of[a] != body_of[b]:
            found.append(Candidate(a, b))
    for b, a in itertools.combinations(range(bodies), 2):
        together = frozenset((body_of[a], body_of[b]))
        if len(together) == 2 and together not in neighbours:
            found.append(Candidate(a, b) if body_of[a] >= 0 else Candidate(b, a))
    return [pair for pair in found if solids[pair.a].kind != SolidKind.HALFSPACE]


def neighbours_of(mechanism: Mechanism, loops: bool = False) -> set[frozenset[int]]:
    """Bodies of a mechanism that share a joint or a closure; `loops`: a closure."""
    mem = mechanism.memory
    joined = set() if loops else {frozenset((number, int(parent))) for number, parent in enumerate(mem.parents)}
    for a, b in zip(mem.closure_a, mem.closure_b, strict=True):
        joined.add(frozenset((int(mem.frame_body[a]), int(mem.frame_body[b]))))
    return joined


def sampled(mechanism: Mechanism, count: int) -> Iterator[Floats]:
    """Joint values anywhere within the stops, loops closed, after those of the robot now; always the same ones."""
    yield mechanism.q
    mem, generator = mechanism.memory, np.random.default_rng(1998)
    spread = np.where(mem.joint_kind == JointKind.REVOLUTE, np.pi, 4.0 * mem.length)
    low = np.where(np.isfinite(mem.q_min), mem.q_min, mem.q - spread)
    high = np.where(np.isfinite(mem.q_max), mem.q_max, mem.q + spread)
    closed = len(mem.residual) > 0
    double = copy.copy(mechanism) if closed else mechanism
    start = mechanism.q
    for number in range(count):
        q = generator.uniform(low, high)
        if not closed:
            yield q
            continue
        try:
            double.q = start + (q - start) * min(1.0, (number + 1) / count)
        except MechanismError:
            continue  # nothing closes there
        yield double.q


def apart_somewhere(
    mechanism: Mechanism,
    solids: list[Solid],
    pairs: list[Candidate],
    put: Callable[[Floats], None],
    measure: Measure,
    samples: int,
) -> tuple[list[Candidate], list[tuple[Candidate, LeftOut]]]:
    """The pairs that are apart in at least one configuration; those that never are cannot be kept apart.

    Bars that were made up from the joints are thicker or straighter than the truth: where two of a robot overlap where
    it starts, the start is believed, not the bars.
    """
    together, touching_at_start, count = list(pairs), set(), 0
    for q in sampled(mechanism, samples):
        if not together:
            break
        put(q)
        together = [pair for pair in together if measure(*pair) <= 0.0]
        if count == 0:
            touching_at_start = set(together)
        count += 1
    never = set(together)
    left_out, kept = [], []
    for pair in pairs:
        a, b = solids[pair.a], solids[pair.b]
        own = not b.obstacle and b.other is None
        made_up = (a.generated or b.generated) and own and pair in touching_at_start
        if pair in never:
            left_out.append((pair, LeftOut(a.name, b.name, f"{NEVER_APART} in {count} configurations")))
        elif made_up:
            why = "bodies made up from the joints that overlap at the start"
            left_out.append((pair, LeftOut(a.name, b.name, why)))
        else:
            kept.append(pair)
    return kept, left_out
