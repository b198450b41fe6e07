from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from station.haptics import (
    Coupling,
    Guide,
    HapticRenderer,
    HapticSettings,
    Inputs,
    Limits,
    LineGuide,
    Method,
    PointGuide,
    SettingsError,
    Singularity,
    Stability,
    Stops,
)

LIMITS = Limits(ramp=0.1, ramp_in=1e-3, slew=1e6)
BASE = HapticSettings(stability=Stability(method=Method.COUPLING_ONLY), limits=LIMITS)


def inputs_with_everything() -> Inputs:
    inputs = Inputs()
    inputs.hand[:] = (0.002, 0.001, 0.0)
    inputs.stops([[0.1, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    inputs.obstacles([[0.005, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]])
    inputs.nearness, inputs.nearness_gradient[2] = 0.02, 1.0
    inputs.measured[:3], inputs.measured_age = (0.0, 0.0, 1.0), 0.0
    inputs.own_wrench[0] = 0.5
    return inputs


CHANGES = {
    "gain": replace(BASE, coupling=Coupling(stiffness=100.0)),
    "coupling": replace(BASE, coupling=Coupling(on=False)),
    "stops": replace(BASE, stops=Stops(on=False)),
    "singularity": replace(BASE, singularity=Singularity(on=False)),
    "obstacles": replace(BASE, obstacles=replace(BASE.obstacles, on=False)),
    "contact": replace(BASE, contact=replace(BASE.contact, on=False)),
    "device walls": replace(BASE, device_walls=False),
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES.keys())
def test_switching_an_effect_off_and_on_makes_no_jump(changed: HapticSettings) -> None:
    renderer, inputs, wrenches = HapticRenderer(BASE), inputs_with_everything(), []
    for k in range(1200):
        if k in (600, 900):
            renderer.change(changed if k == 600 else BASE)
        inputs.at(1e-3 * k, fresh=True)
        wrenches.append(renderer.tick(inputs).wrench.copy())
    settled = np.array(wrenches[500:])
    moved = np.linalg.norm(settled[300] - settled[50])
    assert moved > 0.01
    assert (
        np.abs(np.diff(settled, axis=0)).max() <= 3.1 * moved / 100 + 1e-12
    )  # at most three hundredths per tick: the glide


def test_guides_are_laid_replaced_and_removed_without_a_jump() -> None:
    renderer, inputs, wrenches = HapticRenderer(BASE), Inputs(), []
    inputs.hand[:] = inputs.proxy[:] = (0.005, 0.004, 0.0)
    steps: dict[int, Guide | None] = {50: PointGuide(), 300: LineGuide(direction=(0.0, 1.0, 0.0)), 600: None}
    for k in range(900):
        if k in steps:
            guide = steps[k]
            if guide is None:
                renderer.remove("way")
            else:
                renderer.lay("way", guide)
        inputs.at(1e-3 * k, fresh=True)
        wrenches.append(renderer.tick(inputs).wrench.copy())
    forces = np.array(wrenches)
    assert np.linalg.norm(forces[250]) > 1.0
    assert abs(forces[550][1]) < 1e-12 < abs(forces[550][0])
    assert np.linalg.norm(forces[-1]) == 0.0
    assert np.abs(np.diff(forces, axis=0)).max() < 0.04


def test_too_many_guides_are_refused_with_the_number_allowed() -> None:
    renderer = HapticRenderer(BASE)
    for k in range(8):
        renderer.lay(f"guide {k}", PointGuide())
    with pytest.raises(SettingsError, match="allowed: 8"):
        renderer.lay("one more", PointGuide())


@pytest.mark.parametrize("method", Method)
def test_changing_the_method_while_pressing_makes_no_upward_jump(method: Method) -> None:
    renderer, inputs = HapticRenderer(BASE), Inputs()
    last, largest = 0.0, 0.0
    for k in range(600):
        if k == 300:
            renderer.change(replace(BASE, stability=Stability(method=method)))
        inputs.hand[0] = min(0.002, 2e-5 * k)
        inputs.at(1e-3 * k, fresh=True)
        force = abs(float(renderer.tick(inputs).wrench[0]))
        largest, last = max(largest, force - last), force
    assert largest < 0.1
