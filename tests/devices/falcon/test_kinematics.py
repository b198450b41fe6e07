"""Kinematics against the published formulas, finite differences and themselves."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from station.devices.device import Floats
from station.devices.falcon import FalconModel
from station.devices.falcon import geometry as g


@pytest.fixture(scope="module")
def model() -> FalconModel:
    return FalconModel()


def places(count: int, radius: float = g.REACH) -> Floats:
    """Places all over the workspace [m]."""
    random = np.random.default_rng(4)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return np.asarray(direction * radius * random.random((count, 1)) ** (1 / 3))


def known(result: Floats | None) -> Floats:
    """A result that must be there."""
    assert result is not None
    return result


def published_angles(position: Floats) -> Floats:
    """The half-angle formula as it stands in the literature, in its own frame."""
    x, y, z = position[1], position[2], position[0] + g.CENTRE
    a, b, c, d, e, f, r, s = 0.060, 0.1025, 0.01443, 0.01125, 0.01125, -0.025, 0.0400, -0.02309
    angles = []
    for phi in np.radians([105.0, -15.0, -135.0]):
        u, v, w = np.cos(phi) * x + np.sin(phi) * y - r, -np.sin(phi) * x + np.cos(phi) * y - s, z
        sine = np.sin(np.arccos((v + f) / b))
        q = w**2 + u**2 + a**2 + c**2 - d**2 - e**2 - (b * sine) ** 2 - 2 * b * e * sine - 2 * b * d * sine - 2 * d * e
        low, mid, high = q + 2 * c * u - 2 * a * u - 2 * a * c, -4 * a * w, q + 2 * c * u + 2 * a * u + 2 * a * c
        angles.append(2.0 * np.arctan((-mid - np.sqrt(mid**2 - 4 * low * high)) / (2 * high)))
    return np.array(angles)


def test_leg_angles_agree_with_the_published_formula(model: FalconModel) -> None:
    for position in places(500):
        np.testing.assert_allclose(known(model.angles(position)), published_angles(position), atol=1e-11)


def test_forward_undoes_inverse_everywhere(model: FalconModel) -> None:
    worst = 0.0
    for position in places(5000):
        found = known(model.position_of_angles(known(model.angles(position))))
        worst = max(worst, float(np.abs(found - position).max()))
    assert worst <= 1e-10


def test_forward_finds_the_place_from_any_beginning(model: FalconModel) -> None:
    corners = places(40)
    for beginning in corners:
        for position in corners:
            model.position_of_angles(known(model.angles(beginning)))
            found = known(model.position_of_angles(known(model.angles(position))))
            np.testing.assert_allclose(found, position, atol=1e-10)


def test_count_zero_is_on_the_axis_at_the_published_place(model: FalconModel) -> None:
    np.testing.assert_allclose(
        known(model.position_of_counts((0, 0, 0))), np.array([0.1346 - g.CENTRE, 0.0, 0.0]), atol=5e-6
    )


@pytest.mark.parametrize(("out", "count"), [(0.075, -1463), (0.175, 1056)])
def test_ends_of_travel_have_the_published_counts(model: FalconModel, out: float, count: int) -> None:
    counts = known(model.counts(np.array([out - g.CENTRE, 0.0, 0.0])))
    np.testing.assert_allclose(counts, count, atol=0.6)


def test_a_count_turns_a_leg_by_the_published_angle() -> None:
    assert np.degrees(g.COUNT) == pytest.approx(0.0364347, abs=1e-7)


def test_one_count_on_one_leg_moves_the_grip_by_some_45_micrometres(model: FalconModel) -> None:
    zero, one = known(model.position_of_counts((0, 0, 0))), known(model.position_of_counts((1, 0, 0)))
    assert np.linalg.norm(one - zero) == pytest.approx(45e-6, abs=3e-6)


def test_rates_are_the_derivatives_of_the_angles(model: FalconModel) -> None:
    step = 1e-6
    for position in places(200, 0.05):
        rates = known(model.rates(position))
        for axis in range(3):
            shift = np.zeros(3)
            shift[axis] = step
            ahead, behind = known(model.angles(position + shift)), known(model.angles(position - shift))
            np.testing.assert_allclose(rates[:, axis], (ahead - behind) / (2 * step), atol=1e-5)


def test_the_frame_is_right_handed_and_points_to_the_operator(model: FalconModel) -> None:
    """All counts up: out along +x. The upper leg (1, at 105°) alone: the grip goes down, away from it."""
    centre, out, upper = (known(model.position_of_counts(c)) for c in ((0, 0, 0), (200, 200, 200), (200, 0, 0)))
    moved = out - centre
    assert moved[0] > 0.0
    np.testing.assert_allclose(moved[1:], 0.0, atol=1e-12)
    assert (upper - centre)[2] < 0.0


@pytest.mark.parametrize("position", [[0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, -0.2], [0.06, 0.0, 0.0]])
def test_out_of_reach_is_told_and_not_computed(model: FalconModel, position: list[float]) -> None:
    assert model.angles(np.array(position)) is None
    assert model.counts(np.array(position)) is None
    assert model.rates(np.array(position)) is None
    assert model.words_for(np.array(position), np.ones(3)) == (0, 0, 0)
    np.testing.assert_array_equal(model.force_of(np.array(position), (100, 100, 100)), 0.0)


@pytest.mark.parametrize("counts", [(32767, 0, 0), (-32768, 32767, 12), (3000, -3000, 3000)])
def test_impossible_counts_give_no_place_and_do_not_spoil_the_next_search(
    model: FalconModel, counts: tuple[int, int, int]
) -> None:
    assert model.position_of_counts(counts) is None
    assert model.position_of_counts((0, 0, 0)) is not None


def test_angles_that_are_no_numbers_give_no_place(model: FalconModel) -> None:
    assert model.position_of_angles(np.full(3, np.nan)) is None
    assert model.position_of_angles(np.full(3, np.inf)) is None


def test_a_search_leaves_no_memory_behind(model: FalconModel) -> None:
    tracemalloc.start()
    model.position_of_counts((5, 5, 5))
    before, _ = tracemalloc.get_traced_memory()
    for count in range(2000):
        model.position_of_counts((count % 300, 0, -count % 200))
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 10_000
