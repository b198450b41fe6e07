"""The on-screen device with a running station: it sends what is held, and the station's own rules decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6 import QtCore, QtGui, QtWidgets

import robots
from station.bench import load
from station.clock import VirtualClock
from station.controllers.supervisor import SupervisorState
from station.devices import open_device
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.view.design.live_grab import LiveGrab, may_be_led
from station.view.design.words import BUSY
from station.view.moment import Link
from station.view.panels.device import DevicePanel
from station.view.window import ViewWindow, application

TICKS = 40  # of the servo between two frames of the window


class Bench:
    """A servo that is led by the panel of a window, on a clock of its own."""

    def __init__(self, servo: Servo, window: ViewWindow, qt: QtWidgets.QApplication) -> None:
        self.servo, self.window, self.qt = servo, window, qt
        panel = window.docks.show("Device")
        assert isinstance(panel, DevicePanel)
        self.panel = panel

    def live(self, frames: int) -> None:
        for _ in range(frames):
            for _ in range(TICKS):
                self.servo.tick()
            self.window.refresh()
            self.qt.processEvents()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    qt, clock, scene = application(), VirtualClock(), load(robots.path("ur5e"))
    with open_device("panel:", clock) as device:
        rig = put_together(scene, device, Wanted())
        with Servo(rig, clock=clock, folder=tmp_path) as servo:
            window = ViewWindow(load(robots.path("ur5e")), (500, 400), folder=tmp_path, settings=tmp_path)
            window.asks = False
            window._timer.stop()
            window.show()
            bench = Bench(servo, window, qt)
            window.follower.update()
            bench.live(8)
            yield bench
            window.close()


def state(bench: Bench) -> SupervisorState:
    return bench.servo.state


def held(bench: Bench, axis: int, value: int) -> None:
    bench.panel.rows[axis].slider.setSliderDown(value != 0)
    bench.panel.rows[axis].slider.setValue(value)


def test_a_held_slider_leads_the_robot_of_the_station_while_the_dead_man_is_held(bench: Bench) -> None:
    assert bench.window.follower.link is Link.FOLLOWING
    frame = bench.servo.followed.id
    start = bench.servo.rig.robot.pose(frame)[:3, 3]
    held(bench, 0, 60)
    bench.live(5)
    assert state(bench) is SupervisorState.READY
    assert bench.servo.rig.robot.pose(frame)[:3, 3] == pytest.approx(start, abs=1e-9)
    held(bench, 0, 0)
    bench.panel.buttons["dead-man"].setChecked(True)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    held(bench, 0, 60)
    bench.live(15)
    way = bench.servo.rig.robot.pose(frame)[:3, 3] - start
    assert way[0] > 0.005
    assert np.abs(way[1:]).max() < 0.2 * way[0]
    assert bench.panel.state.text() == "leads the robot of the running station"
    bench.panel.buttons["dead-man"].setChecked(False)
    bench.live(5)
    assert state(bench) is not SupervisorState.ENGAGED


def test_a_window_that_closes_lets_go(bench: Bench) -> None:
    bench.panel.buttons["dead-man"].setChecked(True)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    bench.window.close()
    for _ in range(600):
        bench.servo.tick()
    assert state(bench) is not SupervisorState.ENGAGED


def test_frame_scale_and_reference_are_ordered(bench: Bench) -> None:
    bench.panel.reference.setCurrentText("tool")
    bench.panel._set_reference()
    bench.panel.sensitivity.setValue(-20)
    other = next(i for i in range(bench.panel.target.count()) if bench.panel.target.itemData(i) == ("ur5e", 4))
    bench.panel.target.setCurrentIndex(other)
    bench.panel._set_target()
    bench.live(3)
    assert bench.servo.shared.reference_frame[0] == 2
    assert bench.servo.shared.scale[0] == pytest.approx(0.1)
    assert bench.servo.followed.id == 4


def test_nothing_is_edited_or_moved_by_hand_while_a_station_moves_the_robot(bench: Bench) -> None:
    link = bench.window.docks.open_link("ur5e", 2)
    bench.live(3)
    assert not link.rows["theta"].field.isEnabled()
    assert not bench.window.studio.edit(lambda source: source.text + " ", "nothing")
    assert bench.window.message == BUSY
    q = bench.servo.rig.robot.q
    shown = link.rows["theta"].field.value()
    assert shown == pytest.approx(np.degrees(q[1]), abs=1e-3)


def test_after_the_station_the_design_goes_on_from_where_the_robot_is(bench: Bench) -> None:
    bench.panel.buttons["dead-man"].setChecked(True)
    bench.live(10)
    held(bench, 2, -80)
    bench.live(15)
    held(bench, 2, 0)
    q = bench.servo.rig.robot.q
    bench.servo.close()
    for _ in range(60):
        bench.window.refresh()
        bench.qt.processEvents()
    assert not bench.window.studio.live
    assert bench.window.design.joint_values("ur5e") == pytest.approx(q, abs=0.05)
    assert bench.window.studio.edit(lambda source: source.text + "// still here\n", "remark")


def dragged(bench: Bench, kind: QtCore.QEvent.Type, place: QtCore.QPointF) -> None:
    native = bench.window.canvas.native
    left, none = QtCore.Qt.MouseButton.LeftButton, QtCore.Qt.MouseButton.NoButton
    button = none if kind is QtCore.QEvent.Type.MouseMove else left
    held_down = none if kind is QtCore.QEvent.Type.MouseButtonRelease else left
    keys = QtCore.Qt.KeyboardModifier.NoModifier
    event = QtGui.QMouseEvent(kind, place, native.mapToGlobal(place), button, held_down, keys)
    QtWidgets.QApplication.sendEvent(native, event)


def seen_part(bench: Bench) -> tuple[int, QtCore.QPointF]:
    """A part of the arm and a pixel of it."""
    native = bench.window.canvas.native
    for y in range(20, native.height(), 20):
        for x in range(20, native.width(), 20):
            hit = bench.window.panes.hit((x, y), (native.width(), native.height()))
            if hit is not None and hit.id in (3, 4, 5, 6):
                return hit.id, QtCore.QPointF(x, y)
    raise AssertionError("no part is seen")


def test_the_mouse_leads_a_part_of_the_stations_robot_while_its_button_is_held(bench: Bench) -> None:
    bench.panel.hide()
    bench.live(2)
    part, place = seen_part(bench)
    kind = QtCore.QEvent.Type
    dragged(bench, kind.MouseButtonPress, place)
    dragged(bench, kind.MouseMove, place + QtCore.QPointF(12.0, -10.0))
    bench.live(4)
    grab = bench.window.studio.grabber.grab
    assert isinstance(grab, LiveGrab)
    assert bench.servo.followed.id == part
    before = float(np.linalg.norm(grab.wanted - grab.place))
    bench.live(60)
    assert state(bench) is SupervisorState.ENGAGED
    assert float(np.linalg.norm(grab.wanted - grab.place)) < 0.5 * before
    assert bench.window.message == f"dragging part {part} of the station's robot"
    dragged(bench, kind.MouseButtonRelease, place)
    bench.live(10)
    assert state(bench) is not SupervisorState.ENGAGED
    assert bench.window.studio.grabber.grab is None


def test_a_station_that_ends_while_its_robot_is_dragged_lets_the_mouse_go(bench: Bench) -> None:
    part, place = seen_part(bench)
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, place)
    dragged(bench, QtCore.QEvent.Type.MouseMove, place + QtCore.QPointF(12.0, -10.0))
    bench.live(4)
    assert part
    bench.servo.close()
    for _ in range(60):
        bench.window.refresh()
        bench.qt.processEvents()
    assert bench.window.studio.grabber.grab is None
    assert bench.window.isVisible()


def test_a_station_with_another_device_is_not_led_by_the_mouse(bench: Bench) -> None:
    moment = replace(bench.window.follower.moment, text={"device": "sim:syntaxer"})
    assert not may_be_led(moment)
    bench.window.follower.moment = moment
    _, place = seen_part(bench)
    camera = bench.window.scene.camera.azimuth
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, place)
    dragged(bench, QtCore.QEvent.Type.MouseMove, place + QtCore.QPointF(30.0, 0.0))
    dragged(bench, QtCore.QEvent.Type.MouseButtonRelease, place + QtCore.QPointF(30.0, 0.0))
    assert bench.window.studio.grabber.grab is None
    assert bench.window.scene.camera.azimuth != camera
