from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from station.haptics import (
    AxisGuide,
    Cause,
    Compensation,
    ConeGuide,
    Contact,
    Coupling,
    CurveGuide,
    Guide,
    HapticRenderer,
    HapticSettings,
    Inputs,
    Limits,
    LineGuide,
    Method,
    PlaneGuide,
    PointGuide,
    Stability,
    Stops,
    Zone,
)
from station.haptics.guides import Shape
from station.haptics.pulls import pull_of
from station.kernel import Floats

OPEN = Limits(
    ramp=1e-3, ramp_in=1e-3, slew=1e6, power=500.0, force=400.0, torque=50.0, for_long=(400.0,) * 6, peak=(400.0,) * 6
)
GUIDES = {
    "point": PointGuide(point=(0.01, 0.0, 0.02)),
    "line": LineGuide(direction=(1.0, 2.0, 0.5)),
    "plane": PlaneGuide(direction=(0.0, 1.0, 1.0)),
    "axis": AxisGuide(direction=(0.0, 0.2, 1.0)),
    "curve": CurveGuide(points=((-0.1, 0.0, 0.0), (0.0, 0.01, 0.0), (0.1, 0.0, 0.02))),
    "cone": ConeGuide(direction=(0.0, 0.0, 1.0), half_angle=0.4, radius=0.1),
    "zone": Zone(point=(0.0, 0.0, 0.0), size=0.005),
    "point without end": PointGuide(radius=0.0, force=2.0, stiffness=200.0),
}


def renderer_with(settings: HapticSettings | None = None) -> HapticRenderer:
    base = settings or HapticSettings()
    return HapticRenderer(
        replace(base, stability=Stability(method=Method.COUPLING_ONLY), limits=OPEN, contact=Contact(on=False))
    )


def wrench_and_potential(renderer: HapticRenderer, inputs: Inputs) -> tuple[Floats, float]:
    renderer.reset()
    for k in range(3):  # ramps are over after this
        inputs.at(0.01 * k, fresh=True)
        wrench = renderer.tick(inputs).wrench.copy()
    return wrench, renderer.state.potential


def slope(renderer: HapticRenderer, move: Callable[[Inputs, Floats], None], step: float = 1e-6) -> Floats:
    """Minus the gradient of the potential with respect to the place of the hand, by differences [N]."""
    answer = np.zeros(3)
    for i in range(3):
        ends = []
        for sign in (1.0, -1.0):
            inputs, way = Inputs(), np.zeros(3)
            way[i] = sign * step
            move(inputs, way)
            ends.append(wrench_and_potential(renderer, inputs)[1])
        answer[i] = -(ends[0] - ends[1]) / (2.0 * step)
    return answer


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES.keys())
def test_the_pull_of_a_guide_is_the_slope_of_its_potential(guide: Guide) -> None:
    random, laid, inputs = np.random.default_rng(5), guide.laid(), Inputs()
    for _ in range(50):
        place = random.uniform(-0.02, 0.02, 3)
        gradient = np.zeros(3)
        for i in range(3):
            ends = []
            for sign in (1.0, -1.0):
                inputs.hand[:] = place
                inputs.hand[i] += sign * 1e-7
                ends.append(pull_of(laid, inputs)[2])
            gradient[i] = -(ends[0] - ends[1]) / 2e-7
        inputs.hand[:] = place
        force = np.array(pull_of(laid, inputs)[0])
        if guide.shape is Shape.AXIS:
            continue  # its turning part is weighted as it is; checked below
        assert force == pytest.approx(gradient, abs=1e-4 * (1.0 + float(np.linalg.norm(force))))


@pytest.mark.parametrize("guide", [g for g in GUIDES.values() if g.radius > 0.0])
def test_a_guide_is_entered_and_left_without_a_jump(guide: Guide) -> None:
    laid, inputs = guide.laid(), Inputs()
    forces = []
    start = 0.012 if isinstance(guide, CurveGuide) else -0.2  # inside a corner the nearest piece changes: see below
    for far in np.arange(start, 0.2, 2e-5):
        inputs.hand[:] = (0.3 * far, far, 0.2 * far)
        forces.append(pull_of(laid, inputs)[0])
    steps = np.linalg.norm(np.diff(np.array(forces), axis=0), axis=1)
    assert np.linalg.norm(forces, axis=1).max() <= guide.force + 1e-9
    assert steps.max() < 2.0 * guide.stiffness * 2.5e-5 + 1e-9  # no steeper than the spring itself


def test_inside_the_corner_of_a_curve_the_pull_turns_no_faster_than_its_slew() -> None:
    settings = replace(HapticSettings(), stability=Stability(method=Method.COUPLING_ONLY))
    renderer, inputs = HapticRenderer(replace(settings, limits=Limits(ramp=1e-3, ramp_in=1e-3, slew=50.0))), Inputs()
    renderer.lay("corner", CurveGuide(points=((-0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.1, 0.0, 0.0))))
    forces = []
    for k in range(400):
        inputs.hand[:] = inputs.proxy[:] = (1e-4 * (k - 200), 0.085, 0.0)
        inputs.at(1e-3 * k, fresh=True)
        forces.append(renderer.tick(inputs).wrench[:3].copy())
    assert np.sign(forces[150][0]) != np.sign(forces[250][0])
    grown = [np.linalg.norm(b - a) for a, b in pairwise(forces) if b @ a >= a @ a]
    assert max(grown) <= 0.05 + 1e-9


def test_one_slides_freely_along_a_line() -> None:
    laid, inputs = LineGuide(direction=(1.0, 0.0, 0.0)).laid(), Inputs()
    inputs.hand[:], inputs.hand_speed[:3] = (0.1, 0.01, 0.0), (1.0, 0.0, 0.0)
    assert pull_of(laid, inputs)[0][0] == 0.0


def test_an_axis_turns_the_tool_along_it() -> None:
    laid, inputs = AxisGuide(direction=(0.0, 0.0, 1.0)).laid(), Inputs()
    inputs.hand_turn[:] = (np.cos(0.1), np.sin(0.1), 0.0, 0.0)  # turned by 0.2 rad about x
    torque = pull_of(laid, inputs)[1]
    assert torque == pytest.approx((-0.3 * np.sin(0.2), 0.0, 0.0), abs=1e-12)


def test_nothing_is_felt_inside_a_cone_or_a_zone() -> None:
    for guide in (GUIDES["cone"], GUIDES["zone"]):
        inputs = Inputs()
        inputs.hand[2] = 0.004
        assert pull_of(guide.laid(), inputs)[0] == (0.0, 0.0, 0.0)


def test_the_push_of_a_stop_is_the_slope_of_its_potential() -> None:
    gradient = np.array([2.0, -1.0, 3.0])  # a joint that turns so much per way of the hand [rad/m]

    def move(inputs: Inputs, way: Floats) -> None:
        inputs.hand[:] = inputs.proxy[:] = way
        inputs.stops([[0.1 + float(gradient @ way), *gradient, 0.0, 0.0, 0.0]])

    renderer, inputs = renderer_with(), Inputs()
    move(inputs, np.zeros(3))
    wrench, _ = wrench_and_potential(renderer, inputs)
    assert wrench[:3] == pytest.approx(slope(renderer, move), abs=1e-6)
    assert wrench[:3] == pytest.approx(gradient * 5.0 * 0.07)


def test_the_push_near_a_singularity_is_the_slope_of_its_potential() -> None:
    gradient = np.array([1.0, 0.5, -2.0])

    def move(inputs: Inputs, way: Floats) -> None:
        inputs.hand[:] = inputs.proxy[:] = way
        inputs.nearness, inputs.nearness_gradient[:3] = 0.01 + float(gradient @ way), gradient

    renderer, inputs = renderer_with(), Inputs()
    move(inputs, np.zeros(3))
    wrench, _ = wrench_and_potential(renderer, inputs)
    assert wrench[:3] == pytest.approx(slope(renderer, move), abs=1e-6)
    assert np.linalg.norm(wrench) > 0.05


def test_the_push_of_an_obstacle_is_the_slope_of_its_potential() -> None:
    normal = np.array([0.6, 0.0, 0.8])

    def move(inputs: Inputs, way: Floats) -> None:
        inputs.hand[:] = inputs.proxy[:] = way
        inputs.obstacles([[0.004 + float(normal @ way), *normal, *way]])

    renderer, inputs = renderer_with(), Inputs()
    move(inputs, np.zeros(3))
    wrench, _ = wrench_and_potential(renderer, inputs)
    assert wrench[:3] == pytest.approx(slope(renderer, move), abs=1e-6)
    assert wrench[:3] == pytest.approx(300.0 * 0.006 * normal)


def test_going_back_from_a_stop_costs_nothing_and_approaching_it_is_damped() -> None:
    renderer, inputs = renderer_with(), Inputs()
    inputs.stops([[0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    pushes = []
    for speed in (-1.0, 0.0, 1.0):
        inputs.hand_speed[0] = inputs.proxy_speed[0] = speed
        pushes.append(wrench_and_potential(renderer, inputs)[0][0])
    assert pushes[0] == pytest.approx(pushes[1] + 0.05)
    assert pushes[2] == pytest.approx(pushes[1])


def test_a_stop_never_pushes_harder_than_its_limit() -> None:
    renderer, inputs = renderer_with(HapticSettings(stops=Stops(stiffness=10_000.0, force=2.0))), Inputs()
    inputs.stops([[-0.5, 30.0, 40.0, 0.0, 0.0, 0.0, 0.0]])
    inputs.hand_speed[0] = inputs.proxy_speed[0] = -3.0
    assert np.linalg.norm(wrench_and_potential(renderer, inputs)[0]) == pytest.approx(2.0)


def test_near_obstacles_slow_the_robot_down() -> None:
    renderer, inputs = renderer_with(), Inputs()
    factors = []
    for distance in (0.05, 0.015, -0.01):
        inputs.obstacles([[distance, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
        wrench_and_potential(renderer, inputs)
        inputs.at(0.03, fresh=True)
        factors.append(renderer.tick(inputs).slow_down)
    assert factors == pytest.approx([1.0, 0.5, 0.0])


def test_old_measurements_of_contact_fade() -> None:
    renderer = HapticRenderer(HapticSettings(stability=Stability(method=Method.COUPLING_ONLY), limits=OPEN))
    felt = []
    for age in (0.0, 0.06, 0.2, np.inf):
        inputs = Inputs()
        inputs.measured[0], inputs.measured_age = 2.0, age
        renderer.reset()
        for k in range(300):
            inputs.at(1e-3 * k, fresh=True)
            felt_now = renderer.tick(inputs).parts[Cause.CONTACT, 0]
        felt.append(float(felt_now))
    assert felt == pytest.approx([2.0, 1.0, 0.0, 0.0], rel=1e-3)


def test_compensation_is_never_more_than_its_share_and_its_bound() -> None:
    settings = HapticSettings(compensation=Compensation(on=True, inertia=0.6, friction=0.8, force=0.3))
    renderer, inputs = renderer_with(settings), Inputs()
    inputs.hand_speed[:3] = inputs.proxy_speed[:3] = (0.5, -0.2, 0.0)
    small, _ = wrench_and_potential(renderer, inputs)
    assert 0.0 < small[0] <= 0.8 * settings.body.friction
    inputs.hand_acceleration[:] = (100.0, 50.0, 0.0)
    assert np.linalg.norm(wrench_and_potential(renderer, inputs)[0]) == pytest.approx(0.3)


def test_rotation_is_coupled_only_about_axes_that_push() -> None:
    limits = replace(OPEN, for_long=(400.0,) * 4 + (0.0,) * 2)
    renderer, inputs = HapticRenderer(HapticSettings(coupling=Coupling(turn_stiffness=2.0), limits=limits)), Inputs()
    inputs.hand_turn[:] = (np.cos(0.05), 0.6 * np.sin(0.05), 0.8 * np.sin(0.05), 0.0)
    renderer.change(replace(renderer.settings, stability=Stability(method=Method.COUPLING_ONLY)))
    wrench, _ = wrench_and_potential(renderer, inputs)
    assert wrench[3:] == pytest.approx([-2.0 * 0.06, 0.0, 0.0], abs=1e-9)
