"""Curves of cams and polynomials: through their points, smooth, never beyond the table, and with the right slope."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from station.mad.curve import Curve, polynomial, table

LIFT = ((0.0, 0.0), (0.5, 0.02), (0.8, 0.02), (1.4, 0.005), (2.0, 0.0))
CURVES = {
    "table": table(LIFT),
    "two points": table(((1.0, 2.0), (3.0, -1.0))),
    "periodic": table(LIFT, periodic=True),
    "indexing": table(((0.0, 0.0), (4.0, 0.0), (6.0, 1.0)), periodic=True),
    "polynomial": polynomial((0.3, -1.2, 0.5, 0.25)),
    "constant": polynomial((0.3,)),
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_the_slope_is_that_of_the_curve(curve: Curve) -> None:
    x = np.linspace(-3.0, 9.0, 997)
    step = 1e-6
    found = (curve.value(x + step) - curve.value(x - step)) / (2 * step)
    np.testing.assert_allclose(curve.rate(x), found, atol=2e-5)


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_value_and_slope_have_no_steps(curve: Curve) -> None:
    x = np.unique(np.concatenate([curve.x, curve.x + 2.0, curve.x - 2.0]))
    for what in (curve.value, curve.rate):
        np.testing.assert_allclose(what(x - 1e-10), what(x + 1e-10), atol=1e-8)


def test_a_table_is_the_monotone_cubic_of_the_books() -> None:
    x, y = np.array(LIFT).T
    inside = np.linspace(x[0], x[-1], 301)
    np.testing.assert_allclose(CURVES["table"].value(inside), PchipInterpolator(x, y)(inside), atol=1e-15)


def test_a_dwell_stays_a_dwell_and_nothing_swings_over() -> None:
    curve = CURVES["table"]
    np.testing.assert_array_equal(curve.value(np.linspace(0.5, 0.8, 50)), 0.02)
    assert curve.value(np.linspace(0.0, 2.0, 999)).max() == 0.02
    assert curve.value(np.linspace(0.0, 2.0, 999)).min() == 0.0


def test_a_table_goes_straight_on_beyond_its_ends() -> None:
    curve = CURVES["two points"]
    np.testing.assert_allclose(curve.value([0.0, 5.0]), [3.5, -4.0])


def test_a_periodic_table_repeats() -> None:
    curve, x = CURVES["periodic"], np.linspace(0.0, 2.0, 77)
    np.testing.assert_allclose(curve.value(x + 6.0), curve.value(x), atol=1e-12)
    np.testing.assert_allclose(curve.value(x - 4.0), curve.value(x), atol=1e-12)


def test_a_periodic_table_that_ends_higher_advances_with_every_turn() -> None:
    curve, x = CURVES["indexing"], np.linspace(0.0, 6.0, 77)
    np.testing.assert_allclose(curve.value(x + 12.0), curve.value(x) + 2.0, atol=1e-12)


def test_a_polynomial_is_a_polynomial() -> None:
    x = np.linspace(-2.0, 2.0, 21)
    np.testing.assert_allclose(CURVES["polynomial"].value(x), 0.3 - 1.2 * x + 0.5 * x**2 + 0.25 * x**3, atol=1e-14)
