from __future__ import annotations

import numpy as np
import pytest

from sim_devices.falcon.body import Body as FalconPlant
from sim_devices.syntaxer.emulator import TICK
from sim_devices.syntaxer.plant.numbers import PlantNumbers
from station import mad
from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.falcon.geometry import falcon_capabilities
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.translation import cylinder_points, least_damping, step_per_count, survey
from station.errors import MadError
from station.haptics import (
    BODIES,
    Acting,
    Body,
    Cause,
    HapticRenderer,
    Inputs,
    LimitedBy,
    Limits,
    Method,
    SettingsError,
    body_from_device,
    gains_from_device,
    settings_from_device,
    stiffness_bound,
)
from station.mad.scene import Haptics

STRAIGHT = Axis(kind=AxisKind.ABSOLUTE, low=-0.1, high=0.1, force=4.0, peak=9.0, stiffness=3000.0)
TURNING = Axis(kind=AxisKind.INCREMENTAL, low=-0.3, high=0.3, force=0.05, peak=0.1, stiffness=2.0)
FULL = Capabilities(model="full", axes=(STRAIGHT,) * 3 + (TURNING,) * 3, rate=1000.0)
POINTING = Capabilities(model="pointing", axes=(STRAIGHT,) * 3 + (Axis(),) * 3, rate=2000.0)
MUTE = Capabilities(model="mute", axes=(Axis(kind=AxisKind.INCREMENTAL, low=-1.0, high=1.0),) * 6, rate=100.0)


def test_without_a_word_gains_come_from_damping_and_rate() -> None:
    gains = gains_from_device(None, FULL, Body(damping=1.0, friction=0.1, resolution=30e-6))
    assert gains.straight.limited_by is LimitedBy.DAMPING
    assert gains.coupling.stiffness == pytest.approx(0.8 * 2.0 * (1.0 - 0.3) / 1e-3)
    assert gains.coupling.damping == pytest.approx(0.3)


def test_a_wanted_stiffness_beyond_the_bound_is_cut_without_passivity_control_and_shown_with_it() -> None:
    wanted = Haptics(stiffness=2500.0, damping=0.2)
    plain = gains_from_device(wanted, FULL, Body(), Method.COUPLING_ONLY)
    guarded = gains_from_device(wanted, FULL, Body(), Method.OBSERVER)
    assert plain.coupling.stiffness < plain.straight.bound
    assert guarded.coupling.stiffness == 2500.0
    assert guarded.straight.margin < 0.0 <= plain.straight.margin


def test_no_spring_is_stiffer_than_what_the_device_renders() -> None:
    gains = gains_from_device(Haptics(stiffness=9000.0), FULL, Body(damping=50.0, friction=5.0))
    assert gains.coupling.stiffness == 3000.0


def test_limits_are_those_of_the_device_and_of_the_file() -> None:
    settings = settings_from_device(Haptics(force=3.0, torque=0.04), FULL)
    assert settings.limits.for_long[0] == 4.0
    assert settings.limits.peak[:4] == (9.0, 9.0, 9.0, 0.1)
    assert (settings.limits.force, settings.limits.torque) == (3.0, 0.04)
    assert settings.stability.period == pytest.approx(1e-3)


def test_words_of_the_file_are_factors_and_nought_is_off() -> None:
    settings = settings_from_device(Haptics(stops=2.0, singularity=0.0, contact=0.5), FULL)
    assert settings.stops.stiffness == 10.0
    assert not settings.singularity.on
    assert settings.contact.scale == 0.5


@pytest.mark.parametrize("capabilities", [FULL, POINTING, MUTE], ids=lambda c: c.model)
def test_every_device_has_settings_that_run(capabilities: Capabilities) -> None:
    renderer = HapticRenderer(settings_from_device(None, capabilities))
    assert renderer.settings.stability.period == pytest.approx(1.0 / capabilities.rate)


def said(text: str) -> Haptics:
    haptics = mad.loads(f"RAFF v2.0 Bench device 1 {{ haptics {{ {text} }} }}").devices[0].haptics
    assert haptics is not None
    return haptics


def test_the_file_names_the_method_and_how_much_is_trusted() -> None:
    file = said("stability { type energy_bounding trust 0.3 }")
    settings = settings_from_device(file, FULL)
    assert settings.stability.method is Method.BOUNDING
    assert settings.stability.trust == 0.3
    assert settings_from_device(file, FULL, method=Method.COUPLING_ONLY).stability.method is Method.COUPLING_ONLY
    assert settings_from_device(said("stability { trust 0.3 }"), FULL).stability.method is Method.OBSERVER


def test_the_file_says_what_is_trusted_of_the_device_and_the_rest_is_known_by_its_model() -> None:
    file = said("body { damping 0.7 friction 0.2 mass 0.5 resolution 0.04 turn_resolution 0.01 delay 0.0004 }")
    body = body_from_device(file, SyntaxerModel().capabilities)
    assert (body.damping, body.friction, body.mass, body.delay) == (0.7, 0.2, 0.5, 0.0004)
    assert body.resolution == pytest.approx(40e-6)  # millimetres in the file
    assert body.turn_resolution == pytest.approx(np.radians(0.01))
    assert body.turn_damping == BODIES["syntaxer"].turn_damping
    assert body_from_device(None, falcon_capabilities()) == BODIES["Novint Falcon"]
    assert body_from_device(None, FULL) == Body()


@pytest.mark.parametrize("text", ["stability { trust 1.5 }", "body { delay 1 }", "body { resolution 100 }"])
def test_absurd_trust_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SettingsError, match="allowed"):
        settings_from_device(said(text), FULL)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("stability { type hope }", "coupling_only, observer_controller, energy_bounding"),
        ("body { damping -1 }", "damping"),
        ("body { weight 1 }", "allowed: damping, turn_damping, friction, mass, resolution, turn_resolution, delay"),
    ],
)
def test_a_wrong_word_of_the_file_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(MadError, match=problem):
        said(text)


def test_nothing_is_trusted_of_the_syntaxer_that_its_model_and_plant_do_not_have() -> None:
    model, plant, body = SyntaxerModel(), PlantNumbers(), BODIES["syntaxer"]
    everywhere = survey(model.parts, cylinder_points(model.geometry.cylinder))
    damping = np.nanmin(least_damping(everywhere, [chain.damping for chain in model.geometry.chains]))
    ways = np.random.default_rng(0).normal(size=(500, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    friction = min(
        plant.arm_friction * np.abs(ways @ np.linalg.inv(arms).T).sum(axis=1).min()
        for arms in everywhere.jacobians[::9]
    )
    assert 0.9 * damping < body.damping <= damping
    assert 0.8 * friction < body.friction <= friction
    assert body.resolution <= np.nanmin(step_per_count(everywhere, model.parts))
    assert body.delay == pytest.approx(TICK + plant.current_lag)
    assert body.turn_damping <= model.geometry.paramat.damping


def test_less_is_trusted_of_the_falcon_than_its_plant_has() -> None:
    assert BODIES["Novint Falcon"].damping < FalconPlant().viscous
    assert BODIES["Novint Falcon"].friction < FalconPlant().coulomb


def test_a_delay_counts_as_twice_as_much_period() -> None:
    late = stiffness_bound(damping=1.0, period=1e-3, friction=1.0, resolution=1e-5, delay=0.5e-3)
    slow = stiffness_bound(damping=1.0, period=2e-3, friction=1.0, resolution=1e-5)
    assert late.bound == pytest.approx(slow.bound)
    with pytest.raises(SettingsError, match="delay"):
        stiffness_bound(damping=1.0, period=1e-3, friction=1.0, resolution=1e-5, delay=-1.0)


def test_gains_are_told_to_people_with_their_bound() -> None:
    syntaxer = SyntaxerModel().capabilities
    plain = gains_from_device(said("stability { type coupling_only }"), syntaxer)
    guarded = gains_from_device(None, syntaxer)
    wanted = gains_from_device(said("stiffness 550"), syntaxer)
    assert plain.text == (
        "coupling 129 N/m: 80 % of the bound 162 N/m = 2·(b - B)/(T + 2·d), d = 0.8 ms, at 1000 Hz; coupling-only"
    )
    assert guarded.text == "coupling 336 N/m: 80 % of the bound 420 N/m = 2·(b - B)/T at 1000 Hz; observer-controller"
    assert wanted.text.startswith("coupling 550 N/m: 131 % of the bound 420 N/m")
    assert gains_from_device(None, MUTE).text == "no coupling: the device cannot push"


def test_effects_of_a_device_that_cannot_push_are_those_of_one_that_can_and_nothing_goes_out() -> None:
    """What would be felt is shown; the device gets nothing, and that is no limit which acts."""
    settings = settings_from_device(None, MUTE)
    assert settings.stops.force == settings.singularity.force == 0.5 * Limits.force
    renderer, inputs = HapticRenderer(settings), Inputs()
    inputs.states(ready=True, engaged=True, link=True)
    inputs.stops([[0.05, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0]])
    for k in range(400):
        inputs.at(1e-3 * k, fresh=True)
        answer = renderer.tick(inputs)
    assert answer.fault == 0
    assert not answer.wrench.any()
    assert answer.parts[Cause.STOPS, 1] == pytest.approx(5.0 * (0.17 - 0.05) * 0.4, rel=0.05)
    assert not answer.acting & Acting.FORCE_LIMIT
