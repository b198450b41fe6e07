"""The mechanics behind the bytes."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.falcon.body import GRAVITY, Body, Mechanics
from station.devices.device import Floats
from station.devices.falcon import FalconModel
from station.devices.falcon.geometry import REACH, WORDS_PER_NEWTON_METRE

FREE = Body(weight=0.0, viscous=0.0, coulomb=0.0)


def mechanics(body: Body = FREE) -> Mechanics:
    return Mechanics(body, WORDS_PER_NEWTON_METRE)


def test_a_free_mass_obeys_newton() -> None:
    made = mechanics()
    made.push = np.array([0.0, 0.5, 0.0])
    made.move_to(0.1)
    assert made.velocity[1] == pytest.approx(0.5 / FREE.mass * 0.1)
    assert made.position[1] == pytest.approx(0.5 * 0.5 / FREE.mass * 0.01, rel=0.02)


def test_it_falls_until_the_stop() -> None:
    made = mechanics(Body(weight=0.25))
    made.move_to(0.02)
    assert made.velocity[2] == pytest.approx(-GRAVITY * 0.02, rel=0.3)
    made.move_to(3.0)
    assert np.linalg.norm(made.position) <= REACH + 1e-12
    assert made.position[2] == pytest.approx(-REACH, rel=1e-3)
    np.testing.assert_allclose(made.velocity, 0.0, atol=1e-6)


def test_dry_friction_holds_against_a_small_push_and_yields_to_a_large_one() -> None:
    made = mechanics(Body(weight=0.0, coulomb=0.5))
    made.push = np.array([0.4, 0.0, 0.0])
    made.move_to(0.5)
    np.testing.assert_array_equal(made.position, 0.0)
    made.push = np.array([0.6, 0.0, 0.0])
    made.move_to(1.0)
    assert made.position[0] > 0.001


def test_friction_only_takes_energy() -> None:
    made = mechanics(Body(weight=0.0))
    made.velocity[:] = [0.1, -0.2, 0.05]
    speed = float(np.linalg.norm(made.velocity))
    for step in range(1, 400):
        made.move_to(0.001 * step)
        new = float(np.linalg.norm(made.velocity))
        assert new <= speed
        speed = new
    assert speed == 0.0


def test_motors_push_where_their_words_say() -> None:
    made = mechanics()
    made.words[:] = FalconModel().words_for(np.zeros(3), np.array([1.0, 0.0, 0.5]))
    made.move_to(0.01)
    np.testing.assert_allclose(made.drive, [1.0, 0.0, 0.5], atol=0.02)
    assert made.velocity[0] > 0.0
    assert made.velocity[2] > 0.0


def test_a_hand_is_asked_at_every_step() -> None:
    times: list[float] = []

    class Spring:
        def force(self, position: Floats, velocity: Floats, now: float) -> Floats:
            times.append(now)
            return np.asarray(100.0 * (np.array([0.01, 0.0, 0.0]) - position) - 10.0 * velocity)

    made = mechanics()
    made.hand = Spring()
    made.move_to(1.0)
    np.testing.assert_allclose(made.position, [0.01, 0.0, 0.0], atol=1e-5)
    assert len(times) == 2000


def test_steps_of_any_length_come_to_the_same() -> None:
    coarse, fine = mechanics(Body()), mechanics(Body())
    coarse.push = fine.push = np.array([2.0, 1.0, 0.5])
    coarse.move_to(0.1)
    for step in range(1, 101):
        fine.move_to(0.001 * step)
    np.testing.assert_allclose(coarse.position, fine.position, atol=1e-9)
