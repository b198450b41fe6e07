"""What every estimator must do: ramps exactly, any stamps, gaps, duplicates, time that goes back, never a NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from station.devices.velocity import SampleUse, SettingsError, VelocityEstimator, VelocityMethod, VelocitySettings

Array = NDArray[np.float64]
METHODS = list(VelocityMethod)
RAMP: Array = np.array([0.3, -0.1, 0.02, 2.0, -0.5, 0.001])  # [m/s | rad/s]


def use(estimator: VelocityEstimator) -> SampleUse:
    return estimator.last_use


def fed(estimator: VelocityEstimator, times: NDArray[np.floating], speeds: Array = RAMP) -> Array:
    """The answer after positions that grow at constant speeds."""
    answer = np.zeros(6)
    for time in times:
        answer = estimator.update(float(time), speeds * time)
    return answer.copy()


@pytest.mark.parametrize("method", METHODS)
def test_a_ramp_is_told_exactly(method: VelocityMethod) -> None:
    answer = fed(VelocityEstimator(VelocitySettings(method=method)), np.arange(400) * 1e-3)
    np.testing.assert_allclose(answer, RAMP, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_jitter_of_stamps_and_lost_samples_do_not_disturb_a_ramp(method: VelocityMethod) -> None:
    random = np.random.default_rng(3)
    times = np.cumsum(random.uniform(1e-4, 3e-3, 600))
    times = times[random.random(600) > 0.3]
    answer = fed(VelocityEstimator(VelocitySettings(method=method)), times)
    np.testing.assert_allclose(answer, RAMP, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_clock_that_started_years_ago_costs_no_accuracy_that_matters(method: VelocityMethod) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    for i in range(100):
        answer = estimator.update(1e8 + i * 1e-3, RAMP * i * 1e-3)
    np.testing.assert_allclose(answer, RAMP, rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_first_sample_and_the_first_after_a_gap_say_zero(method: VelocityMethod) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    assert not estimator.update(0.0, RAMP).any()
    assert use(estimator) is SampleUse.FIRST
    fed(estimator, np.arange(1, 50) * 1e-3)
    assert not estimator.update(0.5, np.full(6, 0.4)).any()
    assert use(estimator) is SampleUse.AFTER_GAP
    np.testing.assert_allclose(estimator.update(0.501, np.full(6, 0.401)), np.ones(6) * _first_step(method), rtol=1e-6)


def _first_step(method: VelocityMethod) -> float:
    """What a second sample brings: all of the slope, but for the low-pass."""
    return 1.0 - math.exp(-2 * math.pi * 50.0 * 1e-3) if method is VelocityMethod.LOWPASS else 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_duplicate_is_passed_over(method: VelocityMethod) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    before = fed(estimator, np.arange(50) * 1e-3)
    np.testing.assert_array_equal(estimator.update(0.049, np.full(6, 9.0)), before)
    assert use(estimator) is SampleUse.DUPLICATE
    np.testing.assert_allclose(estimator.update(0.050, RAMP * 0.050), RAMP, rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_time_that_goes_back_is_ignored_and_starts_anew(method: VelocityMethod) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    fed(estimator, np.arange(50) * 1e-3)
    assert not estimator.update(0.020, np.full(6, 9.0)).any()
    assert use(estimator) is SampleUse.BACKWARDS
    np.testing.assert_allclose(fed(estimator, np.arange(200) * 1e-3), RAMP, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300])
def test_a_position_that_is_no_number_is_passed_over(method: VelocityMethod, bad: float) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    before = fed(estimator, np.arange(100) * 1e-3)
    place = np.zeros(6)
    place[4] = bad
    np.testing.assert_array_equal(estimator.update(0.1005, place), before)
    assert use(estimator) is SampleUse.NOT_FINITE


def test_reset_forgets() -> None:
    estimator = VelocityEstimator()
    fed(estimator, np.arange(50) * 1e-3)
    estimator.reset()
    assert not estimator.update(0.050, RAMP).any()


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_is_bounded(method: VelocityMethod) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method, largest=(1.0,) * 3 + (2.0,) * 3))
    for i in range(40):
        answer = estimator.update(i * 1e-3, np.full(6, 100.0 * i * (-1) ** i))
        assert (np.abs(answer) <= [1, 1, 1, 2, 2, 2]).all()


numbers = st.one_of(st.floats(), st.floats(-0.1, 0.1))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(METHODS), st.lists(st.tuples(numbers, st.tuples(*[numbers] * 6)), max_size=40))
def test_whatever_comes_the_answer_is_a_bounded_number(
    method: VelocityMethod, samples: list[tuple[float, tuple[float, ...]]]
) -> None:
    estimator = VelocityEstimator(VelocitySettings(method=method))
    for time, place in samples:
        answer = estimator.update(time, np.array(place))
        assert (np.abs(answer) <= estimator.settings.largest).all()


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"window": 0.0}, "window is 0 [s]; allowed: 0.0001 to 1"),
        ({"resolution": (1e-5,) * 5}, "resolution has 5 members; allowed: 6"),
        ({"largest": (math.nan,) * 6}, "largest is nan [m/s | rad/s]; allowed: 1e-06 to 1e+06"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(wrong: dict[str, object], text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        VelocitySettings(**wrong)  # type: ignore[arg-type]
    assert str(caught.value) == text
