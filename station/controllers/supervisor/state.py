"""What the supervisor is set to, what it is told, what it remembers and what it decides, under one name each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor.words import ArmFact, Event, Shape, Stopped, SupervisorState, Waiting
from station.devices.device import DeviceStatus
from station.devices.parameter import check, parameter
from station.kernel import Floats1, Ints1, Record, field

NEVER = -1e300  # a moment that is over [s]
LOG_LENGTH = 64  # transitions that are kept

ARM_FACTS: dict[ControllerStatus, ArmFact] = {
    ControllerStatus.OPENING: ArmFact.OPENING,
    ControllerStatus.READY: ArmFact.READY,
    ControllerStatus.ACTIVE: ArmFact.ACTIVE,
    ControllerStatus.STOPPED: ArmFact.STOPPED,
    ControllerStatus.FAULT: ArmFact.FAULT,
    ControllerStatus.LOST: ArmFact.LOST,
    ControllerStatus.CLOSED: ArmFact.LOST,
}


@dataclass(frozen=True, kw_only=True)
class SupervisorSettings:
    """When something counts as lost, late or refused."""

    sample_limit: float = parameter(0.020, "age of a sample from which the device is lost", "s", 1e-3, 1.0)
    measured_limit: float = parameter(0.050, "age of a measurement from which the arm is lost", "s", 1e-3, 5.0)
    late_most: float = parameter(50.0, "late ticks that are a fault, within the window", "", 1.0, 1e6)
    late_window: float = parameter(1.0, "window in which late ticks are counted", "s", 0.01, 60.0)
    start_within: float = parameter(3.0, "the arm must become active within", "s", 0.01, 60.0)
    reset_within: float = parameter(3.0, "a reset waits so long for causes to go", "s", 0.01, 60.0)
    repeat: float = parameter(0.2, "what the arm does not do is asked again after", "s", 0.01, 10.0)
    rest_within: float = parameter(2.0, "the arm is told to hold by itself at the latest after", "s", 0.01, 60.0)
    by_press: bool = parameter(True, "whether a fresh press engages by itself; else with the command Engage only")

    def __post_init__(self) -> None:
        check(self)


class SupervisorLimits(Record):
    """The same for kernels."""

    sample_limit: float = field("s")
    measured_limit: float = field("s")
    late_most: float
    late_window: float = field("s")
    start_within: float = field("s")
    reset_within: float = field("s")
    repeat: float = field("s")
    rest_within: float = field("s")
    by_press: bool


class Facts(Record):
    """What the supervisor needs to know in a tick, filled in place before it; at first nothing is there.

    Commands count for one tick: the supervisor takes them away.
    """

    now: float = field("s", "of this tick")
    device_ready: bool
    device_bad: bool = field("", "the device says that it is unfit")
    sample_age: float = field("s", "of the newest sample", default=math.inf)
    dead_man: bool = field("", "held")
    haptics_faults: int = field("", "of the last tick of forces, as bits of `station.haptics.Fault`")
    closure_lost: bool = field("", "in the last step of the solver")
    late: bool = field("", "the tick before ended too late")
    arm_fact: ArmFact = field("", "how the controller is doing", default=ArmFact.LOST)
    arm_partly: bool = field("", "of several controllers of the arm one does not follow setpoints, and another does")
    measured_age: float = field("s", "since the newest measurement came in", default=math.inf)
    stopped_for: Stopped = field("", "what shaping has stopped for")
    at_rest: bool = field("", "setpoints stand still", default=True)
    follows: bool = field("", "the arm is where setpoints send it, or none are being sent", default=True)
    starter_silent: bool = field("", "the process that started the servo gives no sign of life")
    partner_lost: bool = field("", "another part that this one depends on is lost")
    partners_follow: bool = field("", "all other arms that this one is tied to do", default=True)
    wanted_by_others: bool = field("", "another hand on the same robot leads it, or waits for the arm")
    led_by_others: bool = field("", "another hand leads the same robot")
    asked_engage: bool
    asked_hold: bool
    asked_reset: bool
    asked_estop: bool
    asked_shutdown: bool
    asked_release: bool = field("", "of the torque")
    asked_park: bool = field("", "as long as it is true: move to the parking posture instead of following the hand")

    def device(self, status: DeviceStatus, age: float, *, dead_man: bool) -> None:
        """How the device is doing, age of its newest sample [s], whether the dead-man is held in it."""
        self.device_ready, self.device_bad = status is DeviceStatus.READY, status is DeviceStatus.FAULT
        self.sample_age, self.dead_man = age, dead_man

    def arm(self, status: ControllerStatus | None, age: float = math.inf) -> None:
        """How the controller is doing, time since its newest measurement came in [s]; None: there is no arm."""
        self.arm_fact = ArmFact.NONE if status is None else ARM_FACTS[status]
        self.measured_age = age

    def loop(self, *, haptics: int = 0, closure_lost: bool = False, late: bool = False) -> None:
        """Faults of the last tick of forces as bits, of the last step of the solver, and whether the tick was late."""
        self.haptics_faults, self.closure_lost, self.late = haptics, closure_lost, late

    def shaping(self, stopped_for: Stopped, *, at_rest: bool, follows: bool = True) -> None:
        """What the shaping has stopped for, whether setpoints stand still.

        `follows`: the arm is where they send it, or none are being sent.
        """
        self.stopped_for, self.at_rest, self.follows = stopped_for, at_rest, follows

    def starter(self, *, silent: bool) -> None:
        """Whether the process that started the servo gives no sign of life."""
        self.starter_silent = silent

    def park(self, on: bool) -> None:
        """While engaged, move to the parking posture instead of following the hand."""
        self.asked_park = on

    def ask(self, command: str) -> None:
        """A command, for the next tick: engage, hold, reset, estop, shutdown or release (of the torque)."""
        setattr(self, f"asked_{command}", True)


class SupervisorMemory(Record):
    """What lives from tick to tick."""

    state: SupervisorState
    cause: Event = field("", "that led to it")
    since: float = field("s", "when")
    started: bool = field("", "there was a tick, so that the time of the last one means something")
    now: float = field("s", "of this tick, or of the last one that had a time")
    armed: bool = field("", "the dead-man was seen up since everything was ready")
    fresh: bool = field("", "and was pressed since")
    requested: bool = field("", "engaging was asked for and waits for the arm")
    requested_at: float = field("s")
    shut: bool = field("", "shut down: never again ready")
    reset_until: float = field("s", "a reset is waiting until", default=NEVER)
    late_count: float = field("", "late ticks; they leak away")
    last_stopped: Stopped = field("", "what shaping had stopped for in the tick before")
    asked_at: float = field("s", "when the arm was last asked for something that is repeated", default=NEVER)
    refused: int = field("", "commands that were not possible, in all")
    left_at: float = field("s", "when ENGAGED was left", default=NEVER)
    raised: int = field("", "events of this tick, as bits")
    leaving: bool = field("", "the arm is to cease to follow before it is led anew")
    led: bool = field("", "by any hand, in the tick before")
    transitions: int = field("", "in all; of the newest there is a log, a ring")
    log_time: Floats1 = field("s", shape=LOG_LENGTH)
    log_state: Ints1 = field("", "before", shape=LOG_LENGTH)
    log_to: Ints1 = field("", shape=LOG_LENGTH)
    log_cause: Ints1 = field("", shape=LOG_LENGTH)


class Decision(Record):
    """What one tick of the supervisor says."""

    state: SupervisorState
    cause: Event = field("", "that led to this state")
    fault: Event = field("", "why the state is FAULT; NONE in others")
    waiting: Waiting = field("", "what is missing until the hand moves the robot")
    permitted: bool = field("", "the hand may move the robot: `permitted` of the mapping, `engaged` of the haptics")
    force: bool = field("", "the device may push: `ready` of the haptics; no longer: zero at once")
    link: bool = field("", "the arm's side answers: `link` of the haptics; no longer: force ramps down")
    resync: bool = field("", "predicted robot and shaping begin, before anything moves: see docs/safety.md")
    shape: Shape = field("", "what shaping is to do")
    send: bool = field("", "setpoints are to be sent")
    activate: bool = field("", "for the arm, as the next four: true for one tick")
    deactivate: bool
    stop: bool
    reset_arm: bool
    release: bool = field("", "the torque")
    changed: bool = field("", "there was a transition in this tick")
