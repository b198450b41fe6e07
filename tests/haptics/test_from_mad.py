from __future__ import annotations

import pytest

from station.devices.device import Axis, AxisKind, Capabilities
from station.haptics import Body, HapticRenderer, LimitedBy, Method, gains_from_device, settings_from_device
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
