"""`ArmSide`: Python's part of an arm in a tick. What happens in every tick is in `arm_tick.py`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from station.bilateral import BilateralMethod, HandEnd
from station.bilateral.packet import Packet
from station.controllers import Controller, ControllerStatus, Measurement
from station.controllers.controller import Floats
from station.controllers.native import ArmSample, ArmSetpoint
from station.controllers.plausibility import Plausibility
from station.controllers.shaping import Shaper, ShapingSettings, joint_limits
from station.controllers.shaping.start import beginning
from station.controllers.supervisor import ARM_FACTS
from station.controllers.tare import Tare
from station.controllers.words import ArmWords, HandWords
from station.kernel import Record, load_now
from station.mad.placement import from_position
from station.mechanism import Mechanism, MechanismError
from station.servo.arm_tick import (
    LOOPS_EVERY,
    feel_arm,
    forget_wrench,
    judge_arm,
    make_setpoint,
    place_arm,
    setpoint_sent,
    take_sample,
    tell_shaping,
)
from station.servo.shared.words import ControllerCode
from station.servo.state import ArmMemory, Carried

if TYPE_CHECKING:
    from station.servo.part import Part

CODES = {status: ControllerCode[status.name] for status in ControllerStatus}


def target_limit(sample_limit: float) -> float:
    """Age of the sample behind a target from which the arm is stopped [s]: the device is found lost before that."""
    return min(max(ShapingSettings().target_limit, 2.0 * sample_limit), 1.0)


class ArmSide:
    """One arm behind a controller. `measure`, `obey` and `send` are parts of a tick: they neither wait nor raise."""

    def __init__(self, part: Part, controller: Controller) -> None:
        self.controller = controller
        self._part = part
        rig, able = part.rig, controller.capabilities
        robot = rig.alone
        self._driven = np.array([number for number, joint in enumerate(robot.joints) if joint.active])
        self._led = self._driven + rig.joints.start  # the same among all that are tied
        self.measured = Mechanism(robot.robot)  # where the arm is
        self.measured.q = robot.q
        oldest = target_limit(part.supervisor.settings.sample_limit)
        settings = ShapingSettings(period=part.period, target_limit=oldest)
        self.shaper = Shaper(joint_limits(robot, able.joints, settings), settings)
        self.inputs = self.shaper.inputs()
        self.plausibility = Plausibility(self.measured, able.joints, self.shaper.limits)
        self.end = HandEnd(rig.reflection)  # of the bilateral link
        joints = len(self._driven)
        self.memory = ArmMemory(
            driven=self._driven,
            led=self._led,
            frame=part.followed.measured,
            in_loops=joints < len(robot.joints),
            sample=ArmSample(n=joints),
            reading=self.plausibility.reading,
            doubts=self.plausibility.state,
            bounds=self.plausibility.bounds,
            measured=self.measured.memory,
            shaping_state=self.shaper.state,
            shaping_limits=self.shaper.numbers,
            shaping_inputs=self.inputs,
            press=rig.press,
            setpoint=ArmSetpoint(n=joints, with_velocity=able.takes_velocity),
            commanded=self.measured.memory.copy(),
            two_port=rig.reflection.two_port,
            end=self.end.state,
            new_end=self.end.state.copy(),
            link=self.end.numbers,
            end_inputs=self.end.inputs,
            packet=self.end.packet,
            came=Packet(),
        )
        arm = self.memory
        arm.pose[:] = np.eye(4)
        arm.delay = math.nan
        arm.send_every = rig.send_every
        self.tare = Tare(arm.bias)  # of the tool's sensor
        if rig.sensor is not None:
            arm.is_calibrated = True
            arm.gain, arm.weight, arm.offset = rig.sensor.gain, rig.sensor.weight, rig.sensor.offset
            arm.tool = -1 if rig.sensor.frame is None else robot.frame_number(rig.sensor.frame)
        self._motion = np.zeros((2, joints))  # places and speeds that it begins with

    def stand_on(self, carrier: ArmSide | None) -> None:
        """Let the measured robot stand where its carrier is measured, or predicted if there is no arm behind that."""
        part, arm = self._part, self.memory
        scene, robot = part.rig.scene, part.rig.scene.robot(part.rig.alone.robot.name)
        assert robot.base.on is not None
        on = robot.base.on.part
        assert on is not None
        if carrier is None:
            system = scene.system(on.robot)
            frame = system.mechanism.frame_number(system.frame_id(on.robot, on.target.id))
            bodies = (system.mechanism.memory,) * 2
        else:
            frame, bodies = (
                carrier.measured.frame_number(on.target.id),
                (carrier.memory.measured, carrier.memory.commanded),
            )
        mount, footing = from_position(robot.base.pos, robot.base.ori)[:3], self.measured.footing
        arm.carried, arm.carried_on = (
            Carried(
                carrier=body,
                frame=frame,
                mount=mount,
                joints=footing.joints,
                before=footing.before[:, :3],
                frames=footing.frames,
                offset=footing.offsets[:, :3],
            )
            for body in bodies
        )
        arm.is_carried = True

    # Parts of a tick -----------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Take the newest measurement, and tell the supervisor how the arm is doing."""
        controller, part, arm = self.controller, self._part, self.memory
        memory, tick = part.memory, part.pace.tick
        said, status = controller.newest(), controller.status
        arm.fact, arm.code, arm.fresh = ARM_FACTS[status], CODES[status], said is not None
        arm.partly = controller.partly_active
        if said is not None:
            fill_sample(arm.sample, said, controller.coupled)
            if take_sample(memory) and self._close_loops(said.q, tick):
                place_arm(memory)
                self._find_tare(said, status)
                feel_arm(memory)
        self._look_at_link(tick)
        judge_arm(memory)
        self._connect()

    def upkeep(self) -> None:
        """Look after a link that compiled code talks to."""
        self.memory.upkeep_at = self.controller.upkeep()
        self._look_at_link(self._part.pace.tick)

    def _connect(self) -> None:
        """Let compiled code talk to the arm from now on, if it can and nothing is to be found out by Python."""
        self.memory.connect(None if self.tare.looking else self.controller.native)

    def _close_loops(self, q: Floats, tick: int) -> bool:
        """Passive joints follow by the robot's loops, now and then; False if they cannot be closed there."""
        if self.memory.in_loops and tick % LOOPS_EVERY == 0:
            try:
                self.measured.q = self._whole(q)
            except MechanismError:
                forget_wrench(self._part.memory)
                return False
        return True

    def _find_tare(self, said: Measurement, status: ControllerStatus) -> None:
        if said.wrench is None:
            return
        if status is ControllerStatus.ACTIVE:
            self.tare.follows()
        elif status is ControllerStatus.READY:
            self.tare.hear(said.arrival, said.q, self.memory.wrench)
        self.memory.tared = self.tare.known

    @property
    def reason(self) -> str:
        """What the arm says of itself, and what is doubted of it: one line."""
        return "; ".join(text for text in (self.plausibility.reason, self.controller.reason) if text)

    def _look_at_link(self, tick: int) -> None:
        """What changes slowly, or is only looked at: the health of the link, efforts and temperatures."""
        turn = tick // self._part.memory.slowly
        if turn == self.memory.looked:
            return
        self.memory.looked = turn
        health, shared, sample = self.controller.health, self._part.shared, self.memory.sample
        self.memory.delay = health.round_trip
        self.memory.way = max(health.age, 0.0) if math.isfinite(health.age) else 0.0
        shared.link_round_trip, shared.link_lost = health.round_trip, health.lost
        shared.measured_effort[self._driven] = sample.effort if sample.has_effort else math.nan
        warmth = self.controller.temperatures
        shared.measured_temperature[self._driven] = math.nan if warmth is None else warmth

    def obey(self, resync: bool) -> None:
        """Do what the supervisor orders; `resync`: predicted robot and setpoints begin with the arm's motion."""
        decision, controller = self._part.supervisor.outputs, self.controller
        if decision.stop or self.memory.runs_away:
            self.memory.runs_away = False
            controller.stop()
        if decision.activate:
            controller.activate()
        if decision.deactivate:
            controller.deactivate()
        if decision.reset_arm:
            controller.reset()
        if decision.release:
            controller.release()
        self._connect()
        if resync and self.memory.known:
            self._begin()

    def send(self) -> None:
        """Send the setpoint that was made in this tick."""
        setpoint = self.memory.setpoint
        self.controller.couple(words_of(setpoint) if setpoint.has_words else None)
        speeds = setpoint.v if setpoint.with_velocity else None
        if self.controller.send(setpoint.q, speeds, None, setpoint.sequence):
            setpoint_sent(self._part.memory)

    @property
    def at_rest(self) -> bool:
        """Whether the arm does not follow, and setpoints stand still."""
        following = self.controller.status is ControllerStatus.ACTIVE or self.controller.partly_active
        return not following and self.shaper.state.at_rest

    def load(self) -> None:
        """Load all kernels of the arm."""
        _ = self.controller.native  # loads those of the driver
        load_now(take_sample, place_arm, feel_arm, forget_wrench, judge_arm, setpoint_sent, beginning)
        load_now(tell_shaping, make_setpoint)

    @property
    def living(self) -> tuple[Record, ...]:
        """Records that a tick changes."""
        arm = self.memory
        return (
            arm,
            arm.sample,
            arm.setpoint,
            arm.reading,
            arm.doubts,
            arm.shaping_state,
            arm.shaping_inputs,
            arm.end,
            arm.end_inputs,
            arm.packet,
        )

    # What is asked for between two ticks ---------------------------------------------------------------------

    def change_reflection(self, method: BilateralMethod) -> None:
        """Reflect contact by another method; raises a SettingsError if it needs an end at the arm."""
        self.end.change(replace(self.end.settings, method=method))
        self.memory.epoch = 0  # the next tick begins new books

    def find_tare(self) -> bool:
        """A person says that nothing touches the tool; False: the arm cannot be asked just now."""
        # With two ends, that at the arm has a tare of its own.
        if self.memory.two_port and not self.controller.tare():
            return False
        self.tare.ask()
        self._connect()
        return True

    # Where the arm is ----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """No jump: what is predicted goes on with what is being sent, else from where the arm is and as fast."""
        arm = self.memory
        anew = not arm.shaping_state.running
        if anew:
            self.inputs.measured[:] = arm.q
        beginning(arm.shaping_state, arm.shaping_limits, self.inputs, self._motion)
        self._part.robot.let_through()
        try:
            self._put_predicted(*self._motion)
        except MechanismError:  # loops that cannot be closed there: the supervisor hears of it from the solver
            return
        self._part.robot.continue_from_here()
        if anew:
            self.plausibility.begin(arm.q)
        arm.start += 1  # both ends of the link begin there, too
        arm.epoch = 0
        self.inputs.start()

    def _put_predicted(self, q: Floats, v: Floats) -> None:
        """Put the predicted robot where the driven joints are [rad | m], with their speeds [rad/s | m/s]."""
        robot, step, ahead = self._part.rig.robot, self._part.period, None
        in_loops = self.memory.in_loops or robot is not self._part.rig.alone
        whole = robot.q
        whole[self._part.rig.joints] = self.measured.q  # passive ones
        if in_loops and v.any():  # passive joints, and robots that are tied to it, move along as the loops want it
            whole[self._led] = q + step * v
            robot.q = whole
            ahead = robot.q
        whole[self._led] = q
        robot.q = whole
        if not in_loops:
            robot.memory.v[self._led] = v
        elif ahead is not None:
            robot.memory.v[:] = (ahead - robot.q) / step

    def _whole(self, driven: Floats) -> Floats:
        """All joint values of the robot, the driven ones as given."""
        q = self.measured.q
        q[self._driven] = driven
        return q


def fill_sample(sample: ArmSample, said: Measurement, words: ArmWords | None) -> None:
    """A measurement as kernels read it, and what the arm's end of a bilateral link said with it."""
    sample.q[:], sample.echo = said.q, said.echo
    sample.controller_time, sample.arrival, sample.sequence = said.controller_time, said.arrival, said.sequence
    sample.has_velocity, sample.has_effort = said.v is not None, said.effort is not None
    sample.has_wrench, sample.has_words = said.wrench is not None, words is not None
    if said.v is not None:
        sample.v[:] = said.v
    if said.effort is not None:
        sample.effort[:] = said.effort
    if said.wrench is not None:
        sample.wrench[:] = said.wrench
    if words is not None:
        sample.start, sample.epoch = words.start, words.epoch
        sample.held[:], sample.packet[:] = words.held, words.packet


def words_of(setpoint: ArmSetpoint) -> HandWords:
    """What the hand's end of a bilateral link says with a setpoint."""
    return HandWords(
        setpoint.start,
        setpoint.epoch,
        setpoint.method,
        setpoint.architecture,
        setpoint.force_scale,
        setpoint.stiffness,
        setpoint.impedance,
        setpoint.straight,
        setpoint.packet,
    )
