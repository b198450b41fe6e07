"""`ArmSide`: the arm in a tick. Measurements in, orders of the supervisor done, shaped setpoints out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from station.bilateral.kernels.layout import PRESSING, UNTARED
from station.controllers import Controller, ControllerStatus, Measurement
from station.controllers.controller import Floats
from station.controllers.plausibility import Plausibility
from station.controllers.shaping import Shaper, ShapingSettings, joint_limits
from station.controllers.shaping.kernels import layout as shaping_at
from station.controllers.shaping.kernels.press import pressing
from station.controllers.shaping.kernels.start import beginning
from station.controllers.shaping.kernels.tick import shaping_tick
from station.controllers.supervisor import ARM_FACTS
from station.controllers.supervisor.kernels import layout as supervisor_at
from station.controllers.tare import Tare
from station.mechanism import Mechanism, MechanismError
from station.mechanism.kernels.tree import frame_pose
from station.servo.kernels import fields as at
from station.servo.kernels import measured as at_arm
from station.servo.kernels.fields import numbers_of
from station.servo.reflection import Reflection
from station.servo.shared.words import ControllerCode

if TYPE_CHECKING:
    from station.servo.servo import Servo

SLOWLY = 64  # ticks between two looks at the health of the link
FACTS = {status: float(fact) for status, fact in ARM_FACTS.items()}
CODES = {status: int(ControllerCode[status.name]) for status in ControllerStatus}
LOOPS_EVERY = 10  # ticks between two looks where the passive joints of a measured robot with loops are


def target_limit(sample_limit: float) -> float:
    """Age of the sample behind a target from which the arm is stopped [s]: the device is found lost before that."""
    return min(max(ShapingSettings().target_limit, 2.0 * sample_limit), 1.0)


class ArmSide:
    """One arm behind a controller. `measure`, `obey` and `send` are parts of a tick: they neither wait nor raise."""

    def __init__(self, servo: Servo, controller: Controller) -> None:
        self.controller = controller
        self._servo, self._rig = servo, servo.rig
        robot = servo.rig.robot
        self._driven = np.array([number for number, joint in enumerate(robot.joints) if joint.active])
        self._all_driven = len(self._driven) == len(robot.joints)
        self.measured = Mechanism(robot.robot)  # where the arm is
        self.measured.q = robot.q
        self._takes_velocity = controller.capabilities.takes_velocity
        oldest = target_limit(servo.supervisor.settings.sample_limit)
        settings = ShapingSettings(period=servo.period, target_limit=oldest)
        self.shaper = Shaper(joint_limits(robot, controller.capabilities.joints, settings), settings)
        self.inputs = self.shaper.inputs()
        self.plausibility = Plausibility(self.measured, controller.capabilities.joints, self.shaper.limits)
        self._orders = numbers_of(servo.supervisor.outputs)
        self._facts, self._shaped = numbers_of(servo.facts.numbers), numbers_of(self.shaper.state)
        self.reflection = Reflection(servo)
        self._pose, self._at_tool = np.eye(4), np.eye(4)
        frame = None if servo.rig.sensor is None else servo.rig.sensor.frame
        self._tool = -1 if frame is None else robot.frame_number(frame)  # that a calibrated sensor is in
        self.tare = Tare()  # of the tool's sensor
        self._met = np.zeros(3)  # force of the hardest contact of late [N]
        self._has_wrench = False  # whether the newest measurement tells the force on the tool
        self._motion = np.zeros((2, len(self._driven)))  # places and speeds that it begins with
        self._said = np.zeros((at_arm.SAID_ROWS, len(self._driven)))
        self._wrench, self._about = np.zeros(6), np.zeros(at_arm.ABOUT_SIZE)
        self._about[at_arm.IN_LOOPS] = not self._all_driven
        self._delay = math.nan  # of the link there and back [s]; not a number until a setpoint has been answered
        self._way = 0.0  # age of measurements when they arrive [s]
        self._last: Measurement | None = None
        self._sequence = 0
        self._sent_at = -at.NEVER

    # Parts of a tick -----------------------------------------------------------------------------------------

    def measure(self, now: float) -> None:
        """Take the newest measurement, and tell the supervisor how the arm is doing."""
        controller, servo = self.controller, self._servo
        said = controller.newest()
        status = controller.status
        if said is not None:
            self._said[at_arm.SAID_Q] = said.q
            if at_arm.is_finite(self._said) and self._is_plausible(said):
                self._last = said
                self._find_measured(said)
        if status is ControllerStatus.LOST:
            self._forget_wrench()
        age = now - self._last.arrival if self._last is not None else at.NEVER
        facts = self._facts
        facts[supervisor_at.ARM], facts[supervisor_at.MEASURED_AGE] = FACTS[status], age
        facts[supervisor_at.SHAPING] = self._shaped[shaping_at.STOPPED]
        facts[supervisor_at.AT_REST] = self._shaped[shaping_at.AT_REST]
        sending, follows = self._shaped[shaping_at.RUNNING] == 1.0, self._shaped[shaping_at.FOLLOWING]
        facts[supervisor_at.FOLLOWS] = follows if sending else 1.0
        if self.plausibility.stops():  # brakes in this tick; the supervisor hears of it in the next
            self._shaped[shaping_at.STOPPED] = shaping_at.TUBE
            if self.plausibility.may_run_away:
                controller.stop()
        if servo.pace.tick % SLOWLY == 0:
            self._look_at_link()
        self.inputs.link(age, self._delay)
        servo.numbers[at.MEASURED_AGE] = age if self._has_wrench or self.reflection.by_place else at.NEVER
        self.reflection.tick(now)
        self._show(now, status, age)

    @property
    def reason(self) -> str:
        """What the arm says of itself, and what is doubted of it: one line."""
        return "; ".join(text for text in (self.plausibility.reason, self.controller.reason) if text)

    def _is_plausible(self, said: Measurement) -> bool:
        """Whether what the arm says can be; the force on the tool and where that is are those of the reading before."""
        wrench = self._servo.memory.measured_wrench if self._has_wrench else None
        return self.plausibility.take(said, self._servo.followed.number, wrench, self._pose)

    def _look_at_link(self) -> None:
        """What changes slowly, or is only looked at: the health of the link, efforts and temperatures."""
        health, shared = self.controller.health, self._servo.shared
        self._delay = health.round_trip
        self._way = max(health.age, 0.0) if math.isfinite(health.age) else 0.0
        shared.link_round_trip[0], shared.link_lost[0] = health.round_trip, health.lost
        effort = None if self._last is None else self._last.effort
        shared.measured_effort[self._driven] = math.nan if effort is None else effort
        warmth = self.controller.temperatures
        shared.measured_temperature[self._driven] = math.nan if warmth is None else warmth

    def obey(self, resync: bool) -> None:
        """Do what the supervisor orders; `resync`: predicted robot and setpoints begin with the arm's motion."""
        orders, controller = self._orders, self.controller
        if orders[supervisor_at.STOP] == 1.0:
            controller.stop()
        if orders[supervisor_at.ACTIVATE] == 1.0:
            controller.activate()
        if orders[supervisor_at.DEACTIVATE] == 1.0:
            controller.deactivate()
        if orders[supervisor_at.RESET_ARM] == 1.0:
            controller.reset()
        if orders[supervisor_at.RELEASE_TORQUE] == 1.0:
            controller.release()
        if resync and self._last is not None:
            self._begin()

    def send(self, now: float) -> None:
        """Shape the setpoint and send it, if the supervisor says so."""
        robot, inputs, orders = self._rig.robot, self.inputs, self._orders
        memory = robot._mem
        inputs.target[:], inputs.target_v[:] = memory.q[self._driven], memory.v[self._driven]
        inputs.at(now, int(orders[supervisor_at.SHAPE]), self._servo.numbers[at.ARRIVAL])
        now_felt, predicted = self._servo.memory.measured_wrench, self._servo.memory.frame_pose
        inputs.press(pressing(self._met, now_felt, self._servo.period, predicted, self._pose, self._rig.press))
        shaping_tick(self.shaper.state, self.shaper.numbers, inputs.numbers, self.shaper.setpoint)
        inputs.numbers[shaping_at.START] = 0.0
        running = self._shaped[shaping_at.RUNNING] == 1.0
        if running:
            self.plausibility.compare(self.shaper, inputs, now_felt if self._has_wrench else None)
        if orders[supervisor_at.SEND] == 1.0 and running:
            q, v, _ = self.shaper.setpoint
            self.controller.couple(self.reflection.words())
            self._sequence += 1
            if self.controller.send(q, v if self._takes_velocity else None, None, self._sequence):
                self._sent_at = now
                self._servo.shared.commanded_q[self._driven] = q

    @property
    def at_rest(self) -> bool:
        """Whether the arm does not follow, and setpoints stand still."""
        following = self.controller.status is ControllerStatus.ACTIVE
        return not following and self._shaped[shaping_at.AT_REST] == 1.0

    def warm_up(self) -> None:
        """Compile and load what the parts of a tick need; nothing is sent."""
        self.reflection.warm_up()
        self.plausibility.warm_up()
        self._warm_up_measuring()
        self.shaper.tick(self.shaper.inputs())
        self.shaper.state[:] = 0.0
        beginning(self.shaper.state, self.shaper.numbers, self.inputs.numbers, self._motion)

    def _warm_up_measuring(self) -> None:
        """Go through the kernels of a measurement once, with where the robot is now and on arrays of its own."""
        memory, driven = self.measured._mem, self._driven
        rows, pose, q = np.zeros_like(self._said), np.eye(4), memory.q.copy()
        rows[at_arm.SAID_Q] = q[driven]
        at_arm.is_finite(rows)
        at_arm.tell_shaping(rows, self.inputs.numbers.copy())
        rotation, position = memory.rotation.copy(), memory.position.copy()
        at_arm.place_measured(rows, self._about, driven, memory.block, q, rotation, position, pose)
        at_arm.show_measured(rows, driven, q, pose, q.copy(), q.copy(), np.eye(4))
        at_arm.turn_wrench(np.zeros(6), pose, np.zeros(6), np.zeros(6), np.zeros(6))
        pressing(self._met, np.zeros(6), 0.0, pose, pose, self._rig.press)
        self._tool_pose(pose)

    # Where the arm is ----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """No jump: what is predicted goes on with what is being sent, else from where the arm is and as fast."""
        assert self._last is not None
        anew = self._shaped[shaping_at.RUNNING] != 1.0
        if anew:
            self.inputs.measured[:] = self._last.q
        beginning(self.shaper.state, self.shaper.numbers, self.inputs.numbers, self._motion)
        try:
            self._put_predicted(*self._motion)
        except MechanismError:  # loops that cannot be closed there: the supervisor hears of it from the solver
            return
        self._servo.continue_from_here()
        if anew:
            self.plausibility.begin(self._last.q)
        self.reflection.start_anew()
        self.inputs.start()

    def _put_predicted(self, q: Floats, v: Floats) -> None:
        """Put the predicted robot where the driven joints are [rad | m], with their speeds [rad/s | m/s]."""
        robot, step, ahead = self._rig.robot, self._servo.period, None
        if not self._all_driven and v.any():  # passive joints move along as the loops want it
            robot.q = self._whole(q + step * v)
            ahead = robot.q
        robot.q = self._whole(q)
        if self._all_driven:
            robot._mem.v[self._driven] = v
        elif ahead is not None:
            robot._mem.v[:] = (ahead - robot.q) / step

    def _whole(self, driven: Floats) -> Floats:
        """All joint values of the robot, the driven ones as given."""
        q = self.measured.q
        q[self._driven] = driven
        return q

    def _find_measured(self, said: Measurement) -> None:
        """Joints and pose of the measured robot; passive joints follow by its loops, now and then."""
        servo, shared, rows, about = self._servo, self._servo.shared, self._said, self._about
        memory, pose, driven = self.measured._mem, self._pose, self._driven
        rows[at_arm.SAID_V] = math.nan if said.v is None else said.v
        rows[at_arm.HELD] = self.reflection.held_back(self.controller.coupled)
        at_arm.tell_shaping(rows, self.inputs.numbers)
        if not self._all_driven and servo.pace.tick % LOOPS_EVERY == 0:
            try:
                self.measured.q = self._whole(said.q)
            except MechanismError:
                self._forget_wrench()
                return
        about[at_arm.FRAME] = servo.followed.number
        at_arm.place_measured(rows, about, driven, memory.block, memory.q, memory.rotation, memory.position, pose)
        at_arm.show_measured(rows, driven, memory.q, pose, shared.measured_q, shared.measured_v, shared.measured_pose)
        self._find_wrench(said, pose)
        self.reflection.hear(said, pose, self._has_wrench)

    def _find_wrench(self, said: Measurement, pose: Floats) -> None:
        """The force on the tool; one that is not measured now is none, and what was measured before is over."""
        if said.wrench is None:
            self._forget_wrench()
            return
        wrench, status = self._wrench, self.controller.status
        wrench[:] = said.wrench
        if self._rig.sensor is not None:
            self._rig.sensor.correct(wrench, self._tool_pose(pose))
        if status is ControllerStatus.ACTIVE:
            self.tare.follows()
        elif status is ControllerStatus.READY:
            self.tare.hear(said.arrival, said.q, wrench)
        felt, shown = self._servo.memory.measured_wrench, self._servo.shared.measured_wrench
        self._has_wrench = at_arm.turn_wrench(wrench, pose, self.tare.bias, felt, shown)

    def _forget_wrench(self) -> None:
        self._has_wrench = False
        self._servo.memory.measured_wrench[:] = 0.0
        self._servo.shared.measured_wrench[:] = math.nan

    def _tool_pose(self, followed: Floats) -> Floats:
        """Of the frame that the sensor was calibrated in; of that which follows the hand if the result tells none."""
        if self._tool < 0:
            return followed
        memory = self.measured._mem
        frame_pose(memory.block, self._tool, memory.rotation, memory.position, self._at_tool)
        return self._at_tool

    def _show(self, now: float, status: ControllerStatus, age: float) -> None:
        shared = self._servo.shared
        shared.controller_status[0] = CODES[status]
        shared.measured_age[0] = age + self._way if age < at.NEVER else at.NEVER
        shared.commanded_age[0] = now - self._sent_at
        if self._has_wrench and not self.tare.known:
            shared.reflection_status[0] |= UNTARED
        if int(self._shaped[shaping_at.ACTING]) & shaping_at.PRESSING:  # in the tick before
            shared.reflection_status[0] |= PRESSING
