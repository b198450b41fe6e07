"""The press limit: how hard a tool presses, what that leaves of its speed, and that the way back is free."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.controllers.shaping import Acting, Stopped
from station.controllers.shaping.press import BACK, FREE, FULL, MEMORY, pressed, pressing, remember
from station.controllers.supervisor import Shape
from tests.controllers.shaping.arms import Floats, Led, park_for_a_while

MOST = 100.0  # [N]


def at_height(z: float) -> Floats:
    """A pose there [m]."""
    pose = np.eye(4)
    pose[2, 3] = z
    return pose


def up(newtons: float) -> Floats:
    """A wrench of what pushes the tool upwards."""
    return np.array([0.0, 0.0, newtons, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("force", "wanted", "expected"),
    [
        (FREE * MOST, -0.01, 0.0),
        (0.5 * (FULL + FREE) * MOST, -0.01, 0.5),
        (FULL * MOST, -0.01, 1.0),
        (10.0 * MOST, -0.01, 1.0),
        (MOST, -0.5 * BACK, 1.0),
        (MOST, 0.5 * BACK, 0.5),  # on its way back
        (MOST, 1.01 * BACK, 0.0),
        (10.0 * MOST, 0.1, 0.0),
        (math.nan, 0.1, 1.0),
        (math.inf, -0.01, 1.0),
        (MOST, math.nan, 1.0),
    ],
)
def test_it_presses_as_hard_as_force_and_way_say(force: float, wanted: float, expected: float) -> None:
    assert pressed(up(force)[:3], at_height(wanted), at_height(0.0), MOST) == pytest.approx(expected)


def test_a_contact_is_remembered_for_a_moment() -> None:
    met, deep, here = np.zeros(3), at_height(-0.01), at_height(0.0)
    assert pressing(met, up(MOST), 1e-3, deep, here, MOST) == 1.0
    for _ in range(round(0.5 * MEMORY / 1e-3)):  # it bounces
        left = pressing(met, up(0.0), 1e-3, deep, here, MOST)
    assert 0.5 < left < 1.0
    assert pressing(met, up(0.0), 3.0 * MEMORY, deep, here, MOST) == 0.0
    remember(met, up(5.0), 1e-3)
    assert met == pytest.approx([0.0, 0.0, 5.0])


def on_the_way(led: Led, pressure: float, seconds: float) -> Floats:
    """Behind a target that moves at 0.5 rad/s, pressing so hard; how far it got [rad]."""
    before = led.last.q.copy()
    for _ in range(round(seconds / 1e-3)):
        led.inputs.press(pressure)
        led.tick(led.inputs.target + 5e-4, 0.5)
    return np.array(led.last.q - before)


@pytest.mark.parametrize("hard", [1.0, 2.0, math.nan])
def test_an_arm_that_presses_as_hard_as_it_may_goes_no_further(hard: float) -> None:
    with Led() as led:
        led.start()
        on_the_way(led, 0.0, 0.3)
        on_the_way(led, hard, 0.5)  # to come to rest
        assert on_the_way(led, hard, 0.3) == pytest.approx(0.0, abs=1e-9)
        assert led.last.stopped is Stopped.FINE
        assert Acting.PRESSING in led.last.acting
        assert Acting.SLOWED in led.last.acting
        assert np.all(on_the_way(led, 0.0, 0.5) > 0.25)  # and on, as soon as it may
        assert Acting.PRESSING not in led.last.acting


def test_an_arm_that_presses_too_hard_yields_to_where_it_is() -> None:
    with Led() as led:
        led.start()
        on_the_way(led, 0.0, 0.3)
        led.stuck = True
        on_the_way(led, 0.0, 0.02)
        on_the_way(led, 1.0, 0.2)
        ahead = led.last.q - led.arm
        assert np.all(ahead > 0.005)
        on_the_way(led, 2.0, 0.2)
        less = led.last.q - led.arm
        assert np.all(less < ahead - 0.001)
        assert led.last.v.min() < 0.0
        on_the_way(led, 2.0, 3.0)
        assert led.last.q == pytest.approx(led.arm, abs=1e-4)


def test_harder_than_it_may_counts_at_the_moment_only() -> None:
    met, deep, here = np.zeros(3), at_height(-0.01), at_height(0.0)
    assert pressing(met, up(1.01 * MOST), 1e-3, deep, here, MOST) == 2.0
    assert pressing(met, up(0.99 * MOST), 1e-3, deep, here, MOST) == 1.0
    assert pressing(met, up(1.01 * MOST), 1e-3, at_height(0.01), here, MOST) == 0.0


def test_the_harder_it_presses_the_slower_it_goes() -> None:
    ways = []
    for hard in (0.0, 0.3, 0.6, 0.9):
        with Led() as led:
            led.start()
            on_the_way(led, 0.0, 0.3)
            on_the_way(led, hard, 0.2)
            ways.append(float(on_the_way(led, hard, 0.3).min()))
    assert ways == sorted(ways, reverse=True)
    assert ways[-1] < 0.02 * ways[0]


def test_a_parking_move_is_not_slowed_by_it() -> None:
    with Led() as led:
        park_for_a_while(led)
        led.inputs.press(1.0)
        assert led.ticks(3.0, 0.0, wanted=Shape.PARK).parked
