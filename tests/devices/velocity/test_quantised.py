"""Rounded to encoder steps, against the true derivative: bounds that follow from the window that was used."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from station.devices.velocity import VelocityEstimator, VelocityMethod, VelocitySettings

Array = NDArray[np.float64]
STEP = 30e-6  # [m]
ADAPTIVE = [VelocityMethod.END_FIT, VelocityMethod.BEST_FIT]


def estimator_of(method: VelocityMethod, window: float = 0.032) -> VelocityEstimator:
    return VelocityEstimator(VelocitySettings(method=method, window=window, resolution=(STEP,) * 6))


def run(estimator: VelocityEstimator, times: NDArray[np.floating], places: NDArray[np.floating]) -> tuple[Array, Array]:
    """Answers of one axis, and the samples that each rests on."""
    answers, sizes = np.zeros(times.size), np.zeros(times.size)
    read = STEP * np.floor(places / STEP)
    for i, (time, place) in enumerate(zip(times, read, strict=True)):
        answers[i] = estimator.update(float(time), np.full(6, place))[0]
        sizes[i] = estimator.window_sizes[0]
    return answers, sizes


@settings(max_examples=100, deadline=None)
@given(st.floats(-0.5, 0.5), st.floats(0.0, STEP), st.sampled_from([1e-3, 2.5e-4]))
def test_end_fit_uses_its_whole_window_on_any_steady_motion(speed: float, phase: float, period: float) -> None:
    # The line through two rounded ends misses a rounded sample between them by less than one step, always.
    times = np.arange(200) * period
    answers, sizes = run(estimator_of(VelocityMethod.END_FIT), times, phase + speed * times)
    expected = min(128, round(0.032 / period) + 1)
    assert sizes[-1] == expected
    assert abs(answers[-1] - speed) <= STEP / ((expected - 1) * period) * (1 + 1e-6)


@pytest.mark.parametrize("rate", [1000.0, 4000.0])
def test_end_fit_errs_by_no_more_than_half_the_window_and_one_step(rate: float) -> None:
    times = np.arange(int(2 * rate)) / rate
    pulse = 2 * np.pi * 3.0
    answers, sizes = run(estimator_of(VelocityMethod.END_FIT), times, 0.02 * np.sin(pulse * times))
    truth = 0.02 * pulse * np.cos(pulse * times)
    age = (sizes - 1)[1:] / rate
    bound = 0.5 * age * 0.02 * pulse**2 + STEP / age
    assert (np.abs(answers - truth)[1:] <= bound * (1 + 1e-6)).all()


@pytest.mark.parametrize("window", [0.008, 0.016])
def test_least_squares_errs_by_no_more_than_half_the_window_and_the_rounding(window: float) -> None:
    rate, pulse = 1000.0, 2 * np.pi * 3.0
    times = np.arange(2000) / rate
    answers, sizes = run(estimator_of(VelocityMethod.LEAST_SQUARES, window), times, 0.02 * np.sin(pulse * times))
    truth = 0.02 * pulse * np.cos(pulse * times)
    n = sizes[-1]
    ages = (np.arange(n) - (n - 1) / 2) / rate
    rounding = 0.5 * STEP * np.abs(ages).sum() / (ages**2).sum()
    bound = 0.5 * (n - 1) / rate * 0.02 * pulse**2 + rounding
    assert (np.abs(answers - truth)[50:] <= bound * (1 + 1e-6)).all()


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_hand_that_stands_still_on_the_edge_between_two_values_is_quiet(method: VelocityMethod) -> None:
    times = np.arange(1000) * 1e-3
    tremble = np.random.default_rng(5).normal(0.0, 1e-6, times.size)
    answers, _ = run(estimator_of(method), times, tremble)
    plain, _ = run(estimator_of(VelocityMethod.DIFFERENCE), times, tremble)
    assert np.std(answers[50:]) < 0.05 * np.std(plain[50:])


@pytest.mark.parametrize("method", ADAPTIVE)
def test_the_window_shrinks_at_a_wall_and_grows_again(method: VelocityMethod) -> None:
    times = np.arange(300) * 1e-3
    answers, sizes = run(estimator_of(method), times, 0.3 * np.minimum(times, 0.1))
    assert sizes[99] > 12  # best fit does not always use all
    assert sizes[102:104].max() <= 4
    assert sizes[-1] > 30  # at rest both do
    assert np.abs(answers[103:]).max() < 0.03 * 0.3 + STEP / 1e-3


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(ADAPTIVE))
def test_both_adaptive_methods_agree_with_the_published_search(seed: int, method: VelocityMethod) -> None:
    random = np.random.default_rng(seed)
    times = np.cumsum(random.uniform(2e-4, 2e-3, 60))
    places = np.cumsum(random.normal(0.0, 3 * STEP, 60) * (random.random(60) < 0.4))
    estimator = estimator_of(method)
    answers, _ = run(estimator, times, places)
    read = STEP * np.floor(places / STEP)
    for i in range(1, 60):
        expected = published(times[: i + 1], read[: i + 1], method is VelocityMethod.BEST_FIT)
        assert answers[i] == pytest.approx(np.clip(expected, -5.0, 5.0), rel=1e-6, abs=1e-9)


def published(times: Array, places: Array, best: bool) -> float:
    """Janabi-Sharifi, Hayward and Chen (2000), word by word: each longer window tests every sample in it."""
    slope = 0.0
    for n in range(1, times.size):
        t, y = times[-1 - n :], places[-1 - n :]
        if t[-1] - t[0] > 0.032 and n > 1:
            break
        apart, off = t - t.mean(), y - y.mean()
        trial = (apart @ off) / (apart @ apart) if best else (y[-1] - y[0]) / (t[-1] - t[0])
        line = y[-1] - trial * (t[-1] - t[1:-1])
        if (np.abs(line - y[1:-1]) > STEP * (1 + 1e-9)).any():
            break
        slope = float(trial)
    return slope
