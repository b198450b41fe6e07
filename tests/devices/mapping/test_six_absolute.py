"""Devices that point with all six axes, as an arm or a tracker does: orientation is led as a place is, fast or slow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from station import mad
from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.mapping import MappingSettings, Mode, settings_from_device
from station.mad.scene import ReferenceFrame
from tests.devices.mapping.hands import BUTTONS, CLUTCH, DEAD_MAN, POINTING, TICK, Array, Bench, moved, pose_of, turned

PLACE = Axis(kind=AxisKind.ABSOLUTE, low=-0.4, high=0.4)
TURN = Axis(kind=AxisKind.ABSOLUTE, low=-np.pi, high=np.pi)
TRACKER = Capabilities(model="tracker", axes=(PLACE,) * 3 + (TURN,) * 3, buttons=("left", "right"), rate=50.0)
PERIOD = 20  # ticks between two samples of a tracker
SETTINGS = MappingSettings(motion=POINTING, engagement=BUTTONS)


def tracked(text: str = "", capabilities: Capabilities = TRACKER) -> MappingSettings:
    return settings_from_device(mad.loads(f"RAFF v2.0 B device 1 {{ clutch 1 {text} }}").devices[0], capabilities)


def test_a_device_of_six_places_is_taken_as_such() -> None:
    settings = tracked()
    assert settings.motion == POINTING
    assert settings.engagement.spread == pytest.approx(0.02)
    assert settings.engagement.stale_after == pytest.approx(0.05)


@pytest.mark.parametrize(("rate", "force", "spread"), [(60.0, 0.0, 1 / 60), (60.0, 5.0, 0.0), (1000.0, 0.0, 0.0)])
def test_only_what_is_slow_and_does_not_push_is_spread(rate: float, force: float, spread: float) -> None:
    axes = (replace(PLACE, force=force, peak=force),) * 3 + (TURN,) * 3
    assert tracked("", replace(TRACKER, axes=axes, rate=rate)).engagement.spread == pytest.approx(spread)


def test_with_a_scale_of_one_the_orientation_is_that_of_the_hand_whatever_the_way() -> None:
    bench = Bench(SETTINGS)
    start = bench.engage()
    random = np.random.default_rng(4)
    for _ in range(12):  # a walk through all orientations
        bench.go(0.1 * random.uniform(-1, 1, 3), Rotation.random(random_state=random).as_rotvec(), 400)
    expected = bench.hand[:3, :3] @ start[:3, :3]
    assert np.abs(bench.mapping.target[:3, :3] - expected).max() < 1e-9
    assert np.allclose(bench.mapping.target[:3, 3] - start[:3, 3], bench.hand[:3, 3], atol=1e-9)


def test_three_turns_about_one_axis_are_three_turns() -> None:
    bench = Bench(replace(SETTINGS, scale=(1.0,) * 3 + (0.5,) * 3))
    before, total = bench.engage(), np.zeros(3)
    for angle in np.arange(0.0, 6.0 * np.pi, 0.01):
        bench.hand = pose_of(turn=(0.0, 0.0, angle))
        after = bench.tick()
        total += turned(before, after)
        before = after
    assert total == pytest.approx([0.0, 0.0, 0.5 * (6.0 * np.pi - 0.01)], abs=0.02)


def test_clutch_and_a_new_hold_take_the_hand_as_it_is_without_a_jump() -> None:
    bench = Bench(SETTINGS)
    bench.engage()
    before = bench.go((0.1, 0.0, 0.0), (0.5, 0.0, 0.0))
    bench.press(DEAD_MAN | CLUTCH)
    assert bench.mode() is Mode.CLUTCHED
    assert np.allclose(bench.go((-0.1, 0.05, 0.0), (0.0, -2.0, 1.0), 300), before, atol=1e-12)
    assert np.allclose(bench.press(DEAD_MAN), before, atol=1e-12)
    hand = bench.hand.copy()
    after = bench.go((-0.1, 0.05, 0.02), (0.3, -2.0, 1.0))
    assert moved(before, after) == pytest.approx(moved(hand, bench.hand), abs=1e-9)


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_the_seat_turns_places_and_turns_alike(angle: float) -> None:
    bench = Bench(replace(SETTINGS, seat=(0.0, 0.0, angle)))
    start = bench.engage()
    went = moved(start, bench.go((0.02, 0.01, 0.03), (0.2, 0.1, -0.1)))
    seat = Rotation.from_rotvec((0.0, 0.0, angle))
    assert went == pytest.approx([*seat.apply((0.02, 0.01, 0.03)), *seat.apply((0.2, 0.1, -0.1))], abs=1e-3)


def test_in_the_axes_of_the_tool_the_tool_turns_about_its_own() -> None:
    bench = Bench(replace(SETTINGS, reference=ReferenceFrame.TOOL))
    start = bench.engage()
    went = turned(start, bench.go(turn=(0.4, 0.0, 0.0)))
    assert went == pytest.approx(start[:3, :3] @ (0.4, 0.0, 0.0), abs=1e-9)


def test_a_device_with_one_turning_freedom_turns_about_that_axis_alone() -> None:
    settings = replace(tracked("turning_freedoms 1"), seat=(0.0, 0.0, 0.0))
    bench = Bench(replace(settings, engagement=replace(BUTTONS, period=TICK)))
    start = bench.engage()
    went = moved(start, bench.go(turn=(0.1, 0.05, -0.2)))
    assert went[4:] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert went[3] > 0.05


def slow(settings: MappingSettings, samples: int, step: Array) -> tuple[Bench, list[Array]]:
    """An even motion that a tracker tells of: `step` [m, rad] from sample to sample; the way of every tick."""
    bench = Bench(replace(settings, engagement=replace(settings.engagement, dead_man=0, clutch=None)))
    for buttons in (0, DEAD_MAN):
        bench.buttons = buttons
        for tick in range(PERIOD):
            bench.tick("new" if tick == 0 else None)
    assert bench.mode() is Mode.ENGAGED
    ways, before = [], bench.mapping.target.copy()
    for number in range(1, samples + 1):
        bench.hand = pose_of(number * step[:3], number * step[3:])
        for tick in range(PERIOD):
            after = bench.tick("new" if tick == 0 else None)
            ways.append(moved(before, after))
            before = after
    return bench, ways


def test_a_slow_device_moves_the_target_evenly() -> None:
    step = np.array([0.004, 0.0, 0.0, 0.0, 0.0, 0.02])
    _, ways = slow(tracked(), 10, step)
    sizes = np.linalg.norm(np.array(ways)[:, :3], axis=1), np.linalg.norm(np.array(ways)[:, 3:], axis=1)
    assert np.allclose(sizes[0], 0.004 / PERIOD, rtol=1e-6)
    assert np.allclose(sizes[1], 0.02 / PERIOD, rtol=1e-6)
    at_once = slow(replace(tracked(), engagement=replace(tracked().engagement, spread=0.0)), 10, step)[1]
    assert np.linalg.norm(np.array(at_once)[:, :3], axis=1).max() > 0.002  # what it would be: steps


def test_a_slow_device_loses_nothing_on_the_way() -> None:
    step = np.array([0.003, -0.002, 0.001, 0.03, -0.01, 0.02])
    bench, ways = slow(tracked(), 25, step)
    seat = Rotation.from_rotvec(bench.mapping.settings.seat)
    assert np.sum(ways, axis=0)[:3] == pytest.approx(seat.apply(25 * step[:3]), abs=1e-9)


def test_a_slow_device_that_falls_silent_is_let_go() -> None:
    bench, _ = slow(tracked(), 3, np.full(6, 0.001))
    for _ in range(40):
        bench.tick(None)
    assert bench.mode() is Mode.NO_SAMPLE
