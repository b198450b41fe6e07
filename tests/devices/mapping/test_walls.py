"""The edge of the device, the bubble and the pull to the start: shapes, limits, and no energy out of nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.devices.mapping import Box, Bubble, Cylinder, Edge, Guide, MappingSettings, Mode, Region, Sphere
from tests.devices.mapping.hands import BUTTONS, DEAD_MAN, TICK, Array, Bench, pose_of

K, B, MARGIN, MOST = 800.0, 2.0, 0.010, 4.0
REGIONS: list[Region] = [
    Box(centre=(0.01, 0.02, 0.03), size=(0.2, 0.1, 0.3)),
    Cylinder(centre=(0.01, 0.02, 0.03), radius=0.17, length=0.15, axis=0),
    Cylinder(radius=0.17, length=0.15, axis=1),
    Cylinder(radius=0.17, length=0.15, axis=2),
    Sphere(centre=(0.0, -0.1, 0.0), radius=0.08),
]


def edge(region: Region, damping: float = B, force: float = MOST) -> MappingSettings:
    wall = Edge(region=region, margin=MARGIN, stiffness=K, damping=damping, force=force)
    return MappingSettings(engagement=BUTTONS, edge=wall)


def felt(bench: Bench, place: object, velocity: object = (0.0, 0.0, 0.0)) -> Array:
    """Force at a place, wherever the hand was before [N]."""
    bench.tick(ready=False)
    bench.hand = pose_of(place)
    bench.velocity[:3] = np.asarray(velocity)
    bench.tick()
    return bench.mapping.own_wrench[:3].copy()


@pytest.mark.parametrize(
    ("region", "place", "inward"),
    [
        (Box(size=(0.2, 0.1, 0.3)), (0.093, 0.0, 0.0), (-0.003, 0.0, 0.0)),
        (Box(size=(0.2, 0.1, 0.3)), (0.0, -0.044, 0.142), (0.0, 0.004, -0.002)),
        (Box(centre=(1.0, 0.0, 0.0), size=(0.2, 0.1, 0.3)), (0.907, 0.0, 0.0), (0.003, 0.0, 0.0)),
        (Cylinder(radius=0.17, length=0.15, axis=2), (0.0, 0.163, 0.0), (0.0, -0.003, 0.0)),
        (Cylinder(radius=0.17, length=0.15, axis=2), (0.0, 0.0, 0.067), (0.0, 0.0, -0.002)),
        (Cylinder(radius=0.17, length=0.15, axis=0), (0.067, 0.0, -0.162), (-0.002, 0.0, 0.002)),
        (Cylinder(radius=0.17, length=0.15, axis=1), (0.163, 0.0, 0.0), (-0.003, 0.0, 0.0)),
        (Sphere(radius=0.1), (0.0, 0.0, -0.094), (0.0, 0.0, 0.004)),
    ],
)
def test_the_wall_is_a_spring_that_begins_before_the_edge(region: Region, place: object, inward: object) -> None:
    np.testing.assert_allclose(felt(Bench(edge(region)), place), K * np.array(inward), atol=1e-9)


@pytest.mark.parametrize("region", REGIONS)
def test_inside_there_is_no_force(region: Region) -> None:
    assert not felt(Bench(edge(region)), region.centre, (1.0, 1.0, 1.0)).any()


def test_the_wall_is_damped_outwards_and_lets_go_inwards() -> None:
    bench, region_end = Bench(edge(Sphere(radius=0.1))), (0.092, 0.0, 0.0)
    assert felt(bench, region_end, (0.5, 0.3, 0.0))[0] == pytest.approx(-K * 0.002 - B * 0.5)
    assert felt(bench, region_end, (-0.5, 0.3, 0.0))[0] == pytest.approx(-K * 0.002)


@pytest.mark.parametrize("region", REGIONS)
def test_the_force_is_limited(region: Region) -> None:
    far = felt(Bench(edge(region)), np.array(region.centre) + np.array([1.0, 2.0, 3.0]), (5.0, 5.0, 5.0))
    assert np.linalg.norm(far) == pytest.approx(MOST)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(REGIONS), st.integers(0, 2**32 - 1), st.sampled_from([0.0, B]))
def test_a_closed_cycle_gives_no_more_energy_than_sampling_explains(region: Region, seed: int, damping: float) -> None:
    # The force is held for a tick. The potential's slope changes by at most K per metre, so a tick that moves d gives
    # at most ½·K·d² too much; the damper errs by what the velocity is off. docs/mapping.md has the derivation.
    random = np.random.default_rng(seed)
    phases = 2 * np.pi * np.arange(400) / 400
    waves = random.normal(0.0, 0.06, (3, 2, 3))
    numbers = np.arange(1, 4)[:, None]
    places = np.array(region.centre) + sum(
        np.cos(numbers[i] * phases)[:, None] * waves[i, 0] + np.sin(numbers[i] * phases)[:, None] * waves[i, 1]
        for i in range(3)
    )
    bench = Bench(edge(region, damping))
    bench.mapping.change(replace(bench.mapping.settings, engagement=replace(BUTTONS, hand_speed=100.0)))
    gained = allowed = 0.0
    for i in range(400):
        step = places[(i + 1) % 400] - places[i]
        velocity = (places[i] - places[i - 1]) / TICK
        bench.hand, bench.velocity[:3] = pose_of(places[i]), velocity
        bench.tick()
        gained += float(bench.mapping.own_wrench[:3] @ step)
        allowed += 0.5 * K * float(step @ step)
        allowed += damping * float(np.linalg.norm(velocity - step / TICK) * np.linalg.norm(step))
    assert gained <= allowed


def test_a_slow_cycle_through_the_wall_takes_energy() -> None:
    bench, gained = Bench(edge(Sphere(radius=0.1))), 0.0
    places = 0.085 + 0.02 * np.sin(2 * np.pi * np.arange(4001) / 4000)
    for i in range(4000):
        bench.hand = pose_of((places[i], 0.0, 0.0))
        bench.velocity[0] = (places[i + 1] - places[i]) / TICK
        bench.tick()
        gained += bench.mapping.own_wrench[0] * (places[i + 1] - places[i])
    assert gained < 0.0


BUBBLE = MappingSettings(
    engagement=BUTTONS, scale=(2.0,) * 6, bubble=Bubble(radius=0.03, rate=4.0, speed=0.1, stiffness=150.0, force=2.0)
)


def test_inside_the_bubble_the_hand_points() -> None:
    bench = Bench(BUBBLE)
    start = bench.engage()
    target = bench.go((0.02, 0.0, 0.0))
    assert target[0, 3] - start[0, 3] == pytest.approx(0.04)
    np.testing.assert_allclose(bench.go((0.0, 0.0, 0.0)), start, atol=1e-12)
    assert not bench.mapping.own_wrench.any()


def test_outside_the_bubble_the_target_drifts_with_the_depth() -> None:
    bench = Bench(BUBBLE)
    bench.engage()
    bench.go((0.04, 0.0, 0.0))
    before = bench.mapping.target.copy()
    np.testing.assert_allclose((bench.tick() - before)[:3, 3], [2.0 * 4.0 * 0.01 * TICK, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(bench.mapping.own_wrench[:3], [-1.5, 0.0, 0.0], atol=1e-9)
    bench.go((0.08, 0.0, 0.0))
    before = bench.mapping.target.copy()
    np.testing.assert_allclose((bench.tick() - before)[:3, 3], [2.0 * 0.1 * TICK, 0.0, 0.0], atol=1e-12)
    assert bench.mapping.own_wrench[0] == pytest.approx(-2.0)


def test_crossing_the_bubble_is_continuous_in_place_and_speed() -> None:
    bench = Bench(BUBBLE)
    bench.engage()
    bench.go((0.0299, 0.0, 0.0))
    ways = []
    for i in range(200):
        before = bench.mapping.target[0, 3]
        bench.hand = pose_of((0.0299 + 1e-6 * i, 0.0, 0.0))
        bench.tick()
        ways.append(bench.mapping.target[0, 3] - before)
    assert np.abs(np.diff(ways[1:])).max() < 2.0 * 4.0 * 1e-6 * TICK * 1.01


def test_engaging_outside_the_bubble_does_not_set_the_robot_off() -> None:
    bench = Bench(BUBBLE)
    bench.hand = pose_of((0.05, 0.0, 0.0))
    start = bench.engage()
    for _ in range(20):
        np.testing.assert_allclose(bench.tick(), start, atol=1e-12)


def test_the_pull_leads_gently_to_the_start_and_ends_there() -> None:
    guide = Guide(start=(0.0, 0.05, 0.0), stiffness=50.0, damping=2.0, force=1.5, radius=0.005, ramp=0.1)
    bench = Bench(MappingSettings(engagement=BUTTONS, guide=guide))
    bench.mapping.guide()
    place, speed, forces = np.array([0.1, -0.1, 0.0]), np.zeros(3), []
    for _ in range(4000):  # a handle of 200 g that nobody holds
        bench.hand, bench.velocity[:3] = pose_of(place), speed
        bench.tick()
        force = bench.mapping.own_wrench[:3].copy()
        forces.append(np.linalg.norm(force))
        speed = speed + force / 0.2 * TICK
        place = place + speed * TICK
        if bench.mode() is not Mode.GUIDING:
            break
    assert bench.mode() is Mode.WAITING
    assert np.linalg.norm(place - guide.start) < 0.0055
    assert max(forces) <= 1.5 * (1 + 1e-12)
    assert np.abs(np.diff(forces[:100])).max() < 0.05  # it sets in softly


def test_while_the_hand_is_led_it_does_not_engage_and_the_dead_man_is_pressed_afterwards() -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, guide=Guide(start=(0.05, 0.0, 0.0))))
    bench.engage()
    bench.mapping.guide()
    bench.press(DEAD_MAN)
    assert bench.mode() is Mode.GUIDING
    bench.go((0.05, 0.0, 0.0))
    bench.tick()
    assert bench.mode() is Mode.RELEASE_FIRST
    bench.engage()


def test_a_device_that_is_lost_or_not_homed_pushes_nothing() -> None:
    bench = Bench(replace(edge(Sphere(radius=0.05)), guide=Guide(start=(1.0, 0.0, 0.0))))
    bench.mapping.guide()
    assert felt(bench, (0.2, 0.0, 0.0)).any()
    bench.tick(ready=False)
    assert not bench.mapping.own_wrench.any()
