"""Counts are those of the model, go round at 32 bits, and repeat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim_devices.syntaxer.plant import Plant
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.geometry import Syntaxer
from tests.sim_devices.plant.plants import MIDDLE, NOTHING, live


def test_counts_are_exactly_those_of_the_model() -> None:
    plant, model, draw = Plant(start="middle"), SyntaxerModel(), np.random.default_rng(2)
    for _ in range(200):
        place = np.array(MIDDLE) + draw.uniform(-0.05, 0.05, 3)
        plant.place(place, draw.uniform(-0.2, 0.2, 3))
        np.testing.assert_array_equal(plant.counts, model.counts_of(plant.joints))
    live(plant, 0.1, NOTHING, (1.0, 2.0, -1.0, 0.02, 0.0, 0.05))
    np.testing.assert_array_equal(plant.counts, model.counts_of(plant.joints))


def test_the_pose_by_the_model_is_that_of_the_plant_to_a_count() -> None:
    plant, model = Plant(start="middle"), SyntaxerModel()
    for _ in range(20):
        live(plant, 0.02, NOTHING, (0.5, 2.0, 1.0, 0.03, -0.02, 0.05))
        np.testing.assert_allclose(model.pose(plant.counts), plant.pose, atol=5e-5)


def test_velocity_is_the_change_of_the_pose() -> None:
    plant = Plant(start="middle")
    live(plant, 0.05, NOTHING, (0.5, 3.0, 2.0, 0.1, -0.05, 0.1))
    before, speed = plant.pose, plant.velocity
    live(plant, 0.00025, NOTHING, (0.5, 3.0, 2.0, 0.1, -0.05, 0.1), period=0.00025)
    mean = 0.5 * (speed + plant.velocity)
    np.testing.assert_allclose((plant.pose[:3, 3] - before[:3, 3]) / 0.00025, mean[:3], atol=1e-4)
    turned = (plant.pose[:3, :3] - before[:3, :3]) @ before[:3, :3].T / 0.00025
    np.testing.assert_allclose([turned[2, 1], turned[0, 2], turned[1, 0]], mean[3:], atol=1e-2)


def test_counters_near_the_end_of_32_bits_go_round_and_the_model_does_not_mind() -> None:
    near = 2**31 - 3
    geometry = replace(Syntaxer(), home=(near, -near, near, -near, near, near))
    plant, model, plain = Plant(geometry, start="middle"), SyntaxerModel(geometry), Plant(start="middle")
    for each in (plant, plain):
        live(each, 0.05, NOTHING, (1.0, 1.0, 1.0, 0.02, 0.02, 0.02))
    counts = plant.counts
    assert counts.dtype == np.int64
    assert (counts >= -(2**31)).all()
    assert (counts < 2**31).all()
    assert (np.abs(counts - plain.counts) > 2**31).any()  # some have gone round
    np.testing.assert_allclose(model.pose(counts), plain.pose, atol=5e-5)


def test_counts_can_be_off() -> None:
    plant = Plant()
    before = plant.counts
    plant.count_offset[1] = 5000
    np.testing.assert_array_equal(plant.counts - before, [0, 5000, 0, 0, 0, 0])


def test_the_same_seed_gives_the_same_life_and_another_seed_other_noise() -> None:
    lives = []
    for seed in (1, 1, 2):
        plant = Plant(seed=seed)
        live(plant, 0.2, [0.5, 0.2, 0.1, 0.1, 0.0, 0.1], (1.0, 2.0, 3.0, 0.05, 0.0, 0.0))
        lives.append((plant.pose, plant.measured_currents))
    np.testing.assert_array_equal(lives[0][0], lives[1][0])
    np.testing.assert_array_equal(lives[0][1], lives[1][1])
    np.testing.assert_array_equal(lives[0][0], lives[2][0])
    assert (lives[0][1] != lives[2][1]).any()


def test_how_time_is_cut_matters_little() -> None:
    ends = []
    for period in (0.00025, 0.001, 0.01):
        plant = Plant(start="middle")
        live(plant, 0.2, NOTHING, (0.0, 2.0, 1.0, 0.02, 0.0, 0.0), period=period)
        ends.append(plant.pose)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    np.testing.assert_allclose(ends[0], ends[2], atol=1e-6)
