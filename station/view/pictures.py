"""Pictures of the manual, made by the program itself: `python -m station.view.pictures [FOLDER [PART …]]`.

Parts: `robots` (here), `augment`, and those of the modules `station/view/panels/…_pictures.py`, by `draw(folder)`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import robots
from station.bench import load
from station.view import augment_pictures
from station.view.drawing.arrows import Arrow
from station.view.drawing.label import Label
from station.view.png import render_image, sheet, write_png
from station.view.scene_view import SceneView
from station.view.theme import DARK, LIGHT, Theme
from station.view.trails import Trail

FOLDER = Path("docs/pictures")
TILE = (320, 240)  # [px]
COLUMNS = 6


def contact_sheet() -> NDArray[np.uint8]:
    """Every shipped robot, with its name."""
    images = []
    for name in robots.names():
        view = SceneView(load(robots.path(name)), LIGHT)
        view.show_labels = False
        view.status = [name]
        view.look("perspective", TILE[0] / TILE[1])
        images.append(render_image(view, TILE))
    return sheet(images, COLUMNS)


def teleoperation(theme: Theme, wire: bool = False, age: float = 0.2, commanded: bool = False) -> SceneView:
    """A predicted robot, its ghosts that lag behind, both paths, a force."""
    view = SceneView(load(robots.path("panda")), theme)
    view.wire_ghosts = wire
    robot = view.robots["panda"]
    start = robot.q
    trails = {
        "predicted": Trail(theme.predicted_trail, step=1e-3),
        "measured": Trail(theme.measured_trail, step=1e-3),
    }
    for number in range(200):
        robot.predict(start + _wave(number))
        trails["predicted"].add(robot.pose(9)[:3, 3])
        robot.measure(start + _wave(number - 40) + 0.003 * np.sin(0.9 * number), age)
        trails["measured"].add(robot.pose(9, measured=True)[:3, 3])
    robot.predict(robot.q, 0.001)
    if commanded:
        robot.command(start + _wave(185), 0.001)
    robot.emulated = True
    view.trails.update(trails)
    tip = robot.pose(9, measured=True)[:3, 3]
    force = np.array([0.0, 0.0, 0.18])
    view.arrows = [Arrow(tip - force, force, theme.force, 0.012)]
    x, y, z = (float(value) for value in tip - force)
    view.labels = [Label("12.7 N", (x, y, z), theme.force, theme.text_back)]
    view.status = ["engaged", "emulated: device, controller"]
    view.look("perspective", 1.6)
    return view


def _wave(number: int) -> NDArray[np.float64]:
    phase = 0.02 * number
    return np.array([0.6 * np.sin(phase), 0.25 * np.sin(2.0 * phase), 0.0, 0.3 * np.cos(phase), 0.0, 0.0, 0.0])


def selected() -> SceneView:
    """A selected link, and links coloured by a quantity."""
    view = SceneView(load(robots.path("ur5e")), LIGHT)
    robot = view.robots["ur5e"]
    robot.mark({link: (0.9, 0.2, 0.1, 0.15 * link) for link in (4, 5, 6)})
    robot.select(2)
    view.look("perspective", 4.0 / 3.0)
    return view


def draw(folder: Path) -> None:
    """Robots and how they look."""
    wide, small = (960, 600), (480, 360)
    write_png(folder / "view-robots.png", contact_sheet())
    write_png(folder / "view-light.png", render_image(teleoperation(LIGHT), wide))
    write_png(folder / "view-dark.png", render_image(teleoperation(DARK), wide))
    ghosts = [teleoperation(LIGHT), teleoperation(LIGHT, wire=True), teleoperation(LIGHT, age=2.0), selected()]
    write_png(folder / "view-commanded.png", render_image(teleoperation(LIGHT, commanded=True), wide))
    write_png(folder / "view-looks.png", sheet([render_image(view, small) for view in ghosts], 2))


def parts() -> dict[str, Callable[[Path], None]]:
    """What draws the pictures of each part."""
    from station.view import panels  # needs Qt

    found: dict[str, Callable[[Path], None]] = {"robots": draw, "augment": augment_pictures.draw}
    for item in pkgutil.iter_modules(panels.__path__):
        if item.name.endswith("_pictures"):
            module = importlib.import_module(f"{panels.__name__}.{item.name}")
            found[item.name.removesuffix("_pictures")] = module.draw
    return found


def main() -> None:
    """Make all of them, or those of the parts that are named."""
    folder, wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    known = parts()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"no pictures of {', '.join(unknown)}; there are: {', '.join(known)}")
    for name in wanted or known:
        known[name](folder)


if __name__ == "__main__":
    main()
