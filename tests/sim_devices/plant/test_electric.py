"""Currents, supply, heat and brake."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.syntaxer.plant import Plant, PlantNumbers
from tests.sim_devices.plant.plants import MIDDLE, NOTHING, live

FULL = [1.0, 1.0, 1.0, 0.2, 0.2, 0.2]


def held(plant: Plant) -> list[float]:
    """A hand that holds the handle where it is."""
    return [*(-1500.0 * (plant.position - MIDDLE) - 30.0 * plant.velocity[:3]), 0.0, 0.0, 0.0]


def test_a_current_rises_with_a_lag_of_three_tenths_of_a_millisecond() -> None:
    plant = Plant()
    plant.step(0.00025, [0.1] * 6, False, NOTHING)
    expected = 0.1 * (1.0 - np.exp(-0.25 / 0.3))
    np.testing.assert_allclose(plant.currents, expected, rtol=1e-3)


def test_the_amplifier_gives_no_more_than_it_can() -> None:
    plant = Plant(start="middle")
    live(plant, 0.02, [100.0] * 3 + [-100.0] * 3)
    assert np.abs(plant.currents[:3]).max() <= 1.5 * 3.6
    assert np.abs(plant.currents[3:]).max() <= 1.5 * 0.75


def test_a_fast_motor_gets_less_current_by_its_back_emf() -> None:
    plant = Plant(start="middle")
    plant.source = 6.0
    live(plant, 0.05)  # the capacitors run down
    live(plant, 0.03, [3.6, 3.6, 3.6, 0.0, 0.0, 0.0], (5.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert plant.velocity[0] > 0.5
    assert plant.currents[:3].max() < (plant.supply - 1.0) / 2.3


def test_the_supply_sags_with_load_and_recovers() -> None:
    plant = Plant(start="middle")
    live(plant, 0.05)
    idle = plant.supply
    live(plant, 0.05, [3.6] * 3 + [0.5] * 3, held)
    loaded = plant.supply
    taken = sum(2.3 * plant.currents[:3] ** 2) + sum(14.0 * plant.currents[3:] ** 2)
    assert idle == pytest.approx(24.0 - 0.3 * 3.0 / 24.0, abs=0.01)
    assert loaded == pytest.approx(24.0 - 0.3 * (taken + 3.0) / loaded, abs=0.25)
    live(plant, 0.1)
    assert plant.supply == pytest.approx(idle, abs=0.01)


def test_a_brown_out_can_be_set() -> None:
    plant = Plant()
    plant.source = 6.0
    live(plant, 0.05)
    assert plant.supply < 6.0


def test_windings_reach_the_temperature_of_their_heat() -> None:
    fast = PlantNumbers(arm_heat=0.02, string_heat=0.01)
    plant = Plant(start="middle", numbers=fast)
    live(plant, 4.0, FULL, held, period=0.001)
    flowing = plant.currents
    heat = np.array([2.3] * 3 + [14.0] * 3) * flowing**2
    np.testing.assert_allclose(plant.temperatures, 22.0 + np.array([17.0] * 3 + [40.0] * 3) * heat, rtol=0.02)
    assert plant.temperature == plant.temperatures.max()


def test_heat_comes_and_goes_with_the_thermal_mass() -> None:
    plant = Plant()
    plant.heat_to(120.0)
    live(plant, 1.0, period=0.1)
    expected = 22.0 + 98.0 * np.exp(-1.0 / np.array([17.0 * 25.0] * 3 + [40.0 * 4.0] * 3))
    np.testing.assert_allclose(plant.temperatures, expected, atol=0.01)


def test_numbers_that_cannot_be_are_refused_in_one_line() -> None:
    with pytest.raises(ValueError, match=r"arm_friction is -1.0; allowed: finite numbers from 0"):
        PlantNumbers(arm_friction=-1.0)
    with pytest.raises(ValueError, match="arm_heat is 0; allowed: numbers above 0"):
        PlantNumbers(arm_heat=0.0)


def test_the_brake_slows_the_fall() -> None:
    speeds = []
    for brake in (False, True):
        plant = Plant(start="middle")
        live(plant, 0.2, NOTHING, (0.0, 0.0, -3.0, 0.0, 0.0, 0.0), brake=brake)
        speeds.append(abs(float(plant.velocity[2])))
    assert speeds[1] < 0.6 * speeds[0]


def test_measured_currents_carry_noise_of_the_stated_size() -> None:
    plant = Plant(seed=5)
    errors = []
    for _ in range(2000):
        plant.step(0.001, NOTHING, False, NOTHING)
        errors.append(plant.measured_currents - plant.currents)
    np.testing.assert_allclose(np.std(errors, axis=0), 0.004 * np.array([1.2] * 3 + [0.3] * 3), rtol=0.1)
    np.testing.assert_array_equal(plant.measured_currents, plant.measured_currents)
