"""The window: one scene, its viewpoints, and a running station's state if there is one."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from PySide6 import QtCore, QtGui, QtWidgets

from station.bench import Bench
from station.mad.scene import BASE_ID
from station.view.banner import Banner
from station.view.bar import StateBar
from station.view.canvas import canvas_for
from station.view.design.model import Design
from station.view.design.studio import Studio
from station.view.docks import Docks
from station.view.errors import ViewError
from station.view.follow import Follower, Link
from station.view.hand import Hand
from station.view.layout import keep, open_settings, restore
from station.view.looks import panel_palette, stacked
from station.view.menus import Menus, may_go
from station.view.panels import PANELS, Panel
from station.view.panels.events_log import EventLog
from station.view.panels.task import TaskPanel
from station.view.panes import Panes
from station.view.parts_bar import PartsBar
from station.view.picking import Hit
from station.view.robot import joint_values
from station.view.scene_view import SceneView, Stereo
from station.view.screen import check_screen
from station.view.task import ShownTask
from station.view.task.path import TaskPath
from station.view.theme import DARK, LIGHT, theme_named

PERIOD = 40  # of looking for something new [ms]
FRAME = QtCore.QSize(8, 40)  # that the window system adds around a window [px]
SEARCH = 25  # such periods between two looks for a station, while there is none


class ViewWindow(QtWidgets.QMainWindow):
    """A scene, a bar of viewpoints, and a line of what is going on.

    Args:
        bench: the scene.
        size: width and height [px].
        theme: light or dark.
        view: viewpoint to start with.
        state: shared state to follow; that of the newest station, if not given.
        folder: where to look for it.
        canvas: `card`, `image`, or `auto` for what suits the screen.
        settings: folder of what is remembered; that of the user, if not given.
    """

    def __init__(
        self,
        bench: Bench,
        size: tuple[int, int],
        theme: str = "light",
        view: str = "perspective",
        state: Path | None = None,
        folder: Path | None = None,
        canvas: str = "auto",
        settings: Path | None = None,
    ) -> None:
        super().__init__()
        self.scene = SceneView(bench, theme_named(theme))
        self.task_path: TaskPath | None = None
        self.setWindowTitle(f"{bench.name}[*]: station view")
        self.panes = Panes(self.scene, self.picked)
        self.canvas = canvas_for(self.panes, size, canvas)
        self.banner = Banner()
        self.setCentralWidget(stacked(self.banner, self.canvas.native))
        self.resize(*size)
        self._message = QtWidgets.QLabel()
        self.statusBar().addWidget(self._message, 1)
        self.follower = Follower(self.scene, state, folder)
        self.events = EventLog()  # of all parts of the station, from the start
        self.follower.listeners_to_all.append(self.events.take_part)
        self.hand = Hand(self)
        self.studio = Studio(self, bench)
        self.canvas.native.installEventFilter(self.studio.grabber)
        self.menus = Menus(self)
        self.bar = StateBar(self)
        self.insertToolBar(self.menus.bar, self.bar)
        self.insertToolBarBreak(self.menus.bar)
        self.parts_bar = PartsBar(self)
        self.insertToolBar(self.menus.bar, self.parts_bar)
        self.insertToolBarBreak(self.menus.bar)
        self.docks = Docks(self, PANELS)
        self.settings = open_settings(settings)
        restore(self, self.settings)
        self.bar.show()  # whatever was remembered
        self.scene.look(view, size[0] / size[1])
        self._colour_panels()
        self.asks = True  # whether closing with unsaved edits asks first
        self._periods = 0
        self._offered = 0  # station for which the on-screen device was shown
        self._timer = QtCore.QTimer(self)
        self._timer.timeout.connect(self.refresh)
        self._timer.start(PERIOD)
        for line in self.scene.problems:
            self.say(f"not drawn: {line}")

    @property
    def design(self) -> Design:
        """What is edited."""
        return self.studio.design

    @property
    def panels(self) -> dict[str, Panel]:
        """Those that are always there, by title."""
        return self.docks.panels

    @property
    def aspect(self) -> float:
        """Width over height of the main pane."""
        native = self.canvas.native
        return self.panes.main_width(native.width()) / max(native.height(), 1)

    def show_within_screen(self) -> None:
        """Show it, no larger than the screen: the bar and the line at the bottom are seen on a small laptop too."""
        room = self.screen().availableGeometry().size() - FRAME
        self.resize(self.size().boundedTo(room))
        self.show()

    def look(self, name: str) -> None:
        """Look from a named viewpoint."""
        try:
            self.scene.look(name, self.aspect)
        except ViewError as error:
            self.say(str(error))
        self.canvas.update()

    def fit(self) -> None:
        """Let everything fill the picture."""
        self.scene.fit(self.aspect)
        extra = [mesh.points for mesh in self.scene.solids.values() if len(mesh.points)]
        if extra:
            self.scene.camera.fit(np.concatenate([self.scene.points(), *extra]), self.aspect)
        self.panes.fit()
        self.canvas.update()

    def next_stereo(self) -> None:
        """One picture, two side by side, red and cyan, and again."""
        modes = list(Stereo)
        self.scene.stereo = modes[(modes.index(self.scene.stereo) + 1) % len(modes)]
        self.say(f"stereo: {self.scene.stereo}")
        self.canvas.update()

    def picked(self, hit: Hit | None) -> None:
        """Select what was clicked on, open its panel, and say what it is."""
        self._show_selection(hit)
        self.say("" if hit is None else self._words(hit))
        if hit is not None:
            self.docks.open_link(hit.robot, hit.id)

    def _show_selection(self, hit: Hit | None = None) -> None:
        for name, robot in self.scene.robots.items():
            robot.select(*([hit.id] if hit is not None and hit.robot == name else []))
        self.canvas.update()

    def _words(self, hit: Hit) -> str:
        robot = self.scene.robots[hit.robot].robot
        if hit.id == BASE_ID:
            return f"{hit.robot}: base"
        item = next(item for item in robot.placed() if item.id == hit.id)
        name = f" “{item.name}”" if item.name else ""
        kind = type(item).__name__.lower()
        place = ", ".join(f"{1000.0 * value:.1f}" for value in hit.point)
        return f"{hit.robot}: {kind} {hit.id}{name} at {place} mm"

    def refresh(self) -> None:
        """Look for something new, and draw only if there is."""
        self._periods += 1
        searching = self.follower.link in (Link.NONE, Link.ENDED)
        if not searching or self._periods % SEARCH == 1:
            if self.follower.update():
                self.canvas.update()
            if self.follower.trouble:
                self.say(self.follower.trouble)
        self.studio.tick()
        self._open_device()
        self.hand.tick(self.hand.moment)
        self.parts_bar.refresh()
        self.bar.refresh(self.follower.moment)
        self.docks.refresh(self.follower.moment)

    def _open_device(self) -> None:
        """A station that is led from here shows the panel to do so, once."""
        moment = self.hand.moment
        if moment.epoch != self._offered and self.hand.leads(moment):
            self._offered = moment.epoch
            self.docks.show("Device")
            self.scene.augment.layers.ellipsoid = True

    def owns(self, item: QtCore.QObject) -> bool:
        """Whether a widget belongs to this window: also in its panels, dialogs and menus."""
        at: QtCore.QObject | None = item if isinstance(item, QtWidgets.QWidget) else None
        while at is not None and at is not self:  # Qt passes the key of a QWindow on to a widget
            at = at.parent()
        return at is not None

    def say(self, text: str) -> None:
        """A line at the bottom."""
        self._message.setText(text)

    @property
    def message(self) -> str:
        """The line at the bottom."""
        return self._message.text()

    def use_split(self, on: bool) -> None:
        """Small views along the axes and from the tool at the right, or none."""
        self.panes.split(on)
        self.canvas.update()

    def use_wire(self, on: bool) -> None:
        """Ghosts of lines, or of glass."""
        self.scene.wire_ghosts = on
        self.canvas.update()

    def use_commanded(self, on: bool) -> None:
        """Robots as they were told to stand, as thin lines, or not."""
        self.scene.show_commanded = on
        if not on:
            for robot in self.scene.robots.values():
                robot.command(None)
        self.canvas.update()

    def show_task(self, task: ShownTask, at: float | None = None) -> None:
        """The path of a task in the picture, with a panel that leads along it; the robot at a time of it [s]."""
        self.task_path = TaskPath(self.scene, task)
        self.docks.add(TaskPanel)
        panel = self.docks.show(TaskPanel.title)
        assert isinstance(panel, TaskPanel)
        panel.go(task.begin if at is None else at)
        self.fit()

    def use_dark(self, on: bool) -> None:
        """Dark surroundings, or light."""
        self.scene.use_theme(DARK if on else LIGHT)
        if self.task_path is not None:
            self.task_path.draw()
        self._colour_panels()
        self.canvas.update()

    def _colour_panels(self) -> None:
        self.setPalette(panel_palette(self.scene.theme is DARK))

    def closeEvent(self, event: QtGui.QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        """Let everything go; the station goes on."""
        if self.asks and self.design.dirty and not may_go(self):
            event.ignore()
            return
        self._timer.stop()
        self.docks.close_links()  # they are not remembered
        keep(self, self.settings)
        self.docks.leave()
        self.bar.leave()
        self.studio.grabber.cancel()
        self.hand.leave()
        self.follower.close()
        super().closeEvent(event)


def application() -> QtWidgets.QApplication:
    """Qt's application, made once; raises NoGraphicsError if there is no screen."""
    check_screen()
    existing = QtWidgets.QApplication.instance()
    if isinstance(existing, QtWidgets.QApplication):
        return existing
    return QtWidgets.QApplication([sys.argv[0]])


def show(
    bench: Bench,
    size: tuple[int, int],
    *,
    theme: str = "light",
    view: str = "perspective",
    posture: str | None = None,
    q: ArrayLike | None = None,
    robot: str | None = None,
    task: ShownTask | None = None,
    at: float | None = None,
) -> None:
    """Open a window on a scene, and on a task if there is one, and stay until it is closed.

    Raises:
        NoGraphicsError: if there is no screen.
        ViewRequestError: if something is asked for that there is not.
    """
    qt = application()
    window = ViewWindow(bench, size, theme, view)
    if posture is not None or q is not None:
        name = robot or next(iter(window.scene.robots))
        window.design.put(name, joint_values(bench[name], posture, q))
        window.studio.update()
        window.fit()
    if task is not None:
        window.show_task(task, at)
    window.show_within_screen()

    def leave(*_: object) -> None:
        window.asks = False  # there may be nobody at the screen
        window.close()

    signal.signal(signal.SIGINT, leave)  # the timer lets Python see it
    qt.exec()
