"""Curves and distributions in bounded memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from station.monitor.histogram import PER_DECADE, Histogram
from station.monitor.thinner import Thinner


def test_a_short_run_is_kept_as_it_is() -> None:
    thinner = Thinner(2, capacity=100)
    values = np.arange(120.0).reshape(60, 2)
    thinner.add(np.arange(60.0), values)
    assert (thinner.places, thinner.per_place) == (60, 1)
    assert np.array_equal(thinner.low, values)
    assert np.array_equal(thinner.high, values)
    assert np.array_equal(thinner.time, np.arange(60.0))


@given(some.lists(some.integers(1, 70), min_size=1, max_size=40), some.sampled_from([2, 8, 16]))
def test_each_place_has_lowest_and_highest_of_its_samples(sizes: list[int], capacity: int) -> None:
    thinner = Thinner(1, capacity)
    samples = np.random.default_rng(sum(sizes)).normal(size=(sum(sizes), 1))
    for part in np.split(np.arange(len(samples)), np.cumsum(sizes)[:-1]):
        thinner.add(part.astype(float), samples[part])
    assert thinner.places <= capacity
    groups = [samples[i : i + thinner.per_place] for i in range(0, len(samples), thinner.per_place)]
    assert np.allclose(thinner.low[:, 0], [group.min() for group in groups])
    assert np.allclose(thinner.high[:, 0], [group.max() for group in groups])
    assert thinner.time.tolist() == list(range(0, len(samples), thinner.per_place))


def test_what_is_no_number_does_not_hide_its_neighbours() -> None:
    thinner = Thinner(1, capacity=2)
    thinner.add(np.arange(4.0), np.array([[np.nan], [1.0], [np.inf], [1e300]]))
    assert thinner.high[0, 0] == 1.0
    assert np.isnan(thinner.high[1, 0])


@pytest.mark.parametrize("capacity", [0, 1, 7])
def test_a_capacity_that_makes_no_sense_is_refused(capacity: int) -> None:
    with pytest.raises(ValueError, match="even number"):
        Thinner(1, capacity)


@given(some.lists(some.floats(1e-9, 1e3), min_size=1, max_size=200), some.sampled_from([1.0, 50.0, 99.0, 100.0]))
def test_a_percentile_is_at_most_one_bar_too_large(values: list[float], share: float) -> None:
    histogram = Histogram.empty()
    histogram.add(np.array(values))
    exact = float(np.percentile(values, share, method="inverted_cdf"))
    assert exact * (1.0 - 1e-9) <= histogram.percentile(share) <= exact * 10.0 ** (1.0 / PER_DECADE) * (1.0 + 1e-9)
    assert histogram.worst == max(values)


def test_a_histogram_leaves_out_what_is_no_number_or_negative() -> None:
    histogram = Histogram.empty()
    histogram.add(np.array([np.nan, np.inf, -1.0]))
    assert histogram.samples == 0
    assert math.isnan(histogram.percentile(50.0))
    histogram.add(np.array([0.0, 0.0, 1.0]))
    assert histogram.samples == 3
    assert histogram.percentile(50.0) < 1e-9


def test_wider_bars_count_the_same() -> None:
    histogram = Histogram.empty()
    histogram.add(np.geomspace(1e-6, 1e-2, 777))
    edges, counts = histogram.bars(40)
    assert counts.sum() == 777
    assert len(edges) == len(counts) + 1
    assert edges[0] <= 1e-6
    assert edges[-1] >= 1e-2
    assert Histogram.empty().bars(40)[1].size == 0
