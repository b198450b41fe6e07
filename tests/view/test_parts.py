"""A window on a station with several hands and robots: all are drawn, one is chosen for panels and orders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PySide6 import QtCore, QtTest, QtWidgets

from station.bench import loads
from station.clock import VirtualClock
from station.devices.device import Device, DeviceStatus
from station.devices.software.panel import PanelDevice
from station.servo.rig import Wanted, put_all_together
from station.servo.servo import Servo
from station.servo.shared.words import Mode
from station.view.follow import Follower, Link
from station.view.panels.device import DevicePanel
from station.view.panels.events import EventsPanel
from station.view.panels.postures import PosturesPanel
from station.view.panels.supervisor import SupervisorPanel
from station.view.panels.supervisor_words import GREEN, GREY, RED
from station.view.scene_view import SceneView
from station.view.virtual_bench import PromptStation
from station.view.window import ViewWindow, application
from tests.servo.rigs import DEAD_MAN, IdealDevice
from tests.servo.test_parts import SWITCHED, gantries, hands_on

KEY = QtCore.Qt.Key
FRAME = 40  # ticks of the servo between two pictures


class Seat:
    """A servo of several parts on a clock of its own, and somebody before its window."""

    def __init__(self, servo: Servo, window: ViewWindow, devices: dict[str, Device]) -> None:
        self.servo, self.window, self.devices = servo, window, devices

    def live(self, frames: int = 5) -> None:
        for _ in range(frames):
            for _ in range(FRAME):
                self.servo.tick()
            self.window.refresh()
            self.window.bar.desk._look()
            QtWidgets.QApplication.processEvents()

    def ideal(self, name: str) -> IdealDevice:
        device = self.devices[name]
        assert isinstance(device, IdealDevice)
        return device

    def press(self, name: str) -> None:
        self.ideal(name).buttons = 0
        self.live(1)
        self.ideal(name).buttons = DEAD_MAN
        self.live(1)

    def key(self, key: QtCore.Qt.Key) -> None:
        self.window.activateWindow()  # without a screen nobody gives it the focus back
        QtWidgets.QApplication.processEvents()
        QtTest.QTest.keyClick(self.window, key)
        self.live(3)

    @property
    def states(self) -> list[str]:
        return [part.state.name for part in self.servo.parts]

    @property
    def names(self) -> list[str]:
        return [part.who for part in self.window.follower.parts]

    @property
    def chosen(self) -> str:
        return self.window.follower.chosen.who

    @property
    def supervisor(self) -> SupervisorPanel:
        panel = self.window.panels["Supervisor"]
        assert isinstance(panel, SupervisorPanel)
        return panel


@contextmanager
def seated(scene: str, folder: Path, *names: str, panel: str = "") -> Iterator[Seat]:
    """Hands by name, one of them perhaps that of the window."""
    application()
    clock = VirtualClock(1.0)
    devices: dict[str, Device] = {
        name: PanelDevice("panel:", clock) if name == panel else IdealDevice(clock) for name in names
    }
    with Servo(put_all_together(loads(scene), devices, Wanted(), {}), clock=clock, folder=folder) as servo:
        window = ViewWindow(loads(scene), (700, 500), folder=folder / "none", settings=folder)
        window.asks = False
        window._timer.stop()
        window.hand.clock = clock
        window.follower.use(PromptStation(servo.part.writer.path))
        window.show()
        window.activateWindow()
        seat = Seat(servo, window, devices)
        seat.live()
        yield seat
        window.close()


@pytest.fixture(autouse=True)
def offscreen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")


def test_robots_of_all_parts_are_drawn_also_those_that_nobody_leads(tmp_path: Path) -> None:
    with seated(gantries("left", "right", ""), tmp_path, "left", "right") as seat:
        assert seat.names == ["left", "right", "robot3"]
        for nth, part in enumerate(seat.servo.parts, 1):
            part.shared.predicted_q[:] = 0.01 * nth
            part.shared.measured_q[:] = 0.02 * nth
            part.shared.measured_age = 0.1
            part.writer.publish()
        seat.window.follower.update()
        robots = seat.window.scene.robots
        for nth in (1, 2, 3):
            robot = robots[f"robot{nth}"]
            np.testing.assert_allclose(robot.q, 0.01 * nth)
            np.testing.assert_allclose(robot.pose(1, measured=True)[2, 3] - robot.pose(1)[2, 3], 0.01 * nth)
            assert robot.measured.shown


def test_targets_forces_and_paths_are_of_each_hand(tmp_path: Path) -> None:
    with seated(gantries("left", "right", ""), tmp_path, "left", "right") as seat:
        for part, cause in zip(seat.servo.parts, (2.0, 3.0, 4.0), strict=True):
            part.shared.wrench_parts[0, 2] = cause
            part.writer.publish()
        seat.window.follower.update()
        said = [label.text for label in seat.window.scene.augment.additions().labels]
        assert [text for text in said if text.endswith("N")] == ["coupling 2.0 N", "coupling 3.0 N"]  # nobody feels 4
        assert {"left predicted", "right predicted", "robot3 measured"} <= set(seat.window.scene.trails)


def test_two_hands_on_one_robot_have_a_cursor_each(tmp_path: Path) -> None:
    with seated(SWITCHED, tmp_path, "left", "right") as seat:
        view = seat.window.scene
        first = len(view.augment.additions().mesh.points)
        seat.servo.parts[1].shared.leads = True  # as if the right one led the same robot
        seat.servo.parts[1].writer.publish()
        seat.window.follower.update()
        assert len(view.augment.additions().mesh.points) > first


def test_the_chooser_is_there_with_several_parts_alone(tmp_path: Path) -> None:
    with seated(gantries("left"), tmp_path, "left") as seat:
        assert not seat.window.parts_bar.isVisible()
        assert seat.window.scene.status[0] == "ready"
        seat.key(KEY.Key_N)
        assert seat.chosen == ""
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        bar = seat.window.parts_bar
        assert bar.isVisible()
        assert [button.text() for button in bar.buttons] == ["left → robot1", "right → robot2"]
        assert [button.isChecked() for button in bar.buttons] == [True, False]
        seat.press("right")
        assert [seen.colour for seen in bar._seen][1] == GREEN
        assert not bar.lead_button.isVisible()  # there is nothing to switch


def test_panels_are_of_the_chosen_part(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        seat.supervisor.show()
        seat.press("right")
        assert seat.supervisor.state.text() == "READY"
        seat.key(KEY.Key_N)
        assert seat.chosen == "right"
        assert seat.supervisor.state.text() == "ENGAGED"
        assert seat.window.bar.state.text() == "ENGAGED"
        assert seat.window.scene.status[0] == "right: engaged"
        assert [button.isChecked() for button in seat.window.parts_bar.buttons] == [False, True]
        seat.window.parts_bar.buttons[0].click()
        assert seat.chosen == "left"
        assert seat.window.message.startswith("chosen: left leads robot1: ready")


def test_stop_is_everybodys_and_hold_is_for_all(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        seat.press("left")
        seat.press("right")
        assert seat.states == ["ENGAGED", "ENGAGED"]
        seat.key(KEY.Key_H)
        assert seat.states == ["HOLD", "HOLD"]
        assert seat.window.message == "hold: all 2 are told"
        seat.key(KEY.Key_N)
        seat.key(KEY.Key_Space)
        assert seat.states == ["FAULT", "FAULT"]
        assert [seen.colour for seen in seat.window.parts_bar._seen] == [RED, RED]
        events = seat.window.panels["Events"]
        assert isinstance(events, EventsPanel)
        told = [entry.text for entry in events.log.entries]
        assert any(text.startswith("left: fault") for text in told)
        assert any(text.startswith("right: fault") for text in told)
        assert "right: emergency stop: done" in told


def test_a_device_is_switched_between_frames(tmp_path: Path) -> None:
    with seated(SWITCHED, tmp_path, "left", "right") as seat:
        bar = seat.window.parts_bar
        assert seat.names == ["left → one", "right", "left → two"]
        assert [seen.leads for seen in bar._seen] == [True, False, False]
        assert bar._seen[2].colour == GREY
        assert (bar.lead_button.isVisible(), bar.lead_button.isEnabled()) == (True, False)
        seat.key(KEY.Key_L)
        assert seat.window.message == "left → one: its device leads it already"
        seat.key(KEY.Key_N)
        seat.key(KEY.Key_N)
        assert bar.lead_button.text() == "Let left → two lead (L)"
        seat.key(KEY.Key_L)
        assert seat.window.message == "left leads two now; press its dead-man anew"
        assert [seen.leads for seen in bar._seen] == [False, False, True]
        QtTest.QTest.mouseDClick(bar.buttons[1], QtCore.Qt.MouseButton.LeftButton)
        seat.live(3)
        assert [seen.leads for seen in bar._seen] == [False, True, True]
        assert [bool(part.memory.leads) for part in seat.servo.parts] == [False, True, True]


def test_a_switch_to_a_device_that_is_lost_is_told(tmp_path: Path) -> None:
    with seated(SWITCHED, tmp_path, "left", "right") as seat:
        seat.ideal("right").become(DeviceStatus.LOST)
        seat.live(1)
        seat.key(KEY.Key_N)
        seat.key(KEY.Key_L)
        assert seat.window.message == "right: lead one: refused, the device is not ready"
        assert [bool(part.memory.leads) for part in seat.servo.parts] == [True, False, False]


def test_the_windows_device_feeds_its_own_part_whichever_is_chosen(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right", panel="right") as seat:
        left, right = seat.servo.parts
        assert seat.chosen == "left"
        assert seat.states[1] == "READY"  # it is told that the window lives
        before = right.shared.predicted_pose[:3, 3].copy()
        QtTest.QTest.keyPress(seat.window, KEY.Key_Shift)
        seat.live(3)
        QtTest.QTest.keyPress(seat.window, KEY.Key_D)
        seat.live(20)
        assert seat.states == ["READY", "ENGAGED"]
        panel = seat.window.panels["Device"]
        assert isinstance(panel, DevicePanel)
        assert panel.state.text() == "right: leads the robot of the running station"
        panel.target.setCurrentIndex(panel.target.findText("robot1: frame 4"))
        panel.target.activated.emit(panel.target.currentIndex())
        assert seat.window.message == "the hand of this window leads robot2, not robot1"
        panel.sensitivity.setValue(10)
        seat.live(3)
        assert [part.shared.scale > 1.0 for part in seat.servo.parts] == [False, True]
        assert np.linalg.norm(right.shared.predicted_pose[:3, 3] - before) > 0.003
        np.testing.assert_allclose(left.shared.predicted_q, 0.0, atol=1e-9)
        seat.window.follower.choose(seat.window.follower.parts[1])  # what is held is let go of
        seat.live(3)
        assert seat.states[1] != "ENGAGED"


def test_a_scene_without_the_robot_of_a_further_part_says_so(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        follower = Follower(SceneView(loads(gantries("left"))), seat.servo.part.writer.path)
        follower.update()
        assert follower.trouble == "right: its robot is not in this file"


def test_joints_are_led_by_sliders_of_the_chosen_part(tmp_path: Path) -> None:
    with seated(gantries("left", ""), tmp_path, "left") as seat:
        panel = seat.window.panels["Postures and joints"]
        assert isinstance(panel, PosturesPanel)
        seat.key(KEY.Key_N)
        seat.key(KEY.Key_J)
        assert seat.window.message == "robot2: joints: done"
        assert panel.isVisible()
        assert panel.robot_name == "robot2"
        assert seat.servo.parts[1].memory.mode is Mode.JOINTS
        assert panel.rows[2].field.isEnabled()
        panel.rows[2].more.click()
        panel.rows[2].more.click()
        seat.live(10)
        np.testing.assert_allclose(seat.servo.parts[1].shared.predicted_q, [0.0, 0.002, 0.0], atol=1e-9)
        seat.key(KEY.Key_N)  # the hand leads there: nothing may be moved here
        assert panel.robot_name == "robot1"
        assert not panel.rows[2].field.isEnabled()
        np.testing.assert_allclose(seat.servo.parts[0].shared.predicted_q, 0.0, atol=1e-9)


def test_the_mode_of_joints_is_offered_while_engaged(tmp_path: Path) -> None:
    with seated(gantries("left"), tmp_path, "left") as seat:
        panel = seat.window.docks.show("Postures and joints")
        assert isinstance(panel, PosturesPanel)
        seat.press("left")
        assert seat.states == ["ENGAGED"]
        assert (panel.leads.isVisible(), panel.leads.isEnabled()) == (True, True)
        panel.leads.click()
        seat.live(3)
        assert seat.window.message.startswith("joints: ")  # done, or why not: the servo's to say


def test_a_clicked_part_is_of_its_own_robot_whichever_hand_is_chosen(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        panel = seat.window.docks.open_link("robot2", 3)
        part = seat.servo.parts[1]
        part.shared.predicted_q[2] = 0.05
        part.writer.publish()
        seat.window.refresh()
        assert seat.chosen == "left"
        assert panel.variable is not None
        assert panel.rows[panel.variable].field.value() == pytest.approx(50.0)  # [mm]
        follower = seat.window.follower
        assert follower.part_of("robot2") is follower.parts[1]
        assert follower.part_of("nobody") is None


def test_a_station_that_is_started_anew_is_found_with_its_own_parts(tmp_path: Path) -> None:
    view = SceneView(loads(gantries("left", "right", "")))
    follower = Follower(view, folder=tmp_path)
    with hands_on(gantries("left", "right", ""), tmp_path, "left", "right") as bench:
        bench.ticks(5)
        follower.update()
        assert [part.who for part in follower.parts] == ["left", "right", "robot3"]
        follower.choose(follower.parts[2])
    follower.update()
    assert follower.link is Link.ENDED
    assert {part.moment.link for part in follower.parts} == {Link.ENDED}
    follower.update()
    with hands_on(gantries("left"), tmp_path, "left") as bench:
        bench.ticks(5)
        follower.update()
        assert [part.who for part in follower.parts] == [""]
        assert follower.chosen is follower.parts[0]
        assert set(view.trails) == {"predicted", "commanded", "measured"}
    follower.close()
