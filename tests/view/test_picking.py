"""Picking: what is under a pixel, checked against what the graphics drew there."""

from __future__ import annotations

import numpy as np
import pytest

from station.view.errors import ViewRequestError
from tests.view.pictures import SIZE, bare, picture, scene


@pytest.mark.parametrize("name", ["panda", "stewart", "cross-delta"])
def test_picking_returns_the_link_that_is_drawn_there(name: str) -> None:
    view = bare(scene(name))
    robot = view.robots[name]
    before = picture(view)
    aimed = 0
    for link in robot.body.ids:
        robot.mark({link: (1.0, 0.0, 1.0, 1.0)})
        seen = (picture(view) != before).any(axis=2)
        robot.mark({link: None})
        inside = seen[1:-1, 1:-1] & seen[:-2, 1:-1] & seen[2:, 1:-1] & seen[1:-1, :-2] & seen[1:-1, 2:]
        rows, columns = np.nonzero(inside)
        for pick in np.linspace(0, len(rows) - 1, 4).astype(int) if len(rows) else []:
            x, y = columns[pick] + 1.5, rows[pick] + 1.5
            hit = view.hit(2.0 * x / SIZE[0] - 1.0, 1.0 - 2.0 * y / SIZE[1], SIZE[0] / SIZE[1])
            assert hit is not None
            assert (hit.robot, hit.id) == (name, link)
            aimed += 1
    assert aimed >= 12


def test_empty_space_is_nothing() -> None:
    view = scene("panda")
    assert view.hit(-0.99, 0.99, SIZE[0] / SIZE[1]) is None


def test_parallel_rays_pick_as_well() -> None:
    view = scene("scara")
    view.look("top", SIZE[0] / SIZE[1])
    robot = view.robots["scara"]
    elbow = robot.pose(2)[:3, 3]
    sight = view.camera.sight(SIZE[0] / SIZE[1], view.floor.centre, 10.0)
    clip = sight.view_projection @ [*elbow, 1.0]
    hit = view.hit(clip[0], clip[1], SIZE[0] / SIZE[1])
    assert hit is not None
    assert hit.id in (1, 2)


def test_selecting_a_link_that_there_is_not_lists_those_there_are() -> None:
    view = scene("panda")
    with pytest.raises(ViewRequestError, match="has no part 77; there are: 0, 1, 2"):
        view.robots["panda"].select(77)
