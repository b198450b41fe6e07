"""Each word of a MAD device arrives in the settings, or is refused with what is allowed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from scipy.spatial.transform import Rotation

from firmware_bridge.force_dimension.models import MODELS as FORCE_DIMENSION
from firmware_bridge.force_dimension.models import capabilities_of
from firmware_bridge.spacemouse.hid_models import MODELS as HID
from firmware_bridge.spacemouse.hid_models import Model as HidModel
from station import mad
from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.falcon import falcon_capabilities
from station.devices.mapping import Box, Cylinder, MappingSettings, SettingsError, settings_from_device
from station.mad.scene import Device, ReferenceFrame

STRAIGHT = Axis(kind=AxisKind.ABSOLUTE, low=-0.17, high=0.17, force=5.0, peak=10.0, stiffness=2000.0)
SHORT = replace(STRAIGHT, low=0.145, high=0.295)
TWIST = Axis(kind=AxisKind.INCREMENTAL, low=-0.26, high=0.26, force=0.2, peak=0.4)
SYNTAXER = Capabilities(
    model="syntaxer",
    axes=(SHORT, STRAIGHT, STRAIGHT, TWIST, TWIST, TWIST),
    buttons=("deadman", "clutch", "aux"),
    rate=1000.0,
)
SPRING = Axis(kind=AxisKind.INCREMENTAL, low=-0.002, high=0.004)
MAGELLAN = Capabilities(model="Magellan", axes=(SPRING,) * 6, buttons=("1", "2"), rate=60.0)
FALCON = Capabilities(
    model="Falcon",
    axes=(Axis(kind=AxisKind.ABSOLUTE, low=-0.05, high=0.05, force=8.0, stiffness=3000.0),) * 3 + (Axis(),) * 3,
    buttons=("centre", "left", "plus", "right"),
    rate=1000.0,
)


def device(text: str = "") -> Device:
    return mad.loads(f"RAFF v2.0 Bench device 1 {{ {text} }}").devices[0]


def made(text: str = "", capabilities: Capabilities = SYNTAXER) -> MappingSettings:
    return settings_from_device(device(text), capabilities)


def test_a_bare_device_is_taken_as_it_means_itself() -> None:
    settings = made()
    assert settings.motion == (AxisKind.ABSOLUTE,) * 3 + (AxisKind.INCREMENTAL,) * 3
    assert settings.scale == (1.0,) * 6
    assert settings.reference is ReferenceFrame.WORLD
    assert settings.high[3:] == (0.26,) * 3
    assert (settings.engagement.period, settings.engagement.stale_after) == (0.001, 0.020)


def turned(settings: MappingSettings, vector: list[float]) -> list[float]:
    return [round(float(value), 12) + 0.0 for value in Rotation.from_rotvec(settings.seat).apply(vector)]


def test_what_the_hand_does_away_from_the_person_is_away_for_the_seat() -> None:
    settings = made()
    assert turned(settings, [-1.0, 0.0, 0.0]) == [0.0, 1.0, 0.0]  # away
    assert turned(settings, [0.0, 1.0, 0.0]) == [1.0, 0.0, 0.0]  # right
    assert turned(settings, [0.0, 0.0, 1.0]) == [0.0, 0.0, 1.0]  # up


def test_a_device_that_stands_sideways_says_so() -> None:
    settings = made("seat { 0 0 90 }")  # its x is where its y would be: to the right
    assert turned(settings, [1.0, 0.0, 0.0]) == [1.0, 0.0, 0.0]


def test_rates_edge_and_bubble_arrive() -> None:
    settings = made("straight_rate 300 turning_rate 90 edge { margin 8 force 2 } bubble { radius 50 speed 100 }")
    assert settings.response.straight_rate == pytest.approx(0.3)
    assert settings.response.turning_rate == pytest.approx(math.pi / 2.0)
    assert (settings.edge.margin, settings.edge.force) == (0.008, 2.0)
    assert (settings.bubble.radius, settings.bubble.speed) == (0.05, 0.1)
    assert settings.bubble.centre == pytest.approx((0.22, 0.0, 0.0))


def test_a_device_that_does_not_point_has_no_bubble() -> None:
    with pytest.raises(SettingsError, match="does not point"):
        made("bubble { radius 50 }", MAGELLAN)


def test_scales_multiply() -> None:
    expected = (2.0, 4.0, 8.0, 3.0, 3.0, 3.0)
    assert made("straight_scale 2 turning_scale 3 scale { 1 2 4 }").scale == expected
    assert made("translation 2 rotation 3 scale { 1 2 4 }").scale == expected  # the older words


@pytest.mark.parametrize(
    ("text", "led"),
    [
        ("translation 3 rotation 3", "******"),
        ("translation 0 rotation 3", "---***"),
        ("translation 3 rotation 0", "***---"),
        ("translation 2 rotation 1", "**-*--"),
        ("translation 0 rotation 0", "------"),
    ],
)
@pytest.mark.parametrize("capabilities", [SYNTAXER, MAGELLAN])
def test_what_the_file_says_a_device_has_not_is_not_led(text: str, led: str, capabilities: Capabilities) -> None:
    old = mad.loads(f"RAFF v1.0 Bench sensor 1 {{ {text} }}").devices[0]
    settings = settings_from_device(old, capabilities)
    assert settings.scale == (1.0,) * 6
    meant = zip(settings.motion, capabilities.axes, led, strict=True)
    assert all(kind is (axis.kind if mark == "*" else AxisKind.NONE) for kind, axis, mark in meant)


def test_freedoms_are_counted_among_those_that_the_device_has() -> None:
    flat = replace(SYNTAXER, axes=(Axis(), STRAIGHT, STRAIGHT, TWIST, TWIST, TWIST))
    assert [kind is AxisKind.NONE for kind in made("straight_freedoms 1", flat).motion[:3]] == [True, False, True]
    assert made("straight_freedoms 3", FALCON).motion == tuple(axis.kind for axis in FALCON.axes)


def test_reference_lock_deadzone_and_curve_arrive() -> None:
    settings = made("reference tool deadzone 0.1 curve 2 lock ( y rz )")
    assert settings.reference is ReferenceFrame.TOOL
    assert (settings.response.dead_zone, settings.response.exponent) == (0.1, 2.0)
    assert settings.locks == (False, True, False, False, False, True)


def test_a_pointing_axis_may_be_taken_as_a_speed() -> None:
    settings = made("motion { translation incremental }")
    assert settings.motion == (AxisKind.INCREMENTAL,) * 6
    assert settings.middle[0] == pytest.approx(0.22)
    assert (settings.low[0], settings.high[0]) == pytest.approx((-0.075, 0.075))


def test_a_springing_axis_cannot_be_taken_as_a_place() -> None:
    with pytest.raises(
        SettingsError, match=r"device 1: axis x of Magellan springs back.*allowed in 'motion': incremental"
    ):
        made("motion { translation absolute }", MAGELLAN)


def test_uneven_travel_keeps_both_sides() -> None:
    settings = made("", MAGELLAN)
    assert (settings.low[0], settings.high[0]) == (-0.002, 0.004)


def test_a_slow_device_is_not_lost_when_one_sample_is() -> None:
    assert made("", MAGELLAN).engagement.stale_after == pytest.approx(2.5 / 60.0)


def test_an_axis_that_is_not_there_stays_none() -> None:
    assert made("motion { rotation absolute }", FALCON).motion[3:] == (AxisKind.NONE,) * 3


def test_buttons_are_those_of_the_file_else_those_that_the_device_names_so() -> None:
    assert made("deadman 2 clutch 0").engagement.dead_man == 2
    assert made("deadman 2 clutch 0").engagement.clutch == 0
    assert (made().engagement.dead_man, made().engagement.clutch) == (0, 1)
    assert made("", MAGELLAN).engagement.clutch is None


def test_a_device_that_declares_no_dead_man_has_the_first_button_that_is_free() -> None:
    assert MAGELLAN.dead_man is None
    assert made("", MAGELLAN).engagement.dead_man == 0
    assert made("clutch 0", MAGELLAN).engagement.dead_man == 1
    assert made("clutch 0 estop 1", MAGELLAN).engagement.dead_man is None
    assert made("", replace(MAGELLAN, buttons=())).engagement.dead_man is None  # engaged by key or window


def test_without_a_word_in_the_file_the_dead_man_is_the_button_that_the_device_declares() -> None:
    falcon = falcon_capabilities()
    assert falcon.buttons[made("", falcon).engagement.dead_man or 0] == "centre"
    first = mad.loads("RAFF v1.0 Bench device 1 { type falcon }").devices[0]
    assert settings_from_device(first, falcon).engagement.dead_man == falcon.dead_man
    assert made("deadman 0", falcon).engagement.dead_man == 0


def test_a_declared_dead_man_gives_way_to_what_the_file_says_of_its_button() -> None:
    cap = replace(MAGELLAN, dead_man=0)
    assert made("", cap).engagement.dead_man == 0
    assert (made("clutch 0", cap).engagement.dead_man, made("clutch 0", cap).engagement.clutch) == (1, 0)
    assert made("estop 0", cap).engagement.dead_man == 1
    assert made("clutch 1 estop 0", cap).engagement.dead_man is None  # both mean something else


@pytest.mark.parametrize("model", [*HID.values(), *FORCE_DIMENSION.values()], ids=lambda model: str(model.name))
def test_every_model_with_buttons_declares_which_one_is_held(model: Any) -> None:
    if isinstance(model, HidModel):
        assert model.dead_man is not None
        assert model.buttons[model.dead_man][1] in ("left", "1", "ctrl")
    else:
        assert capabilities_of(model, "").dead_man == 0


@pytest.mark.parametrize(
    ("buttons", "words"),
    [
        (("deadman",), "the dead-man"),
        (("dead-man",), "the dead-man"),
        (("left",), "the left button"),
        (("1",), "button 1"),
        (("A",), "button A"),
        (("*",), "button *"),
    ],
)
def test_a_button_is_called_as_people_call_it(buttons: tuple[str, ...], words: str) -> None:
    assert replace(MAGELLAN, buttons=buttons).button_words(0) == words


def test_a_button_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        SettingsError, match=r"'deadman' is button 7, which Magellan does not have; allowed: 0 \(1\), 1 \(2\)"
    ):
        made("deadman 7", MAGELLAN)
    with pytest.raises(SettingsError, match="allowed: none, leave it out"):
        made("clutch 0", replace(MAGELLAN, buttons=()))


def test_the_syntaxer_has_a_cylinder_along_its_shortest_axis_and_others_a_box() -> None:
    region = made().edge.region
    assert isinstance(region, Cylinder)
    assert (region.axis, region.radius, region.length) == pytest.approx((0, 0.17, 0.15))
    assert region.centre == pytest.approx((0.22, 0.0, 0.0))
    assert made("type syntaxer", replace(SYNTAXER, model="prototype")).edge.region == region
    assert made("", FALCON).edge.region == Box(centre=(0.0, 0.0, 0.0), size=(0.1, 0.1, 0.1))


def test_walls_keep_within_what_the_device_and_the_file_allow() -> None:
    assert made().edge.force == pytest.approx(3.5)
    assert made("haptics { force 2 }").edge.force == 2.0
    assert made().edge.stiffness == 800.0
    weak = replace(STRAIGHT, stiffness=400.0)
    assert made("", replace(SYNTAXER, axes=(weak, weak, weak, TWIST, TWIST, TWIST))).edge.stiffness == 200.0


def test_a_device_without_motors_has_no_walls_and_no_pull() -> None:
    settings = made("", MAGELLAN)
    assert settings.edge.region is None
    assert settings.guide.force == 0.0


def test_the_start_is_the_middle_of_the_workspace() -> None:
    assert made().guide.start == pytest.approx((0.22, 0.0, 0.0))
    assert made().guide.force == 1.5
