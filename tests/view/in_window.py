"""What happens in a real window, told as JSON: run by test_window.py on a virtual screen, as a process of its own."""

from __future__ import annotations

import json
import sys
import time
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtCore, QtGui, QtTest, QtWidgets

import robots
import station
from station.servo.shared import StateWriter
from station.view.canvas import ImageCanvas
from station.view.window import ViewWindow, application

LEFT, RIGHT = QtCore.Qt.MouseButton.LeftButton, QtCore.Qt.MouseButton.RightButton
PLAIN = QtCore.Qt.KeyboardModifier.NoModifier
PATIENCE = 20.0  # for something to happen [s]


def wait(qt: QtWidgets.QApplication, until: Callable[[], bool]) -> bool:
    """Let the window live until something is true."""
    end = time.monotonic() + PATIENCE
    while not until() and time.monotonic() < end:
        qt.processEvents()
        time.sleep(0.005)
    return until()


def pixels(window: ViewWindow) -> NDArray[np.uint8]:
    """What the canvas shows (height, width, 3)."""
    image = window.canvas.native.grab().toImage().convertToFormat(QtGui.QImage.Format.Format_RGB888)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return data[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def place_of(window: ViewWindow, link: int) -> QtCore.QPoint:
    """A pixel at which a link is seen: one of its corners that nothing hides."""
    robot, camera = window.scene.robots["puma560"], window.scene.camera
    corners = robot.points()[robot.body.owners == robot.row(link)][::25]
    width, height = window.canvas.native.width(), window.canvas.native.height()
    sight = camera.sight(width / height, camera.centre, 10.0)
    for corner in corners:
        clip = sight.view_projection @ [*corner, 1.0]
        x, y = int((0.5 + 0.5 * clip[0] / clip[3]) * width), int((0.5 - 0.5 * clip[1] / clip[3]) * height)
        around = [window.panes.hit((x + dx, y + dy), (width, height)) for dx, dy in ((-2, 0), (2, 0), (0, -2), (0, 2))]
        if all(hit is not None and hit.id == link for hit in around):
            return QtCore.QPoint(x, y)
    raise AssertionError(f"link {link} is not seen")


def clicks(qt: QtWidgets.QApplication, window: ViewWindow) -> dict[str, Any]:
    native, robot = window.canvas.native, window.scene.robots["puma560"]
    before = pixels(window)
    QtTest.QTest.mouseClick(native, LEFT, PLAIN, place_of(window, 2))
    seen: dict[str, Any] = {"picked": sorted(robot.selected), "said": window.message}
    window.docks.close_links()
    wait(qt, lambda: pixels(window).shape == before.shape)
    wait(qt, lambda: bool((pixels(window) != before).any()))
    seen["highlighted"] = int((pixels(window) != before).any(axis=2).sum())
    QtTest.QTest.mouseClick(native, LEFT, PLAIN, QtCore.QPoint(3, 3))
    return {**seen, "unpicked": sorted(robot.selected), "said_then": window.message}


def drags(window: ViewWindow) -> dict[str, Any]:
    camera, native = window.scene.camera, window.canvas.native
    before = (camera.azimuth, camera.distance, camera.centre.copy())
    for button, way in ((LEFT, QtCore.QPoint(60, 0)), (RIGHT, QtCore.QPoint(0, 40))):
        start = QtCore.QPoint(20, 300)  # beside the robot: on it, the mouse would move the robot
        QtTest.QTest.mousePress(native, button, PLAIN, start)
        for part in (0.5, 1.0):
            move = QtCore.QPointF(start.x() + part * way.x(), start.y() + part * way.y())
            event = QtGui.QMouseEvent(
                QtCore.QEvent.Type.MouseMove,
                move,
                native.mapToGlobal(move),
                QtCore.Qt.MouseButton.NoButton,
                button,
                PLAIN,
            )
            QtWidgets.QApplication.sendEvent(native, event)
        QtTest.QTest.mouseRelease(native, button, PLAIN, start + way)
    place = QtCore.QPointF(200.0, 200.0)
    wheel = QtGui.QWheelEvent(
        place,
        native.mapToGlobal(place),
        QtCore.QPoint(),
        QtCore.QPoint(0, 120),
        QtCore.Qt.MouseButton.NoButton,
        PLAIN,
        QtCore.Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QtWidgets.QApplication.sendEvent(native, wheel)
    return {
        "turned": camera.azimuth - before[0],
        "nearer": camera.distance / before[1],
        "moved": float(np.linalg.norm(camera.centre - before[2])),
    }


def follows(qt: QtWidgets.QApplication, window: ViewWindow, folder: Path) -> dict[str, Any]:
    """A station starts, moves the robot, goes silent, ends; the window stays."""
    robot = window.scene.robots["puma560"]
    seen: dict[str, Any] = {}
    with StateWriter(6, {"robot": "puma560"}, folder=folder) as writer:
        q = robot.q + 0.1
        writer.shared.tick = 1
        writer.shared.predicted_q[:] = q
        writer.shared.measured_q[:] = q - 0.2
        writer.shared.measured_age = 0.2
        writer.publish()
        seen["followed"] = wait(qt, lambda: bool(np.allclose(robot.q, q)))
        lag = robot.pose(7) @ np.linalg.inv(robot.pose(7, measured=True))
        mechanism = window.scene.bench["puma560"]
        mechanism.q = q
        ahead = mechanism.pose(7)
        mechanism.q = q - 0.2
        seen["lag_is_right"] = bool(np.allclose(lag, ahead @ np.linalg.inv(mechanism.pose(7))))
        seen["grows_stale"] = wait(qt, lambda: robot.measured.stale)
    seen["end_is_told"] = wait(qt, lambda: "the station has ended; this is its last state" in window.scene.status)
    return seen


def everything(qt: QtWidgets.QApplication, window: ViewWindow, folder: Path) -> dict[str, Any]:
    """Viewpoints, panes, theme, stereo, and a station to follow."""
    seen: dict[str, Any] = {}
    for name in ("front", "top", "side", "tool", "perspective"):
        window.look(name)
        qt.processEvents()
    window.resize(500, 400)
    window.use_split(True)
    qt.processEvents()
    seen["split"] = list(window.panes.others)
    seen["panes_drawn"] = panes_drawn(window)
    window.use_split(False)
    seen["smooth"] = smooth(window)
    for action in window.findChildren(QtGui.QAction):
        if action.text() == "Dark":
            action.trigger()
    qt.processEvents()
    seen["dark"] = pixels(window)[2, -3].tolist()
    seen["follows"] = follows(qt, window, folder)
    window.next_stereo()
    qt.processEvents()
    seen["stereo"] = window.message
    with unittest.mock.patch.object(window.panes, "draw", side_effect=RuntimeError("the card is on fire")):
        before = pixels(window)
    seen["survives"] = window.isVisible() and bool((before != pixels(window)).any())
    return seen


def panes_drawn(window: ViewWindow) -> list[float]:
    """Part of each pane that is not background."""
    image, background = pixels(window), 255.0 * np.array(window.scene.theme.background[:3])
    shares = []
    for part in window.panes.parts((image.shape[1], image.shape[0])):
        top, left = round(part.top), round(part.left)
        inside = image[top + 25 : top + round(part.height), left + 2 : left + round(part.width)].astype(float)
        shares.append(float((np.abs(inside - background).max(axis=2) > 40.0).mean()))
    return shares


def smooth(window: ViewWindow) -> list[float]:
    """Share of pixels that change much when edges are drawn smoothly, and the mean change of all."""
    assert isinstance(window.canvas, ImageCanvas)
    quick = pixels(window).astype(float)
    window.canvas.always_fine = True
    fine = pixels(window).astype(float)
    window.canvas.always_fine = False
    gap = np.abs(fine - quick).max(axis=2)
    return [float((gap > 40.0).mean()), float((fine - quick).mean())]


def main() -> None:
    started = time.perf_counter()
    folder = Path(sys.argv[1])
    qt = application()
    window = ViewWindow(
        station.load(robots.path("puma560")), (640, 480), folder=folder, canvas=sys.argv[2], settings=folder
    )
    window.show()
    seen: dict[str, Any] = {"drawn": wait(qt, lambda: window.panes.frames > 0)}
    seen["first_frame"] = time.perf_counter() - started
    light = pixels(window)
    seen["colours"] = len(np.unique(light.reshape(-1, 3), axis=0))
    seen["clicks"] = clicks(qt, window)
    seen["drags"] = drags(window)
    if sys.argv[3] == "all":
        seen.update(everything(qt, window, folder))
    frames = window.panes.frames
    for _ in range(30):
        qt.processEvents()
        time.sleep(0.01)
    seen["kind"] = type(window.canvas).__name__
    seen["idle_frames"] = window.panes.frames - frames
    window.close()
    qt.processEvents()
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
