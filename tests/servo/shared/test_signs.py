"""Signs of the arm's force sensor over time: one that flickers is one, and nothing is told too early or too often."""

from __future__ import annotations

import numpy as np
import pytest

from station.servo.shared import BilateralStatus
from station.servo.shared.signs import MOST_CHANGES, QUIET, SIGNS, STAYS, Floats, Sign, Signs

PRESSING, UNTARED = SIGNS
TICK = 0.001  # [s]


def went_on(signs: Signs, seconds: float, bits: int, start: float, every: int = 1) -> float:
    """Ticks with these bits in every so-manieth of them; returns when the next tick is [s]."""
    count = round(seconds / TICK)
    status = np.where(np.arange(count) % every == 0, bits, 0)
    signs.add(status, times(start, count))
    return start + TICK * count


def times(start: float, count: int) -> Floats:
    """Of so many ticks [s]."""
    return np.asarray(start + TICK * np.arange(count), np.float64)


def standing(signs: Signs) -> list[Sign]:
    return list(signs.standing)


def told(signs: Signs) -> list[str]:
    return [change.told for change in signs.changes()]


def test_a_sign_comes_and_goes_with_its_bit() -> None:
    signs = Signs()
    now = went_on(signs, 1.0, 0, 5.0)
    assert (standing(signs), told(signs)) == ([], [])
    now = went_on(signs, 0.001, BilateralStatus.PRESSING | BilateralStatus.LIMITED, now)
    assert standing(signs) == [PRESSING]
    assert told(signs) == ["arm presses as hard as it may"]
    now = went_on(signs, STAYS - 0.01, BilateralStatus.LIMITED, now)
    assert standing(signs) == [PRESSING]  # somebody has to see it
    now = went_on(signs, 0.02, 0, now)
    assert (standing(signs), told(signs)) == ([], [])
    went_on(signs, QUIET, 0, now)
    assert told(signs) == ["arm presses as hard as it may: over after 0.00 s"]


def test_a_sensor_that_is_just_being_tared_is_no_news() -> None:
    signs = Signs()
    now = went_on(signs, 0.15, BilateralStatus.UNTARED, 0.0)
    assert standing(signs) == []
    now = went_on(signs, 3.0, 0, now)
    assert told(signs) == []
    began = now
    now = went_on(signs, 1.1, BilateralStatus.UNTARED, now)
    assert standing(signs) == [UNTARED]
    (change,) = signs.changes()
    assert change.told == "sensor not tared: press t with the arm at rest"
    assert change.time == pytest.approx(began)


@pytest.mark.parametrize("look", [0.017, 0.2, 5.0])
@pytest.mark.parametrize("every", [2, 500, 1900])
def test_a_bit_that_flickers_is_one_sign(every: int, look: float) -> None:
    signs, now, lines = Signs(), 0.0, []
    status = np.where(np.arange(10_000) % every == 0, int(BilateralStatus.PRESSING), 0)
    for part in np.split(status, np.arange(round(look / TICK), len(status), round(look / TICK))):
        signs.add(part, times(now, len(part)))
        now += TICK * len(part)
        lines += told(signs)
    assert lines == ["arm presses as hard as it may"]


def test_there_is_at_most_a_line_in_a_second_however_it_flickers() -> None:
    for gap in range(1, 40):
        signs, lines = Signs(), 0
        status = np.where(np.arange(60_000) % (100 * gap) == 0, int(BilateralStatus.PRESSING), 0)
        for first in range(0, len(status), 160):
            signs.add(status[first : first + 160], times(TICK * first, 160))
            lines += len(signs.changes())
        assert lines <= 60, gap


def test_how_long_it_stood_is_counted_by_the_tick() -> None:
    signs = Signs()
    went_on(signs, 2.0, BilateralStatus.PRESSING, went_on(signs, 1.0, BilateralStatus.UNTARED, 0.0), every=4)
    assert signs.ticks == {PRESSING: 500, UNTARED: 1000}


def test_a_recording_may_be_gone_back_in() -> None:
    signs = Signs()
    went_on(signs, 0.1, BilateralStatus.PRESSING, 50.0)
    went_on(signs, 0.1, 0, 3.0)
    assert standing(signs) == []
    status = np.array([BilateralStatus.PRESSING] * 4 + [0] * 4)
    signs.add(status, np.array([60.0, 60.1, 60.2, 60.3, 7.0, 7.1, 7.2, 7.3]))
    assert standing(signs) == []


def test_times_that_are_none_are_left_out() -> None:
    signs = Signs()
    signs.add(np.array([BilateralStatus.PRESSING] * 2), np.array([np.nan, np.inf]))
    signs.add(np.zeros(0, np.int64), np.zeros(0))
    assert (standing(signs), signs.changes()) == ([], [])
    went_on(signs, 0.01, BilateralStatus.PRESSING, 1.0)
    assert standing(signs) == [PRESSING]


def test_what_nobody_asks_for_does_not_grow() -> None:
    signs = Signs()
    for number in range(200):
        went_on(signs, 0.001, BilateralStatus.PRESSING, 10.0 * number)
    assert len(signs.changes()) == MOST_CHANGES
