"""Timing: delays and drifts between two views of one motion are found to a small part of a sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import chi2

from calibration import DataError, NotExplainedError, UnitsError
from calibration.timing import Signal, TimingModel, align
from tests.calibration.planted import Floats

DELAY, DRIFT, PERIOD = 12.345678901, 2e-4, 0.0043


def wave(times: Floats) -> Floats:
    """Two joints that swing and do not repeat themselves."""
    first = 0.05 * np.sin(2.0 * np.pi * 0.53 * times + 0.3) + 0.03 * np.sin(2.0 * np.pi * 1.43 * times)
    return np.column_stack([first, 0.04 * np.sin(2.0 * np.pi * 0.91 * times)])


def reference() -> Signal:
    times = np.arange(0.0, 6.0, 0.002)
    return Signal(times=times, values=wave(times), noise=1e-9)


def seen_later(noise: float = 0.0, seed: int = 0, drift: float = DRIFT) -> Signal:
    """The same motion by another clock, with a gain and a bias of its own."""
    times = np.arange(0.5, 5.0, PERIOD) + 0.0011
    values = 1.01 * wave(times) + 0.002 + noise * np.random.default_rng([6, seed]).normal(size=(len(times), 2))
    return Signal(times=times + DELAY + drift * (times - 2.0), values=values, noise=max(noise, 1e-5))


def test_without_noise_delay_drift_and_phase_are_found_to_a_billionth() -> None:
    found = align(reference(), seen_later())
    assert found.delay + found.drift * (2.0 - found.middle) == pytest.approx(DELAY, abs=1e-9)
    assert found.drift == pytest.approx(DRIFT, abs=1e-9)
    true = np.arange(0.5, 5.0, PERIOD) + 0.0011
    assert found.by_reference(seen_later().times) == pytest.approx(true, abs=1e-9)
    still = align(reference(), seen_later(drift=0.0), drifts=False)
    assert still.phase == pytest.approx((0.5 + 0.0011) % PERIOD, abs=1e-8)


def test_derivatives_are_exact() -> None:
    model = TimingModel(reference(), seen_later(), DELAY)
    values = np.array([1e-4, 1e-4, 0.01, -0.02, 1.1, 0.9])
    which = np.arange(0, model.observations, 50)
    jacobian = model.rows(values, which).jacobian
    for place in range(6):
        step = np.zeros(6)
        step[place] = 1e-6
        slope = (model.rows(values + step, which).residuals - model.rows(values - step, which).residuals) / 2e-6
        assert jacobian[:, :, place] == pytest.approx(slope, rel=1e-5, abs=1e-2 * np.abs(jacobian).max() * 1e-3)


def test_errors_are_within_their_standard_deviations_a_hundred_times() -> None:
    squares = 0.0
    for seed in range(100):
        found = align(reference(), seen_later(1e-4, seed))
        true = np.array([DELAY + DRIFT * (found.middle - 2.0), DRIFT])
        error = np.array([found.delay, found.drift]) - true
        squares += float(error @ np.linalg.solve(found.fit.covariance[:2, :2], error))
        assert found.deviation < 0.01 * PERIOD
    assert chi2.ppf(1e-4, 200) < squares < chi2.ppf(1 - 1e-4, 200)


def test_noise_in_spells_widens_the_stated_deviations() -> None:
    random = np.random.default_rng(5)
    ratios = []
    for _ in range(40):
        later = seen_later()
        stay = np.exp(-PERIOD / 0.1)  # a hundredth of a second is white beside it
        wander = lfilter([np.sqrt(1.0 - stay**2)], [1.0, -stay], random.normal(size=later.values.shape), axis=0)
        found = align(reference(), replace(later, values=later.values + 1e-4 * wander, noise=1e-4))
        ratios.append((found.drift - DRIFT) / found.drift_deviation)
        assert found.drift_deviation > 1.5 * np.sqrt(found.fit.covariance[1, 1])
    assert chi2.ppf(1e-4, 40) / 4.0 < np.sum(np.square(ratios)) < chi2.ppf(1 - 1e-4, 40)


def test_motions_that_tell_no_delay_are_refused_in_one_line() -> None:
    first, second = reference(), seen_later()
    with pytest.raises(DataError, match="the other signal does not move"):
        align(first, replace(second, values=np.zeros_like(second.values)))
    with pytest.raises(DataError, match="49 samples; at least 50"):
        replace(first, times=first.times[:49], values=first.values[:49])
    times = np.arange(0.0, 20.0, 0.01)
    again = Signal(times=times, values=np.sin(2.0 * np.pi * times)[:, None], noise=1e-4)
    with pytest.raises(DataError, match="repeats itself every 1"):
        align(again, replace(again, times=again.times + 0.1))
    with pytest.raises(UnitsError, match="milliseconds given for seconds"):
        align(first, replace(second, times=1000.0 * second.times))
    other = np.cumsum(np.random.default_rng(2).normal(size=second.values.shape), axis=0) * 1e-3
    with pytest.raises((DataError, NotExplainedError)):
        align(first, replace(second, values=other))
    backwards = second.times.copy()
    backwards[100] = backwards[99]
    with pytest.raises(DataError, match="times must rise; sample 100"):
        replace(second, times=backwards)
    with pytest.raises(DataError, match="2 channels against 1"):
        align(first, replace(second, values=second.values[:, :1]))
