"""At rest the plant obeys the statics of the model, and sticks."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.syntaxer.plant import Plant
from station.devices.syntaxer import SyntaxerModel
from tests.sim_devices.plant.plants import FRICTIONLESS, MIDDLE, NOTHING, live, undamped


@pytest.mark.parametrize(
    ("place", "wrench"),
    [
        (MIDDLE, (1.0, -2.0, 1.5, 0.0, 0.0, 0.0)),
        ((0.25, 0.08, -0.06), (-2.0, 1.0, 2.0, 0.05, -0.04, 0.06)),
        ((0.18, -0.1, 0.05), (0.5, 0.0, -3.0, 0.0, 0.1, 0.0)),
    ],
)
def test_currents_of_the_model_hold_against_the_opposite_wrench(
    place: tuple[float, float, float], wrench: tuple[float, ...]
) -> None:
    model = SyntaxerModel()
    plant = Plant(start="middle")
    plant.place(place)
    model.pose(plant.counts)
    given = model.currents(wrench)
    assert (given.force_share, given.torque_share) == (1.0, 1.0)
    live(plant, 0.5, given.amperes, -np.array(wrench))
    np.testing.assert_allclose(plant.position, place, atol=1e-4)  # currents need a moment to rise: it gives way a hair
    assert not plant.velocity.any()


def test_without_friction_the_hand_that_balances_is_the_one_of_the_model() -> None:
    model = SyntaxerModel(undamped())
    plant = Plant(undamped(), start="middle", numbers=FRICTIONLESS)
    plant.place((0.21, 0.05, 0.04))
    model.pose(plant.counts)
    held = model.currents((2.0, -1.0, 1.0, 0.0, 0.0, 0.0)).amperes
    for wrong in (0.0, 0.2):
        plant.place((0.21, 0.05, 0.04))
        live(plant, 0.02, held)  # until the currents flow
        plant.place((0.21, 0.05, 0.04))
        plant._state.currents[:] = held  # flowing already
        live(plant, 0.05, held, (-2.0 + wrong, 1.0, -1.0, 0.0, 0.0, 0.0))
        moved = float(np.linalg.norm(plant.position - (0.21, 0.05, 0.04)))
        assert moved < 5e-5 if wrong == 0.0 else moved > 2e-4


def test_a_handle_at_rest_under_a_force_below_friction_stays_exactly() -> None:
    plant = Plant()
    before = plant.pose
    live(plant, 2.0, NOTHING, (0.0, 0.02, 0.0, 0.0, 0.0005, 0.0))
    np.testing.assert_array_equal(plant.pose, before)
    assert plant.energy.kinetic == 0.0


def test_a_force_above_friction_moves_it() -> None:
    plant = Plant(start="middle")
    model = SyntaxerModel()
    model.pose(plant.counts)
    weight = model.currents(NOTHING).amperes
    live(plant, 0.3, weight, (0.0, 0.3, 0.0, 0.0, 0.0, 0.0))
    assert plant.position[1] > 0.005


def test_it_hangs_at_rest_where_the_model_finds_a_place() -> None:
    plant, model = Plant(), SyntaxerModel()
    assert not plant.velocity.any()
    np.testing.assert_allclose(model.pose(plant.counts), plant.pose, atol=1e-4)
    assert plant.position[2] < -0.1  # its weight is more than the balancer's
    live(plant, 0.5)
    assert not plant.velocity.any()


def test_without_current_the_joystick_returns_to_neutral() -> None:
    plant = Plant(start="middle")
    plant.place(MIDDLE, (0.15, -0.1, 0.2))
    live(plant, 2.0, wrench=lambda p: [*(-200.0 * (p.position - MIDDLE) - 10.0 * p.velocity[:3]), 0.0, 0.0, 0.0])
    # But for the weight of the handle (18 mN·m of 0.41 N·m/rad) and friction.
    np.testing.assert_allclose(plant.rotation_vector, (0.0, 0.0176 / 0.41, 0.0), atol=0.012)


def test_a_place_out_of_reach_is_refused_in_one_line() -> None:
    plant = Plant(start="middle")
    with pytest.raises(ValueError, match="within all stops"):
        plant.place((0.5, 0.0, 0.0))
    with pytest.raises(ValueError, match="within all stops"):
        plant.place(MIDDLE, (0.5, 0.0, 0.0))
