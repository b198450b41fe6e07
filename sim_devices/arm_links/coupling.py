"""`Coupling`: the end of a bilateral link at the arm, between a link and its machine; see docs/bilateral.md.

The station goes on to send joints, shaped within its limits. What the end at the arm wants to be different, to spare
what is touched, is a way of the tool; through the Jacobian it becomes an offset of the joints, added to each setpoint
within the joints' limits. It never speaks for a station that is silent: the watchdog hears of setpoints only.
"""

from __future__ import annotations

from typing import Protocol, TypeGuard

import numpy as np

from sim_devices.arm.machine import ArmMachine, ArmState, Floats
from sim_devices.arm_links.offsets import Offsets
from station.bilateral import (
    Architecture,
    ArmEnd,
    BilateralMethod,
    BilateralSettings,
    LinkArchitecture,
    LinkMethod,
    SettingsError,
)
from station.controllers.order import scene_joints
from station.controllers.tare import Tare
from station.controllers.words import ArmWords, HandWords
from station.mad.scene import Robot
from station.mechanism import Mechanism

PERIOD = 0.001  # [s]
EVERY = 0.9 * PERIOD  # steps of an emulator may be shorter
FARTHEST = 0.05  # that the tool is held back; beyond, the arm goes where it is told [m]
HOME = 0.2  # in which what is left of earlier books is given up [s]
TOUCH = 1.5  # below it is noise of the sensor and weight in motion [N]
LARGEST, SINGULAR = 1e3, 1e-6  # of a mapping; one that cannot be turned around
# An arm that yields must do so more slowly than its joints follow, which may be 80 ms late, or it bounces.
YIELD_TIME, WAVE_DRIFT_TIME = 0.5, 1.0  # [s]
CONTACT_DAMPING, CONTACT_TIME = 100.0, 0.3  # of waves [N·s/m], [s]


class Jointed(ArmMachine, Protocol):
    """A machine that knows which robot it is."""

    robot: Robot


def can_couple(machine: ArmMachine) -> TypeGuard[Jointed]:
    """Whether an arm has what it takes: a tool that measures, and no joints but those that it drives."""
    robot = getattr(machine, "robot", None)
    able = machine.capabilities
    return (
        isinstance(robot, Robot)
        and bool(robot.tools)
        and able.measures_wrench
        and [joint.name for joint in scene_joints(Mechanism(robot).joints)] == [joint.name for joint in able.joints]
    )


class Coupling:
    """One end for one machine. `hear` for each setpoint, `tick` as often as the machine lives."""

    def __init__(self, machine: Jointed) -> None:
        self._machine = machine
        self._mechanism = Mechanism(machine.robot)
        self._gears = np.array([joint.gear for joint in self._mechanism.joints])  # q of the machine is as it counts
        self._tool = machine.robot.tools[-1].id
        self.end = ArmEnd(BilateralSettings(two_port=True))
        self.offsets = Offsets(machine.capabilities.joints)
        self._start = self._epoch = 0  # as the hand said last
        self._straight: Floats = np.eye(3)  # motion of the tool per motion of the hand
        self._back: Floats = np.eye(3)
        self._place, self._force = np.zeros(6), np.zeros(6)  # of the tool, as the hand would have it
        self._last, self._left = np.zeros(3), np.zeros(3)  # place of the tool; what earlier books have held back [m]
        self._tare = Tare()  # of the sensor
        self._ticked = -np.inf
        self._checked: tuple[object, ...] = ()  # what an end can be set up with
        self._tell()
        ArmEnd(self.end.settings).tick(0.0, self._place, self._force)  # compiled or loaded before it counts

    # What comes in -------------------------------------------------------------------------------------------

    def makes_sense(self, words: HandWords) -> bool:
        """Whether an end can be set up as the hand says."""
        if words.epoch == 0:
            return True
        wanted = words[2:7]
        if wanted != self._checked:
            try:
                _settings(words)
            except SettingsError:
                return False
            self._checked = wanted
        straight = words.straight
        return float(np.abs(straight).max()) <= LARGEST and abs(float(np.linalg.det(straight))) > SINGULAR

    def hear(self, q: Floats, v: Floats | None, words: HandWords | None, now: float) -> tuple[Floats, Floats | None]:
        """A setpoint [rad | m] that came in at `now` [s], and what the hand says; the setpoint for the machine."""
        if words is not None and self._machine.reading().state is ArmState.ACTIVE:
            self._take(words, now)
        return self.offsets.added(q, v)

    def _take(self, words: HandWords, now: float) -> None:
        if words.start != self._start:  # the setpoint is where the arm was measured: what it held back is in there
            self._forget()
            self._start = words.start
        if words.epoch != self._epoch:
            self._left += self._held_back
            self._epoch = words.epoch
            self.end.reset()
            if words.epoch:
                self.end.change(_settings(words))
                self._place[:] = 0.0
                self._last = self._tool_pose(self._machine.reading().q)[:3, 3].copy()
        if words.epoch:
            self._straight = words.straight
            self._back = np.asarray(np.linalg.inv(words.straight), dtype=np.float64)
            self.end.take_numbers(words.packet, now)

    def tare(self) -> bool:
        """Look for the bias of the sensor anew, if the arm holds; a person says that nothing touches the tool."""
        holds = self._machine.reading().state is ArmState.READY
        if holds:
            self._tare.ask()
        return holds

    # Every tick ----------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Live until `now` [s]."""
        passed = now - self._ticked
        if passed < EVERY:
            return
        self._ticked, dt = now, min(passed, 5.0 * PERIOD)
        said = self._machine.reading()
        if said.state is not ArmState.ACTIVE:
            self._forget()
            if said.state is ArmState.READY:
                self._tare.hear(now, said.q, said.wrench)
            self._tell()
            return
        self._tare.follows()
        if self._epoch:
            pose = self._tool_pose(said.q)
            force = pose[:3, :3] @ (said.wrench[:3] - self._tare.bias[:3])
            self._place[:3] += self._back @ (pose[:3, 3] - self._last)
            self._force[:3] = self._straight.T @ force
            self._last = pose[:3, 3].copy()
            self.end.tick(now, self._place, self._force)
            self._go_home(force, dt)
            self.offsets.aim(self._joints_of(self._held_back + self._left), dt)
        self._tell()

    @property
    def _held_back(self) -> Floats:
        """What the end wants the tool to be away from where the hand was, in the world [m]."""
        state = self.end.state
        if not state.joined:
            return np.zeros(3)
        told = state.reference[:3] + state.offset[:3] + state.yields[:3]
        return self._straight @ (told - state.last_target[:3])

    def _go_home(self, force: Floats, dt: float) -> None:
        """Give up what earlier books have held back, unless something is in the way."""
        step = self._left * (dt / HOME)
        if float(force @ force) < TOUCH**2 or float(force @ step) <= 0.0:
            self._left -= step

    def _forget(self) -> None:
        """Nothing is held back any more."""
        self._start = self._epoch = 0
        self.end.reset()
        self.offsets.rest()
        self._left[:] = 0.0

    def _tell(self) -> None:
        self.words = ArmWords(self._start, self._epoch, self.offsets.q.copy(), self.end.packet_numbers.copy())

    def _tool_pose(self, q: Floats) -> Floats:
        self._mechanism.q = self._gears * q
        return self._mechanism.pose(self._tool)

    def _joints_of(self, away: Floats) -> Floats:
        """Joint offsets for a way of the tool [m]; its direction stays where there are joints enough for that."""
        away = away * min(1.0, FARTHEST / max(float(np.linalg.norm(away)), 1e-9))
        jacobian = self._mechanism.jacobian(self._tool)
        rows = jacobian if jacobian.shape[1] >= 6 else jacobian[:3]
        wanted = np.zeros(len(rows))
        wanted[:3] = away
        damped = rows @ rows.T + 1e-4 * np.eye(len(rows))
        return np.asarray(rows.T @ np.linalg.solve(damped, wanted) / self._gears)


def _settings(words: HandWords) -> BilateralSettings:
    """For the end at the arm; what protects the surroundings is its own affair. Raises SettingsError."""
    size, waves = float(np.abs(words.straight).max()), words.method == LinkMethod.WAVES
    return BilateralSettings(
        method=BilateralMethod[LinkMethod(words.method).name],
        architecture=Architecture[LinkArchitecture(words.architecture).name],
        two_port=True,
        period=PERIOD,
        force_scale=words.force_scale,
        stiffness=words.stiffness,
        impedance=words.impedance,
        yield_time=YIELD_TIME,
        drift_time=WAVE_DRIFT_TIME if waves else BilateralSettings().drift_time,
        contact_damping=CONTACT_DAMPING,
        contact_time=CONTACT_TIME,
        touch=min(max(TOUCH * words.force_scale * size, 1e-6), 10.0),
    )
