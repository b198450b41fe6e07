"""`Servo`: one tick after the other, on the wall's time or a test's. Everything is made and compiled beforehand."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from station.clock import WALL, Clock, WallClock
from station.controllers.controller import LOST_AFTER
from station.controllers.supervisor import Facts, Supervisor, SupervisorSettings, SupervisorState
from station.controllers.supervisor.kernels import layout as supervisor_at
from station.devices.age import LinkDelay
from station.devices.device import Device, DeviceStatus
from station.devices.mapping.from_mad import PERIODS_UNTIL_STALE
from station.haptics import Inputs
from station.haptics.kernels import layout as felt
from station.servo.arm import ArmSide
from station.servo.around import Around
from station.servo.facts import facts_of
from station.servo.kernels import fields as at
from station.servo.kernels import tick as need
from station.servo.kernels import wiring as wired
from station.servo.kernels.feel import find_frame
from station.servo.kernels.fields import ServoMemory, numbers_of
from station.servo.kernels.tick import run_tick
from station.servo.kernels.wiring import Wiring
from station.servo.orders import Orders
from station.servo.pacing import Pace
from station.servo.rig import Followed, Rig
from station.servo.shared import CommandIntake, StateWriter
from station.servo.shared.words import ControllerCode, DeviceCode, Emulated, Mode

STALE_AFTER = 0.017  # [s]: with a tick and the way to the motors, force is zero within 20 ms of the last sample
STARTER_WITHIN = 0.5  # who started the servo has to give a sign of life within [s]
LEAST_WINDING_DOWN = 0.05  # for an arm that was just asked to follow, to say that it does [s]
RESET_GIVEN_UP = "the reset was given up: the cause of the fault did not go in time; mend it and reset again"
LONGEST_STEP = 5.0  # periods: after a pause the robot moves on by no more than this
FORCE, STATE = supervisor_at.FORCE, supervisor_at.OUT_STATE
ENGAGED, HOLD, FAULT = (
    float(state) for state in (SupervisorState.ENGAGED, SupervisorState.HOLD, SupervisorState.FAULT)
)
DEVICE_CODES = {status: float(DeviceCode[status.name]) for status in DeviceStatus}


class Servo:
    """The loop from hand to robot and back. `tick` never waits for anything but time, and never raises.

    Args:
        rig: what it drives.
        rate: ticks per second [Hz].
        clock: whose time; on a virtual one every run is the same.
        spin: look at the clock for this long before a tick instead of sleeping [s].
        name: of this servo among those that run.
        folder: where its shared state goes; that of this user if not given.
        text: what does not change and others may want to know, besides the names of the robot.
    """

    def __init__(
        self,
        rig: Rig,
        rate: float = 1000.0,
        clock: Clock = WALL,
        spin: float = 0.0,
        name: str | None = None,
        folder: Path | None = None,
        text: dict[str, Any] | None = None,
    ) -> None:
        self.rig, self.clock, self.device = rig, clock, rig.device
        self.period = 1.0 / rate
        self.pace = Pace(self.period, clock, spin)
        self.supervisor, self.facts = Supervisor(supervision(rig)), Facts()
        self.inputs = Inputs()
        joints = len(rig.robot.q)
        self.memory = ServoMemory(
            joints,
            supervisor_state=self.supervisor.state,
            supervisor_settings=self.supervisor.numbers,
            supervisor_inputs=self.facts.numbers,
            supervisor_outputs=self.supervisor.outputs,
            mapping_state=rig.mapping.state,
            mapping_settings=rig.mapping.numbers,
            target=rig.mapping.target,
            haptics_state=rig.renderer.state,
            haptics_settings=rig.renderer.numbers,
            haptics_guides=rig.renderer.guide_rows,
            haptics_inputs=self.inputs.numbers,
            wrench=rig.renderer.wrench,
        )
        self.memory.camera[:] = rig.mapping.view
        self.memory.frame_pose[:] = self.memory.sample_pose[:] = np.eye(4)
        self.numbers = numbers_of(self.memory.memory)
        self._orders_out = numbers_of(self.supervisor.outputs)
        self._asked = numbers_of(self.facts.numbers)
        self.follow(rig.followed)
        self.facts.arm(None)
        self.numbers[at.MEASURED_AGE] = at.NEVER
        self.numbers[at.NEAREST] = at.NOTHING_NEAR
        self.around = Around(rig.surroundings, self.memory, self.numbers) if rig.surroundings else None
        self.orders = Orders(self)
        self.arm = ArmSide(self, rig.controller) if rig.controller is not None else None
        self.shared = StateWriter(joints, {**facts_of(rig, rate), **(text or {})}, name, folder)
        self.intake = CommandIntake(joints, self.shared.name, folder)
        self._delay = LinkDelay()
        self._reason, self._status = "", DeviceStatus.OPENING
        self._lost_before = 0  # frames, before it ran
        self._wiring = Wiring(
            PACE=self.pace.block,
            MEMORY=self.memory.mem,
            ROBOT=rig.robot.block,
            SHARED=self.shared.mem,
            LINK=self.shared.link,
            INTAKE=self.intake.intake,
            DELAY=self._delay.state.ctypes.data,
            HAS_ARM=int(self.arm is not None),
            HAS_OBSTACLES=int(self.around is not None),
        )
        self._tick = self._wiring.numbers
        self._see_to: dict[int, Callable[[], object]] = {
            need.WAIT: self.pace.wait,
            need.DEVICE: self._read_device,
            need.COMMANDS: self._take_commands,
            need.ARM: self._measure,
            need.OBEY: self._obey,
            need.OBSTACLES: self._tell_obstacles,
            need.REFINE: self._refine_obstacles,
            need.FORCE: self._mind_force,
            need.PUSH: self._push,
            need.SETPOINT: self._send_setpoint,
            need.RARELY: self._show_rarely,
        }
        self._fill_constants()
        self._share_interpreter()
        self._warm_up()

    # Ticks -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Wait for the next moment of the grid and do everything once."""
        wires, needed = self._wiring.address, run_tick(self._wiring.address, need.BEGIN)
        while needed != need.DONE:
            self._see_to[needed]()
            needed = run_tick(wires, needed)

    def _read_device(self) -> None:
        """The newest sample of a device that compiled code cannot ask, or not now."""
        device, tick = self.device, self._tick
        sample, status = device.newest(), device.status
        tick[wired.FRESH] = 1.0 if sample is not None else 0.0
        if sample is not None:
            self.memory.sample_pose[:], self.memory.sample_velocity[:] = sample.pose, sample.velocity
            tick[wired.BUTTONS], tick[wired.GRIP] = sample.buttons, sample.grip
            tick[wired.DEVICE_TIME], tick[wired.ARRIVAL] = sample.device_time, sample.arrival
            tick[wired.SEQUENCE] = sample.sequence
        tick[wired.DEVICE_READY] = 1.0 if status is DeviceStatus.READY else 0.0
        tick[wired.DEVICE_BAD] = 1.0 if status is DeviceStatus.FAULT else 0.0
        if status is not self._status:
            tick[wired.DEVICE_CHANGED] = 1.0
        tick[wired.FORCE_ENABLED] = device.force_enabled
        self._wiring.connect(device.swift)

    def _measure(self) -> None:
        assert self.arm is not None
        self.arm.measure(self._tick[wired.NOW])

    def _obey(self) -> None:
        assert self.arm is not None
        self.arm.obey(self._tick[wired.RESYNC] == 1.0)

    def _tell_obstacles(self) -> None:
        assert self.around is not None
        self._tick[wired.CONTACTS] = self.around.tell(self._tick[wired.STEP_TIME])

    def _refine_obstacles(self) -> None:
        assert self.around is not None
        self.around.refine()

    def _push(self) -> None:
        """The wrench to a device that compiled code cannot reach, or not now."""
        self.device.command(self.memory.wrench)
        self._tick[wired.FORCE_ENABLED] = self.device.force_enabled

    def _send_setpoint(self) -> None:
        assert self.arm is not None
        self.arm.send(self._tick[wired.NOW])

    def rehearse(self, ticks: int = 20) -> None:
        """Tick a few times at full rate, so that nothing is done for the first time when it counts; not counted."""
        self.pace.start()
        for _ in range(ticks):
            self.tick()
        self.pace.statistics.clear()
        # What had waited or was lost while everything was compiled says nothing of the link.
        self._delay.reset()
        self._lost_before = self.device.frames_lost

    def run(self, seconds: float = math.inf, stop: Callable[[], bool] | None = None) -> None:
        """Tick for so long [s], or until `stop` says so; it is asked after every tick."""
        self.pace.start()
        end = self.clock.now() + seconds
        while self.clock.now() < end - 0.5 * self.period and not (stop is not None and stop()):
            self.tick()

    def wind_down(self, at_once: Callable[[], bool] = lambda: False) -> bool:
        """End in order: setpoints brake, the arm then holds by itself, forces ramp away.

        Returns whether all is at rest. It takes no longer than `rest_within` of the supervisor, and no tick more when
        `at_once` says so.
        """
        self.orders.let_go()
        self.facts.ask("shutdown")
        self.rig.renderer.numbers[felt.SETTINGS_SIZE + felt.SWITCH :][: felt.EFFECTS] = 0.0  # each along its ramp
        least = self.clock.now() + LEAST_WINDING_DOWN
        most = self.clock.now() + self.supervisor.settings.rest_within
        while self.clock.now() < most and not at_once():
            self.tick()
            if self.clock.now() >= least and self._at_rest:
                return True
        return self._at_rest

    @property
    def _at_rest(self) -> bool:
        """Whether nothing is asked of anybody any more."""
        still = self.arm is None or self.arm.at_rest
        return still and not self.memory.wrench.any()

    def _mind_force(self) -> None:
        """Forces are let through from a press of the dead-man on; if the device takes them away, until the next."""
        tick, device = self._tick, self.device
        engaged = self._orders_out[STATE] == ENGAGED
        if engaged and tick[wired.WAS_ENGAGED] != 1.0:
            tick[wired.PUSHES] = device.force_enabled or device.enable_force()
        elif self._orders_out[FORCE] != 1.0 and device.force_enabled:
            device.disable_force()
        elif tick[wired.WAS_ENGAGED] == 1.0 and tick[wired.READY] != 1.0 and device.force_off:
            self._give_reason(device.force_off)
        tick[wired.WAS_ENGAGED] = engaged
        tick[wired.FORCE_ENABLED] = device.force_enabled

    def _take_commands(self) -> None:
        """Act on what was asked since the last tick."""
        served, shared = self.intake.serve(self.orders.decide, self.pace.tick), self.shared
        shared.commands_accepted[0] += served.accepted
        shared.commands_refused[0] += served.refused
        shared.commands_malformed[0] += served.malformed

    def _show_rarely(self) -> None:
        """What changes rarely, or takes long to find out."""
        device, tick = self.device, self._tick
        if tick[wired.DEVICE_CHANGED] == 1.0:
            self._delay.reset()  # a device that was away begins anew, and so does its clock against ours
        tick[wired.DEVICE_CHANGED] = 0.0
        seen = self.intake.starter_seen
        if seen > 0.0:
            self.numbers[at.STARTER_UNTIL] = min(seen, self.clock.now()) + STARTER_WITHIN
        self._status = device.status
        tick[wired.DEVICE_CODE] = DEVICE_CODES[self._status]
        self.shared.hand_lost[0] = device.frames_lost - self._lost_before
        self._share_interpreter()
        arm = self.arm.reason if self.arm is not None else ""
        given_up = 0.0 < self.supervisor.state[supervisor_at.RESET_UNTIL] < self.clock.now()
        reset = RESET_GIVEN_UP if given_up and self._orders_out[STATE] == FAULT else ""
        reason = "; ".join(text for text in (device.reason, arm, reset) if text)
        held = self._orders_out[STATE] in (HOLD, FAULT)
        if reason or not held:  # why it is held stays to be read, also if that is over
            self._give_reason(reason)

    def _share_interpreter(self) -> None:
        """Sleep outside compiled code while other threads of Python live: those of drivers could not run meanwhile.

        A thread that talks to a Falcon takes the interpreter several times per sample; one that gets it only where a
        tick leaves compiled code has samples that are tens of milliseconds old.
        """
        self.pace.compiled = threading.active_count() == 1
        on_wall = isinstance(self.clock, WallClock)
        self._wiring.words[wired.WAITS_IN_PYTHON] = not (on_wall and self.pace.compiled)

    def _give_reason(self, reason: str) -> None:
        if reason != self._reason:
            self._reason = reason
            self.shared.write_reason(reason)

    # What is set -----------------------------------------------------------------------------------------------

    def follow(self, followed: Followed) -> None:
        """Let another frame follow the hand, from where it is."""
        numbers = self.numbers
        numbers[at.FRAME], numbers[at.AXES] = followed.number, followed.axes
        numbers[at.FIRST_RANK], numbers[at.FULL_RANK] = followed.first_rank, followed.full_rank
        numbers[at.PLACE_FIRST] = followed.place_first
        self.followed = followed
        self.continue_from_here()
        if self.rig.surroundings is not None:
            self.rig.surroundings.refresh()  # the robot may have been put somewhere else

    def continue_from_here(self) -> None:
        """The predicted robot was put somewhere: what follows begins there, at rest."""
        self.memory.joint_targets[:] = self.rig.robot.q
        self.numbers[at.CONTINUED] = 0.0
        find_frame(self.memory.mem, self.rig.robot.block)

    @property
    def state(self) -> SupervisorState:
        """Of the supervisor."""
        return SupervisorState(int(self._orders_out[STATE]))

    def _fill_constants(self) -> None:
        shared, numbers, tick = self.shared, self.numbers, self._tick
        tick[wired.PERIOD], tick[wired.LONGEST_STEP] = self.period, LONGEST_STEP * self.period
        tick[wired.STOP_BUTTON] = self.rig.stop_button
        tick[wired.LAST], tick[wired.DEVICE_CODE] = -math.inf, int(DeviceCode.OPENING)
        if isinstance(self.clock, WallClock):
            tick[wired.DAY] = time.time() - self.clock.now()
        shared.emulated[0] = (Emulated.DEVICE | Emulated.HAND) if is_emulated(self.device) else 0
        if self.arm is not None and self.arm.controller.capabilities.emulated:
            shared.emulated[0] |= Emulated.CONTROLLER
        shared.controller_status[0] = ControllerCode.NONE if self.arm is None else ControllerCode.OPENING
        shared.mode[0], shared.followed_frame[0] = Mode.POSITION, self.followed.id
        shared.measured_age[0] = shared.commanded_age[0] = at.NEVER
        shared.gripper_width[0] = shared.gripper_command[0] = math.nan
        shared.measured_effort[:] = shared.measured_temperature[:] = shared.link_round_trip[:] = math.nan
        self.orders.show()
        numbers[at.DEAD_MAN_BUTTON], numbers[at.MODE] = self.rig.dead_man, float(Mode.POSITION)
        numbers[at.ARRIVAL] = -at.NEVER
        numbers[at.HELD_UNTIL], numbers[at.STARTER_UNTIL] = -math.inf, math.inf

    def _warm_up(self) -> None:
        """Compile and load all that a tick needs; nothing moves and nothing is remembered."""
        kept = [array.copy() for array in self._living()]
        self.pace.warm_up()
        other, words = Pace(self.period), self._wiring.words
        words[wired.PACE] = other.block
        for after in range(need.DEVICE, need.DONE):  # from every place where Python may have had a part
            run_tick(self._wiring.address, after)
        words[wired.PACE] = self.pace.block
        if self.arm is not None:
            self.arm.warm_up()
        self.intake.serve(self.orders.decide, 0)
        for array, before in zip(self._living(), kept, strict=True):
            array[:] = before
        self.rig.robot.interrupted()
        self.shared.forget()

    def _living(self) -> tuple[Any, ...]:
        """Arrays that a tick changes and that mean something before the first."""
        memory = self.memory
        return (
            memory.supervisor_state,
            memory.supervisor_outputs,
            memory.mapping_state,
            memory.haptics_state,
            memory.haptics_inputs,
            memory.memory,
            self._wiring.array,
            self._delay.state,
        )

    def close(self) -> None:
        """Take the force away and remove the shared state; the device is the caller's to close. May be called twice."""
        self.device.disable_force()
        self.intake.close()
        self.shared.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def is_emulated(device: Device) -> bool:
    """Whether there is no hardware behind a device; emulators say so by address and serial number."""
    return device.url.startswith("sim:") or device.capabilities.serial_number.startswith("SIM-")


def supervision(rig: Rig) -> SupervisorSettings:
    """Settings of the supervisor for device and arm: a slow one is not lost when one sample or measurement is."""
    sample_limit = max(STALE_AFTER, PERIODS_UNTIL_STALE / rig.device.capabilities.rate)
    measured_limit = LOST_AFTER if rig.controller is None else max(LOST_AFTER, rig.controller.lost_after)
    return SupervisorSettings(sample_limit=sample_limit, measured_limit=measured_limit)
