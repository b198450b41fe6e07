from __future__ import annotations

import math

import pytest

from station.controllers.shaping import ShapingError
from station.controllers.supervisor import Shape
from tests.controllers.shaping.arms import Led, park_for_a_while


def test_parking_reaches_the_posture_with_all_joints_together() -> None:
    with Led() as led:
        led.start()
        duration = led.shaper.park([1.0, -0.3])
        ends = [0.0, 0.0]
        for _ in range(3000):
            if led.tick(0.0, wanted=Shape.PARK).parked:
                break
            for i, goal in enumerate((1.0, -0.3)):
                ends[i] = led.now if abs(led.last.q[i] - goal) > 1e-6 else ends[i]
        assert led.last.q == pytest.approx([1.0, -0.3], abs=1e-9)
        assert led.now == pytest.approx(duration, abs=0.003)
        assert abs(ends[0] - ends[1]) < 0.02
        assert led.tick(0.0, wanted=Shape.PARK).at_rest


def test_parking_where_one_is_ends_at_once() -> None:
    with Led() as led:
        led.start(0.4)
        led.shaper.park([0.4, 0.4])
        assert led.ticks(0.01, 0.0, wanted=Shape.PARK).parked


def test_parking_is_broken_off_by_a_hold_and_then_must_be_asked_anew() -> None:
    with Led() as led:
        park_for_a_while(led)
        held = led.ticks(0.5, 0.0, wanted=Shape.BRAKE)
        assert held.at_rest
        assert not held.parked
        led.start(led.arm.copy())
        led.ticks(0.1, 0.0, wanted=Shape.PARK)  # nothing planned: stays
        assert led.last.at_rest
        led.shaper.park([0.0, 0.0])
        led.ticks(2.0, 0.0, wanted=Shape.PARK)
        assert led.last.parked


def test_a_posture_outside_the_range_or_of_another_arm_is_refused() -> None:
    with Led() as led:
        with pytest.raises(ShapingError, match="standstill"):
            led.shaper.park([0.0, 0.0])
        led.start()
        with pytest.raises(ShapingError, match=r"joint 2 of the posture is 3; allowed: -2\.8 to 2\.8"):
            led.shaper.park([0.0, 3.0])
        with pytest.raises(ShapingError, match="3 joints; allowed: 2"):
            led.shaper.park([0.0, 0.0, 0.0])
        with pytest.raises(ShapingError, match="is nan"):
            led.shaper.park([0.0, math.nan])
        led.ticks(0.2, 1.0)
        with pytest.raises(ShapingError, match="standstill"):
            led.shaper.park([0.0, 0.0])
