"""Pictures without a screen: `render_png(scene, "out.png")`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.bench import Bench
from station.mechanism import MechanismError
from station.view.drawing import library
from station.view.drawing.backend import Target, offscreen_canvas, read_image, shrunk
from station.view.drawing.scene_drawing import Pane
from station.view.errors import ViewError, ViewRequestError
from station.view.robot import joint_values, stand
from station.view.scene_view import SceneView, Stereo
from station.view.task import ShownTask
from station.view.task.path import TaskPath
from station.view.theme import theme_named

SIZE = (1280, 800)
SMOOTHING = 2  # pixels drawn for one of the picture, each way


class PictureFileError(ViewError, OSError):
    """The picture could not be written."""


def render_image(
    view: SceneView, size: tuple[int, int] = SIZE, scale: float = 1.0, smoothing: int = SMOOTHING
) -> NDArray[np.uint8]:
    """The scene as its camera sees it, (height, width, 3), drawn without a screen.

    Args:
        view: what is drawn.
        size: width and height [px].
        scale: pixels of the picture per pixel of lines and letters; 2 for a fine display.
        smoothing: drawn pixels per pixel of the picture, each way.

    Raises:
        NoGraphicsError: if there is no OpenGL.
        ViewRequestError: if the size is not possible.
    """
    canvas = offscreen_canvas()
    canvas.set_current()
    width, height = size[0] * smoothing, size[1] * smoothing
    with _target.drawing(width, height):
        view.draw(Pane((width, height), scale * smoothing))
        image = read_image(width, height)
    return shrunk(image, smoothing)


_target = Target()


def render_png(
    bench: Bench,
    out: str | Path,
    *,
    posture: str | None = None,
    q: ArrayLike | None = None,
    robot: str | None = None,
    size: tuple[int, int] = SIZE,
    view: str = "perspective",
    theme: str = "light",
    scale: float = 1.0,
    stereo: str = "off",
    task: ShownTask | None = None,
    at: float | None = None,
) -> SceneView:
    """Write a picture of a scene; returns what was drawn.

    Args:
        bench: the scene, from `station.load`.
        out: the PNG file.
        posture: a named posture of the robot.
        q: joint values in the order of the file [rad | m].
        robot: the robot that posture and q are for; the first if not given.
        size: width and height [px].
        view: perspective, front, side, top or tool.
        theme: light or dark.
        scale: pixels per pixel of lines and letters.
        stereo: off, side by side, or anaglyph (red and cyan).
        task: whose path is drawn, with what was found on it.
        at: time of the task at which the robot is drawn [s]; at its first finding, if not given.

    Raises:
        NoGraphicsError: if there is no OpenGL.
        ViewRequestError: if something is asked for that there is not.
        PictureFileError: if the file cannot be written.
    """
    scene = SceneView(bench, theme_named(theme))
    if posture is not None or q is not None:
        name = robot or next(iter(scene.robots), "")
        if name not in scene.robots:
            raise ViewRequestError(f"no robot '{name}' in this scene; there are: {', '.join(scene.robots)}")
        _put(scene, name, joint_values(bench[name], posture, q))
    if task is not None:
        TaskPath(scene, task, listed=True).go(task.begin if at is None else at)
    if min(size) < 1:
        raise ViewRequestError(f"a picture of {size[0]} × {size[1]} pixels; each side is at least 1")
    if stereo not in list(Stereo):
        raise ViewRequestError(f"no stereo '{stereo}'; there are: {', '.join(Stereo)}")
    scene.stereo = Stereo(stereo)
    scene.look(view, size[0] / size[1])
    write_png(out, render_image(scene, size, scale))
    return scene


def write_png(out: str | Path, image: NDArray[np.uint8]) -> None:
    """Write an image (height, width, 3) as a PNG file; raises PictureFileError."""
    try:
        with Path(out).open("wb"):
            pass
        library.write_png(str(out), image)
    except OSError as error:
        raise PictureFileError(f"{out}: cannot be written: {error.strerror or error}") from None


def sheet(images: Sequence[NDArray[np.uint8]], columns: int) -> NDArray[np.uint8]:
    """Images of one size side by side."""
    height, width, _ = images[0].shape
    rows = -(-len(images) // columns)
    whole = np.full((rows * height, columns * width, 3), images[0][0, 0], np.uint8)
    for number, image in enumerate(images):
        y, x = divmod(number, columns)
        whole[y * height : (y + 1) * height, x * width : (x + 1) * width] = image
    return whole


def _put(scene: SceneView, name: str, q: NDArray[np.float64]) -> None:
    """Draw a robot at joint values [rad | m], and those that move as one with it where that takes them."""
    bench = scene.bench
    if len(bench.group(name)) == 1:
        scene.robots[name].predict(q)
        return
    try:
        bench.system(name).put(name, q)
    except MechanismError as error:
        raise ViewRequestError(str(error)) from None
    for each in bench.settle(name):
        stand(scene.robots[each], bench[each])
