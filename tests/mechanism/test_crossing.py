"""Keeping an assembly: no step leads to where two assemblies meet, whatever is asked for."""

from __future__ import annotations

import numpy as np

import robots
import station
from station.mad.leading import led_frame
from station.mechanism import Mechanism
from station.mechanism.closures import closure_rows, eliminate
from station.mechanism.crossing import LEAST_SHARE, seen_by_drives

STEP = 1e-3  # [s]
PUSHES = 40


def robot_of(name: str) -> tuple[Mechanism, int]:
    mechanism = station.load(robots.path(name)).systems()[0].mechanism
    frame = led_frame(mechanism.robot)
    assert frame is not None
    return mechanism, frame.id


def least_share(name: str, *, keeps: bool) -> float:
    """The least that drives have seen while the frame was pushed about, each time from where the file has the robot."""
    mechanism, frame = robot_of(name)
    start, rng, least = mechanism.q, np.random.default_rng(3), 1.0
    for _ in range(PUSHES):
        mechanism.q = start
        mechanism.memory.keeps_assembly, mechanism.memory.assembly_wait = keeps, 0
        way = rng.normal(size=6)
        twist = np.concatenate([0.5 * way[:3] / np.linalg.norm(way[:3]), 1.5 * way[3:] / np.linalg.norm(way[3:])])
        for nth in range(500):
            mechanism.step({frame: twist}, STEP)
            if nth % 5 == 0:
                least = min(least, seen(mechanism))
    return least


def seen(mechanism: Mechanism) -> float:
    """At the place where it is, on a copy: nothing that the next step begins with is touched."""
    memory = mechanism.memory.copy()
    closure_rows(memory, memory.q, True)
    eliminate(memory, memory.closure_rank)
    return seen_by_drives(memory)


def test_no_push_leads_to_another_assembly() -> None:
    assert least_share("3-rpr", keeps=False) < 0.5 * LEAST_SHARE  # there is something to be kept from
    assert least_share("3-rpr", keeps=True) > LEAST_SHARE


def test_far_from_it_steps_are_the_same_to_the_last_bit() -> None:
    ways = []
    for keeps in (False, True):
        mechanism, frame = robot_of("delta")
        mechanism.memory.keeps_assembly = keeps
        for _ in range(200):
            mechanism.step({frame: np.array([0.02, 0.01, -0.02, 0.0, 0.0, 0.0])}, STEP)
        ways.append(mechanism.q)
    np.testing.assert_array_equal(ways[0], ways[1])
