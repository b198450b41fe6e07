"""Frames per second of the view, without a screen and in a window: `python -m benchmarks.view [--json] [--quick]`.

Two 7-axis robots, each predicted (solid) and measured (ghost), all joints moving, with shadows, floor, frames, labels
and two paths of 600 points; and how the cost of a frame grows with the number of robots. Frame times are medians;
scenes are drawn in turns, so that whatever else the machine does hits all of them. CPU time is that of all threads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from os import environ

import numpy as np

import robots
import station
from benchmarks.peers.environments import ROOT
from benchmarks.peers.score import quick
from benchmarks.virtual_screen import virtual_screen
from station.view.drawing.backend import Target, offscreen_canvas, renderer_name
from station.view.drawing.scene_drawing import Pane
from station.view.png import render_image
from station.view.scene_view import SceneView
from station.view.trails import Trail

SIZE = (1280, 800)
START = """
import sys, time
started = float(sys.argv[1])
import station, robots
from station.view.png import render_image
from station.view.scene_view import SceneView
view = SceneView(station.load(robots.path("panda")))
view.look("perspective", 1.6)
render_image(view, (1280, 800), smoothing=1)
print(time.time() - started, time.process_time())
"""


def scene_of(count: int) -> SceneView:
    """So many Pandas side by side, with ghosts and paths."""
    text = robots.path("panda").read_text()
    head, body = text[: text.index("robot panda")], text[text.index("robot panda") :]
    for number in range(count):
        place = f"base {{ pos {{ {1200 * (number % 4)} {1200 * (number // 4)} 0 }}"
        head += body.replace("robot panda", f"robot panda{number}").replace("base {", place)
    view = SceneView(station.loads(head))
    for name in ("predicted", "measured"):
        view.trails[name] = Trail((1.0, 0.5, 0.0, 1.0))
        for turn in np.linspace(0.0, 12.0, 600):
            view.trails[name].add((0.5 * np.cos(turn), 0.5 * np.sin(turn), 0.1 * turn))
    move(view, 0)
    view.look("perspective", SIZE[0] / SIZE[1])
    return view


def move(view: SceneView, number: int) -> None:
    """All robots a little further, and one more place on each path."""
    for robot in view.robots.values():
        q = np.array([0.0, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8]) + 0.3 * np.sin(0.05 * number)
        robot.predict(q, 0.001)
        robot.measure(q - 0.1, 0.2)
    for name, trail in view.trails.items():
        trail.add((0.5 * np.cos(0.02 * number), 0.5 * np.sin(0.02 * number), len(name) * 0.1))


class Offscreen:
    """One scene, drawn again and again."""

    def __init__(self, count: int) -> None:
        self.canvas, self.target, self.view = offscreen_canvas(), Target(), scene_of(count)
        self.spent: list[float] = []
        self.worked: list[float] = []
        self.frames = 0

    def frame(self, size: tuple[int, int] = SIZE) -> None:
        """Move everything, draw, wait for the graphics to finish."""
        self.canvas.set_current()
        started, worked = time.perf_counter(), time.process_time()
        move(self.view, self.frames)
        with self.target.drawing(*size):
            self.view.draw(Pane(size, still=True))  # as a window does
            self.canvas.context.finish()
        self.spent.append(time.perf_counter() - started)
        self.worked.append(time.process_time() - worked)
        self.frames += 1

    def median(self) -> float:
        """Of all frames but the first two [s]."""
        return float(np.median(self.spent[2:]))


def offscreen() -> dict[str, float]:
    """Frame times without a screen."""
    rounds = 5 if quick() else 40
    scenes = {count: Offscreen(count) for count in (1, 2, 4, 16)}
    for _ in range(rounds):
        for scene in scenes.values():
            scene.frame()
    pixels = []
    for _ in range(rounds):
        started = time.perf_counter()
        render_image(scenes[2].view, SIZE, smoothing=1)
        pixels.append(time.perf_counter() - started)
    print(f"  drawn by {renderer_name()}", file=sys.stderr)
    rows = {f"ms per frame, {count} robots with ghosts": 1e3 * scene.median() for count, scene in scenes.items()}
    for count, scene in scenes.items():
        rows[f"CPU ms per frame, {count} robots with ghosts"] = 1e3 * float(np.median(scene.worked[2:]))
    rows["frames/s, 2 robots with ghosts"] = 1.0 / scenes[2].median()
    rows["frames/s, 2 robots, to an array"] = 1.0 / float(np.median(pixels))
    one = scenes[1].median()
    worked = {count: float(np.median(scene.worked[2:])) for count, scene in scenes.items()}
    for count in (4, 16):
        rows[f"time of {count} robots over 1 (at most {count})"] = scenes[count].median() / one
        rows[f"CPU time of {count} robots over 1 (at most {count})"] = worked[count] / worked[1]
    return rows


def first_picture() -> dict[str, float]:
    """From the start of a process to its first picture, everything cached; best of three."""
    told = []
    for _ in range(1 if quick() else 3):
        command = [sys.executable, "-c", START, repr(time.time())]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        told.append([float(word) for word in done.stdout.split()])
    spent, worked = np.min(told, axis=0)
    return {
        "s to the first picture of a warm process": float(spent),
        "CPU s to the first picture of a warm process": float(worked),
    }


def in_window() -> dict[str, float]:
    """The same two robots with three plots in a Qt window on a virtual screen, if there is one to be had."""
    rows: dict[str, float] = {}
    with virtual_screen() as display:
        for kind in ("image", "card") if display is not None else ():
            command = [sys.executable, "-m", "benchmarks.view_window", kind, repr(time.time())]
            command += ["--quick"] if quick() else []
            done = subprocess.run(
                command, env={**environ, "DISPLAY": str(display)}, cwd=ROOT, check=True, capture_output=True, text=True
            )
            rows.update(json.loads(done.stdout))
    return rows


def run() -> dict[str, float]:
    """Figures by name."""
    from benchmarks.view_servo import beside_a_servo

    return {**offscreen(), **in_window(), **first_picture(), **beside_a_servo(2.0 if quick() else 10.0)}


if __name__ == "__main__":
    figures = run()
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
    else:
        for label, value in figures.items():
            print(f"{label:<45} {value:8.3g}")
