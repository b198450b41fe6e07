"""`Part`: Python's side of one part of a servo: a hand, the frame of a robot that it leads, and the arm behind it."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from station.clock import WallClock
from station.controllers.controller import LOST_AFTER
from station.controllers.supervisor import Facts, Supervisor, SupervisorSettings, SupervisorState
from station.devices.age import LinkDelay
from station.devices.device import Device, DeviceStatus
from station.devices.mapping.from_mad import PERIODS_UNTIL_STALE
from station.devices.software.nobody import Nobody
from station.haptics import Inputs
from station.haptics.guides import Guides
from station.kernel import Record
from station.mad.units import JointType
from station.servo.arm import ArmSide
from station.servo.facts import facts_of
from station.servo.feel import find_frame
from station.servo.orders import Orders
from station.servo.rig import Followed, Rig
from station.servo.robot import LedRobot
from station.servo.shared import CommandIntake, StateWriter
from station.servo.shared.words import ControllerCode, DeviceCode, Emulated, Mode
from station.servo.state import NEVER, SLOWLY, PartMemory

if TYPE_CHECKING:
    from station.servo.servo import Servo

STALE_AFTER = 0.017  # [s]: with a tick and the way to the motors, force is zero within 20 ms of the last sample
STARTER_WITHIN = 0.5  # who started the servo has to give a sign of life within [s]
RESET_GIVEN_UP = "the reset was given up: the cause of the fault did not go in time; mend it and reset again"
LONGEST_STEP = 5.0  # periods: after a pause the robot moves on by no more than this
AXES = 6  # of a hand
DEVICE_CODES = {status: DeviceCode[status.name] for status in DeviceStatus}


class Part:
    """One hand, its frame, its arm; made by the servo, in the order of its number.

    Args:
        servo: whose part it is; all before it are there.
        rig: what it leads, and by what.
        robot: that of the rig, with the parts that lead it.
        shows: name of its shared state, and the folder of that.
        text: what its readers may want to know besides.
    """

    def __init__(
        self, servo: Servo, rig: Rig, robot: LedRobot, shows: tuple[str | None, Path | None], text: dict[str, Any]
    ) -> None:
        self.servo, self.rig, self.robot, self.device = servo, rig, robot, rig.device
        self.number, self.name = len(servo.parts), rig.name
        self.clock, self.pace, self.period = servo.clock, servo.pace, servo.period
        self.supervisor, self.facts = Supervisor(supervision(rig)), Facts()
        self.inputs = Inputs()
        joints = len(rig.robot.q)
        self.memory = PartMemory(
            n=joints,
            m=max(joints, 6),
            number=self.number,
            supervisor_memory=self.supervisor.memory,
            supervisor_limits=self.supervisor.limits,
            facts=self.facts,
            decision=self.supervisor.outputs,
            mapping_state=rig.mapping.state,
            mapping_settings=rig.mapping.numbers,
            haptics_state=rig.renderer.state,
            haptics_settings=rig.renderer.tuning,
            haptics_guides=rig.renderer.guides,
            haptics_inputs=self.inputs,
            world_guides=Guides(),
            led=robot.memory,
            robot=rig.robot.memory,
            pace=self.pace.state,
        )
        memory = self.memory
        memory.target, memory.wrench = rig.mapping.target, rig.renderer.wrench
        rig.mapping.target, rig.renderer.wrench = memory.target, memory.wrench  # the same from now on
        memory.camera[:] = rig.mapping.view
        memory.frame_pose[:] = memory.sample_pose[:] = np.eye(4)
        memory.steps, memory.first_joint = not robot.parts, rig.joints.start
        memory.hand_joints[:], memory.hand_gains[:] = hand_joints(rig)
        memory.leads, memory.nobody = rig.leads, isinstance(rig.device, Nobody)
        self._decision = self.supervisor.outputs
        self.arm: ArmSide | None = None
        robot.parts.append(self)
        self.follow(rig.followed)
        self.facts.arm(None)
        self.orders = Orders(self)
        self._find_arm()
        self.writer = StateWriter(len(rig.joints), {**facts_of(rig, 1.0 / self.period), **text}, *shows)
        self.shared = self.writer.shared
        self.intake = CommandIntake(len(rig.joints), self.writer.name, shows[1])
        self._delay = LinkDelay()
        self._reason, self._status = "", DeviceStatus.OPENING
        self._lost_before = 0  # frames, before it ran
        memory.shared, memory.link = self.shared, self.writer.link
        memory.intake, memory.delay = self.intake.state, self._delay.state
        self._fill_constants()

    def _find_arm(self) -> None:
        """An arm of its own, or that of another part which leads the same robot."""
        memory, rig = self.memory, self.rig
        if rig.controller is None:
            return
        shared = next((part.arm for part in self.servo.parts if part.rig.controller is rig.controller), None)
        self.arm = shared or ArmSide(self, rig.controller)
        memory.has_arm, memory.owns_arm, memory.arm = True, shared is None, self.arm.memory

    # What a tick needs Python for ------------------------------------------------------------------------------

    def read_device(self) -> None:
        """The newest sample of a device that compiled code cannot ask, or not now."""
        device, memory = self.device, self.memory
        sample, status = device.newest(), device.status
        memory.fresh = sample is not None
        if sample is not None:
            memory.sample_pose[:], memory.sample_velocity[:] = sample.pose, sample.velocity
            memory.sample_buttons, memory.grip = sample.buttons, sample.grip
            memory.device_time, memory.sample_arrival = sample.device_time, sample.arrival
            memory.sequence = sample.sequence
        memory.device_ready = status is DeviceStatus.READY
        memory.device_bad = status is DeviceStatus.FAULT
        if status is not self._status:
            memory.device_changed = True
        memory.force_enabled = device.force_enabled
        memory.connect(device.swift)

    def measure(self) -> None:
        """The newest measurement of an arm that compiled code cannot ask, or not now."""
        assert self.arm is not None
        self.arm.measure()

    def obey(self) -> None:
        """Do with the arm what the supervisor orders."""
        assert self.arm is not None
        self.arm.obey(self.memory.resync)

    def refine_obstacles(self) -> None:
        """Distances that only the library can tell."""
        self.robot.refine_obstacles()

    def push(self) -> None:
        """The wrench to a device that compiled code cannot reach, or not now."""
        self.device.command(self.memory.wrench)
        self.memory.force_enabled = self.device.force_enabled

    def send_setpoint(self) -> None:
        """To an arm that compiled code cannot reach, or not now."""
        assert self.arm is not None
        self.arm.send()

    def look_after_link(self) -> None:
        """Of an arm that compiled code talks to."""
        assert self.arm is not None
        self.arm.upkeep()

    def mind_force(self) -> None:
        """Forces are let through from a press of the dead-man on; if the device takes them away, until the next."""
        memory, device = self.memory, self.device
        engaged = self.state is SupervisorState.ENGAGED
        if not memory.leads:  # the device is another part's now
            memory.was_engaged = engaged
            return
        if engaged and not memory.was_engaged:
            memory.pushes = device.force_enabled or device.enable_force()
        elif not self._decision.force and device.force_enabled:
            device.disable_force()
        elif memory.was_engaged and not memory.ready and device.force_off:
            self._give_reason(device.force_off)
        memory.was_engaged = engaged
        memory.force_enabled = device.force_enabled

    def take_commands(self) -> None:
        """Act on what was asked since the last tick."""
        served, shared = self.intake.serve(self.orders.decide, self.pace.tick), self.shared
        shared.commands_accepted += served.accepted
        shared.commands_refused += served.refused
        shared.commands_malformed += served.malformed

    def show_rarely(self) -> None:
        """What changes rarely, or takes long to find out."""
        device, memory = self.device, self.memory
        self.servo.changes.show_rarely(self)
        if memory.device_changed:
            self._delay.reset()  # a device that was away begins anew, and so does its clock against ours
        memory.device_changed = False
        seen = self.servo.part.intake.starter_seen  # who started the servo knows its first part
        if seen > 0.0:
            memory.starter_until = min(seen, self.clock.now()) + STARTER_WITHIN
        self._status = device.status
        memory.device_code = DEVICE_CODES[self._status]
        self.shared.hand_lost = device.frames_lost - self._lost_before
        arm = self.arm.reason if self.arm is not None else ""
        given_up = 0.0 < self.supervisor.memory.reset_until < self.clock.now()
        reset = RESET_GIVEN_UP if given_up and self.state is SupervisorState.FAULT else ""
        reason = "; ".join(text for text in (device.reason, arm, reset) if text)
        held = self.state in (SupervisorState.HOLD, SupervisorState.FAULT)
        if reason or not held:  # why it is held stays to be read, also if that is over
            self._give_reason(reason)

    def _give_reason(self, reason: str) -> None:
        if reason != self._reason:
            self._reason = reason
            self.writer.write_reason(reason)

    def cease_to_lead(self) -> None:
        """Let the device lead something else: the frame holds, and the hand feels nothing of it any more."""
        memory = self.memory
        if memory.leads:
            memory.leads = False
            memory.connect(None)
            self.device.disable_force()

    # What is set -----------------------------------------------------------------------------------------------

    def follow(self, followed: Followed) -> None:
        """Let another frame follow the hand, from where it is."""
        memory = self.memory
        memory.frame, memory.measured_frame = followed.number, followed.measured
        self.follow_along(followed)
        if self.arm is not None and memory.owns_arm:
            self.arm.memory.frame = followed.measured
        self.robot.plan()
        self.robot.continue_from_here()
        if self.rig.surroundings is not None:
            self.rig.surroundings.refresh()  # the robot may have been put somewhere else

    def follow_along(self, followed: Followed) -> None:
        """Let the same frame follow along what it can move in now; the robot has to plan anew."""
        self.memory.full_rank = followed.full_rank
        if followed.axes is not None:
            self.rig.robot.memory.frame_axes[followed.number] = followed.axes
        self.followed = followed

    def begin_anew(self) -> None:
        """Go on from where robot and hand are, as another motion of the hand counts from now on."""
        memory = self.memory
        memory.begins_anew = True
        memory.last_target[:] = memory.target
        self.robot.memory.joint_targets[:] = self.rig.robot.q
        self.robot.memory.joint_led[memory.hand_joints[memory.hand_joints >= 0]] = True

    @property
    def state(self) -> SupervisorState:
        """Of the supervisor."""
        return self._decision.state

    @property
    def at_rest(self) -> bool:
        """Whether nothing is asked of arm and hand any more."""
        still = self.arm is None or self.arm.at_rest
        return still and not self.memory.wrench.any()

    def find_frame(self) -> None:
        """Where the followed frame is, after the robot was put somewhere."""
        find_frame(self.memory)

    def began(self) -> None:
        """What had waited or was lost while everything was compiled says nothing of the link."""
        self._delay.reset()
        self._lost_before = self.device.frames_lost

    def _fill_constants(self) -> None:
        shared, memory = self.shared, self.memory
        memory.period, memory.longest_step = self.period, LONGEST_STEP * self.period
        memory.slowly = max(round(SLOWLY / self.period), 1)
        memory.rarely = 7 * self.number % memory.slowly  # not all parts in the same tick
        memory.stop_button = self.rig.stop_button
        memory.device_code = DeviceCode.OPENING
        if isinstance(self.clock, WallClock):
            memory.day = time.time() - self.clock.now()
        shared.emulated = (Emulated.DEVICE | Emulated.HAND) if is_emulated(self.device) else Emulated.NONE
        if self.arm is not None and self.arm.controller.capabilities.emulated:
            shared.emulated |= Emulated.CONTROLLER
        shared.controller_status = ControllerCode.NONE if self.arm is None else ControllerCode.OPENING
        shared.constraints_on = self.rig.robot.loops.bits
        shared.mode, shared.followed_frame = Mode.POSITION, self.followed.id
        shared.measured_age = shared.commanded_age = NEVER
        shared.gripper_width = shared.gripper_command = math.nan
        shared.measured_effort[:] = shared.measured_temperature[:] = shared.link_round_trip = math.nan
        self.orders.show()
        memory.dead_man_button, memory.mode = self.rig.dead_man, Mode.POSITION

    @property
    def living(self) -> tuple[Record, ...]:
        """Records that a tick changes and that mean something before the first."""
        memory = self.memory
        return (
            memory.supervisor_memory,
            memory.facts,
            memory.decision,
            memory.mapping_state,
            memory.haptics_state,
            memory.haptics_inputs,
            memory,
            memory.led,
            self._delay.state,
            *(self.arm.living if self.arm is not None and memory.owns_arm else ()),
        )

    def close(self) -> None:
        """Take the force away and remove the shared state; the device is the caller's to close. May be called twice."""
        self.device.disable_force()
        self.intake.close()
        self.writer.close()


def hand_joints(rig: Rig) -> tuple[list[int], list[float]]:
    """The joint that each axis of the hand leads in mode JOINTS, -1 if none, and how far it moves with the target.

    They are the first six driven ones in the order of the file. A metre of the target is the robot's length: a radian.
    """
    driven = [rig.joints.start + number for number, joint in enumerate(rig.alone.joints) if joint.active][:AXES]
    length = rig.robot.memory.length
    gains = [1.0] * AXES
    for axis, joint in enumerate(driven):
        turns = rig.robot.joints[joint].type is JointType.REVOLUTE
        gains[axis] = (1.0 / length if turns else 1.0) if axis < AXES // 2 else (1.0 if turns else length)
    return driven + [-1] * (AXES - len(driven)), gains


def is_emulated(device: Device) -> bool:
    """Whether there is no hardware behind a device; emulators say so by address and serial number."""
    return device.url.startswith("sim:") or device.capabilities.serial_number.startswith("SIM-")


def supervision(rig: Rig) -> SupervisorSettings:
    """Settings of the supervisor for device and arm: a slow one is not lost when one sample or measurement is."""
    sample_limit = max(STALE_AFTER, PERIODS_UNTIL_STALE / rig.device.capabilities.rate)
    measured_limit = LOST_AFTER if rig.controller is None else max(LOST_AFTER, rig.controller.lost_after)
    return SupervisorSettings(sample_limit=sample_limit, measured_limit=measured_limit)
