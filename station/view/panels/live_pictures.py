"""Pictures of a running station for README and manual: `python -m station.view.pictures docs/pictures live`.

The default bench on a virtual clock behind a link that takes its time; windows without a screen. The same on any
machine, but for letters and the times of the day.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PySide6 import QtCore, QtTest, QtWidgets

import robots
from station.bench import load
from station.clock import VirtualClock
from station.devices import open_device
from station.servo.rig import Wanted, put_all_together, put_together
from station.servo.servo import Servo
from station.view.follow import Follower
from station.view.panels.supervisor import SupervisorPanel
from station.view.png import render_image
from station.view.scene_view import SceneView
from station.view.theme import LIGHT
from station.view.virtual_bench import PromptStation, VirtualBench, virtual_bench
from station.view.window import ViewWindow, application

FOLDER = Path("docs/pictures")
DELAY = 0.08  # of the link, each way [s]
WINDOW = (1280, 800)  # [px]
WINDOW_AT = 17.8  # when it is drawn, by the bench's clock [s]: the hand draws its second circle
LOOK = 0.04  # of the bench's time between two looks [s]
SIZES = {
    "Plots": (1100, 300),
    "Haptics": (380, 480),
    "Links": (330, 600),
    "Supervisor": (340, 300),
    "Events": (760, 300),
}  # of panels [px]; the log comes last, so that there is something in it

LAPTOP = (1366, 700)  # a window on a small screen [px]
LED_FOR, FELT = 10.0, 3.5  # by keys, at most [s], and until so much would be felt [N]
HANDS_AT = 3.0  # when the two hands are drawn, by their clock [s]
FRAME = (560, 380)  # of the animation [px]
FILM = (1.3, 8.3)  # from when to when, by the bench's clock [s]
SHUTTER = 0.06  # between two frames [s]
COLOURS = 96  # of the animation


def draw(folder: Path = FOLDER) -> None:
    """All of them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder.mkdir(parents=True, exist_ok=True)
    animation(folder / "teleoperation.gif")
    panels(folder)
    keyboard(folder / "live-keyboard.png")
    hands(folder / "live-hands.png")


def animation(path: Path) -> None:
    """Teleoperation behind a slow link: the solid robot obeys at once, the ghost is where the arm says it is."""
    frames: list[NDArray[np.uint8]] = []
    with tempfile.TemporaryDirectory() as place, virtual_bench(Path(place), DELAY) as bench:
        view = SceneView(bench.scene, LIGHT)
        follower = Follower(view)
        follower.use(PromptStation(bench.state))
        bench.advance(FILM[0])
        follower.update()
        _compose(view, 0.54)
        while bench.now < FILM[1]:
            bench.advance(SHUTTER)
            follower.update()
            frames.append(render_image(view, FRAME))
    write_gif(path, frames, SHUTTER)


def _compose(view: SceneView, nearer: float) -> None:
    """Look at the tool from the side on which it meets the wall."""
    view.look("perspective", FRAME[0] / FRAME[1])
    camera = view.camera
    camera.azimuth -= 0.5
    camera.distance *= nearer
    camera.centre[:] = (-0.30, -0.05, 0.42)


def write_gif(path: Path, frames: list[NDArray[np.uint8]], period: float) -> None:
    """An animation that goes round and round; one palette for all frames, so that nothing flickers."""
    sample = Image.fromarray(np.concatenate(frames[:: max(1, len(frames) // 6)]))
    palette = sample.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1)  # rare colours count, too
    images = [Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    images[0].save(path, save_all=True, append_images=images[1:], duration=round(1e3 * period), loop=0, optimize=True)


def panels(folder: Path) -> None:
    """The whole window, and every panel of a running station."""
    qt = application()
    with tempfile.TemporaryDirectory() as place, virtual_bench(Path(place), DELAY) as bench:
        window = ViewWindow(bench.scene, WINDOW, settings=Path(place) / "settings")
        window.follower.use(PromptStation(bench.state))
        window.show()
        stage = Stage(qt, window, bench)
        stage.show("Supervisor", "Plots")
        stage.go(1.0)
        _compose(window.scene, 0.62)
        stage.go(WINDOW_AT - bench.now)
        stage.grab(window, folder / "live-window.png")
        for name, size in SIZES.items():
            stage.alone(name, size, folder)
        window.asks = False
        window.close()
        qt.processEvents()


def keyboard(path: Path) -> None:
    """A robot that is led by keys to where it is singular: what would be felt is shown."""
    qt, clock, shift = application(), VirtualClock(), QtCore.Qt.KeyboardModifier.ShiftModifier
    with tempfile.TemporaryDirectory() as place, open_device("keyboard:", clock) as device:
        scene = load(robots.path("ur5e"))
        with Servo(put_together(scene, device, Wanted()), clock=clock, folder=Path(place)) as servo:
            bench = VirtualBench(scene, servo)
            window = ViewWindow(load(robots.path("ur5e")), LAPTOP, settings=Path(place) / "settings")
            window.follower.use(PromptStation(bench.state))
            window.hand.clock = clock
            window.show()
            stage = Stage(qt, window, bench)
            stage.go(0.4)
            QtTest.QTest.keyPress(window, QtCore.Qt.Key.Key_Shift, shift)
            stage.go(0.4)
            QtTest.QTest.keyPress(window, QtCore.Qt.Key.Key_W, shift)
            while bench.now < LED_FOR and np.linalg.norm(servo.part.shared.wrench_wanted[:3]) < FELT:
                stage.go(LOOK)
            window.fit()
            stage.grab(window, path)
            window.asks = False
            window.close()
            qt.processEvents()


def hands(path: Path) -> None:
    """Two hands that lead two arms with one bar: a part each, one of them chosen."""
    qt, clock, scene = application(), VirtualClock(), load(robots.path("two_arms_bar"))
    with (
        tempfile.TemporaryDirectory() as place,
        open_device("sim:syntaxer", clock) as first,
        open_device("sim:syntaxer", clock) as second,
        Servo(
            put_all_together(scene, {"1": first, "2": second}, Wanted(), {}), clock=clock, folder=Path(place)
        ) as servo,
    ):
        bench = VirtualBench(scene, servo)
        window = ViewWindow(load(robots.path("two_arms_bar")), LAPTOP, settings=Path(place) / "settings")
        window.follower.use(PromptStation(bench.state))
        window.show()
        window.panels["Supervisor"].show()
        stage = Stage(qt, window, bench)
        stage.go(HANDS_AT)
        window.parts_bar.choose_next()
        window.fit()
        stage.grab(window, path)
        window.asks = False
        window.close()
        qt.processEvents()


class Stage:
    """A window and a bench that go on together.

    Args:
        qt: the application.
        window: on the bench.
        bench: on a clock of its own.
    """

    def __init__(self, qt: QtWidgets.QApplication, window: ViewWindow, bench: VirtualBench) -> None:
        self._qt, self._window, self._bench = qt, window, bench
        window.bar.use_clock(bench.servo.clock)

    def show(self, side: str, below: str) -> None:
        """A panel at the side and one below, not too large."""
        beside, under = self._window.panels[side], self._window.panels[below]
        beside.show()
        under.show()
        self._window.resizeDocks([beside], [290], QtCore.Qt.Orientation.Horizontal)
        self._window.resizeDocks([under], [250], QtCore.Qt.Orientation.Vertical)

    def go(self, seconds: float) -> None:
        """Let time pass [s, of the bench]."""
        for _ in range(round(seconds / LOOK)):
            self._bench.advance(LOOK)
            self._window.refresh()
            self._qt.processEvents()

    def alone(self, name: str, size: tuple[int, int], folder: Path) -> None:
        """One panel by itself; before the supervisor's, somebody presses stop."""
        panel = self._window.panels[name]
        panel.setFloating(True)
        panel.show()
        panel.resize(*size)
        if isinstance(panel, SupervisorPanel):
            panel.desk.stop()
            self.go(0.4)
            panel.buttons["Engage"].click()
            self._wait()
        self.go(0.4)
        self.grab(panel, folder / f"live-{name.lower()}.png")
        panel.setFloating(False)
        panel.hide()

    def grab(self, widget: QtWidgets.QWidget, path: Path) -> None:
        """What is seen of a widget, as a file."""
        self._qt.processEvents()
        self._window.canvas.always_fine = True
        widget.grab().save(str(path))
        self._window.canvas.always_fine = False

    def _wait(self) -> None:
        """Answers are looked for by a timer of the wall's time."""
        self.go(LOOK)
        QtTest.QTest.qWait(100)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
