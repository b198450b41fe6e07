"""For the tests of pictures: small scenes, and pixels as people would talk about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import robots
import station
from station.view.png import render_image
from station.view.scene_view import SceneView
from station.view.theme import LIGHT, Theme

SIZE = (320, 240)
Image = NDArray[np.uint8]

BAR = """RAFF v2.0 Bar
robot bar {
  base { visual { box { 20 20 20 } } }
  link 1 { type prismatic  pred 0  parameters { theta 0 r 0 alpha 0 d 0 }  limits { -500 500 }
           visual { box { 200 200 20 }  colour { 1 0 0 } } }
}
"""


def scene(name: str, theme: Theme = LIGHT) -> SceneView:
    """A shipped robot, everything in the picture."""
    view = SceneView(station.load(robots.path(name)), theme)
    view.fit(SIZE[0] / SIZE[1])
    return view


def from_text(text: str, file: str = "<text>") -> SceneView:
    """A scene from MAD text with nothing but its bodies."""
    return bare(SceneView(station.loads(text, file)))


def bare(view: SceneView) -> SceneView:
    """Without floor, shadows, frames and labels."""
    view.show_floor = view.show_shadows = view.show_labels = False
    view.frames = []
    view.fit(SIZE[0] / SIZE[1])
    return view


def picture(view: SceneView, **options: Any) -> Image:
    """As it is drawn, without smoothing: every pixel is of one thing."""
    return render_image(view, options.pop("size", SIZE), smoothing=1, **options)


def background(view: SceneView) -> NDArray[np.float64]:
    """Colour of the background, 0 to 255."""
    return 255.0 * np.array(view.theme.background[:3])


def differs(image: Image, colour: Any, by: float = 6.0) -> NDArray[np.bool_]:
    """Pixels that are not of a colour."""
    return np.asarray(np.abs(image.astype(float) - np.asarray(colour, float)).max(axis=2) > by)


def centre_of(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Middle of some pixels, x and y from the top left."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean()), float(rows.mean())


def project(view: SceneView, points: NDArray[np.float64], size: tuple[int, int] = SIZE) -> NDArray[np.float64]:
    """Pixels (n, 2) at which points of the world are seen, from the top left."""
    sight = view.camera.sight(size[0] / size[1], view.floor.centre, 10.0)
    clip = np.column_stack([points, np.ones(len(points))]) @ sight.view_projection.T
    place = clip[:, :2] / clip[:, 3:]
    return np.column_stack([(0.5 + 0.5 * place[:, 0]) * size[0], (0.5 - 0.5 * place[:, 1]) * size[1]])
