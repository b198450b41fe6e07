"""`PosturesPanel`: postures of the file as buttons, and every joint as a slider (direct kinematics at a glance).

Of a running station the sliders show the robot of the chosen part, and lead its joints in mode JOINTS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtGui, QtWidgets

from station.errors import StationError
from station.mad.scene import Interval
from station.mad.units import JointType, Unit, from_text, scale_of
from station.mechanism.results import Joint
from station.servo.shared import JointTargets, Mode, ServoState, SetMode, Snapshot
from station.view.design.errors import one_line
from station.view.design.rewriting import with_joint_values, with_posture, with_stops
from station.view.design.source import Source
from station.view.desk import desk_of
from station.view.moment import Moment
from station.view.panels.link_rows import NumberRow
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

SPAN = {True: 180.0, False: 200.0}  # of a slider to either side of a joint without stops [°], [mm]
START = "start"
ACROSS = 3  # buttons in a row
JOINTS_KEY = "J"


class PosturesPanel(Panel):
    """Buttons that put a robot into its postures, joint sliders, and ways to keep where it is."""

    title = "Postures and joints"
    key = "Ctrl+J"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self._studio = window.studio
        self.robot = QtWidgets.QComboBox()
        self.robot.activated.connect(lambda _=0: self.rebuild())
        self.buttons: dict[str, QtWidgets.QPushButton] = {}
        self.rows: dict[int, NumberRow] = {}  # by link
        self.name = QtWidgets.QLineEdit()
        self.name.setPlaceholderText("name of a posture")
        self.keep = QtWidgets.QPushButton("Keep")
        self.keep.setToolTip("write where the robot is into the file, as a posture of that name")
        self.keep.clicked.connect(lambda _=False: self._keep())
        self.name.returnPressed.connect(self._keep)
        self.begin = QtWidgets.QPushButton("Start here")
        self.begin.setToolTip("write where the robot is into the file, as its initial joint values")
        self.begin.clicked.connect(lambda _=False: self._begin_here())
        self.gap = QtWidgets.QLabel()
        self.leads = QtWidgets.QPushButton()
        self.leads.setToolTip("The sliders below lead the joints of the running station, instead of the hand")
        self.leads.clicked.connect(lambda _=False: self.switch_joints())
        self.leads.hide()
        QtGui.QShortcut(QtGui.QKeySequence(JOINTS_KEY), window).activated.connect(self.switch_joints)
        self._desk = desk_of(window, window.follower)
        self._targets: dict[int, float] = {}  # of the station's joints, by link [rad | m]; empty: they are not led here
        self._built: object = None
        self._studio.changed.connect(self.rebuild)
        self._studio.moved.connect(self.show_joints)
        self.rebuild()

    @property
    def robot_name(self) -> str:
        """The robot that is chosen."""
        return self.robot.currentText()

    def rebuild(self) -> None:
        """Show the robots, postures and joints of the scene."""
        names = [robot.name for robot in self._studio.design.bench.robots]
        if [self.robot.itemText(index) for index in range(self.robot.count())] != names:
            self.robot.clear()
            self.robot.addItems(names)
        if not names:
            self.setEnabled(False)
            return
        mechanism = self._studio.design.bench[self.robot_name]
        postures = [START, *(posture.name for posture in mechanism.robot.postures)]
        joints = tuple((joint.id, joint.name, joint.type) for joint in mechanism.joints)
        built = (self.robot_name, tuple(postures), joints)
        if built != self._built:
            self._built = built
            for widget in (self.robot, self.name, self.keep, self.begin, self.gap, self.leads):
                widget.setParent(None)
            self.buttons = {name: self._posture_button(name) for name in postures}
            self.rows = {joint.id: self._joint_row(joint) for joint in mechanism.joints}
            self.put(self._laid_out())
        self.show_joints()

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        self.robot.setVisible(self.robot.count() > 1)
        column.addWidget(self.robot)
        grid = QtWidgets.QGridLayout()
        for number, button in enumerate(self.buttons.values()):
            grid.addWidget(button, number // ACROSS, number % ACROSS)
        column.addLayout(grid)
        keeping = QtWidgets.QHBoxLayout()
        for widget in (self.name, self.keep, self.begin):
            keeping.addWidget(widget)
        column.addLayout(keeping)
        column.addWidget(self.leads)
        joints = QtWidgets.QGridLayout()
        joints.setColumnStretch(3, 1)
        for number, row in enumerate(self.rows.values()):
            row.add_to(joints, number)
        column.addLayout(joints)
        column.addWidget(self.gap)
        column.addStretch(1)
        return whole

    def _posture_button(self, name: str) -> QtWidgets.QPushButton:
        button = QtWidgets.QPushButton(name)
        button.clicked.connect(lambda _=False: self._take(None if name == START else name))
        return button

    def _joint_row(self, joint: Joint) -> NumberRow:
        angle, length = joint.type is JointType.REVOLUTE, self._studio.design.bench.unit
        step = 1.0 if angle or length.name == "MM" else 0.001
        row = NumberRow(f"{joint.id} {joint.name or ''}".strip(), "°" if angle else length.name.lower(), step, self)
        if not joint.active:
            row.label.setStyleSheet("color: gray;")
            row.label.setToolTip("passive: no controller drives it")
        scale = scale_of(Unit.ANGLE if angle else Unit.LENGTH, length)
        row.changed.connect(lambda value, _on: self._move(joint.id, from_text(f"{value:.10g}", scale)))
        return row

    def show_joints(self) -> None:
        """Show where all joints are."""
        design = self._studio.design
        if not self.isVisible() or self.robot_name not in [robot.name for robot in design.bench.robots]:
            return
        if self._studio.live:
            return  # the station's are shown
        mechanism = design.bench[self.robot_name]
        self._show_values(dict(zip((joint.id for joint in mechanism.joints), mechanism.q.tolist(), strict=True)))
        gap = mechanism.closure_error
        loops = bool(mechanism.report.closure_rows)
        word = "open by" if mechanism.report.strained else "closed to"
        self.gap.setText(f"loops {word} {1e6 * gap.metres:.2g} µm, {1e6 * gap.radians:.2g} µrad" if loops else "")

    def _show_values(self, values: dict[int, float]) -> None:
        design = self._studio.design
        for joint in design.bench[self.robot_name].joints:
            row, value = self.rows.get(joint.id), values.get(joint.id)
            if row is not None and value is not None:
                angle = joint.type is JointType.REVOLUTE
                scale = float(scale_of(Unit.ANGLE if angle else Unit.LENGTH, design.bench.unit))
                half = SPAN[angle] * (scale if angle else 1e-3)
                low, high = joint.limits or (value - half, value + half)
                row.show_value(value / scale, low / scale, high / scale)

    def refresh(self, moment: Moment) -> None:
        """Show the station's robot, if there is one; nothing but its joints may be moved here then, in their mode."""
        live = self._studio.live and moment.snapshot is not None
        if live and moment.snapshot is not None:
            self._show_station(moment, moment.snapshot)
        else:
            self._targets = {}
        for row in self.rows.values():
            row.enable(bool(self._targets) if live else not self._studio.live)
        for button in (*self.buttons.values(), self.keep, self.begin):
            button.setEnabled(not self._studio.live)
        if live and self.robot.hasFocus():  # else a field would get it, and what is typed
            self.window_of.canvas.native.setFocus()
        self.robot.setEnabled(not live)
        self.leads.setVisible(live and not self._desk.unreachable)

    # Of a station ------------------------------------------------------------------------------------------

    def switch_joints(self) -> None:
        """Let the joints be led from here, or by the hand again; the servo says whether it may be now."""
        snapshot = self.window_of.follower.moment.snapshot
        if snapshot is None or not self._studio.live:
            return
        led = int(snapshot.mode[0]) == Mode.JOINTS
        if self._desk.order(SetMode(Mode.POSITION if led else Mode.JOINTS), "the hand leads" if led else "joints"):
            self.window_of.docks.show(self.title)

    def _show_station(self, moment: Moment, snapshot: Snapshot) -> None:
        """Where the joints of the chosen part are or, while they are led from here, are to be."""
        drawn = self.window_of.follower.robot
        if drawn is not None and drawn.name != self.robot_name:
            self.robot.setCurrentText(drawn.name)
            self.rebuild()
            self._targets = {}
        joints = [joint.id for joint in self._studio.design.bench[self.robot_name].joints]
        led = int(snapshot.mode[0]) == Mode.JOINTS
        moves = moment.nobody or int(snapshot.state[0]) == ServoState.ENGAGED
        now = dict(zip(joints, snapshot.predicted_q.tolist(), strict=False))
        if not (led and moves):
            self._targets = {}
        elif not self._targets:
            self._targets = now
        self._show_values(self._targets or now)
        self.leads.setText(f"{'Let the hand lead' if led else 'Lead the joints'} ({JOINTS_KEY})")

    def _lead_joint(self, link: int, value: float) -> None:
        self._targets[link] = value
        self._desk.order(JointTargets(tuple(self._targets.values())), "joints", again=True)

    def showEvent(self, event: object) -> None:  # noqa: N802 (Qt's name)
        """Show what has happened meanwhile."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.show_joints()

    def _take(self, name: str | None) -> None:
        if self._studio.may_move():
            try:
                self._studio.design.take_posture(self.robot_name, name)
            except StationError as error:
                self.window_of.say(one_line(error))
            self._studio.update()

    def _move(self, link: int, value: float) -> None:
        if self._targets:
            self._lead_joint(link, value)
        elif self._studio.may_move():
            self._studio.design.set_joint(self.robot_name, link, value)
            self._studio.update()

    def _values(self) -> dict[int, float]:
        """Where the joints are, by link, as a file would say it: rounded to a millionth of its units [rad | m]."""
        design, found = self._studio.design, {}
        mechanism = design.bench[self.robot_name]
        for joint, value in zip(mechanism.joints, mechanism.q, strict=True):
            scale = scale_of(Unit.JOINT, design.bench.unit, joint.type)
            found[joint.id] = from_text(f"{value / float(scale):.6f}", scale)
        return found

    def _keep(self) -> None:
        name, robot, values = self.name.text().strip(), self.robot_name, self._values()
        if self._studio.edit(lambda source: with_posture(source, robot, name, values), f"posture {name}"):
            self.name.clear()

    def _begin_here(self) -> None:
        robot, values, design = self.robot_name, self._values(), self._studio.design
        stops = {link.id: link.stops for link in design.robot(robot).links if link.range is not None}

        def rewrite(source: Source) -> str:
            text = with_joint_values(source, robot, values)
            for link, kept in stops.items():  # relative stops stay where they are in the world
                if kept is not None:
                    start = values[link]
                    moved = Interval(kept.lo - start, kept.hi - start)
                    text = with_stops(Source(text, source.file), robot, link, moved, relative=True)
            return text

        self._studio.edit(rewrite, f"{robot} starts here")
