"""What an edit means for a running station."""

from __future__ import annotations

import numpy as np
import pytest

import station
from station.servo.shared.commands import MoveObstacle, SetGeometry, SwitchConstraint
from station.view.design.errors import DesignError
from station.view.design.live_edit import orders_of

SCENE = """RAFF v2.0 Two
robot one { base { }
  link 1 { parameters { 10 300 0 0 } type revolute pred 0 }
  link 2 { parameters { 0 0 90 200 } type revolute pred 1 }
  tool 3 { pos { 50 0 0 } pred 2 } }
robot two { base { pos { 0 900 0 } }
  link 1 { parameters { 0 300 0 0 } type revolute pred 0 } }
obstacle wall { box { 40 400 400 } pos { 900 0 0 } }
obstacle post { sphere 50 pos { 0 -900 0 } }"""


def orders(before: str, after: str) -> list[object]:
    return list(orders_of(station.loads(SCENE), station.loads(SCENE.replace(before, after)), "one"))


def test_a_part_that_is_placed_otherwise() -> None:
    (order,) = orders("{ 0 0 90 200 }", "{ 0 0 90 250 }")
    assert isinstance(order, SetGeometry)
    assert order.frame == 2
    np.testing.assert_allclose(order.values, [0, 0, np.pi / 2, 0.25, 0, 0])
    (order,) = orders("tool 3 { pos { 50 0 0 }", "tool 3 { pos { 50 0 10 }")
    assert order == SetGeometry(3, (0.05, 0.0, 0.01, 0.0, 0.0, 0.0))
    (order,) = orders("one { base { }", "one { base { pos { 5 0 0 } }")
    assert order == SetGeometry(0, (0.005, 0.0, 0.0, 0.0, 0.0, 0.0))


def test_an_obstacle_that_is_moved() -> None:
    (order,) = orders("{ 0 -900 0 }", "{ 0 -800 0 }")
    assert isinstance(order, MoveObstacle)
    assert order.obstacle == 1
    np.testing.assert_allclose(np.reshape(order.pose, (3, 4))[:, 3], [0, -0.8, 0])


def test_a_loop_that_is_switched_by_its_number_in_the_mechanism() -> None:
    loop, tie = "frame 4 { pred 0 } constraint { tool 3 frame 4 axes ( z ) off }", "robot one tool 3 robot two link 1"
    tied = SCENE.replace("pred 2 } }", f"pred 2 }} {loop} }}") + f" constraint {{ {tie} axes ( x ) }}"
    before = station.loads(tied)
    assert orders_of(before, station.loads(tied.replace("( z ) off", "( z )")), "one") == [SwitchConstraint(0, on=True)]
    opened = station.loads(tied.replace("( x )", "( x ) off"))
    assert orders_of(before, opened, "one") == [SwitchConstraint(1, on=False)]
    with pytest.raises(DesignError):
        orders_of(before, station.loads(tied.replace("( x )", "( x y )")), "one")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{ 10 300 0 0 }", "{ 20 300 0 0 }"),  # where a joint starts
        ("type revolute pred 1", "type prismatic pred 1"),
        ("type revolute pred 1", "type revolute pred 1 limits { -10 10 }"),
        ("{ 0 900 0 }", "{ 0 950 0 }"),  # another robot
        ("sphere 50", "sphere 60"),
        ("obstacle post", "obstacle pillar"),
        ("tool 3", "tool 4"),
        ("obstacle wall { box { 40 400 400 } pos { 900 0 0 } }", ""),
    ],
)
def test_what_a_station_cannot_do(before: str, after: str) -> None:
    with pytest.raises(DesignError, match="running station"):
        orders(before, after)
