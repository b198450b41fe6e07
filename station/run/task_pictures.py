"""Pictures of a task in the view, for the manual: `python -m station.run.task_pictures docs/pictures`.

A task of the default bench that comes too near to the wall, checked and shown as `station view --task` does it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from station.bench import load
from station.run.places import DEFAULT_BENCH
from station.run.task_view import read_task
from station.tasks.task import Task, save
from station.tasks.task.points import Point, from_points
from station.view.window import ViewWindow, application

SIZE = (1280, 760)  # [px]
START = np.radians([35.0, -90.0, 90.0, -90.0, -90.0, 0.0])


def careless() -> Task:
    """Picks something up beside the wall, puts it down on the other side, and takes the short way."""
    scene = load(DEFAULT_BENCH)
    arm = scene["ur5e"]
    arm.q = START
    home = arm.pose("probe")

    def at(x: float, y: float, z: float) -> np.ndarray:
        pose = home.copy()
        pose[:3, 3] = x, y, z
        return pose

    x, y = home[0, 3], home[1, 3]
    points = [
        Point("over the part", at(x, y, 0.18), speed=0.25),
        Point("pick", at(x, y, 0.03), speed=0.05, contact=40),
        Point("lift", at(x, y, 0.20), speed=0.1, contact=40),
        Point("across", at(x - 0.02, y + 0.38, 0.20), speed=0.25),
        Point("home", home, speed=0.25),
    ]
    return from_points("carry", scene, arm, "probe", points)


def draw(folder: Path) -> None:
    """The window of a task that does not pass."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    qt = application()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "carry.mcap"
        save(careless(), file)
        scene, task = read_task(file)
        window = ViewWindow(load(scene), SIZE, folder=Path(place), settings=Path(place), canvas="image")
        window.show_task(task)
        window.show()
        for _ in range(5):
            qt.processEvents()
            window.refresh()
        window.fit()
        window.canvas.always_fine = True
        window.grab().save(str(folder / "task-window.png"))
        window.asks = False
        window.close()
        qt.processEvents()


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
