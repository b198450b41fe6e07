"""Strings only pull."""

from __future__ import annotations

import numpy as np

from sim_devices.syntaxer.plant import Plant
from station.devices.syntaxer import SyntaxerModel
from tests.sim_devices.plant.plants import MIDDLE, live


def held(plant: Plant) -> list[float]:
    """A hand that keeps the platform where it is, and does not turn it."""
    return [*(-1500.0 * (plant.position - MIDDLE) - 30.0 * plant.velocity[:3]), 0.0, 0.0, 0.0]


def test_a_current_that_would_push_makes_a_string_hang_through_and_its_count_wrong() -> None:
    plant, model = Plant(start="middle"), SyntaxerModel()
    live(plant, 0.5, [0.0, 0.0, 0.0, 0.0, -0.6, 0.0], held)  # -12.8 N against a pretension of 8 N
    assert plant.slack == (False, True, False)
    turned = plant.joints[4] - model.joints_at(plant.position, plant.rotation_vector).values[4]
    assert 0.015 < turned < 0.025  # until the spiral spring is wound up
    live(plant, 0.5, [0.0] * 6, held)
    assert plant.slack == (False, False, False)
    values = model.joints_at(plant.position, plant.rotation_vector).values
    np.testing.assert_allclose(plant.joints, values, atol=1e-9)


def test_a_slack_string_turns_the_plate_no_further() -> None:
    angles = []
    for current in (-0.45, -0.7):  # both beyond the pretension
        plant = Plant(start="middle")
        live(plant, 1.0, [0.0, 0.0, 0.0, 0.0, current, 0.0], held)
        angles.append(plant.rotation_vector)
    np.testing.assert_allclose(angles[0], angles[1], atol=0.01)


def test_currents_within_the_pretension_keep_all_strings_taut() -> None:
    plant = Plant(start="middle")
    for current in (0.15, -0.15):
        live(plant, 0.3, [0.0, 0.0, 0.0, current, -current, current], held)
        assert plant.slack == (False, False, False)
