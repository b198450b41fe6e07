from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from station.haptics import Acting, Cause, Coupling, HapticRenderer, HapticSettings, Inputs, Limits, Method, Stability

FREE = Stability(method=Method.COUPLING_ONLY)


def rendered_at(renderer: HapticRenderer, places: list[tuple[float, float, float]], period: float = 1e-3) -> np.ndarray:
    """Wrenches while the proxy stays at the origin; the first tick is at the origin."""
    inputs, wrenches = Inputs(), []
    for k, place in enumerate([(0.0, 0.0, 0.0), *places]):
        inputs.hand[:] = place
        inputs.at(period * k, fresh=True)
        wrenches.append(renderer.tick(inputs).wrench.copy())
    return np.array(wrenches[1:])


def settings_with(limits: Limits, stiffness: float = 2000.0) -> HapticSettings:
    return HapticSettings(coupling=Coupling(stiffness=stiffness, damping=0.0), stability=FREE, limits=limits)


def test_saturation_keeps_the_direction() -> None:
    limits = Limits(ramp_in=1e-3, slew=1e6, for_long=(2.0, 5.0, 3.0, 0, 0, 0), peak=(2.0, 5.0, 3.0, 0, 0, 0), power=500)
    random = np.random.default_rng(0)
    for _ in range(20):
        place = random.normal(0.0, 0.02, 3)
        wrench = rendered_at(HapticRenderer(settings_with(limits)), [tuple(place)] * 2)[-1, :3]
        assert np.all(np.abs(wrench) <= np.array([2.0, 5.0, 3.0]) + 1e-12)
        assert wrench @ -place == pytest.approx(np.linalg.norm(wrench) * np.linalg.norm(place), rel=1e-9)


def test_force_never_exceeds_the_length_that_was_set() -> None:
    limits = Limits(ramp_in=1e-3, slew=1e6, force=3.0, power=500)
    wrenches = rendered_at(HapticRenderer(settings_with(limits)), [(0.01, 0.01, 0.01)] * 5)
    assert np.linalg.norm(wrenches[-1, :3]) == pytest.approx(3.0)


def test_a_force_grows_no_faster_than_its_slew() -> None:
    limits = Limits(ramp_in=1e-3, slew=500.0)
    wrenches = rendered_at(HapticRenderer(settings_with(limits)), [(0.003, 0.0, 0.0)] * 30)
    steps = np.abs(np.diff(np.concatenate([[0.0], wrenches[:, 0]])))
    assert steps.max() == pytest.approx(0.5)
    assert wrenches[-1, 0] == pytest.approx(-6.0)


def test_a_force_shrinks_at_once() -> None:
    limits = Limits(ramp_in=1e-3, slew=500.0)
    wrenches = rendered_at(HapticRenderer(settings_with(limits)), [(0.003, 0.0, 0.0)] * 30 + [(0.0, 0.0, 0.0)])
    assert wrenches[-1, 0] == 0.0


def test_warm_motors_give_what_they_can_give_for_long() -> None:
    limits = Limits(ramp_in=1e-3, slew=1e6, warming=0.1, for_long=(2.0,) * 3 + (0.0,) * 3, peak=(6.0,) * 3 + (0.0,) * 3)
    renderer = HapticRenderer(settings_with(limits))
    forces = -rendered_at(renderer, [(0.01, 0.0, 0.0)] * 1500)[:, 0]
    assert forces[3] > 5.0
    assert forces[-1] == pytest.approx(2.0, rel=0.02)
    assert np.all(np.diff(forces[3:]) < 1e-9)  # smoothly down, without hunting


def test_the_hand_is_given_no_more_power_than_allowed() -> None:
    limits = Limits(ramp_in=1e-3, slew=1e6, power=0.2)
    places = [(0.004 - 0.0005 * k, 0.0, 0.0) for k in range(8)]  # back to the proxy at 0.5 m/s
    wrenches = rendered_at(HapticRenderer(settings_with(limits)), [(0.004, 0.0, 0.0)] * 5 + places)
    assert np.all(-wrenches[6:, 0] * 0.5 <= 0.2 + 1e-9)


def test_forces_come_along_a_ramp_when_the_hand_engages_and_go_when_it_lets_go() -> None:
    renderer, inputs = HapticRenderer(settings_with(Limits(ramp_in=0.1, ramp_down=0.05))), Inputs()
    inputs.hand[0] = 0.002
    forces = []
    for k in range(400):
        inputs.states(ready=True, engaged=k < 200, link=True)
        inputs.at(1e-3 * k, fresh=True)
        forces.append(float(renderer.tick(inputs).wrench[0]))
    assert np.abs(np.diff([0.0, *forces])).max() <= 4.0 / 50 + 1e-9
    assert forces[150] == pytest.approx(-4.0)
    assert forces[260] == 0.0


def test_losing_the_arm_ramps_down_and_losing_the_device_does_not_wait() -> None:
    for link, expected in ((False, True), (True, False)):
        renderer, inputs = HapticRenderer(settings_with(Limits(ramp_in=1e-3))), Inputs()
        inputs.hand[0] = 0.002
        for k in range(20):
            inputs.at(1e-3 * k, fresh=True)
            renderer.tick(inputs)
        inputs.states(ready=link is False, engaged=True, link=link)
        inputs.at(0.02, fresh=True)
        assert bool(abs(renderer.tick(inputs).wrench[0]) > 3.0) is expected


def test_parts_by_cause_add_up_to_the_wrench() -> None:
    settings = replace(settings_with(Limits(ramp_in=1e-3, slew=800.0)), stability=Stability(method=Method.OBSERVER))
    renderer, inputs = HapticRenderer(settings), Inputs()
    random, seen = np.random.default_rng(3), Acting.NOTHING
    for k in range(300):
        inputs.hand[:] = 0.01 * np.sin(0.05 * k + np.arange(3))
        inputs.measured[:3], inputs.measured_age = random.normal(0.0, 2.0, 3), 0.0
        inputs.at(1e-3 * k, fresh=k % 7 != 3)
        answer = renderer.tick(inputs)
        seen |= answer.acting
        assert answer.parts.sum(axis=0) == pytest.approx(answer.wrench, abs=1e-12)
    assert Acting.FORCE_LIMIT in seen
    assert np.abs(answer.parts[Cause.CONTACT]).max() > 0.0
