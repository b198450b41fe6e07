"""Forces as motor words."""

from __future__ import annotations

import numpy as np
import pytest

from station.devices.device import AxisKind
from station.devices.falcon import LARGEST_WORD, MAX_FORCE, FalconModel, falcon_capabilities
from station.devices.falcon.geometry import EVERYWHERE_FORCE
from tests.devices.falcon.test_kinematics import places


@pytest.fixture(scope="module")
def model() -> FalconModel:
    return FalconModel()


def test_motor_words_make_the_force_that_was_asked_for(model: FalconModel) -> None:
    random = np.random.default_rng(1)
    for position in places(300, 0.04):
        force = random.normal(size=3)
        made = model.force_of(position, model.words_for(position, force))
        np.testing.assert_allclose(made, force, atol=0.01)  # words are whole numbers


def test_torques_do_the_same_work_as_the_force(model: FalconModel) -> None:
    for position in places(100, 0.04):
        force, motion = np.array([0.3, -0.8, 0.5]), np.array([1e-4, 2e-4, -1e-4])
        rates = model.rates(position)
        assert rates is not None
        torques = -np.array(model.words_for(position, force)) / model.words_per_newton_metre
        assert torques @ (rates @ motion) == pytest.approx(force @ motion, abs=2e-6)


def test_too_much_force_is_less_but_in_the_same_direction(model: FalconModel) -> None:
    random = np.random.default_rng(2)
    for position in places(300, 0.045):
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        words = model.words_for(position, 100.0 * direction)
        assert max(map(abs, words)) <= LARGEST_WORD
        made = model.force_of(position, words)
        assert np.linalg.norm(made) <= MAX_FORCE + 0.01
        np.testing.assert_allclose(made / np.linalg.norm(made), direction, atol=2e-3)


def test_the_declared_force_can_be_had_everywhere_within_four_centimetres(model: FalconModel) -> None:
    random = np.random.default_rng(3)
    for position in places(2000, 0.04):
        direction = random.normal(size=3)
        force = EVERYWHERE_FORCE * direction / np.linalg.norm(direction)
        made = model.force_of(position, model.words_for(position, force))
        np.testing.assert_allclose(made, force, atol=0.02)


@pytest.mark.parametrize("force", [[np.nan, 0, 0], [np.inf, 0, 0], [0, -np.inf, 1]])
def test_a_force_that_is_no_number_is_no_force(model: FalconModel, force: list[float]) -> None:
    assert model.words_for(np.zeros(3), np.array(force)) == (0, 0, 0)


def test_no_force_is_no_words(model: FalconModel) -> None:
    assert model.words_for(np.zeros(3), np.zeros(3)) == (0, 0, 0)


def test_the_scale_is_the_users_to_calibrate(model: FalconModel) -> None:
    force, place = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    twice = FalconModel(2.0 * model.words_per_newton_metre)
    np.testing.assert_allclose(twice.words_for(place, force), 2 * np.array(model.words_for(place, force)), atol=1)


def test_a_push_to_the_operator_turns_all_motors_against_their_counts(model: FalconModel) -> None:
    """Words are negative for torques that raise the counts, as in libnifalcon."""
    assert all(word < 0 for word in model.words_for(np.zeros(3), np.array([2.0, 0.0, 0.0])))


def test_capabilities_tell_three_axes_that_push_and_four_buttons() -> None:
    capabilities = falcon_capabilities("F1")
    kinds = [axis.kind for axis in capabilities.axes]
    assert kinds == [AxisKind.ABSOLUTE] * 3 + [AxisKind.NONE] * 3
    assert capabilities.actuated
    assert capabilities.homing
    assert len(capabilities.buttons) == 4
    assert (capabilities.axes[0].peak, capabilities.axes[0].stiffness) == (8.0, 3000.0)
    assert capabilities.serial_number == "F1"
