"""Oracles of the fact sheet on coupling and unilateral constraints."""

from __future__ import annotations

import numpy as np
import pytest

from station.haptics import (
    Body,
    Coupling,
    HapticRenderer,
    HapticSettings,
    Inputs,
    LimitedBy,
    Limits,
    Method,
    Stability,
    stiffness_bound,
)
from station.haptics.from_mad import gains_from_device

WIDE = Limits(ramp_in=1e-3, slew=1e6, power=500.0, force=400.0, for_long=(400.0,) * 6, peak=(400.0,) * 6)


def settled_force(hand: float, proxy: float, stiffness: float) -> float:
    settings = HapticSettings(
        coupling=Coupling(stiffness=stiffness), stability=Stability(method=Method.COUPLING_ONLY), limits=WIDE
    )
    renderer, inputs = HapticRenderer(settings), Inputs()
    inputs.hand[0], inputs.proxy[0] = hand, proxy
    for k in range(5):
        inputs.at(1e-3 * k, fresh=True)
        wrench = renderer.tick(inputs).wrench
    return float(wrench[0])


def test_a_joint_limit_is_felt_as_the_stretched_coupling() -> None:
    """k·(x_hand - x(q_max)) = 16: here 800 N/m and 20 mm beyond."""
    assert settled_force(0.120, 0.100, 800.0) == pytest.approx(-16.0)


def test_away_from_limits_at_rest_nothing_is_felt() -> None:
    assert settled_force(0.080, 0.080, 800.0) == 0.0


def test_a_predictive_limit_takes_exactly_what_is_too_much() -> None:
    """W_c = max(0, b·(q̇ - (q_max - q)/δt)) = 30 and q = 1, by the closed form of one joint."""
    b, dt, q, most, free = 2.0, 0.01, 0.95, 1.0, 20.0
    effort = max(0.0, b * (free - (most - q) / dt))
    assert effort == pytest.approx(30.0)
    assert q + dt * (free - effort / b) == pytest.approx(1.0)


@pytest.mark.parametrize(("ratio", "converges"), [(1.9, True), (2.1, False)])
def test_a_damped_spring_converges_up_to_twice_damping_over_stiffness(ratio: float, converges: bool) -> None:
    """b·ẋ = -k·x sampled: stable for k·δt/b < 2; the hand is a damper pushed by the coupling alone."""
    damping, period = 5.0, 1e-3
    stiffness = ratio * damping / period
    settings = HapticSettings(
        coupling=Coupling(stiffness=stiffness, damping=0.0),
        stability=Stability(method=Method.COUPLING_ONLY),
        limits=WIDE,
    )
    renderer, inputs = HapticRenderer(settings), Inputs()
    place = 1e-4
    for k in range(40):
        inputs.hand[0] = place
        inputs.at(period * k, fresh=True)
        place += period * float(renderer.tick(inputs).wrench[0]) / damping
    assert (abs(place) < 1e-5) is converges


def test_free_space_error_shrinks_by_the_stated_ratio() -> None:
    """1 - k·δt/b with k = 800, δt = 1 ms, b = 5: 0.84 per step."""
    settings = HapticSettings(
        coupling=Coupling(stiffness=800.0, damping=0.0), stability=Stability(method=Method.COUPLING_ONLY), limits=WIDE
    )
    renderer, inputs, places = HapticRenderer(settings), Inputs(), [0.01]
    for k in range(10):
        inputs.hand[0] = places[-1]
        inputs.at(1e-3 * k, fresh=True)
        places.append(places[-1] + 1e-3 * float(renderer.tick(inputs).wrench[0]) / 5.0)
    ratios = np.array(places[1:]) / np.array(places[:-1])
    assert ratios == pytest.approx(0.84, abs=1e-12)


def test_the_bound_of_a_falcon_at_one_and_four_kilohertz() -> None:
    for period, damping in ((1e-3, 1.5), (0.25e-3, 0.375)):
        bound = stiffness_bound(damping=damping, period=period, friction=1.0, resolution=1e-6)
        assert bound.bound == pytest.approx(3000.0)
        assert bound.limited_by is LimitedBy.DAMPING
        assert bound.chosen == pytest.approx(2400.0)
        assert bound.margin == pytest.approx(0.2)


def test_encoder_steps_bound_a_spring_where_friction_is_small() -> None:
    bound = stiffness_bound(damping=5.0, period=1e-3, friction=0.03, resolution=30e-6)
    assert bound.limited_by is LimitedBy.QUANTISATION
    assert bound.bound == pytest.approx(2000.0)


def test_a_wanted_spring_within_the_bound_is_taken() -> None:
    bound = stiffness_bound(damping=1.0, period=1e-3, friction=1.0, resolution=1e-6, wanted=300.0)
    assert (bound.chosen, bound.limited_by) == (300.0, LimitedBy.WANTED)


def test_gains_of_a_device_are_within_its_bound() -> None:
    from station.devices.device import Axis, AxisKind, Capabilities

    straight = Axis(kind=AxisKind.ABSOLUTE, low=-0.1, high=0.1, force=5.0, peak=8.0, stiffness=3000.0)
    capabilities = Capabilities(model="test", axes=(straight,) * 3 + (Axis(),) * 3, rate=1000.0)
    gains = gains_from_device(None, capabilities, Body(), Method.COUPLING_ONLY)
    assert gains.straight.chosen <= 0.8 * gains.straight.bound
    assert gains.turning.chosen == 0.0  # it cannot push in rotation
    assert "margin" in str(gains.straight)
