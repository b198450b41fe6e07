"""Settings: wrong ones are refused in one line that says what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

from station.devices.device import AxisKind
from station.devices.errors import DeviceError
from station.devices.mapping import (
    Box,
    Bubble,
    Cylinder,
    Edge,
    Engagement,
    Guide,
    MappingSettings,
    Response,
    SettingsError,
    Sphere,
)
from station.devices.mapping.settings import Shape
from station.devices.mapping.state import Kind, Reference, fill_numbers, numbers_of
from station.devices.parameter import about
from station.mad.scene import ReferenceFrame

MIXED_TURNS = (AxisKind.ABSOLUTE,) * 4 + (AxisKind.INCREMENTAL,) * 2
SPRINGS = (AxisKind.INCREMENTAL,) * 6


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: MappingSettings(scale=(math.nan,) * 6), "scale is nan; allowed: -100 to 100"),
        (lambda: MappingSettings(scale=(1.0,) * 5), "scale has 5 members; allowed: 6"),  # type: ignore[arg-type]
        (lambda: MappingSettings(low=(0.1,) * 6), "low is 0.1 [m | rad]; allowed: -100 to 0"),
        (
            lambda: MappingSettings(motion=MIXED_TURNS),
            "motion of the turning axes is mixed; allowed: all absolute or all incremental",
        ),
        (
            lambda: MappingSettings(motion=SPRINGS, bubble=Bubble(radius=0.1)),
            "bubble needs absolute straight axes; set its radius to 0 or the motion to absolute",
        ),
        (lambda: Response(dead_zone=1.0), "dead_zone is 1; allowed: 0 to 0.9"),
        (lambda: Response(exponent=0.0), "exponent is 0; allowed: 0.2 to 5"),
        (lambda: Engagement(dead_man=40), "dead_man is 40; allowed: 0 to 31"),
        (lambda: Engagement(dead_man=1, clutch=1), "clutch is button 1; allowed: another one than the dead-man"),
        (lambda: Engagement(hand_speed=math.inf), "hand_speed is inf [m/s]; allowed: 0.01 to 100"),
        (lambda: Edge(stiffness=-1.0), "stiffness is -1 [N/m]; allowed: 0 to 20000"),
        (
            lambda: Edge(region=Sphere(radius=0.01), margin=0.02),
            "margin is 0.02 [m]; allowed: less than half of the region, 0.01",
        ),
        (lambda: Box(size=(0.1, 0.0, 0.1)), "size is 0 [m]; allowed: 0.0001 to 100"),
        (lambda: Cylinder(axis=3), "axis is 3; allowed: 0 to 2"),
        (lambda: Guide(force=50.0), "force is 50 [N]; allowed: 0 to 10"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(make: Callable[[], object], text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make()
    assert str(caught.value) == text
    assert isinstance(caught.value, DeviceError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("kind", [MappingSettings, Response, Engagement, Edge, Bubble, Guide, Box, Cylinder, Sphere])
def test_every_parameter_says_what_it_is(kind: type) -> None:
    described = {name: description for name, _, description in about(kind)}
    nested = {"response", "engagement", "edge", "bubble", "guide"} if kind is MappingSettings else set()
    assert set(described) | nested == {field.name for field in fields(kind)}
    assert all(description.meaning for description in described.values())
    kind()  # every default is allowed


def test_kernels_read_what_is_set() -> None:
    full = MappingSettings(
        engagement=Engagement(dead_man=0, clutch=1), edge=Edge(region=Box()), bubble=Bubble(radius=0.05)
    )
    numbers = numbers_of(full)
    assert numbers.bubble_rate == 4.0
    assert numbers.edge.force == 4.0
    assert numbers.guide.ramp == 0.5
    assert numbers.period == 1e-3
    assert (numbers.dead_man, numbers.clutch) == (0, 1)
    assert (numbers.edge.region, numbers.bubble.region) == (Shape.BOX, Shape.SPHERE)
    assert numbers.bubble.half[0] == 0.05
    bare = numbers_of(MappingSettings())
    fill_numbers(numbers, MappingSettings())
    assert numbers == bare  # nothing is left of what was set before
    assert (bare.dead_man, bare.clutch) == (-1, -1)
    assert bare.edge.region is bare.bubble.region is Shape.NONE


def test_kernels_have_all_kinds_and_references() -> None:
    assert {kind.name for kind in AxisKind} == {kind.name for kind in Kind}
    assert {frame.name for frame in ReferenceFrame} == {frame.name for frame in Reference}


def test_the_seat_is_a_rotation_vector() -> None:
    seat = numbers_of(MappingSettings(seat=(0.0, 0.0, math.pi / 2))).seat
    np.testing.assert_allclose(seat @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(numbers_of(MappingSettings()).seat, np.eye(3))
