"""Pictures against stored ones; after a wanted change, `python -m tests.view.test_stored` and look at them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from station.view.augment.colours import ramp
from station.view.augment_pictures import gauges, hand, marked
from station.view.drawing.points import Cloud
from station.view.png import render_image, write_png
from station.view.scene_view import SceneView
from station.view.task.path import TaskPath
from station.view.theme import DARK, LIGHT
from tests.view.pictures import scene
from tests.view.test_around import surrounded
from tests.view.test_task_path import wave

STORED = Path(__file__).parent / "stored"
SIZE = (240, 180)


def ghost() -> SceneView:
    view = scene("panda", DARK)
    robot = view.robots["panda"]
    robot.measure(robot.q + 0.25, age=0.2)
    view.labels, view.status = [], ["engaged"]
    return view


def stale() -> SceneView:
    view = scene("puma560", LIGHT)
    robot = view.robots["puma560"]
    robot.measure(robot.q, age=3.0)
    robot.select(3)
    return view


def plain(view: SceneView) -> SceneView:
    """Without texts, which would cover small pictures."""
    view.show_labels, view.status = False, []
    return view


def cloud() -> SceneView:
    view = surrounded(DARK)
    places = np.random.default_rng(7).uniform((-0.7, -0.7, 0.0), (0.7, 0.7, 1.0), (400, 3))
    view.clouds["workspace"] = Cloud(places, ramp(view.theme, places[:, 2]), 3.0)
    return view


def task() -> SceneView:
    view = scene("panda")
    TaskPath(view, wave()).go(0.5)
    view.fit(SIZE[0] / SIZE[1])
    return view


CASES: dict[str, Callable[[], SceneView]] = {
    "marks-sphere": lambda: plain(marked("speed", "sphere")),
    "marks-colour": lambda: plain(marked("tracking", "colour", DARK)),
    "marks-transparency": lambda: plain(marked("nearness", "transparency")),
    "marks-arrow": lambda: plain(marked("speed", "arrow", DARK)),
    "stops": lambda: plain(gauges(LIGHT)),
    "stops-sliders": lambda: plain(gauges(DARK, "scara")),
    "hand": lambda: plain(hand(LIGHT)),
    "hand-dark": lambda: plain(hand(DARK)),
    "guides": lambda: plain(surrounded(LIGHT)),
    "cloud": lambda: plain(cloud()),
    "stewart": lambda: scene("stewart"),
    "cross-delta": lambda: scene("cross-delta", DARK),
    "robuter-ulm": lambda: scene("robuter-ulm"),
    "ghost": ghost,
    "stale": stale,
    "task": lambda: plain(task()),
}


def image_of(path: Path) -> NDArray[np.uint8]:
    """A PNG file (height, width, 3)."""
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


@pytest.mark.parametrize("name", CASES)
def test_it_looks_as_it_did(name: str, tmp_path: Path) -> None:
    seen, wanted = render_image(CASES[name](), SIZE), image_of(STORED / f"{name}.png")
    assert seen.shape == wanted.shape
    gap = np.abs(seen.astype(float) - wanted).max(axis=2)
    write_png(tmp_path / f"{name}.png", seen)
    assert gap.mean() < 3.0, f"looks different from the stored picture; see {tmp_path}"
    assert (gap > 60.0).mean() < 0.02, f"looks different from the stored picture; see {tmp_path}"


def test_another_picture_would_be_noticed() -> None:
    gap = np.abs(image_of(STORED / "stewart.png").astype(float) - image_of(STORED / "robuter-ulm.png")).max(axis=2)
    assert gap.mean() > 3.0
    moved = scene("stewart")
    robot = moved.robots["stewart"]
    mechanism = moved.bench["stewart"]
    mechanism.set_joint(3, robot.q[2] + 0.05)
    robot.predict(mechanism.q)
    gap = np.abs(render_image(moved, SIZE).astype(float) - image_of(STORED / "stewart.png")).max(axis=2)
    assert gap.mean() > 3.0 or (gap > 60.0).mean() > 0.02


if __name__ == "__main__":
    STORED.mkdir(exist_ok=True)
    for name, make in CASES.items():
        write_png(STORED / f"{name}.png", render_image(make(), SIZE))
