"""A design study in a real window, told as JSON: run by test_studio.py on a virtual screen, as a process of its own."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtCore, QtGui, QtTest, QtWidgets

import robots
import station
from station.view.design import studio
from station.view.menus import help_dialog, keys_of
from station.view.panels.postures import PosturesPanel
from station.view.panels.sweep import SweepPanel
from station.view.window import ViewWindow, application
from tests.view.in_window import LEFT, PLAIN, wait

CTRL = QtCore.Qt.KeyboardModifier.ControlModifier
KEY = QtCore.Qt.Key
SIZE = (1000, 700)


class Stage:
    """A window on a copy of a shipped robot, and what is done to it."""

    def __init__(self, folder: Path) -> None:
        self.qt = application()
        studio.WATCH = 0.1  # nobody waits for the file here
        self.folder = folder
        self.path = folder / "robot.mad"
        shutil.copy(robots.path("delta"), self.path)
        self.window = self.opened()

    def opened(self) -> ViewWindow:
        window = ViewWindow(station.load(self.path), SIZE, folder=self.folder, settings=self.folder / "settings")
        window.asks = False
        window.show()
        window.activateWindow()  # there is no window manager that would
        self.wait(lambda: window.panes.frames > 0 and window.isActiveWindow())
        return window

    def wait(self, until: Any) -> bool:
        return wait(self.qt, until)

    def live(self, seconds: float = 0.1) -> None:
        """Let the window live for a while."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= end)

    @property
    def robot(self) -> str:
        return next(iter(self.window.scene.robots))

    def write(self, text: str) -> None:
        """As an editor saves: to another file, which then takes the place of this one."""
        other = self.path.with_suffix(".new")
        other.write_text(text)
        other.replace(self.path)

    def pixel(self, point: NDArray[np.float64]) -> tuple[float, float]:
        """Where a place in the world is seen [px]."""
        camera, native = self.window.scene.camera, self.window.canvas.native
        sight = camera.sight(native.width() / native.height(), camera.centre, 10.0)
        clip = sight.view_projection @ [*point, 1.0]
        return (0.5 + 0.5 * clip[0] / clip[3]) * native.width(), (0.5 - 0.5 * clip[1] / clip[3]) * native.height()

    def seen(self, *wanted: int) -> tuple[int, QtCore.QPoint]:
        """The first of these parts that is seen, and a pixel well inside it; any part but the base if none is given."""
        drawn, native = self.window.scene.robots[self.robot], self.window.canvas.native
        size = (native.width(), native.height())
        for part in wanted or [part for part in drawn.body.ids if part]:
            corners = drawn.points()[drawn.body.owners == drawn.row(part)]
            for corner in corners[:: max(len(corners) // 8, 1)]:
                x, y = self.pixel(0.8 * corner + 0.2 * corners.mean(axis=0))
                around = [self.window.panes.hit((x + dx, y + dy), size) for dx, dy in ((0, 0), (-2, 0), (2, 0), (0, 2))]
                if all(hit is not None and hit.id == part for hit in around):
                    return part, QtCore.QPoint(round(x), round(y))
        raise AssertionError(f"none of {wanted} is seen")

    def mouse(self, kind: QtCore.QEvent.Type, place: QtCore.QPointF, keys: Any = PLAIN) -> None:
        """One event of the left button, sent to the canvas as Qt would."""
        native = self.window.canvas.native
        going = kind is QtCore.QEvent.Type.MouseMove
        button = QtCore.Qt.MouseButton.NoButton if going else LEFT
        held = QtCore.Qt.MouseButton.NoButton if kind is QtCore.QEvent.Type.MouseButtonRelease else LEFT
        event = QtGui.QMouseEvent(kind, place, native.mapToGlobal(place), button, held, keys)
        QtWidgets.QApplication.sendEvent(native, event)

    def error(self) -> float:
        """Gap of the loops [m]."""
        return float(self.window.design.bench[self.robot].closure_error.metres)


def every_robot(stage: Stage) -> dict[str, Any]:
    """Each shipped robot comes in by a save of the file; a click on a part opens the panel of that part."""
    told = {}
    for name in robots.names():
        text = robots.path(name).read_text()
        wanted = station.load(robots.path(name)).robots[0].name
        stage.write(text)
        there = stage.wait(lambda wanted=wanted: stage.robot == wanted)
        stage.window.fit()
        stage.live(0.05)
        part, place = stage.seen()
        QtTest.QTest.mouseClick(stage.window.canvas.native, LEFT, PLAIN, place)
        opened = list(stage.window.docks.links)
        told[name] = {
            "there": there,
            "banner": stage.window.banner.isVisible(),
            "picked": sorted(stage.window.scene.robots[wanted].selected) == [part],
            "opened": opened == [(wanted, part)],
            "drawn_where_it_is": drawn_right(stage),
        }
        stage.window.docks.close_links()
        stage.live(0.02)
    return told


def drawn_right(stage: Stage) -> bool:
    """Whether what is drawn is where the mechanism is."""
    drawn, mechanism = stage.window.scene.robots[stage.robot], stage.window.design.bench[stage.robot]
    return all(np.allclose(drawn.pose(part), mechanism.pose(part), atol=1e-9) for part in drawn.body.ids)


def sliders(stage: Stage) -> dict[str, Any]:
    """Keys on sliders, as a hand would; the joint first, then a length; undo by its keys."""
    stage.write(robots.path("delta").read_text())
    stage.wait(lambda: stage.robot == "delta")
    window, text = stage.window, stage.window.design.text
    panel = window.docks.open_link("delta", 1)
    other = window.docks.open_link("delta", 2)
    third = window.docks.open_link("delta", 16)
    stage.live()
    pose, poses = window.design.bench["delta"].pose(5), window.scene.robots["delta"].predicted.poses.copy()
    for _ in range(3):
        QtTest.QTest.keyClick(panel.rows["theta"].slider, KEY.Key_PageUp)
    told: dict[str, Any] = {"panels": sum(item.isVisible() for item in (panel, other, third))}
    told["joint_moved"] = abs(window.design.joint_value("delta", 1)) > 0.05
    told["platform_moved"] = float(np.abs(window.design.bench["delta"].pose(5) - pose).max()) > 1e-3
    told["drawn"] = drawn_right(stage) and not np.allclose(window.scene.robots["delta"].predicted.poses, poses)
    told["gap"] = stage.error()
    told["no_edit"] = window.design.text == text
    told["highlighted"] = [name for name, row in panel.rows.items() if row.label.styleSheet()]
    for _ in range(4):
        QtTest.QTest.mouseClick(other.rows["d"].more, LEFT)
    stage.wait(lambda: window.design.text != text)
    stage.wait(lambda: not window.studio.redraw.unsettled)
    link = window.design.link("delta", 2)
    told["longer"] = (
        link.parameters.d - station.load(robots.path("delta")).robots[0].links[1].parameters.d if link else 0
    )
    told["gap_then"], told["drawn_then"], told["modified"] = (
        stage.error(),
        drawn_right(stage),
        window.isWindowModified(),
    )
    QtTest.QTest.keyClick(window, KEY.Key_Z, CTRL)
    told["undone"], told["shows"] = window.design.text == text, other.rows["d"].field.value()
    QtTest.QTest.keyClick(window, KEY.Key_Y, CTRL)
    told["redone"] = window.design.text != text
    QtTest.QTest.keyClick(window, KEY.Key_S, CTRL)
    lines = [(old, new) for old, new in zip(text.splitlines(), stage.path.read_text().splitlines(), strict=True)]
    told["saved"] = [new for old, new in lines if old != new]
    told["modified_then"] = window.isWindowModified()
    other.stops.kind.setCurrentText("relative")
    told["relative"] = "range" in window.design.text and drawn_right(stage)
    window.studio.undo()
    panel.type.setCurrentText("fixed")
    panel.type.activated.emit(2)
    told["refused"] = window.message
    told["type_shown"] = panel.type.currentText()
    window.grab().save(str(stage.folder / "links.png"))
    QtTest.QTest.keyClick(window, KEY.Key_Escape)
    stage.live(0.05)
    told["closed"] = len(window.docks.links)
    return told


def dragging(stage: Stage) -> dict[str, Any]:
    """A part is taken hold of and dragged over the screen; with Ctrl the view turns instead."""
    window = stage.window
    window.studio.design.take_posture("delta", None)
    window.look("perspective")
    stage.live()
    place = QtCore.QPointF(stage.seen(16, 5, 3)[1])
    Kind = QtCore.QEvent.Type  # noqa: N806
    before, camera = window.design.joint_values("delta"), window.scene.camera.azimuth
    stage.mouse(Kind.MouseButtonPress, place)
    for step in range(1, 9):
        stage.mouse(Kind.MouseMove, place + QtCore.QPointF(5.0 * step, -3.0 * step))
        stage.live(0.02)
    grab = window.studio.grabber.grab
    told: dict[str, Any] = {"grabbed": grab is not None}
    if grab is None:
        return told
    end = place + QtCore.QPointF(40.0, -24.0)
    told["follows"] = stage.wait(lambda: float(np.linalg.norm(grab.place - grab.wanted)) < 1e-4)
    x, y = stage.pixel(grab.place)
    told["beside_the_mouse"] = float(np.hypot(x - end.x(), y - end.y()))
    told["gap"], told["drawn"] = stage.error(), drawn_right(stage)
    told["moved"] = float(np.abs(window.design.joint_values("delta") - before).max())
    for step in range(1, 9):  # far out of reach
        stage.mouse(Kind.MouseMove, end + QtCore.QPointF(0.0, -90.0 * step))
        stage.live(0.02)
    told["gap_out_of_reach"] = stage.error()
    joints = zip(window.design.bench["delta"].joints, window.design.joint_values("delta"), strict=True)
    told["stops_kept"] = all(j.limits is None or j.limits[0] - 1e-9 <= q <= j.limits[1] + 1e-9 for j, q in joints)
    stage.mouse(Kind.MouseButtonRelease, end)
    told["let_go"] = window.studio.grabber.grab is None
    told["view_stood_still"] = window.scene.camera.azimuth == camera
    told["no_panel"] = len(window.docks.links)
    here = window.design.joint_values("delta")
    for kind, way in ((Kind.MouseButtonPress, 0.0), (Kind.MouseMove, 30.0), (Kind.MouseButtonRelease, 30.0)):
        stage.mouse(kind, place + QtCore.QPointF(way, 0.0), CTRL)
    told["ctrl_turns"] = window.scene.camera.azimuth != camera
    told["ctrl_moves_nothing"] = bool((window.design.joint_values("delta") == here).all())
    window.studio.design.take_posture("delta", None)
    stage.live(0.05)
    return told


def reloading(stage: Stage) -> dict[str, Any]:
    """A broken file, a mended one, one that changes while there are edits."""
    window, good = stage.window, stage.path.read_text()
    bench = window.design.bench
    stage.write(good.replace("parameters", "paramters", 1))
    told: dict[str, Any] = {"told": stage.wait(window.banner.isVisible), "banner": window.banner.text()}
    told["old_stays"] = window.design.bench is bench
    window.grab().save(str(stage.folder / "banner.png"))
    stage.write(good + "\n// mended\n")
    told["mended"] = stage.wait(lambda: not window.banner.isVisible() and window.design.text.endswith("// mended\n"))
    postures = window.docks.show("Postures and joints")
    assert isinstance(postures, PosturesPanel)
    stage.live(0.05)
    QtTest.QTest.keyClick(postures.rows[1].slider, KEY.Key_PageUp)
    QtTest.QTest.keyClicks(postures.name, "high")
    QtTest.QTest.keyClick(postures.name, KEY.Key_Return)
    told["posture"] = "posture high" in window.design.text
    away = window.design.joint_value("delta", 1)
    QtTest.QTest.mouseClick(postures.buttons["start"], LEFT)
    told["start"] = abs(window.design.joint_value("delta", 1) - away) > 0.01
    QtTest.QTest.mouseClick(postures.buttons["high"], LEFT)
    told["high"] = abs(window.design.joint_value("delta", 1) - away) < 1e-6
    stage.write(good)
    told["warned"] = stage.wait(window.banner.isVisible)
    told["warning"], told["edits_stay"] = window.banner.text(), "posture high" in window.design.text
    QtTest.QTest.keyClick(window, KEY.Key_R, CTRL)
    told["taken"] = window.design.text == good and not window.banner.isVisible()
    window.grab().save(str(stage.folder / "postures.png"))
    postures.hide()
    return told


def device(stage: Stage) -> dict[str, Any]:
    """The on-screen device by its buttons and a held slider."""
    window = stage.window
    panel = window.docks.show("Device")
    stage.live()
    pose = window.design.bench["delta"].pose(window.studio.steering.frame)[:3, 3]  # type: ignore[union-attr]
    QtTest.QTest.mouseClick(panel.rows[2].less, LEFT)  # type: ignore[attr-defined]

    def way() -> NDArray[np.float64]:
        steering = window.studio.steering
        assert steering is not None
        return np.asarray(window.design.bench["delta"].pose(steering.frame)[:3, 3] - pose)

    told: dict[str, Any] = {"stepped": stage.wait(lambda: way()[2] < -0.0045)}
    slider = panel.rows[0].slider  # type: ignore[attr-defined]
    slider.setSliderDown(True)
    slider.setValue(80)
    told["led"] = stage.wait(lambda: way()[0] > 0.01)
    slider.setSliderDown(False)
    stage.live(0.1)
    here = way()
    told["sprang_back"] = slider.value() == 0
    stage.live(0.1)
    told["stands"] = float(np.abs(way() - here).max())
    told["gap"] = stage.error()
    window.grab().save(str(stage.folder / "device.png"))
    panel.hide()
    return told


def help_and_end(stage: Stage) -> dict[str, Any]:
    """The list of keys, a sweep, and the end while it goes on."""
    window = stage.window
    dialog = help_dialog(window)
    told: dict[str, Any] = {"keys": dict(keys_of(window))}
    dialog.show()
    stage.live(0.05)
    dialog.grab().save(str(stage.folder / "help.png"))
    dialog.close()
    panel = window.docks.show("Workspace")
    assert isinstance(panel, SweepPanel)
    panel.samples.setValue(200)
    QtTest.QTest.mouseClick(panel.start, LEFT)
    told["swept"] = stage.wait(lambda: panel.sweeping is None)
    told["places"], told["says"] = len(panel.found.points), panel.result.text()
    told["drawn"] = "workspace" in window.scene.solids
    told["written"] = panel.write(stage.folder / "a.csv") and panel.write(stage.folder / "a.ply")
    window.grab().save(str(stage.folder / "sweep.png"))
    panel.samples.setValue(500_000)
    QtTest.QTest.mouseClick(panel.start, LEFT)
    sweeping = panel.sweeping
    assert sweeping is not None
    stage.live(0.3)
    QtTest.QTest.mouseClick(panel.cancel, LEFT)
    told["cancelled"] = str(sweeping.state)
    QtTest.QTest.mouseClick(panel.start, LEFT)
    sweeping = panel.sweeping
    assert sweeping is not None
    stage.live(0.1)
    window.close()
    told["ended_with_the_window"] = sweeping._process.poll() is not None
    again = stage.opened()
    told["remembered"] = again.panels["Workspace"].isVisible()
    again.close()
    return told


ACTS = {
    "robots": every_robot,
    "sliders": sliders,
    "dragging": dragging,
    "reloading": reloading,
    "device": device,
    "end": help_and_end,
}


def main() -> None:
    stage = Stage(Path(sys.argv[1]))
    seen: dict[str, Any] = {"platform": stage.qt.platformName()}
    for name, act in ACTS.items():
        if name in sys.argv[2:] or not sys.argv[2:]:
            started = time.process_time()
            seen[name] = act(stage)
            sys.stderr.write(f"{name}: {time.process_time() - started:.1f} s\n")
    sys.stdout.write(json.dumps(seen, default=bool))  # those of numpy


if __name__ == "__main__":
    main()
