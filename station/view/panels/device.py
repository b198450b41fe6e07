"""`DevicePanel`: the on-screen device. It leads the virtual robot or, while one runs, the robot of a station."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.devices.software.panel import BUTTONS
from station.errors import StationError
from station.mad.scene import ReferenceFrame
from station.servo.shared import Follow, PanelInput, SetReference, SetScale, SetView
from station.servo.shared import ReferenceFrame as SharedReference
from station.view.design.errors import one_line
from station.view.design.leading import of_device, view_pose
from station.view.design.live_grab import LiveGrab, may_be_led
from station.view.design.steering import STEP_LENGTH, STEP_TURN
from station.view.desk import desk_of
from station.view.hand_line import HandLine
from station.view.moment import Moment
from station.view.panels.device_rows import AxisRow
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

AXES = ("x", "y", "z", "about x", "about y", "about z")
STEP_SHARE, STEP_FRAMES = 0.5, 6  # what one push is to a station: half a deflection for so many frames
SENSE = 20  # notches of the sensitivity for a factor of ten


class DevicePanel(Panel):
    """Six axes by step buttons and rate sliders, whose axes they are, and how far they go."""

    title = "Device"
    key = "Ctrl+D"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self._studio = window.studio
        self._desk = desk_of(window, window.follower)
        self.target, self.reference = QtWidgets.QComboBox(), QtWidgets.QComboBox()
        self.reference.addItems([frame.value for frame in ReferenceFrame])
        self.reference.activated.connect(lambda _=0: self._set_reference())
        self.target.activated.connect(lambda _=0: self._set_target())
        self.sensitivity = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.sensitivity.setRange(-SENSE, SENSE)
        self.sensitivity.valueChanged.connect(lambda _=0: self._set_sensitivity())
        self.factor = QtWidgets.QLabel("× 1")
        steps = 3 * [f"{1000.0 * STEP_LENGTH:g} mm"] + 3 * [f"{math.degrees(STEP_TURN):g}°"]
        self.rows = [AxisRow(name, step, self) for name, step in zip(AXES, steps, strict=True)]
        for axis, row in enumerate(self.rows):
            row.pushed.connect(lambda sign, axis=axis: self._push(axis, sign))
        self.buttons = {name: QtWidgets.QPushButton(name.capitalize()) for name in BUTTONS}
        self.state = QtWidgets.QLabel()
        self.state.setWordWrap(True)
        self._pushes = [0] * len(AXES)  # frames for which a push still holds, with its sign
        self._line = HandLine(window.follower)
        self._used = False  # whether it has ever been seen
        self.put(self._laid_out())
        self._studio.changed.connect(self.show_targets)

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        form = QtWidgets.QFormLayout()
        form.addRow("Leads", self.target)
        form.addRow("Along axes of", self.reference)
        sense = QtWidgets.QHBoxLayout()
        sense.addWidget(self.sensitivity, 1)
        sense.addWidget(self.factor)
        form.addRow("Sensitivity", sense)
        column.addLayout(form)
        grid = QtWidgets.QGridLayout()
        grid.setColumnStretch(2, 1)
        for number, row in enumerate(self.rows):
            row.add_to(grid, number)
        column.addLayout(grid)
        keys = QtWidgets.QHBoxLayout()
        for name, button in self.buttons.items():
            button.setCheckable(name != "grip")
            button.setToolTip("for a running station that is led by this device")
            keys.addWidget(button)
        column.addLayout(keys)
        column.addWidget(self.state)
        column.addStretch(1)
        return whole

    # What it leads -----------------------------------------------------------------------------------------

    def show_targets(self) -> None:
        """List everything that can be led, and show what is; once somebody looks."""
        if not self.isVisible():
            return
        steering = self._studio.steering
        if steering is None:
            self.setEnabled(False)
            return
        self.target.clear()
        for robot in self._studio.design.bench.robots:
            for item in robot.placed():
                name = f" “{item.name}”" if item.name else ""
                words = f"{robot.name}: {type(item).__name__.lower()} {item.id}{name}"
                self.target.addItem(words, (robot.name, item.id))
                if (robot.name, item.id) == (steering.robot, steering.frame):
                    self.target.setCurrentIndex(self.target.count() - 1)
        self.reference.setCurrentText(steering.reference.value)

    def _set_target(self) -> None:
        robot, part = self.target.currentData()
        if self._studio.live:
            self._desk.order(Follow(part), f"follow {part}")
        elif self._studio.steering is not None:
            self._studio.steering.lead(robot, part)
            self._studio.changed.emit()

    def _set_reference(self) -> None:
        frame = ReferenceFrame(self.reference.currentText())
        if self._studio.steering is not None:
            self._studio.steering.set(reference=frame)
        if self._studio.live:
            self._desk.order(SetReference(SharedReference[frame.name]), f"axes of the {frame.value}")

    def _set_sensitivity(self) -> None:
        factor = 10.0 ** (self.sensitivity.value() / SENSE)
        self.factor.setText(f"× {factor:.2g}")
        if self._studio.steering is not None:
            self._studio.steering.set(sensitivity=factor)
        if self._studio.live:
            self._desk.order(SetScale(factor), f"scale {factor:.2g}")

    # Moving ------------------------------------------------------------------------------------------------

    def _push(self, axis: int, sign: int) -> None:
        if self._studio.live:
            self._pushes[axis] = sign * STEP_FRAMES
        elif self._studio.steering is not None:
            self._studio.steering.push(axis, sign)

    def shares(self) -> list[float]:
        """What is held now, -1 to 1 for each axis."""
        return [row.share for row in self.rows]

    def refresh(self, moment: Moment) -> None:
        """Hold what is held for another frame."""
        live = self._studio.live
        for button in self.buttons.values():
            button.setEnabled(live)
        if live:
            self._send(moment)
        elif self._studio.steering is not None:
            self._studio.steering.deflect(self.shares())
            steering = self._studio.steering
            self.state.setText(f"leads part {steering.frame} of the virtual robot {steering.robot}")

    def _send(self, moment: Moment) -> None:
        """Tell a running station; it springs back there by itself if this window stops telling."""
        if isinstance(self._studio.grabber.grab, LiveGrab):
            self.state.setText("the mouse leads the robot of the running station")
            return
        if not may_be_led(moment):
            leader = moment.text.get("device", "another device")
            self.state.setText(f"the station is led by {leader}; start it with --device panel: to lead it from here")
            return
        shares = self.shares()
        for axis, left in enumerate(self._pushes):
            if left:
                shares[axis] = math.copysign(STEP_SHARE, left)
                self._pushes[axis] -= int(math.copysign(1, left))
        pressed = [button.isChecked() or button.isDown() for button in self.buttons.values()]
        bits = sum(1 << bit for bit, down in enumerate(pressed) if down)
        try:
            if ReferenceFrame(self.reference.currentText()) is ReferenceFrame.VIEW:
                pose = view_pose(self.window_of.scene.camera)[:3].ravel()
                self._line.send(SetView(tuple(float(value) for value in pose)))
            self._line.send(PanelInput(of_device(shares), bits))
        except StationError as error:
            self.state.setText(one_line(error))
        else:
            self.state.setText("leads the robot of the running station")

    def showEvent(self, event: QtGui.QShowEvent) -> None:  # noqa: N802 (Qt's names)
        """From now on it counts."""
        super().showEvent(event)
        self._use(True)
        self.show_targets()

    def hideEvent(self, event: QtGui.QHideEvent) -> None:  # noqa: N802
        """Nothing is held any more."""
        if self._used:
            self._use(False)
        super().hideEvent(event)

    def _use(self, on: bool) -> None:
        self._used = True
        for row in self.rows:
            row.let_go()
        if not on:
            self._line.close()
        if self._studio.steering is not None:
            self._studio.steering.in_use = on
            self._studio.steering.device.release_all()

    def leave(self) -> None:
        """Give the place at the station back."""
        self._line.close()
