"""What counts as the force of nothing: found once, at rest, before the arm has moved; later only when asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.controllers.controller import Floats
from station.controllers.tare import Tare

BIAS = np.array([0.3, -0.2, 0.5, 0.01, 0.0, -0.02])
UP = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
PERIOD = 0.001  # [s]


class Sensor:
    """Readings with noise, one after the other, of an arm that stands unless it is told to go."""

    def __init__(self, noise: float = 0.0) -> None:
        self.tare, self.now, self.q = Tare(), 10.0, np.zeros(6)
        self._noise, self._random = noise * np.array([1.0] * 3 + [0.1] * 3), np.random.default_rng(1)

    def tell(self, wrench: Floats, seconds: float = 0.2, grows: Floats = 0.0 * UP, moves: float = 0.0) -> Floats:
        """For so long; `grows` and `moves` are per second."""
        for step in range(round(seconds / PERIOD)):
            self.now += PERIOD
            self.q[0] += moves * PERIOD
            noise = self._noise * self._random.normal(size=6)
            self.tare.hear(self.now, self.q, wrench + step * PERIOD * grows + noise)
        return self.tare.bias


def test_it_is_the_mean_of_a_steady_force_at_rest() -> None:
    assert Sensor().tell(BIAS) == pytest.approx(BIAS)
    noisy = Sensor(noise=0.1)
    noisy.tare.hear(0.0, noisy.q, BIAS)
    assert noisy.tell(np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))[0] == pytest.approx(1.0, abs=0.05)


def test_it_is_found_once_and_never_drifts_towards_a_contact() -> None:
    sensor = Sensor()
    sensor.tell(BIAS)
    assert sensor.tell(BIAS + 4.0 * UP, 2.0) == pytest.approx(BIAS)
    sensor.tare.follows()
    assert sensor.tell(BIAS + 4.0 * UP, 2.0) == pytest.approx(BIAS)


def test_what_was_not_found_before_the_arm_followed_is_not_looked_for_any_more() -> None:
    sensor = Sensor()
    sensor.tell(BIAS, 0.05)
    sensor.tare.follows()
    assert not sensor.tell(4.0 * UP, 1.0).any()
    assert not sensor.tare.known


@pytest.mark.parametrize("much", [5.5, 80.0])
def test_a_force_too_large_for_a_bias_is_taken_only_when_asked_for(much: float) -> None:
    sensor = Sensor()
    assert not sensor.tell(much * UP, 1.0).any()
    assert sensor.tell(BIAS) == pytest.approx(BIAS)  # it had touched something, and was set free
    sensor.tare.follows()
    sensor.tare.ask()
    assert sensor.tell(much * UP) == pytest.approx(much * UP)
    sensor.tare.ask()
    assert sensor.tell(300.0 * UP) == pytest.approx(much * UP)  # not even then


def test_a_force_that_changes_and_an_arm_that_moves_are_not_at_rest() -> None:
    sensor = Sensor()
    assert not sensor.tell(0.0 * UP, 0.3, grows=4.0 * UP).any()
    sensor = Sensor()
    assert not sensor.tell(BIAS, 0.5, moves=0.05).any()
    assert sensor.tell(BIAS) == pytest.approx(BIAS)


def test_what_dies_away_at_the_start_is_not_taken_for_noise() -> None:
    sensor = Sensor()
    for step in range(300):
        sensor.tell(BIAS + 2.0 * math.exp(-step / 10.0) * UP, PERIOD)
    assert sensor.tare.bias == pytest.approx(BIAS, abs=1e-3)


def test_a_noisy_sensor_is_tared_too() -> None:
    sensor = Sensor(noise=1.0)
    sensor.tell(BIAS, 0.5)
    assert sensor.tare.known
    assert sensor.tare.bias == pytest.approx(BIAS, abs=0.5)  # five deviations of a mean of 100 readings


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e9])
def test_what_is_no_reading_begins_it_anew_and_never_gets_in(bad: float) -> None:
    sensor = Sensor()
    for place in range(6):
        wrong = BIAS.copy()
        wrong[place] = bad
        sensor.tell(BIAS, 0.06)
        assert not sensor.tell(wrong, PERIOD).any()
    assert sensor.tell(BIAS) == pytest.approx(BIAS)


def test_readings_with_a_gap_or_a_clock_that_goes_back_do_not_belong_together() -> None:
    sensor = Sensor()
    sensor.tell(4.0 * UP, 0.09)
    sensor.now += 1.0
    assert sensor.tell(BIAS) == pytest.approx(BIAS)
    sensor = Sensor()
    sensor.tell(4.0 * UP, 0.09)
    sensor.now -= 5.0
    assert sensor.tell(BIAS) == pytest.approx(BIAS)


def test_slow_arms_take_longer() -> None:
    tare = Tare()
    for tick in range(10):
        tare.hear(0.05 * tick, np.zeros(2), BIAS)
    assert tare.bias == pytest.approx(BIAS)


def test_asked_for_again_the_old_one_holds_until_a_new_one_is_found() -> None:
    sensor = Sensor()
    sensor.tell(BIAS)
    sensor.tare.ask()
    assert sensor.tell(2.0 * BIAS, 0.05) == pytest.approx(BIAS)
    assert sensor.tare.known
    sensor.tare.follows()  # engaged before it was found
    assert sensor.tell(2.0 * BIAS, 1.0) == pytest.approx(BIAS)
