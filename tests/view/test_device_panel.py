"""The on-screen device with a running station: it sends what is held, and the station's own rules decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6 import QtCore, QtGui, QtTest, QtWidgets

import robots
from station.bench import load
from station.clock import VirtualClock
from station.controllers.supervisor import SupervisorState
from station.devices import open_device
from station.devices.software.keymap import USUAL, parse_keys
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Acting, Edit, EditState
from station.view.design.grab import Grab
from station.view.design.live_grab import AGAIN, LiveGrab
from station.view.design.model import Design, Rewrite
from station.view.design.rewriting import with_joint_values, with_numbers
from station.view.design.words import BUSY
from station.view.hand import may_be_led
from station.view.menus import STATION, keys_of
from station.view.moment import Link
from station.view.panels.device import DevicePanel
from station.view.window import ViewWindow, application

LEFT, KEY = QtCore.Qt.MouseButton.LeftButton, QtCore.Qt.Key
TICKS = 40  # of the servo between two frames of the window


class Bench:
    """A servo that is led by the panel of a window, on a clock of its own."""

    def __init__(self, servo: Servo, window: ViewWindow, qt: QtWidgets.QApplication) -> None:
        self.servo, self.window, self.qt = servo, window, qt
        panel = window.panels["Device"]
        assert isinstance(panel, DevicePanel)
        self.panel = panel

    def live(self, frames: int) -> None:
        for _ in range(frames):
            for _ in range(TICKS):
                self.servo.tick()
            self.window.refresh()
            self.qt.processEvents()


@pytest.fixture(params=["panel:"])
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    qt, clock, scene = application(), VirtualClock(), load(robots.path("ur5e"))
    with open_device(request.param, clock) as device:
        rig = put_together(scene, device, Wanted())
        with Servo(rig, clock=clock, folder=tmp_path) as servo:
            window = ViewWindow(load(robots.path("ur5e")), (500, 400), folder=tmp_path, settings=tmp_path)
            window.asks = False
            window._timer.stop()
            window.hand.clock = clock
            window.show()
            bench = Bench(servo, window, qt)
            window.follower.update()
            bench.live(8)
            yield bench
            window.close()


def state(bench: Bench) -> SupervisorState:
    return bench.servo.part.state


def held(bench: Bench, axis: int, value: int) -> None:
    bench.panel.rows[axis].slider.setSliderDown(value != 0)
    bench.panel.rows[axis].slider.setValue(value)


def test_a_held_slider_leads_the_robot_of_the_station_and_holds_the_dead_man(bench: Bench) -> None:
    assert bench.window.follower.link is Link.FOLLOWING
    assert state(bench) is SupervisorState.READY
    frame = bench.servo.part.followed.id
    start = bench.servo.part.rig.robot.pose(frame)[:3, 3]
    held(bench, 0, 60)
    bench.live(20)
    assert state(bench) is SupervisorState.ENGAGED
    way = bench.servo.part.rig.robot.pose(frame)[:3, 3] - start
    assert way[0] > 0.005
    assert np.abs(way[1:]).max() < 0.2 * way[0]
    assert bench.panel.state.text() == "leads the robot of the running station"
    held(bench, 0, 0)
    bench.live(5)
    assert state(bench) is not SupervisorState.ENGAGED


def test_the_dead_man_of_the_panel_is_held_not_toggled(bench: Bench) -> None:
    button = bench.panel.buttons["dead-man"]
    QtTest.QTest.mousePress(button, LEFT)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    QtTest.QTest.mouseRelease(button, LEFT)
    bench.live(2)
    assert state(bench) is not SupervisorState.ENGAGED
    assert not any(button.isCheckable() for button in bench.panel.buttons.values())


def test_a_window_that_closes_lets_go(bench: Bench) -> None:
    bench.panel.buttons["dead-man"].setDown(True)
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
    assert bench.servo.part.shared.reference_frame == 2
    assert bench.servo.part.shared.scale == pytest.approx(0.1)
    assert bench.servo.part.followed.id == 4


def longer(d: float) -> Rewrite:
    """An edit of a link [m]."""
    return lambda source: with_numbers(source, "ur5e", 3, "parameters", {"d": d})


def test_geometry_is_edited_while_a_hand_leads_the_station(bench: Bench) -> None:
    bench.panel.buttons["dead-man"].setDown(True)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    link, studio, robot = bench.window.docks.open_link("ur5e", 3), bench.window.studio, bench.servo.part.rig.robot
    bench.live(3)
    assert link.rows["d"].field.isEnabled()
    assert not link.rows["theta"].field.isEnabled()
    before = robot.geometry.numbers(3)[3]
    at = bench.servo.part.shared.predicted_pose[:3, 3].copy()
    for step in range(1, 4):  # a slider that is dragged
        studio.want("d", longer(before + 0.01 * step), "d")
        bench.live(1)
    studio.end_gesture()
    bench.live(30)
    assert robot.geometry.numbers(3)[3] == before + 0.03
    shared = bench.servo.part.shared
    assert (shared.edit_kind, shared.edit_of, shared.edit_state) == (Edit.GEOMETRY, 3, EditState.DONE)
    assert state(bench) is SupervisorState.ENGAGED
    assert np.abs(shared.predicted_pose[:3, 3] - at).max() < 1e-4
    drawn = bench.window.design.bench["ur5e"]
    drawn.q = robot.q
    assert drawn.pose(6) == pytest.approx(robot.pose(6), abs=1e-9)
    studio.undo()
    bench.live(30)
    assert robot.geometry.numbers(3)[3] == pytest.approx(before, abs=1e-12)
    assert not bench.window.design.dirty


def test_what_a_station_cannot_take_is_refused_before_anything_changes(bench: Bench) -> None:
    studio, text = bench.window.studio, bench.window.design.text
    assert not studio.edit(lambda source: with_numbers(source, "ur5e", 3, "limits", {"lo": -1.0}), "stops")
    assert not studio.edit(lambda source: with_joint_values(source, "ur5e", {3: 0.1}), "start")
    assert bench.window.message.endswith(BUSY)
    assert bench.window.design.text == text
    assert bench.servo.part.shared.edit == 0


def test_nothing_is_edited_or_moved_by_hand_while_a_station_moves_the_robot(bench: Bench) -> None:
    link = bench.window.docks.open_link("ur5e", 2)
    bench.live(3)
    assert not link.rows["theta"].field.isEnabled()
    assert not bench.window.studio.edit(lambda source: source.text + " ", "nothing")
    assert bench.window.message.endswith(BUSY)
    q = bench.servo.part.rig.robot.q
    shown = link.rows["theta"].field.value()
    assert shown == pytest.approx(np.degrees(q[1]), abs=1e-3)


def test_after_the_station_the_design_goes_on_from_where_the_robot_is(bench: Bench) -> None:
    bench.panel.buttons["dead-man"].setDown(True)
    bench.live(10)
    held(bench, 2, -80)
    bench.live(15)
    held(bench, 2, 0)
    q = bench.servo.part.rig.robot.q
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


def seen_part(bench: Bench, among: tuple[int, ...] = (3, 4, 5, 6)) -> tuple[int, QtCore.QPointF]:
    """A part of the arm and a pixel of it."""
    native = bench.window.canvas.native
    for y in range(20, native.height(), 20):
        for x in range(20, native.width(), 20):
            hit = bench.window.panes.hit((x, y), (native.width(), native.height()))
            if hit is not None and hit.id in among:
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
    assert bench.servo.part.followed.id == part
    before = float(np.linalg.norm(grab.wanted - grab.place))
    bench.live(60)
    assert state(bench) is SupervisorState.ENGAGED
    assert float(np.linalg.norm(grab.wanted - grab.place)) < 0.5 * before
    assert bench.window.message == f"dragging part {part} of the station's robot"
    dragged(bench, kind.MouseButtonRelease, place)
    bench.live(10)
    assert state(bench) is not SupervisorState.ENGAGED
    assert bench.window.studio.grabber.grab is None


@pytest.mark.parametrize("bench", ["keyboard:"], indirect=True)
@pytest.mark.parametrize("part", [2, 3, 4], ids=["upper arm", "forearm", "wrist"])
def test_the_grabbed_point_of_any_part_comes_to_the_mouse(bench: Bench, part: int) -> None:
    """Or as near as in the design study: of the upper arm too, the origin of whose frame cannot move."""
    led = bench.servo.part.followed.id
    _, spot = seen_part(bench, (part,))
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, spot)
    dragged(bench, QtCore.QEvent.Type.MouseMove, spot + QtCore.QPointF(10.0, -4.0))
    bench.live(4)
    grab = bench.window.studio.grabber.grab
    assert isinstance(grab, LiveGrab)
    start, wanted = grab.place.copy(), grab.wanted
    bench.live(60)
    design = Design(load(robots.path("ur5e")))
    virtual = Grab(design, "ur5e", part, start)
    virtual.wanted = wanted
    for _ in range(60):
        virtual.follow(0.04)
    assert float(np.linalg.norm(virtual.place - start)) > 0.008
    assert grab.place == pytest.approx(virtual.place, abs=0.005)
    assert grab.place == pytest.approx(
        (bench.servo.part.rig.robot.pose(part) @ [*grab.offset, 1.0])[:3], abs=0.005
    )  # of the station's own robot
    dragged(bench, QtCore.QEvent.Type.MouseButtonRelease, spot)
    bench.live(10)
    assert state(bench) is not SupervisorState.ENGAGED
    assert bench.servo.part.followed.id == led  # keys and panel lead what they led before


def test_a_drag_begins_with_a_press_that_counts_also_after_a_pause_of_the_window(bench: Bench) -> None:
    """What is done for the first time may take longer than the station waits for its window."""
    _, spot = seen_part(bench)
    for _ in range(400):  # the window stands still
        bench.servo.tick()
    assert state(bench) is not SupervisorState.READY
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, spot)
    dragged(bench, QtCore.QEvent.Type.MouseMove, spot + QtCore.QPointF(12.0, -10.0))
    bench.live(20)
    assert state(bench) is SupervisorState.ENGAGED
    for _ in range(400):
        bench.servo.tick()
    bench.live(20)
    assert state(bench) is not SupervisorState.ENGAGED  # only a new press counts
    grab = bench.window.studio.grabber.grab
    assert isinstance(grab, LiveGrab)
    assert grab.words == AGAIN
    dragged(bench, QtCore.QEvent.Type.MouseButtonRelease, spot)


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
    assert not may_be_led(moment.text)
    bench.window.follower.chosen.moment = moment
    _, place = seen_part(bench)
    camera = bench.window.scene.camera.azimuth
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, place)
    dragged(bench, QtCore.QEvent.Type.MouseMove, place + QtCore.QPointF(30.0, 0.0))
    dragged(bench, QtCore.QEvent.Type.MouseButtonRelease, place + QtCore.QPointF(30.0, 0.0))
    assert bench.window.studio.grabber.grab is None
    assert bench.window.scene.camera.azimuth != camera


def place(bench: Bench) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of the frame that the hand leads [m]."""
    return np.asarray(bench.servo.part.rig.robot.pose(bench.servo.part.followed.id)[:3, 3])


def press(bench: Bench, key: QtCore.Qt.Key, shift: bool = True, widget: QtWidgets.QWidget | None = None) -> None:
    modifier = QtCore.Qt.KeyboardModifier
    QtTest.QTest.keyPress(widget or bench.window, key, modifier.ShiftModifier if shift else modifier.NoModifier)


def release(bench: Bench, key: QtCore.Qt.Key) -> None:
    QtTest.QTest.keyRelease(bench.window, key)


BOTH = pytest.mark.parametrize("bench", ["panel:", "keyboard:"], indirect=True)


@BOTH
def test_the_panel_opens_by_itself_for_a_station_that_is_led_from_the_window(bench: Bench) -> None:
    assert bench.panel.isVisible()
    assert bench.panel.state.text() == "hold Shift, a slider, or a part of the robot to move"
    assert "W S   away, back" in bench.panel.keys.text()
    bench.panel.close()
    bench.live(5)
    assert not bench.panel.isVisible()  # once
    assert state(bench) is SupervisorState.READY  # the window holds the device, not the panel


@BOTH
def test_keys_lead_the_robot_while_the_dead_man_key_is_held(bench: Bench) -> None:
    start = place(bench)
    press(bench, KEY.Key_Shift)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    press(bench, KEY.Key_D)
    bench.live(15)
    way = place(bench) - start
    assert way[0] > 0.01  # to the right
    assert np.abs(way[1:]).max() < 0.2 * way[0]
    assert bench.window.scene.theme.name == "light"  # D alone is the window's
    release(bench, KEY.Key_Shift)
    bench.servo.tick()
    bench.servo.tick()
    assert state(bench) is not SupervisorState.ENGAGED  # at once, not with the next frame
    bench.live(5)  # within what its joints can
    stood = place(bench)
    bench.live(5)
    assert place(bench) == pytest.approx(stood, abs=1e-9)
    press(bench, KEY.Key_D, shift=False)
    assert bench.window.scene.theme.name == "light"  # it is down since it was the device's
    release(bench, KEY.Key_D)
    press(bench, KEY.Key_D, shift=False)
    assert bench.window.scene.theme.name == "dark"


@BOTH
def test_keys_that_are_down_before_the_dead_man_lead_once_the_station_is_engaged(bench: Bench) -> None:
    start = place(bench)
    press(bench, KEY.Key_Shift)
    press(bench, KEY.Key_E)
    bench.live(20)
    assert place(bench)[2] - start[2] > 0.01  # up


def test_losing_the_focus_lets_everything_go(bench: Bench) -> None:
    for key in (True, False):
        press(bench, KEY.Key_Shift) if key else held(bench, 0, 60)
        bench.live(10)
        assert state(bench) is SupervisorState.ENGAGED
        bench.qt.applicationStateChanged.emit(QtCore.Qt.ApplicationState.ApplicationInactive)
        bench.servo.tick()
        bench.servo.tick()
        assert state(bench) is not SupervisorState.ENGAGED
        bench.live(10)
        assert state(bench) is not SupervisorState.ENGAGED  # only a new press counts
        release(bench, KEY.Key_Shift)


def test_losing_the_focus_lets_a_dragged_part_go(bench: Bench) -> None:
    _, spot = seen_part(bench)
    dragged(bench, QtCore.QEvent.Type.MouseButtonPress, spot)
    dragged(bench, QtCore.QEvent.Type.MouseMove, spot + QtCore.QPointF(12.0, -10.0))
    bench.live(15)
    assert state(bench) is SupervisorState.ENGAGED
    bench.qt.applicationStateChanged.emit(QtCore.Qt.ApplicationState.ApplicationInactive)
    bench.live(2)
    assert state(bench) is not SupervisorState.ENGAGED


@pytest.mark.parametrize("key", [True, False], ids=["key", "slider"])
def test_after_a_pause_of_the_window_only_a_new_press_counts(bench: Bench, key: bool) -> None:
    press(bench, KEY.Key_Shift) if key else held(bench, 0, 60)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    for _ in range(400):  # longer than the station waits for its window
        bench.servo.tick()
    assert state(bench) is not SupervisorState.ENGAGED
    bench.live(20)
    assert state(bench) is not SupervisorState.ENGAGED
    held(bench, 0, 0)
    release(bench, KEY.Key_Shift)
    bench.live(5)
    press(bench, KEY.Key_Shift)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED


def test_a_dialog_that_asks_lets_keys_go(bench: Bench) -> None:
    press(bench, KEY.Key_Shift)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    dialog = QtWidgets.QDialog(bench.window)
    dialog.setModal(True)
    dialog.show()
    bench.live(3)
    assert state(bench) is not SupervisorState.ENGAGED
    press(bench, KEY.Key_Shift)
    bench.live(5)
    assert state(bench) is not SupervisorState.ENGAGED
    dialog.close()


def test_space_stops_also_while_the_dead_man_key_is_held(bench: Bench) -> None:
    press(bench, KEY.Key_Shift)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    press(bench, KEY.Key_Space)
    bench.live(1)
    assert state(bench) is SupervisorState.FAULT


def test_no_key_of_the_device_is_one_of_the_window(bench: Bench) -> None:
    sequences = {QtGui.QKeySequence(key).toString() for key, _ in keys_of(bench.window)} | {key for key, _ in STATION}
    keys = parse_keys(USUAL)
    of_device = {f"Shift+{key.upper()}" for key in (*keys.pushes, *keys.buttons) if key != "shift"} | {"Shift"}
    assert not of_device & sequences
    assert "Space" in sequences


def test_keys_are_written_where_somebody_writes(bench: Bench) -> None:
    field = QtWidgets.QLineEdit(bench.window)
    field.show()
    field.setFocus()
    press(bench, KEY.Key_Shift, widget=field)
    press(bench, KEY.Key_W, widget=field)
    bench.live(10)
    assert field.text().upper() == "W"
    assert state(bench) is SupervisorState.READY


@pytest.mark.parametrize("bench", ["keyboard:?keys=up=-x+down=x+tab=dead-man"], indirect=True)
def test_a_keyboard_with_other_keys_is_led_by_them(bench: Bench) -> None:
    start = place(bench)
    press(bench, KEY.Key_Tab, shift=False)
    bench.live(10)
    assert state(bench) is SupervisorState.ENGAGED
    press(bench, KEY.Key_Up, shift=False, widget=bench.panel.sensitivity)  # a slider would take it for itself
    bench.live(15)
    assert place(bench)[1] - start[1] > 0.01  # away
    assert bench.panel.sensitivity.value() == 0


def test_two_windows_do_not_take_the_dead_man_from_each_other(bench: Bench, tmp_path: Path) -> None:
    other = ViewWindow(load(robots.path("ur5e")), (300, 200), folder=tmp_path, settings=tmp_path)
    other.asks = False
    other._timer.stop()
    other.hand.clock = bench.servo.clock
    other.show()
    press(bench, KEY.Key_Shift)
    states = []
    for _ in range(20):
        other.refresh()
        bench.live(1)
        states.append(state(bench))
    assert set(states[5:]) == {SupervisorState.ENGAGED}
    other.close()


def test_what_a_device_that_cannot_push_would_make_felt_is_shown(bench: Bench) -> None:
    """The arm is led to its reach, where a singularity is."""
    press(bench, KEY.Key_Shift)
    bench.live(10)
    press(bench, KEY.Key_W)
    strongest, words, arrows = 0.0, "", []
    for _ in range(140):
        bench.live(1)
        bars = bench.panel.felt
        if float(np.linalg.norm(bench.servo.part.shared.wrench_wanted[:3])) > strongest:
            strongest = float(np.linalg.norm(bench.servo.part.shared.wrench_wanted[:3]))
            words = bars.force.format()
            arrows = [label.text for label in bench.window.scene.augment.additions().labels]
            status = list(bench.window.scene.status)
    assert 3.0 < strongest <= 4.5
    assert not bench.servo.part.shared.acting & Acting.FORCE  # which would be a limit of the device
    assert float(np.abs(bench.servo.part.shared.wrench).max()) == 0.0  # nothing goes to the device
    assert words.endswith(" N, singularity")
    assert bars.force_label.text() == "Would be felt"
    assert any(text.startswith("singularity ") and text.endswith(" N") for text in arrows)
    assert not any(text.startswith("limits ") for text in arrows)
    assert any(line.startswith("would be felt: ") for line in status)
    assert bars.dexterity.format().endswith("at a singularity")
    assert bench.window.scene.augment.layers.ellipsoid
