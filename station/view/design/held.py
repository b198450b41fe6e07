"""What is seen of a grab: the held point as a ball, and a line to where the mouse wants it."""

from __future__ import annotations

import numpy as np

from station.view.design.grab import Grab
from station.view.drawing.segments import Lines
from station.view.geometry.mesh import Colour, coloured, placed
from station.view.geometry.primitives import sphere
from station.view.scene_view import SceneView

NAME = "grab"  # in the scene
PAINT: Colour = (0.90, 0.10, 0.45, 1.0)
SIZE = 0.35  # of the ball over the thickness of the robot
WIDTH = 2.5  # of the line [px]


def show_grab(scene: SceneView, grab: Grab | None) -> bool:
    """Put it into a scene, or take it out; returns whether the picture has changed."""
    if grab is None:
        scene.lines.pop(NAME, None)
        return scene.solids.pop(NAME, None) is not None
    here = grab.place
    pose = np.eye(4)
    pose[:3, 3] = here
    ball = placed(coloured(sphere(1.0), PAINT), pose, SIZE * scene.robots[grab.robot].body.size)
    line = Lines(here[None], grab.wanted[None].copy(), np.array([PAINT], np.float32), WIDTH)
    scene.solids[NAME], scene.lines[NAME] = ball, line
    return True
