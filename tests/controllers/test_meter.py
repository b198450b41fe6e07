"""Round trip, clocks, ages, losses."""

from __future__ import annotations

import math
import random

import pytest

from station.controllers.meter import HORIZON, REMEMBERED, LinkMeter


def test_nothing_is_known_at_first() -> None:
    health = LinkMeter().health
    assert math.isnan(health.round_trip)
    assert math.isnan(health.offset)
    assert math.isnan(health.age)
    assert health[3:] == (0, 0, 0, 0)


def test_the_offset_is_found_through_jitter() -> None:
    meter, chance = LinkMeter(), random.Random(1)
    for number in range(1000):
        sent = 0.01 * number
        there, back = 0.002 + chance.expovariate(500.0), 0.002 + chance.expovariate(500.0)
        heard = sent + there + 42.0
        answered = heard + 0.0005
        meter.exchange(sent, heard, answered, answered - 42.0 + back)
    assert meter.counts.offset == pytest.approx(42.0, abs=0.0005)


def test_a_clock_that_drifts_is_followed() -> None:
    meter, offset = LinkMeter(), 0.0
    for number in range(10_000):
        sent = 0.01 * number
        offset = 5.0 + 1e-4 * sent  # 100 ppm
        meter.exchange(sent, sent + 0.001 + offset, sent + 0.001 + offset, sent + 0.002)
    assert meter.counts.offset == pytest.approx(offset, abs=1e-4 * 2.1 * HORIZON)


def test_the_age_is_what_the_way_here_took() -> None:
    meter = LinkMeter()
    meter.exchange(1.0, 101.01, 101.01, 1.02)
    assert meter.measurement(1, 102.0, 2.03)
    assert meter.counts.age == pytest.approx(0.03)


def test_gaps_are_losses_and_what_comes_late_is_not_used() -> None:
    meter = LinkMeter()
    assert [meter.measurement(n, 0.0, 0.0) for n in (5, 6, 9, 8, 9, 10)] == [True, True, True, False, False, True]
    assert (meter.received, meter.counts.lost, meter.counts.reordered) == (4, 2, 2)
    meter.begin()
    assert meter.measurement(1, 0.0, 0.0)
    assert meter.counts.lost == 2


def test_one_that_is_polled_may_skip_some() -> None:
    meter = LinkMeter()
    assert [meter.measurement(n, 0.0, 0.0, polled=True) for n in (5, 9, 9)] == [True, True, False]
    assert (meter.counts.lost, meter.counts.reordered) == (0, 0)


def test_the_round_trip_is_the_median_of_the_last_ones() -> None:
    meter = LinkMeter()
    for number in range(10 * REMEMBERED):
        meter.exchange(0.0, 0.0, 0.0, 1.0 if number < 9 * REMEMBERED else 0.25, trip=True)
    assert meter.health.round_trip == 0.25
