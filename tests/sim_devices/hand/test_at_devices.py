"""One hand at two devices: the plant of the syntaxer, and the mechanics of the Falcon."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.falcon.body import Body, Mechanics
from sim_devices.hand import Hand, default_script
from sim_devices.syntaxer.plant import Plant
from station.devices.falcon import BUTTONS as FALCON_BUTTONS
from station.devices.syntaxer import SyntaxerModel
from station.kernel import Floats


def at_syntaxer(script: str, period: float, seconds: float | None = None) -> tuple[Plant, Floats]:
    """Run a script at a plant whose weight is carried; a row per period: time, place, force."""
    hand, plant, model, rows = Hand(script, seed=2), Plant(seed=2), SyntaxerModel(), []
    for step in range(round((seconds or hand.duration) / period)):
        now = step * period
        wrench = hand.wrench(now, plant.position, plant.rotation_vector, plant.velocity)
        model.pose(plant.counts)
        plant.step(period, model.currents(np.zeros(6)).amperes, False, wrench)
        rows.append([now, *plant.position, *wrench[:3]])
    return plant, np.array(rows)


@pytest.mark.parametrize("period", [0.00025, 0.001])
def test_the_tightest_grip_holds_the_syntaxer_still(period: float) -> None:
    plant, rows = at_syntaxer("reach 0.22 0 0 in 0.8; tighten 1 in 0.1; hold 1", period)
    assert np.abs(plant.velocity[:3]).max() < 1e-3
    assert np.abs(plant.velocity[3:]).max() < 1e-2
    assert np.abs(np.diff(rows[-200:, 4:], axis=0)).max() < 0.02  # no buzzing


def test_the_default_script_leads_the_syntaxer_where_it_says() -> None:
    _, rows = at_syntaxer(default_script(), 0.001)
    reached = rows[np.searchsorted(rows[:, 0], 2.79), 1:4]
    np.testing.assert_allclose(reached, (0.22, 0.05, 0.03), atol=6e-3)
    assert rows[:, 1].min() == pytest.approx(0.17, abs=0.015)  # nothing in its way: it runs over a little
    np.testing.assert_allclose(rows[-1, 1:4], (0.22, 0.05, 0.03), atol=6e-3)


def test_a_handle_that_is_let_go_falls_as_physics_says() -> None:
    hand, plant = Hand("reach 0.22 0 0 in 0.8; hold 0.3; let go; hold 5"), Plant()
    for step in range(1600):
        wrench = hand.wrench(0.001 * step, plant.position, plant.rotation_vector, plant.velocity)
        plant.step(0.001, np.zeros(6), False, wrench)
    assert not wrench.any()
    assert plant.position[2] < -0.05


def test_the_same_hand_leads_the_falcon() -> None:
    hand = Hand(default_script("falcon"), seed=2, buttons=FALCON_BUTTONS)
    mechanics = Mechanics(Body(), 1.0)
    mechanics.hand = hand
    places = []
    for step in range(round(hand.duration / 0.001)):
        mechanics.move_to(0.001 * step)
        places.append(mechanics.position.copy())
    path = np.array(places)
    np.testing.assert_allclose(path[2000], (0.0, 0.02, 0.01), atol=6e-3)
    assert path[:, 0].min() < -0.022
    np.testing.assert_allclose(path[-1], (0.0, 0.02, 0.01), atol=6e-3)
