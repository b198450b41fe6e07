"""`LinkPanel`: one part of a robot, opened by a click on it: joint, six parameters, stops, and what leads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.mad.scene import BASE_ID, Base, Frame, Interval, Link
from station.mad.units import JointType, Unit, from_text, scale_of
from station.servo.shared import Follow
from station.view.design.rewriting import VARIABLES, with_joint_type, with_numbers, with_stops
from station.view.desk import desk_of
from station.view.moment import Moment
from station.view.panels.link_rows import NumberRow
from station.view.panels.link_stops import StopsRow
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

KK = (("theta", True), ("r", False), ("alpha", True), ("d", False), ("gamma", True), ("epsil", False))
PLACE = (("x", False), ("y", False), ("z", False), ("a", True), ("b", True), ("c", True))  # name, whether an angle
SPAN = {True: 180.0, False: 200.0}  # of a slider to either side [°], [mm]
NOBODY, ON_SCREEN, STATION = "nothing", "on-screen device", "the station's device"


class LinkPanel(Panel):
    """A link with its Kleinfinger-Khalil parameters, or anything else that has a place.

    Args:
        window: the window it belongs to.
        robot: name of the robot.
        part: id of the link, frame, tool or camera; 0 is the base.
    """

    title = "Link"
    closed = QtCore.Signal(str, int)

    def __init__(self, window: ViewWindow, robot: str, part: int) -> None:
        super().__init__(window)
        self.robot, self.part = robot, part
        self.setObjectName(f"Link {robot} {part}")
        self._studio = window.studio
        self.type = QtWidgets.QComboBox()
        self.type.addItems([joint.name.lower() for joint in JointType])
        self.type.activated.connect(lambda _=0: self._change_type())
        self.leader = QtWidgets.QComboBox()
        self.leader.activated.connect(lambda _=0: self._change_leader())
        self.rows = {name: self._row(name, angle) for name, angle in (KK if self._link else PLACE)}
        self.stops = StopsRow()
        self.stops.changed.connect(self._change_stops)
        self.stops.removed.connect(lambda: self._set_stops(None, False))
        self.state = QtWidgets.QLabel()
        self.state.setWordWrap(True)
        self.put(self._laid_out())
        self._studio.changed.connect(self.show_part)
        self._studio.moved.connect(self.show_joint)
        self.show_part()

    # What it is about --------------------------------------------------------------------------------------

    @property
    def _item(self) -> Link | Frame | Base | None:
        robot = self._studio.design.robot(self.robot)
        if self.part == BASE_ID:
            return robot.base
        return next((item for item in robot.placed() if item.id == self.part), None)

    @property
    def _link(self) -> Link | None:
        item = self._item
        return item if isinstance(item, Link) else None

    @property
    def variable(self) -> str | None:
        """The parameter that the joint moves."""
        return VARIABLES.get(self._link.joint) if self._link is not None else None

    def _scale(self, angle: bool) -> float:
        unit = Unit.ANGLE if angle else Unit.LENGTH
        return float(scale_of(unit, self._studio.design.bench.unit))

    def _si(self, value: float, angle: bool) -> float:
        """A number of a field in SI, as the file would have it."""
        unit = Unit.ANGLE if angle else Unit.LENGTH
        return from_text(f"{value:.10g}", scale_of(unit, self._studio.design.bench.unit))

    def _row(self, name: str, angle: bool) -> NumberRow:
        length = self._studio.design.bench.unit
        step = 1.0 if angle or length.name == "MM" else 0.001
        row = NumberRow(name, "°" if angle else length.name.lower(), step, self)
        row.changed.connect(lambda value, going_on: self._change(name, angle, value, going_on))
        return row

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        form = QtWidgets.QFormLayout()
        if self._link is not None:
            form.addRow("Joint", self.type)
        form.addRow("Led by", self.leader)
        column.addLayout(form)
        grid = QtWidgets.QGridLayout()
        grid.setColumnStretch(3, 1)
        for number, row in enumerate(self.rows.values()):
            row.add_to(grid, number)
        column.addLayout(grid)
        if self._link is not None:
            column.addWidget(self.stops)
        column.addWidget(self.state)
        column.addStretch(1)
        return whole

    # Showing -----------------------------------------------------------------------------------------------

    def show_part(self) -> None:
        """Show what the file says now; a part that is gone closes its panel."""
        try:
            item = self._item
        except ValueError:
            item = None
        if item is None or (isinstance(item, Link) != ("theta" in self.rows)):
            QtCore.QTimer.singleShot(0, self.close)
            return
        name = f" “{item.name}”" if item.name else ""
        self.setWindowTitle(f"{self.robot}: {type(item).__name__.lower()} {self.part}{name}")
        values = item.parameters._asdict() if isinstance(item, Link) else {**item.pos._asdict(), **item.ori._asdict()}
        for label, angle in KK if isinstance(item, Link) else PLACE:
            row, value = self.rows[label], values[label] / self._scale(angle)
            row.highlight(label == self.variable)
            if label != self.variable:
                half = max(SPAN[angle], abs(value)) if angle or row.unit == "mm" else max(0.2, abs(value))
                row.show_value(value, -half if angle else value - half, half if angle else value + half)
        if isinstance(item, Link):
            self.type.setCurrentText(item.joint.name.lower())
            turns = item.joint is not JointType.PRISMATIC
            self.stops.show_link(item, self._scale(turns), turns)
            self.stops.setEnabled(item.joint is not JointType.FIXED and not self._studio.live)
        self._show_leader()
        self.show_joint()

    def show_joint(self) -> None:
        """Show where the joint is."""
        link, variable = self._link, self.variable
        if link is None or variable is None:
            return
        value = self._studio.design.joint_value(self.robot, link.id)
        self._show_joint_value(link, value)

    def _show_joint_value(self, link: Link, value: float) -> None:
        angle = link.joint is JointType.REVOLUTE
        scale, row = self._scale(angle), self.rows[VARIABLES[link.joint]]
        low, high = link.stops or (value - SPAN[angle] * scale, value + SPAN[angle] * scale)
        row.show_value(value / scale, low / scale, high / scale)
        unit = "°" if angle else f" {row.unit}"
        text = f"{VARIABLES[link.joint]} is the joint; it starts at {link.initial / scale:.6g}{unit}"
        if link.stops is not None:
            near = min(value - link.stops.lo, link.stops.hi - value)
            text += f", {max(near, 0.0) / scale:.4g}{unit} from a stop" if near > 1e-6 else ", AT ITS STOP"
        self.state.setText(text + (" (passive)" if link.passive else ""))

    def _show_leader(self) -> None:
        self.leader.clear()
        self.leader.addItems([NOBODY, STATION if self._studio.live else ON_SCREEN])
        self.leader.setEnabled(self.part != BASE_ID)
        led = self._studio.steered == (self.robot, self.part)
        if not self._studio.live:
            self.leader.setCurrentIndex(int(led))

    def refresh(self, moment: Moment) -> None:
        """Follow a running station, if there is one."""
        live = self._studio.live
        for label, row in self.rows.items():
            row.enable(not live or label != self.variable)  # joints are led, geometry goes to the station
        self.type.setEnabled(not live)
        if live != (self.leader.itemText(1) == STATION):
            self.show_part()
        del moment  # that of the robot's own hand counts, whichever is chosen
        part, link = self.window_of.follower.part_of(self.robot), self._link
        snapshot = None if part is None else part.moment.snapshot
        if live and snapshot is not None and link is not None and self.variable is not None:
            number = self._studio.design.bench[self.robot].joint_number(link.id)
            self._show_joint_value(link, float(snapshot.predicted_q[number]))
            self.leader.setCurrentIndex(int(int(snapshot.followed_frame[0]) == self.part))

    # Changing ----------------------------------------------------------------------------------------------

    def _change(self, label: str, angle: bool, value: float, going_on: bool) -> None:
        studio, robot, part = self._studio, self.robot, self.part
        if label == self.variable:
            if studio.may_move():
                studio.design.set_joint(robot, part, self._si(value, angle))
                studio.update()
            return
        entry = "parameters" if self._link is not None else ("ori" if angle else "pos")
        numbers = {label: self._si(value, angle)}
        studio.want(
            f"{robot} {part} {label}",
            lambda source: with_numbers(source, robot, part, entry, numbers),
            f"{label} of part {part}: {value:.6g} {self.rows[label].unit}",
        )
        if not going_on:
            studio.end_gesture()

    def _change_type(self) -> None:
        joint = JointType[self.type.currentText().upper()]
        robot, part = self.robot, self.part
        self._studio.edit(
            lambda source: with_joint_type(source, robot, part, joint), f"link {part}: {joint.name.lower()}"
        )
        self.show_part()

    def _change_stops(self, low: float, high: float, relative: bool) -> None:
        angle = self._link is not None and self._link.joint is not JointType.PRISMATIC
        self._set_stops(Interval(self._si(low, angle), self._si(high, angle)), relative)

    def _set_stops(self, stops: Interval | None, relative: bool) -> None:
        robot, part = self.robot, self.part
        self._studio.edit(
            lambda source: with_stops(source, robot, part, stops, relative=relative), f"stops of link {part}"
        )

    def _change_leader(self) -> None:
        """Let the device on the screen, or that of a running station, act here."""
        if self.leader.currentText() == STATION:
            follower = self.window_of.follower
            desk = desk_of(self.window_of, follower)
            desk.order(Follow(self.part), f"follow {self.part}", part=follower.part_of(self.robot))
        elif self.leader.currentText() == ON_SCREEN and self._studio.steering is not None:
            self._studio.steering.lead(self.robot, self.part)
            self.window_of.say(f"the on-screen device leads part {self.part} of {self.robot}")
            self._studio.changed.emit()
        elif self._studio.steering is not None and not self._studio.live:
            self._studio.steering.release()
            self._studio.changed.emit()

    def closeEvent(self, event: QtGui.QCloseEvent) -> None:  # noqa: N802 (Qt's name)
        """The window forgets it."""
        super().closeEvent(event)
        self.closed.emit(self.robot, self.part)
