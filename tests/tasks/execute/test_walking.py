"""A place that moves along a path: within limits whatever is wanted of it, and never past where it is to stop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.tasks.execute.walking import Walker
from station.tasks.task import limits_for
from tests.tasks.making import HOME, scene_of, through

TASK = through([HOME, HOME + np.array([0.8, 0.3, -0.3, 0.2, 0.4, 1.0]), HOME], share=0.9)
LIMITS = limits_for(scene_of()["ur5e"])


def walker() -> Walker:
    return Walker(TASK.q, TASK.period, LIMITS, 0.4)


def test_at_full_speed_the_samples_are_gone_through_one_by_one() -> None:
    made = walker()
    made.rate = 1.0
    for sample in range(1, 50):
        assert made.go(1.0, made.length, TASK.period).q == pytest.approx(TASK.q[sample], abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(20, 400), st.booleans()), min_size=2, max_size=6))
def test_speed_and_acceleration_stay_within_limits_whatever_is_wanted(wishes: list[tuple[float, int, bool]]) -> None:
    made, rows = walker(), [np.array(TASK.q[0])]
    for wanted, ticks, forwards in wishes:
        end = made.length if forwards else 0.0
        rows.extend(made.go(wanted, end, 0.001).q for _ in range(ticks))
    q = np.array(rows)
    assert (np.abs(np.diff(q, axis=0)) / 0.001 <= 1.001 * LIMITS.speed).all()
    bend = np.abs(np.diff(q, 2, axis=0)) / 0.001**2
    assert (bend <= 1.3 * LIMITS.acceleration).all()  # shaping takes away the rest


@pytest.mark.parametrize("end", [0.2, 0.5, 0.9])
def test_it_stops_where_it_is_to_stop_and_not_beyond(end: float) -> None:
    made = walker()
    places = []
    for _ in range(6000):
        made.go(1.0, end, 0.001)
        places.append(made.place)
    assert max(places) <= end + 1e-9
    assert made.place == pytest.approx(end)
    assert made.at_rest


def test_it_goes_back_to_the_begin() -> None:
    made = walker()
    for _ in range(600):
        made.go(1.0, made.length, 0.001)
    for _ in range(4000):
        made.go(1.0, 0.0, 0.001)
    assert made.place == 0.0
    assert made.at_rest
