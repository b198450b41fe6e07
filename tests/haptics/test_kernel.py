from __future__ import annotations

import numpy as np
import pytest

from station.haptics import (
    AxisGuide,
    Cause,
    Compensation,
    ConeGuide,
    Cue,
    CurveGuide,
    Guide,
    HapticRenderer,
    HapticSettings,
    Inputs,
    LineGuide,
    Method,
    PointGuide,
    Stability,
    Zone,
)
from station.haptics.guides import Guides, LaidGuide
from station.haptics.state import HapticState
from station.haptics.tick import haptics_tick
from station.haptics.tuning import GlidingNumbers, Tuning, numbers_from
from station.kernel import Floats, Floats1, kernel
from tests.haptics.hands import reals_of


@kernel
def ten_ticks(state: HapticState, tuning: Tuning, guides: Guides, inputs: Inputs, wrench: Floats1) -> None:
    for _ in range(10):
        inputs.now += 1e-3
        inputs.sample_time += 1e-3
        inputs.hand[0] += 1e-4
        haptics_tick(state, tuning, guides, inputs, wrench)


def everything(method: Method = Method.OBSERVER) -> tuple[HapticRenderer, Inputs]:
    settings = HapticSettings(compensation=Compensation(on=True), stability=Stability(method=method))
    renderer, inputs = HapticRenderer(settings), Inputs()
    for guide in (PointGuide(), LineGuide(), CurveGuide(), ConeGuide(), Zone()):
        renderer.lay(type(guide).__name__, guide)
    return renderer, inputs


def session(seed: int, method: Method = Method.OBSERVER) -> tuple[Floats, float]:
    """Wrenches of a second with everything on, and the least energy at the port [J]."""
    renderer, inputs = everything(method)
    random, wrenches = np.random.default_rng(seed), []
    phases = random.uniform(0.0, 6.28, 3)
    for k in range(1000):
        place = 0.01 * np.sin(2.0 * np.pi * np.array([1.3, 2.1, 3.4]) * 1e-3 * k + phases)
        inputs.hand[:], inputs.proxy[:] = place, np.minimum(place, 0.002)
        inputs.stops([[0.1 + 5.0 * place[0], 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
        inputs.obstacles([[0.008 + place[1], 0.0, 1.0, 0.0, *place]])
        inputs.nearness, inputs.nearness_gradient[2] = 0.08 + place[2], 1.0
        inputs.measured[:3], inputs.measured_age = random.normal(0.0, 1.0, 3), 0.0  # a source that is not passive
        if k % 250 == 100:
            inputs.play(Cue(1 + k // 250))
        inputs.at(1e-3 * k, fresh=random.random() > 0.05)
        wrenches.append(renderer.tick(inputs).wrench.copy())
    return np.array(wrenches), renderer.state.lowest


def test_another_kernel_gets_the_same_as_python() -> None:
    one, inputs = everything()
    other, also = everything()
    inputs.at(0.0, fresh=True)
    also.at(0.0, fresh=True)
    ten_ticks(one.state, one.tuning, one.guides, inputs, one.wrench)
    for k in range(10):
        also.hand[0] += 1e-4
        also.now += 1e-3
        also.sample_time += 1e-3
        assert other.tick(also).fault == 0, k
    assert np.array_equal(one.wrench, other.wrench)
    assert one.state == other.state


def test_the_same_session_gives_the_same_bytes_twice() -> None:
    assert session(7)[0].tobytes() == session(7)[0].tobytes()


@pytest.mark.parametrize("method", [Method.OBSERVER, Method.BOUNDING])
def test_with_everything_on_no_energy_is_generated(method: Method) -> None:
    for seed in range(4):
        wrenches, lowest = session(seed, method)
        assert lowest > -1e-3
        assert np.abs(wrenches).max() > 0.3


def test_energy_is_told_by_cause() -> None:
    renderer, inputs = HapticRenderer(HapticSettings(stability=Stability(method=Method.COUPLING_ONLY))), Inputs()
    for k in range(400):
        inputs.hand[0] = 1e-5 * k
        inputs.at(1e-3 * k, fresh=True)
        energy = renderer.tick(inputs).energy
    assert renderer.energy_of(Cause.COUPLING) == pytest.approx(energy.rendered, rel=1e-9)
    assert renderer.energy_of(Cause.STOPS) == 0.0
    assert energy.rendered > 1e-3


def test_all_that_glides_is_a_real_number() -> None:
    assert len(reals_of(GlidingNumbers())) * 8 == GlidingNumbers.fixed_size


def test_settings_and_their_numbers_have_the_same_names() -> None:
    settings = HapticSettings(compensation=Compensation(on=True), stability=Stability(method=Method.BOUNDING))
    numbers = numbers_from(settings)
    assert numbers.method.name == "BOUNDING"
    assert numbers.obstacles.slow_from == settings.obstacles.slow_from
    assert numbers.limits.peak.tolist() == list(settings.limits.peak)
    assert numbers.strength.tolist() == [1.0] * 10
    assert numbers.actuated.tolist() == [True] * 6


@pytest.mark.parametrize("guide", [AxisGuide(direction=(0.0, 0.2, 1.0)), ConeGuide(), CurveGuide(), Zone()])
def test_a_guide_goes_through_a_row_of_numbers_and_back(guide: Guide) -> None:
    back = LaidGuide()
    back.take_row(guide.row().tolist())
    assert back == guide.laid()
    assert list(guide.row()[:6]) == [guide.shape, 1.0, guide.stiffness, guide.damping, guide.radius, guide.force]
    assert (len(guide.row()), LaidGuide.place_of("count"), LaidGuide.place_of("points")) == (115, 18, 19)
