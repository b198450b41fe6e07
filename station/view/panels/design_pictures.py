"""Pictures of the design study for the manual: `python -m station.view.pictures docs/pictures design`.

Windows without a screen, on copies of shipped robots, driven as a hand would; the same on any machine, but for letters.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6 import QtCore, QtWidgets

import robots
from station.bench import load
from station.view.design.leading import led_frame
from station.view.design.sweep import SweepRequest, sweep
from station.view.menus import help_dialog
from station.view.panels.device import DevicePanel
from station.view.panels.sweep import SweepPanel
from station.view.window import ViewWindow, application

FOLDER = Path("docs/pictures")
WINDOW = (1180, 740)  # [px]
PANEL = (380, 460)  # [px]
SAMPLES = 12_000
FOLLOWED = 60  # frames for which a part is dragged
PATIENCE = 20.0  # until something that was asked for is seen [s]


class Studio:
    """A window on a copy of a shipped robot.

    Args:
        name: of the robot.
        folder: where the copy is put; nothing else is read or written.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.qt = application()
        self.path = folder / f"{name}.mad"
        shutil.copy(robots.path(name), self.path)
        self.window = ViewWindow(load(self.path), WINDOW, folder=folder, settings=folder / "settings", canvas="image")
        self.window.asks = False
        self.window.show()
        self.live()

    def live(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let the window live until something is true, for a few frames at least."""
        end = time.monotonic() + PATIENCE
        for _ in range(5):
            self.qt.processEvents()
            self.window.refresh()
        while not until() and time.monotonic() < end:
            self.qt.processEvents()
            self.window.refresh()
        self.qt.processEvents()

    def save(self, path: Path, widget: QtWidgets.QWidget | None = None) -> None:
        """What a widget shows, else the whole window."""
        self.live()
        self.window.canvas.always_fine = True
        (widget or self.window).grab().save(str(path))

    def close(self) -> None:
        """The end."""
        self.window.close()
        self.qt.processEvents()


def draw(folder: Path = FOLDER) -> None:
    """All of them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder.mkdir(parents=True, exist_ok=True)
    for picture in (links, views, dragging, postures, device, workspace, banner, keys):
        with tempfile.TemporaryDirectory() as place:
            picture(folder, Path(place))


def links(folder: Path, place: Path) -> None:
    """Two link panels beside the robot, which is selected and has been moved and changed."""
    studio = Studio("panda", place)
    window = studio.window
    window.docks.open_link("panda", 4)
    panel = window.docks.open_link("panda", 3)
    window.scene.robots["panda"].select(3)
    panel.rows["theta"].field.setValue(35.0)
    panel.rows["r"].field.setValue(380.0)
    studio.live(lambda: not window.studio.redraw.unsettled)
    window.look("perspective")
    studio.save(folder / "design-window.png")
    panel.setFloating(True)
    panel.resize(*PANEL)
    studio.save(folder / "design-link.png", panel)
    studio.close()


def views(folder: Path, place: Path) -> None:
    """Several views at once, one of them from the tool."""
    studio = Studio("panda", place)
    studio.window.use_split(True)
    studio.window.fit()
    studio.save(folder / "design-views.png")
    studio.close()


def dragging(folder: Path, place: Path) -> None:
    """A part that the mouse has taken hold of, its loops closed."""
    from station.view.design.grab import Grab

    studio = Studio("stewart", place)
    window = studio.window
    frame = led_frame(window.design.robot("stewart"))[0]
    point = window.design.bench["stewart"].pose(frame)[:3, 3]
    window.studio.grabber.grab = grab = Grab(window.design, "stewart", frame, point)
    grab.wanted += [0.22, 0.18, 0.12]  # further than it goes
    for _ in range(FOLLOWED):
        grab.follow(0.04)
    studio.live()
    window.look("perspective")
    studio.save(folder / "design-drag.png")
    studio.close()


def postures(folder: Path, place: Path) -> None:
    """Postures as buttons, joints as sliders."""
    studio = Studio("delta", place)
    panel = _floating(studio, "Postures and joints", (400, 560))
    studio.window.design.set_joint("delta", 1, 0.4)
    studio.window.studio.update()
    studio.save(folder / "design-postures.png", panel)
    studio.close()


def device(folder: Path, place: Path) -> None:
    """The on-screen device."""
    studio = Studio("ur5e", place)
    panel = _floating(studio, "Device", PANEL)
    assert isinstance(panel, DevicePanel)
    panel.rows[0].slider.setSliderDown(True)
    panel.rows[0].slider.setValue(55)
    studio.save(folder / "design-device.png", panel)
    panel.rows[0].slider.setSliderDown(False)
    studio.close()


def workspace(folder: Path, place: Path) -> None:
    """Where an arm can go, cut open, and the panel that found it."""
    studio = Studio("puma560", place)
    window = studio.window
    panel = window.docks.show("Workspace")
    assert isinstance(panel, SweepPanel)
    robot = window.design.robot("puma560")
    *_, panel.found = sweep(SweepRequest(robot=robot, frame=led_frame(robot)[0], samples=SAMPLES))
    panel._swept = window.design.revision
    panel.samples.setValue(SAMPLES)
    panel.progress.setValue(1000)
    panel.cut.setCurrentIndex(2)
    panel._draw()
    panel._say()
    studio.live()
    window.fit()
    studio.save(folder / "design-workspace.png")
    studio.close()


def banner(folder: Path, place: Path) -> None:
    """What a broken file looks like after a save: told, and the robot stays."""
    studio = Studio("scara", place)
    studio.window.resize(900, 420)
    text = studio.path.read_text()
    studio.path.write_text(text.replace("parameters", "paramters", 1))
    studio.window.studio.reload()
    shown = studio.window.banner.text().replace(str(studio.path), studio.path.name)
    studio.window.banner.tell(shown, topic="file")  # where it lies is of no interest
    studio.live()
    studio.window.fit()
    studio.save(folder / "design-banner.png")
    studio.close()


def keys(folder: Path, place: Path) -> None:
    """The list of keys."""
    studio = Studio("scara", place)
    dialog = help_dialog(studio.window)
    dialog.resize(720, 900)
    dialog.show()
    studio.save(folder / "design-keys.png", dialog)
    dialog.close()
    studio.close()


def _floating(studio: Studio, title: str, size: tuple[int, int]) -> QtWidgets.QDockWidget:
    panel = studio.window.docks.show(title)
    panel.setFloating(True)
    panel.resize(QtCore.QSize(*size))
    studio.live()
    return panel
