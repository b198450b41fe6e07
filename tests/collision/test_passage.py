"""Motions are checked everywhere, not only at their samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.collision import CollisionError
from station.collision.passage import TOUCHING
from tests.collision.scenes import OBSTACLES, lift, robot_among

AMONG = robot_among("ur5e", OBSTACLES)
THIN = "obstacle sheet { box { 1000 1000 1 } pos { 0 0 500 } }"


def test_a_thin_sheet_between_two_samples_is_found() -> None:
    passage = lift("sphere 50", THIN, 0).clear_along([0.0], [1.0])
    assert not passage.clear
    assert passage.touch is not None
    assert passage.touch.q[0] == pytest.approx(0.4495, abs=2 * TOUCHING)
    assert passage.touch.fraction == pytest.approx(0.4495, abs=2 * TOUCHING)
    assert passage.touch.normal == pytest.approx([0, 0, -1], abs=1e-6)
    assert abs(passage.touch.distance) <= 2 * TOUCHING
    assert passage.touch.pair.obstacle == "sheet"


def test_the_earliest_of_several_contacts_is_told() -> None:
    surroundings = lift("sphere 50", THIN + THIN.replace("sheet", "lower").replace("0 0 500", "0 0 300"), 0)
    up, down = surroundings.clear_along([0.0], [1.0]).touch, surroundings.clear_along([1.0], [0.0]).touch
    assert up is not None
    assert up.pair.obstacle == "lower"
    assert down is not None
    assert down.pair.obstacle == "sheet"


def test_a_free_motion_is_clear_up_to_its_clearance() -> None:
    surroundings = lift("sphere 50", "obstacle post { cylinder { 50 4000 } pos { 200 0 0 } }", 0)
    assert surroundings.clear_along([-1.0], [1.0]).clear
    assert surroundings.clear_along([-1.0], [1.0], clearance=0.099).clear
    assert not surroundings.clear_along([-1.0], [1.0], clearance=0.101).clear
    assert surroundings.clear_along([-1.0], [1.0]).nearest == pytest.approx(0.1, abs=1e-5)


def test_a_path_tells_the_segment_and_the_place_on_it() -> None:
    surroundings = lift("sphere 50", THIN, 0)
    path = np.linspace(0.0, 0.3, 50).tolist() + np.linspace(0.3, 0.8, 6)[1:].tolist()
    touch = surroundings.clear_path(np.array(path)[:, None]).touch
    assert touch is not None
    assert path[touch.segment] <= touch.q[0] <= path[touch.segment + 1]
    here = path[touch.segment] + touch.fraction * (path[touch.segment + 1] - path[touch.segment])
    assert touch.q[0] == pytest.approx(here)


def test_a_start_in_contact_a_stand_still_and_the_very_end_count() -> None:
    surroundings = lift("sphere 50", THIN, 0)
    touch = surroundings.clear_along([0.5], [2.0]).touch
    assert touch is not None
    assert (touch.segment, touch.fraction) == (0, 0.0)
    assert not surroundings.clear_path([[0.5]]).clear
    assert surroundings.clear_path([[0.0]]).clear
    assert surroundings.clear_along([0.0], [0.0]).clear
    assert not surroundings.clear_along([0.0], [0.4495]).clear
    assert surroundings.clear_along([0.0], [0.449]).clear


def test_a_fine_path_takes_few_questions() -> None:
    goal = AMONG.mechanism.q + np.array([0.5, 0.1, -0.2, 0.3, 0.2, 0.5])
    path = np.linspace(AMONG.mechanism.q, goal, 5001)
    coarse, fine = AMONG.clear_along(path[0], path[-1]), AMONG.clear_path(path)
    assert fine.clear == coarse.clear
    assert fine.queries < 500


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), include_self=st.booleans())
def test_clear_motions_have_no_contact_anywhere_and_touches_are_the_first(seed: int, include_self: bool) -> None:
    generator = np.random.default_rng(seed)
    start = generator.uniform(-math.pi, math.pi, 6)
    goal = start + generator.uniform(-1.0, 1.0, 6)
    passage = AMONG.clear_along(start, goal, include_self=include_self)
    end = 1.0 if passage.touch is None else passage.touch.fraction
    for share in np.linspace(0.0, end, 200, endpoint=passage.touch is None) if end > 0.0 else ():
        q = (1.0 - share) * start + share * goal
        assert AMONG.distances(q, include_self=include_self)[0].distance > 0.0
    if passage.touch is not None:
        assert AMONG.distances(passage.touch.q, include_self=include_self)[0].distance <= 1.01 * TOUCHING


def test_a_path_that_is_none_is_refused() -> None:
    with pytest.raises(CollisionError, match="rows of 6 finite joint values"):
        AMONG.clear_path([[0.0, 1.0]])
    with pytest.raises(CollisionError, match="rows of 6 finite joint values"):
        AMONG.clear_path(np.zeros((0, 6)))
    with pytest.raises(CollisionError, match="0 or more"):
        AMONG.clear_along(np.zeros(6), np.ones(6), clearance=-1.0)
