"""What goes wrong in a tick becomes a condition; wrong settings are refused."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from station.collision import CollisionError, CollisionSettings, Condition, Surroundings
from station.collision.contacts import EVERY_BODY, put_rows
from station.collision.library import Floats, Query
from station.collision.survey import pick
from station.collision.table import Table
from station.mechanism.memory import MechanismMemory
from tests.collision.scenes import OBSTACLES, lift, put, robot_among

DT = 1e-3


@pytest.fixture(autouse=True)
def by_the_library_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code finds nothing here, so that every pick goes to the library."""

    def refine(memory: MechanismMemory, table: Table) -> int:
        return (1 << pick(memory, table)) - 1

    monkeypatch.setattr("station.collision.surroundings.refine", refine)


class Broken(Query):
    """A question to a library that fails in some way."""

    def __init__(self, way: str) -> None:
        self.way = way

    def ask(self, rotation: Floats, position: Floats, answer: Floats) -> bool:
        answer[:] = {"nan": math.nan, "zero": 0.0}.get(self.way, 1.0)
        return self.way != "refuses"


class Throwing:
    """In place of the library's own function."""

    def __call__(self, *_: Any) -> float:
        raise RuntimeError("no answer")


def near_crate() -> Surroundings:
    surroundings = robot_among("ur5e", OBSTACLES, CollisionSettings(horizon=1.0))
    put(surroundings.mechanism, surroundings.mechanism.q + 0.05)
    return surroundings


@pytest.mark.parametrize("way", ["nan", "zero", "refuses", "ones"])
def test_an_answer_that_makes_no_sense_is_a_condition_and_changes_nothing(way: str) -> None:
    surroundings = near_crate()
    before = surroundings._table.normal.copy()
    surroundings._queries = [Broken(way)] * len(surroundings._queries)
    assert surroundings.refine() > 0
    told = surroundings.tell(DT)
    assert told.condition == Condition.QUERY_FAILED
    assert told.rows > 0
    assert (surroundings._table.normal == before).all()


def test_a_library_that_raises_does_not_raise_in_a_tick() -> None:
    surroundings = near_crate()
    for query in surroundings._queries:
        query._compute = Throwing()
    surroundings.refine()
    assert surroundings.tell(DT).condition == Condition.QUERY_FAILED


def test_pairs_that_fail_do_not_keep_others_from_being_asked() -> None:
    surroundings = near_crate()
    asked: set[int] = set()
    surroundings._queries = [Broken("nan")] * len(surroundings._queries)
    for _ in range(40):
        count = surroundings.refine()
        asked |= {int(pair) for pair in surroundings._picked[:count]}
    assert len(asked) >= 15


def test_the_condition_goes_when_the_library_answers_again() -> None:
    surroundings = near_crate()
    queries = surroundings._queries
    surroundings._queries = [Broken("nan")] * len(queries)
    surroundings.refine()
    surroundings._queries = queries
    surroundings.refine()
    assert surroundings.tell(DT).condition == Condition.FINE


def test_at_leisure_a_library_that_fails_is_an_error() -> None:
    surroundings = near_crate()
    surroundings._queries = [Broken("nan")] * len(surroundings._queries)
    with pytest.raises(CollisionError, match="cannot be found"):
        surroundings.refresh()
    surroundings._exact._queries = {key: Broken("refuses") for key in surroundings._exact._queries}
    with pytest.raises(CollisionError, match="cannot be found where the robot is"):
        surroundings.distances(include_self=False)


def test_a_robot_that_is_nowhere_tells_nothing() -> None:
    surroundings = near_crate()
    put(surroundings.mechanism, np.full(6, math.nan))
    assert surroundings.refine() == 0
    told = surroundings.tell(DT)
    assert told.condition == Condition.NOT_FINITE
    assert (told.rows, told.contacts) == (0, 0)


def test_rows_go_into_the_array_of_another_kernel() -> None:
    surroundings = near_crate()
    told = surroundings.tell(DT)
    numbers = np.full((6, 8), -1.0)
    assert put_rows(surroundings.table, numbers[:4], EVERY_BODY) == 4 < told.rows
    assert numbers[:4, :7] == pytest.approx(surroundings.rows[:4])
    assert (numbers[4:] == -1.0).all()
    assert (numbers[:, 7] == -1.0).all()


def test_rows_of_one_body_are_told_apart() -> None:
    surroundings = near_crate()
    surroundings.tell(DT)
    numbers, own = np.zeros((40, 7)), [row for row, pair in enumerate(surroundings.row_pairs) if pair.frame == 6]
    assert put_rows(surroundings.table, numbers, 5) == len(own) > 0
    assert numbers[: len(own)] == pytest.approx(surroundings.rows[own])


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, math.inf])
def test_a_step_that_takes_no_time_goes_nowhere(dt: float) -> None:
    surroundings = lift("sphere 50", "obstacle floor { plane }", 60)
    assert surroundings.tell(dt).contacts == 1
    assert surroundings.mechanism.memory.contact_distance[0] == 0.0


def test_ticks_do_not_grow() -> None:
    surroundings = robot_among("ur5e", OBSTACLES)
    q = surroundings.mechanism.q

    def ticks() -> None:
        for tick in range(300):
            put(surroundings.mechanism, q + 0.3 * math.sin(0.01 * tick))
            surroundings.tell(DT)
            surroundings.refine()

    ticks()
    tracemalloc.start()
    ticks()
    before = tracemalloc.get_traced_memory()[0]
    ticks()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 2000


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"horizon": 0.0}, "horizon is 0.0; allowed: 0.001 to 100 m"),
        ({"margin": -1.0}, "margin"),
        ({"push_speed": math.nan}, "push_speed is nan"),
        ({"exact_per_tick": 0}, "exact_per_tick is 0; allowed: 1 to 8"),
        ({"exact_per_tick": 1.5}, "whole numbers"),
        ({"approach_time": "soon"}, "approach_time is 'soon'"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(CollisionError, match=why):
        CollisionSettings(**wrong)
