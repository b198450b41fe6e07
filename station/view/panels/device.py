"""`DevicePanel`: the on-screen device. It leads the virtual robot or, while one runs, the robot of a station."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6 import QtCore, QtGui, QtWidgets

from station.devices.software.deflection import AXES as DEVICE_AXES
from station.devices.software.held import DEAD_MAN
from station.devices.software.keymap import KeyMap
from station.devices.software.panel import BUTTONS
from station.mad.scene import ReferenceFrame
from station.servo.shared import Command, Follow, SetReference, SetScale
from station.servo.shared import ReferenceFrame as SharedReference
from station.view.design.leading import of_device
from station.view.design.live_grab import LiveGrab
from station.view.design.steering import STEP_LENGTH, STEP_TURN
from station.view.desk import desk_of
from station.view.hand import NOTHING, Held
from station.view.moment import Moment
from station.view.panels.device_rows import AxisRow
from station.view.panels.felt import FeltBars
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

AXES = ("x", "y", "z", "about x", "about y", "about z")
STEP_SHARE = 0.5  # what a held step button is to a station: half a deflection
AXIS_WORDS = {"x": "away, back", "y": "left, right", "z": "up, down"}  # of axes of the device, both ways
WAYS = {"x": (-1, 1), "y": (-1, 1)}  # signs in that order, if not + and -
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
        self.felt = FeltBars()
        self.keys = QtWidgets.QLabel()
        self.keys.setWordWrap(True)
        window.hand.sources.append(self.held)
        window.hand.letting_go.append(self.let_go)
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
        for button in self.buttons.values():
            button.setToolTip("for a running station that is led by this device, as long as it is held")
            button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
            keys.addWidget(button)
        column.addLayout(keys)
        column.addWidget(self.state)
        column.addWidget(self.felt)
        column.addWidget(self.keys)
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
        own = self.window_of.hand.part.robot
        if self._studio.live and own is not None and own.name != robot:
            self.window_of.say(f"the hand of this window leads {own.name}, not {robot}")
        elif self._studio.live:
            self._order(Follow(part), f"follow {part}")
        elif self._studio.steering is not None:
            self._studio.steering.lead(robot, part)
            self._studio.changed.emit()

    def _set_reference(self) -> None:
        frame = ReferenceFrame(self.reference.currentText())
        if self._studio.steering is not None:
            self._studio.steering.set(reference=frame)
        if self._studio.live:
            self._order(SetReference(SharedReference[frame.name]), f"axes of the {frame.value}")

    def _set_sensitivity(self) -> None:
        factor = 10.0 ** (self.sensitivity.value() / SENSE)
        self.factor.setText(f"× {factor:.2g}")
        if self._studio.steering is not None:
            self._studio.steering.set(sensitivity=factor)
        if self._studio.live:
            self._order(SetScale(factor), f"scale {factor:.2g}")

    def _order(self, command: Command, name: str) -> None:
        """For the hand that is led from here, whichever is chosen."""
        self._desk.order(command, name, part=self.window_of.hand.part)

    # Moving ------------------------------------------------------------------------------------------------

    def _push(self, axis: int, sign: int) -> None:
        if not self._studio.live and self._studio.steering is not None:
            self._studio.steering.push(axis, sign)

    def shares(self) -> list[float]:
        """What is held now, -1 to 1 for each axis."""
        return [row.share for row in self.rows]

    def held(self, _moment: Moment) -> Held:
        """What the mouse holds of it, for a station: what moves the robot holds the dead-man as well."""
        if not self.isVisible():
            return NOTHING
        shares = [row.share or STEP_SHARE * row.step for row in self.rows]
        pressed = {name for name, button in self.buttons.items() if button.isDown()}
        touched = any(row.touched for row in self.rows)
        return Held(np.array(of_device(shares)), frozenset({*pressed, DEAD_MAN} if touched else pressed))

    def let_go(self) -> None:
        """Nothing is held any more, wherever the mouse is."""
        for row in self.rows:
            row.let_go()
        for button in self.buttons.values():
            button.setDown(False)

    def refresh(self, moment: Moment) -> None:
        """Show what is led and felt; lead the virtual robot while there is no station."""
        hand = self.window_of.hand
        moment = hand.moment  # of the hand that is led from here, whichever is chosen
        leads = hand.leads(moment)
        for button in self.buttons.values():
            button.setEnabled(leads)
        self.felt.refresh(moment)
        self.keys.setVisible(leads)
        if self._studio.live:
            self._tell(moment, leads)
        elif self._studio.steering is not None:
            self._studio.steering.deflect(self.shares())
            steering = self._studio.steering
            self.state.setText(f"leads part {steering.frame} of the virtual robot {steering.robot}")

    def _tell(self, moment: Moment, leads: bool) -> None:
        """Who leads the robot of a station, and how."""
        hand = self.window_of.hand
        if isinstance(self._studio.grabber.grab, LiveGrab):
            self.state.setText("the mouse leads the robot of the running station")
        elif not leads:
            leader = moment.text.get("device", "another device")
            who = hand.part.who or "the station"
            self.state.setText(
                f"{who} is led by {leader}; start it with --device panel: or keyboard: to lead it from here"
            )
        else:
            keys = hand.keys.keys
            dead_man = next((key.capitalize() for key, name in keys.buttons.items() if name == DEAD_MAN), "")
            hold = f"hold {dead_man}, a slider, or a part of the robot" if dead_man else "engage (E), then use the keys"
            whose = f"{hand.part.who}: " if hand.part.who else ""
            self.state.setText(whose + (hand.words or f"{hold} to move"))
            self.keys.setText(keys_told(keys))

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
        self.let_go()
        if self._studio.steering is not None:
            self._studio.steering.in_use = on
            self._studio.steering.device.release_all()


def keys_told(keys: KeyMap) -> str:
    """What the keys do, for people: `W S away, back`, a line for each axis."""
    lines = []
    for axis, name in enumerate(DEVICE_AXES):
        found = {push.sign: key.upper() for key, push in keys.pushes.items() if push.axis == axis}
        first, second = WAYS.get(name, (1, -1))
        words = AXIS_WORDS.get(name, f"turn about {name[1:]}")
        if found:
            lines.append(f"{' '.join(found[sign] for sign in (first, second) if sign in found)}   {words}")
    lines.append("   ".join(f"{key.upper()} {name}" for key, name in keys.buttons.items() if name != DEAD_MAN))
    return "\n".join(["Keys, with the dead-man held:", *lines])
