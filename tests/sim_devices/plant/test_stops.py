"""Ends of travel hold, whatever pushes."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.syntaxer.plant import Plant
from station.devices.syntaxer import PlaceStatus, SyntaxerModel
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey
from station.kernel import Floats
from tests.sim_devices.plant.plants import NOTHING, live

DEGREE = np.pi / 180.0


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_strong_push_ends_at_a_stop_within_two_degrees(axis: int, way: float) -> None:
    plant = Plant(start="middle")
    wrench = np.zeros(6)
    wrench[axis] = 40.0 * way
    live(plant, 1.5, NOTHING, wrench)
    found = survey(parts_of(plant.geometry), plant.position)
    assert -2.0 * DEGREE < found.rooms[0] < 0.0
    assert found.margins[0] > 0.2
    assert np.abs(plant.velocity).max() < 1e-3


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_joystick_ends_at_15_degrees(axis: int) -> None:
    plant = Plant(start="middle")

    def twist(plant: Plant) -> Floats:
        """A steady torque with the damping of a hand: by itself it could drive the plate round like a whisk."""
        wrench = np.zeros(6)
        wrench[3:] = -0.02 * plant.velocity[3:]
        wrench[3 + axis] += 0.6
        return wrench

    live(plant, 1.5, NOTHING, twist)
    assert 15.0 * DEGREE < plant.rotation_vector[axis] < 16.0 * DEGREE
    assert np.abs(plant.velocity[3:]).max() < 1e-3


def test_an_impact_on_a_stop_takes_energy() -> None:
    plant = Plant(start="middle")
    live(plant, 0.15, NOTHING, (20.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    live(plant, 1.0)
    assert plant.energy.hand_work > 0.5
    assert plant.energy.dissipated > 0.8 * plant.energy.hand_work


def test_nothing_that_comes_in_makes_anything_but_numbers() -> None:
    plant, draw = Plant(start="middle"), np.random.default_rng(8)
    model = SyntaxerModel()
    odd = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e9, -1e9, 0.0]
    for n in range(3000):
        currents, wrench = draw.choice(odd, 6), draw.choice(odd, 6)
        plant.step(float(draw.choice([0.001, 0.0, -1.0, np.nan, 0.0037])), currents, bool(n % 7 == 0), wrench)
        plant.source = float(draw.choice([24.0, 0.0, np.nan, np.inf, 6.0]))
        assert np.isfinite(plant.pose).all()
        assert np.isfinite(plant.velocity).all()
        assert np.isfinite(plant.measured_currents).all()
        assert np.isfinite([plant.temperature, plant.supply, plant.energy.balance]).all()
        if not any(plant.slack):
            assert model.pose(plant.counts) is not None
            assert model.status is PlaceStatus.OK


def test_the_rotation_stays_a_rotation() -> None:
    plant = Plant(start="middle")
    for _ in range(50):
        live(plant, 0.02, NOTHING, (0.0, 0.0, 0.0, 0.3, -0.2, 0.3))
        live(plant, 0.02, NOTHING, (0.0, 0.0, 0.0, -0.3, 0.3, -0.2))
    rotation = plant.pose[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
