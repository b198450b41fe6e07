"""Pictures for two eyes."""

from __future__ import annotations

import numpy as np
import pytest

from station.view.scene_view import Stereo
from tests.view.pictures import SIZE, background, bare, differs, picture, scene


def test_red_and_cyan_are_what_the_two_eyes_see() -> None:
    view = scene("panda")
    view.robots["panda"].measure(view.robots["panda"].q + 0.2)
    view.stereo = Stereo.ANAGLYPH
    both = picture(view)
    view.stereo = Stereo.OFF
    apart = 0.5 * view.eyes_apart * view.camera.distance
    view.camera.beside = -apart
    left = picture(view)
    view.camera.beside = apart
    right = picture(view)
    assert (left != right).any()
    assert (both[..., 0] == left[..., 0]).all()
    assert (both[..., 1:] == right[..., 1:]).all()


def test_what_is_at_the_centre_is_at_one_place_for_both_eyes_and_nearer_things_are_not() -> None:
    camera = scene("panda").camera
    places = []
    for side in (-0.05, 0.05):
        camera.beside = side
        sight = camera.sight(1.6, camera.centre, 10.0)
        points = np.stack([camera.centre, camera.centre + 0.3 * sight.back])
        clip = np.column_stack([points, np.ones(2)]) @ sight.view_projection.T
        places.append(clip[:, 0] / clip[:, 3])
    assert places[0][0] == pytest.approx(places[1][0], abs=1e-12)
    assert places[0][1] > places[1][1]  # the left eye sees near things further to the right


def test_side_by_side_has_a_picture_for_each_eye() -> None:
    view = bare(scene("panda"))
    view.stereo = Stereo.SIDE_BY_SIDE
    seen = differs(picture(view), background(view))
    halves = seen[:, : SIZE[0] // 2], seen[:, SIZE[0] // 2 :]
    assert halves[0].sum() == pytest.approx(halves[1].sum(), rel=0.1)
    assert (halves[0] != halves[1]).any()
