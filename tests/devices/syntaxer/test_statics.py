"""Forces, torques, weight and power: what goes in comes out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.devices.syntaxer import Syntaxer, SyntaxerModel
from station.devices.syntaxer.rotation import handle_weight, turned_by
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey
from tests.devices.syntaxer.syntaxers import BOTH, Array, in_cylinder, in_the_middle, matrix, placed, rotations

both = pytest.mark.parametrize("geometry", BOTH.values(), ids=BOTH.keys())


def models(geometry: Syntaxer, count: int) -> list[SyntaxerModel]:
    places, vectors = in_cylinder(geometry, count), rotations(count)
    return [placed(geometry, place, vector) for place, vector in zip(places, vectors, strict=True)]


def motor_work(model: SyntaxerModel, amperes: Array, joint_rates: Array) -> float:
    """Power of six motors on their joints [W]: arms turn with the current, strings are wound in by it."""
    arms = amperes[:3] * model.parts.chains.torque_per_ampere @ joint_rates[:3]
    strings = -amperes[3:] * model.parts.struts.pull_per_ampere @ joint_rates[3:]
    return float(arms + strings)


@both
def test_work_of_the_motors_is_work_on_the_hand(geometry: Syntaxer) -> None:
    dice = np.random.default_rng(1)
    for model in models(geometry, 20):
        wrench = dice.uniform(-1.0, 1.0, 6) * [2.0, 2.0, 2.0, 0.02, 0.02, 0.02]
        given = model.currents(wrench, carry=0.0)
        assert (given.force_share, given.torque_share) == (1.0, 1.0)
        rates = dice.normal(size=6) * [1.0, 1.0, 1.0, 0.03, 0.03, 0.03]
        assert motor_work(model, given.amperes, rates) == pytest.approx(wrench @ model.velocity(rates), abs=1e-12)


@both
def test_electrical_power_is_that_of_the_hand_and_the_weight(geometry: Syntaxer) -> None:
    dice, short = np.random.default_rng(2), 1e-5
    for model in models(geometry, 10):
        wrench = dice.uniform(-1.0, 1.0, 6) * [2.0, 2.0, 2.0, 0.02, 0.02, 0.02]
        rates = dice.normal(size=6) * [1.0, 1.0, 1.0, 0.03, 0.03, 0.03]
        twist, pose = model.velocity(rates), model.pose(model.counts_of(model.joints))
        ends = []
        for way in (-short, short):
            place, turn = pose[:3, 3] + way * twist[:3], matrix(way * twist[3:]) @ pose[:3, :3]
            ends.append(potential(geometry, place, turn))
        lifting = (ends[1] - ends[0]) / (2.0 * short)
        power = motor_work(model, model.currents(wrench).amperes, rates)
        assert power == pytest.approx(wrench @ twist + lifting, abs=1e-8)


def potential(geometry: Syntaxer, place: Array, rotation: Array) -> float:
    """Energy of every part in the field of gravity and of the balancer [J], each mass where it is."""
    gravity, paramat = np.array(geometry.gravity), geometry.paramat
    angles = survey(parts_of(geometry), place).angles[0]
    energy = -float(np.array(geometry.balancer) @ place)
    energy -= (geometry.platform_mass + paramat.fixed_mass) * float(gravity @ place)
    energy -= paramat.handle_mass * float(gravity @ (place + rotation @ np.array(paramat.handle_centre)))
    for chain, angle in zip(geometry.chains, angles, strict=True):
        out = np.array([0.0, math.sin(chain.azimuth), math.cos(chain.azimuth)])
        along = math.cos(angle) * out + [math.sin(angle), 0.0, 0.0]
        axis = chain.base_radius * out
        elbow, joint = axis + chain.arm * along, place + chain.platform_radius * out
        energy -= chain.arm_mass * float(gravity @ (axis + chain.arm_centre * along))
        energy -= chain.bar_mass * float(gravity @ (elbow + chain.bar_centre * (joint - elbow)))
    return energy


@both
def test_weight_is_the_slope_of_the_potential_energy(geometry: Syntaxer) -> None:
    stride = 1e-5
    found = survey(parts_of(geometry), in_cylinder(geometry, 30))
    for place, jacobian, weight in zip(found.points, found.jacobians, found.weights, strict=True):
        slope = [
            potential(geometry, place + side, np.eye(3)) - potential(geometry, place - side, np.eye(3))
            for side in stride * np.eye(3)
        ]
        np.testing.assert_allclose(weight, jacobian.T @ np.array(slope) / (2.0 * stride), rtol=0, atol=1e-9)


@both
def test_tensions_carry_the_weight_of_the_handle(geometry: Syntaxer) -> None:
    parts, stride, weights = parts_of(geometry), 1e-5, np.zeros(6)
    place = np.array([0.22, 0.0, 0.0])
    for vector in rotations(10):
        at = turned_by(parts, vector)
        handle_weight(parts.loads, at.rotation, at.strings, weights)
        slope = [
            potential(geometry, place, matrix(side) @ at.rotation)
            - potential(geometry, place, matrix(-side) @ at.rotation)
            for side in stride * np.eye(3)
        ]
        np.testing.assert_allclose(-at.strings.T @ weights[3:], np.array(slope) / (2.0 * stride), rtol=0, atol=1e-9)


def test_an_even_bar_counts_half_at_either_end() -> None:
    parts = parts_of(Syntaxer())
    assert parts.loads.carried == pytest.approx(0.300 + 3 * 0.015)
    np.testing.assert_allclose(parts.chains.moment, 0.110 * 0.050 + 0.015 * 0.160)


def test_without_gravity_nothing_has_to_be_carried() -> None:
    model = in_the_middle(Syntaxer(gravity=(0.0, 0.0, 0.0), balancer=(0.0, 0.0, 0.0)))
    np.testing.assert_array_equal(model.currents(np.zeros(6)).amperes, np.zeros(6))


def test_a_weight_that_no_motor_can_carry_is_carried_in_part_and_leaves_no_force() -> None:
    model = in_the_middle(Syntaxer(gravity=(0.0, 0.0, -98.1)))
    given = model.currents([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert np.abs(given.amperes[:3]).max() == pytest.approx(model.geometry.motor.peak)
    assert given.force_share == pytest.approx(0.0, abs=1e-12)
    weights = model.weight_torques
    np.testing.assert_allclose(given.amperes[:3] / np.abs(given.amperes[:3]).max(), weights / np.abs(weights).max())


@both
def test_the_hand_feels_what_was_asked_for(geometry: Syntaxer) -> None:
    dice = np.random.default_rng(3)
    for model in models(geometry, 20):
        wrench = dice.uniform(-1.0, 1.0, 6) * [2.0, 2.0, 2.0, 0.05, 0.05, 0.05]
        np.testing.assert_allclose(model.wrench_of(model.currents(wrench).amperes), wrench, rtol=0, atol=1e-12)


def test_what_is_not_carried_pulls_the_hand_down() -> None:
    model = in_the_middle(Syntaxer(balancer=(0.0, 0.0, 0.0)))
    felt = model.wrench_of(model.currents(np.zeros(6), carry=0.0).amperes)
    assert felt[2] == pytest.approx(-9.81 * 0.345, abs=0.7)  # the arms weigh a little, too
    assert felt[2] < -9.81 * 0.3
