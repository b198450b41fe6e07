"""Texts in a picture: where they belong, within it, and never over each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from station.view.camera import Camera, Sight
from station.view.drawing.label import HALF, PAD, Box, Label, Placed, arranged
from station.view.drawing.text import MOST, atlas_of
from tests.view.pictures import picture, scene

SIZE, LETTERS = (640, 400), 13
BLACK = (0.0, 0.0, 0.0, 1.0)


def sight() -> Sight:
    return Camera(distance=3.0).sight(SIZE[0] / SIZE[1], np.zeros(3), 2.0)


def width_of(text: str) -> float:
    return atlas_of(LETTERS).layout(text).width


def placed(*labels: Label) -> list[Placed]:
    return arranged(labels, sight(), SIZE, 1.0, LETTERS, width_of)


def box_of(label: Placed) -> Box:
    pad, half = PAD * LETTERS, HALF * LETTERS
    return Box(label.x - pad, label.y - half, label.x + width_of(label.text) + pad, label.y + half)


def test_a_text_stands_beside_its_place() -> None:
    (label,) = placed(Label("tool", (0.0, 0.0, 0.0), BLACK, offset=(10.0, -4.0)))
    assert (label.x, label.y) == (320 + 10, 200 - 4)


def test_texts_at_one_place_do_not_cover_each_other_and_the_first_keeps_it() -> None:
    texts = ["home", "link 2 to bench: 0.42 m", "funnel", "seam", "table", "measured, 200 ms"]
    found = placed(*(Label(text, (0.0, 0.0, 0.001 * number), BLACK) for number, text in enumerate(texts)))
    assert {label.text for label in found} == set(texts)
    first = next(label for label in found if label.text == "home")
    assert abs(first.y - 200) <= 1
    for one, other in itertools.combinations(found, 2):
        assert not box_of(one).meets(box_of(other)), (one, other)


def test_a_text_gives_way_to_the_lines_at_the_top() -> None:
    line = Label("engaged", (6.0, 16.0), BLACK)
    camera = sight()
    inverse = np.linalg.inv(camera.view_projection)
    corner = inverse @ np.array([-0.97, 0.93, 0.0, 1.0])
    found = placed(Label("elbow", tuple(corner[:3] / corner[3]), BLACK), line)
    assert found[0] == Placed("engaged", 14, 16, BLACK, None)
    assert not box_of(found[0]).meets(box_of(found[1]))


@pytest.mark.parametrize("corner", [(0.999, 0.0), (-0.999, 0.0), (0.0, 0.999), (0.0, -0.999), (0.999, -0.999)])
def test_what_is_seen_keeps_its_text_in_the_picture(corner: tuple[float, float]) -> None:
    place = np.linalg.inv(sight().view_projection) @ np.array([*corner, 0.0, 1.0])
    (label,) = placed(Label("a rather long text", tuple(place[:3] / place[3]), BLACK))
    box = box_of(label)
    assert box.left >= -1.0
    assert box.right <= SIZE[0] + 1.0
    assert box.top >= -1.0
    assert box.bottom <= SIZE[1] + 1.0


@pytest.mark.parametrize("place", [(0.0, 0.0, 50.0), (30.0, -30.0, 10.0)])
def test_what_is_not_in_the_picture_has_no_text(place: tuple[float, float, float]) -> None:
    assert placed(Label("gone", place, BLACK)) == []


def test_more_letters_than_a_picture_can_have_are_left_out() -> None:
    view = scene("panda")
    view.status = [f"{number} {'m' * 120}" for number in range(MOST // 100)]
    assert picture(view).shape[2] == 3
