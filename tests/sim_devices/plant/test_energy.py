"""Energy: what is stored, went in and was lost adds up; and inertia is what it should be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sim_devices.syntaxer.plant import Plant, PlantNumbers
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.geometry import Syntaxer
from station.kernel import Floats
from tests.sim_devices.plant.plants import FRICTIONLESS, MIDDLE, NOTHING, live, undamped, weightless


def test_a_free_swing_keeps_its_energy_to_one_percent() -> None:
    geometry = replace(undamped(), balancer=(0.0, 0.0, 2.5))
    plant = Plant(geometry, start="middle", numbers=FRICTIONLESS)
    plant.place((0.2, 0.06, 0.1), (0.05, -0.05, 0.1))
    start, largest, worst = plant.energy, 0.0, 0.0
    for _ in range(60):
        live(plant, 0.01)
        energy = plant.energy
        largest, worst = max(largest, energy.kinetic), max(worst, abs(energy.balance - start.balance))
    assert largest > 0.02
    assert worst < 0.01 * largest


def test_the_books_balance_under_rough_treatment_to_half_a_percent() -> None:
    plant, draw = Plant(seed=3, start="middle"), np.random.default_rng(3)
    start = plant.energy.balance
    went_through = 0.0
    for _ in range(20):
        currents = draw.uniform(-1.0, 1.0, 6) * [3.6, 3.6, 3.6, 0.75, 0.75, 0.75]
        wrench = draw.uniform(-1.0, 1.0, 6) * [15.0, 15.0, 15.0, 0.4, 0.4, 0.4]
        live(plant, 0.1, currents, wrench)
        energy = plant.energy
        went_through = energy.dissipated + energy.kinetic
        assert abs(energy.balance - start) < 0.005 * went_through
    assert went_through > 5.0
    assert energy.electrical == energy.motor_work + energy.heat


def test_friction_and_brake_only_take_energy() -> None:
    plant = Plant(start="middle")
    plant.place((0.2, 0.05, 0.08))
    lost = 0.0
    for _ in range(100):
        live(plant, 0.005, brake=True)
        assert plant.energy.dissipated >= lost
        lost = plant.energy.dissipated
    assert plant.energy.motor_work < 0.0  # the brake turns motion into heat in the windings
    assert plant.energy.heat == pytest.approx(-plant.energy.motor_work, rel=0.05)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_spring_on_the_handle_swings_with_the_period_of_its_mass(axis: int) -> None:
    stiffness, geometry = 400.0, weightless()
    plant = Plant(geometry, start="middle", numbers=FRICTIONLESS)
    mass = seen_mass(geometry, FRICTIONLESS, axis)
    off = np.array(MIDDLE)
    off[axis] += 0.002
    plant.place(off)
    crossings, last, period = [], 0.002, 0.00025
    for step in range(int(1.5 / period)):
        stretch = plant.position - MIDDLE
        # Half a period on, at the present speed: a force that is held acts half a period late.
        force = -stiffness * (stretch + 0.5 * period * plant.velocity[:3])
        plant.step(period, NOTHING, False, [*force, 0.0, 0.0, 0.0])
        now = float(plant.position[axis] - MIDDLE[axis])
        if last < 0.0 <= now:
            crossings.append((step - now / (now - last)) * period)
        last = now
    found = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert found == pytest.approx(2.0 * math.pi * math.sqrt(mass / stiffness), rel=0.003)


def seen_mass(geometry: Syntaxer, numbers: PlantNumbers, axis: int) -> float:
    """Mass along an axis in the middle [kg]: kinetic energy of points along the bars, by differences of places."""
    model, step = SyntaxerModel(geometry), 1e-6

    def points(place: Floats) -> tuple[Floats, Floats]:
        angles = model.joints_at(place).values[:3]
        ends = []
        for chain, angle in zip(geometry.chains, angles, strict=True):
            out = np.array([0.0, math.sin(chain.azimuth), math.cos(chain.azimuth)])
            x = np.array([1.0, 0.0, 0.0])
            elbow = chain.base_radius * out + chain.arm * (math.cos(angle) * out + math.sin(angle) * x)
            joint = place + chain.platform_radius * out
            ends += [elbow + (n + 0.5) / 200.0 * (joint - elbow) for n in range(200)]
        return angles, np.array(ends)

    way = np.zeros(3)
    way[axis] = step
    (before, bars_before), (after, bars_after) = points(np.array(MIDDLE) - way), points(np.array(MIDDLE) + way)
    rates, speeds = (after - before) / (2.0 * step), (bars_after - bars_before) / (2.0 * step)
    total = geometry.platform_mass + geometry.paramat.fixed_mass + geometry.paramat.handle_mass
    for i, chain in enumerate(geometry.chains):
        turning = chain.arm_mass * numbers.arm_gyration**2 + geometry.motor.rotor_inertia * chain.ratio**2
        total += turning * float(rates[i]) ** 2
        total += chain.bar_mass / 200.0 * float((speeds[200 * i : 200 * (i + 1)] ** 2).sum())
    return total
