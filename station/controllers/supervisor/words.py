"""States and events of the supervisor, with words for people and what to do next; what arm and shaping say and do."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class SupervisorState(IntEnum):
    """Who moves the robot, and whether anything may."""

    OFF = 0  # something is missing: no device, no arm, or shut down
    READY = 1  # everything is there; a fresh press of the dead-man is all that is missing
    ENGAGED = 2  # the hand moves the robot; needs the dead-man held
    HOLD = 3  # the robot stays, the hand is free
    FAULT = 4  # `Event` says why; left only by a reset, when its cause is gone


class Event(IntEnum):
    """What can lead from one state to another, and the cause that is kept. In order of priority: the worst first.

    Numbers stay what they are, as recordings have them: an event that came later is last.
    """

    NONE = 0
    ESTOP = 1
    CLOCK = 2
    ARM_STOPPED = 3
    ARM_FAULT = 4
    DEVICE_FAULT = 5
    HAPTICS_FAULT = 6
    CLOSURE_LOST = 7
    FOLLOWING_ERROR = 8
    SETPOINT_REFUSED = 9
    OVERRUN = 10
    SHUTDOWN = 11
    DEVICE_LOST = 12
    ARM_LOST = 13
    ARM_LEFT = 14
    STALE_TARGET = 15
    HOLD_ASKED = 16
    RELEASED = 17
    RESET = 18
    ENGAGE = 19
    ALL_READY = 20
    STARTER_LOST = 21
    PARTNER_LOST = 22

    @property
    def words(self) -> str:
        """What has happened, for a person."""
        return EVENTS[self].words

    @property
    def what_next(self) -> str:
        """What a person does next; empty if nothing."""
        return EVENTS[self].what_next


LAST_FAULT = Event.OVERRUN  # all up to this one are faults


class Force(IntEnum):
    """What becomes of the force on the hand."""

    STAYS = 0
    RAMPS = 1  # down, within the time set in the haptics
    CUT = 2  # zero in the same tick


class AboutEvent(NamedTuple):
    """An event in words."""

    words: str  # what has happened
    when: str  # how it is noticed
    what_next: str  # what a person does next
    force: Force = Force.RAMPS  # on the hand


EVENTS: dict[Event, AboutEvent] = {
    Event.NONE: AboutEvent("nothing has happened yet", "", "", Force.STAYS),
    Event.ESTOP: AboutEvent(
        "emergency stop",
        "keyboard, button of the device, or API; as long as it is pressed",
        "make sure that all is safe, let go of the button, then reset",
        Force.CUT,
    ),
    Event.CLOCK: AboutEvent(
        "the clock went back or is no number",
        "time of the tick is before that of the last one, or not finite",
        "look for what sets this machine's clock, then reset",
        Force.CUT,
    ),
    Event.ARM_STOPPED: AboutEvent(
        "the arm has stopped: its emergency stop or a stop of its own",
        "the controller says STOPPED",
        "see what the arm says, make it safe, release its emergency stop, then reset",
    ),
    Event.ARM_FAULT: AboutEvent(
        "the arm is unfit", "the controller says FAULT", "see what the arm says and mend it, then reset"
    ),
    Event.DEVICE_FAULT: AboutEvent(
        "the device is unfit",
        "the device says FAULT",
        "see what the device says and mend it, then reset",
        Force.CUT,
    ),
    Event.HAPTICS_FAULT: AboutEvent(
        "the forces could not be computed",
        "haptics say not finite, clock, too many rows or no rotation",
        "reset; if it comes back, keep the recording and report it",
        Force.CUT,
    ),
    Event.CLOSURE_LOST: AboutEvent(
        "the loops of the predicted robot do not close",
        "the solver says CLOSURE_LOST",
        "move the arm to a pose that the scene can reach, then reset",
    ),
    Event.FOLLOWING_ERROR: AboutEvent(
        "the arm is not where it was sent",
        "commanded and measured joints are apart by more than the outer tube, or it began outside its range",
        "look for what the arm has hit or what holds it, bring it within its range, then reset; it begins at the "
        "measured pose",
    ),
    Event.SETPOINT_REFUSED: AboutEvent(
        "a setpoint was refused before it was sent",
        "the last check found it not finite, out of range, too fast or a jump",
        "reset; if it comes back, keep the recording and report it",
    ),
    Event.OVERRUN: AboutEvent(
        "too many ticks ended late",
        "more late ticks than allowed within the window, while engaged",
        "run `station doctor`, close other programs or lower the rate, then reset",
    ),
    Event.SHUTDOWN: AboutEvent("the station is being shut down", "asked for", ""),
    Event.DEVICE_LOST: AboutEvent(
        "the device is lost or not ready",
        "it is not READY, or its newest sample is too old",
        "plug it in or switch it on; then let go of the dead-man and press it again",
        Force.CUT,
    ),
    Event.ARM_LOST: AboutEvent(
        "the arm is lost or not ready",
        "the controller says LOST or OPENING, or its newest measurement is too old",
        "see to the arm and its link; then let go of the dead-man and press it again",
    ),
    Event.ARM_LEFT: AboutEvent(
        "the arm has ceased to follow by itself",
        "the controller says READY where it was ACTIVE: its watchdog has spoken",
        "let go of the dead-man and press it again; if it comes back, see how old setpoints are when they arrive",
    ),
    Event.STALE_TARGET: AboutEvent(
        "the target of the arm got too old",
        "shaping was given no new target for too long",
        "let go of the dead-man and press it again; if it comes back, run `station doctor`",
    ),
    Event.HOLD_ASKED: AboutEvent("hold was asked for", "asked for", "let go of the dead-man and press it again"),
    Event.RELEASED: AboutEvent("the dead-man was let go", "it is not held", "press the dead-man to go on"),
    Event.RESET: AboutEvent(
        "reset", "asked for, and no cause of a fault is left", "press the dead-man to move the robot", Force.STAYS
    ),
    Event.ENGAGE: AboutEvent(
        "the hand moves the robot",
        "everything is ready, the arm is ACTIVE, and the dead-man was freshly pressed and is held",
        "",
        Force.STAYS,
    ),
    Event.ALL_READY: AboutEvent(
        "everything is ready",
        "the device is READY and fresh; so is the arm, if there is one",
        "press the dead-man to move the robot",
        Force.STAYS,
    ),
    Event.STARTER_LOST: AboutEvent(
        "the terminal of the station does not answer",
        "the process that started the servo has given no sign of life for 0.5 s: stopped, as by Ctrl-Z, or hung",
        "continue it with fg; then let go of the dead-man and press it again",
    ),
    Event.PARTNER_LOST: AboutEvent(
        "another hand or arm that this one depends on is lost",
        "arms that are tied to each other, and hands whose file says `loss all`: one of them is lost or unfit",
        "see to that one; then let go of the dead-man and press it again",
    ),
}


class ArmFact(IntEnum):
    """How the controller is doing, as the supervisor takes it."""

    NONE = 0  # there is none, by intention: the predicted robot alone
    OPENING = 1
    READY = 2
    ACTIVE = 3
    STOPPED = 4
    FAULT = 5
    LOST = 6  # also CLOSED


class Shape(IntEnum):
    """What shaping is to do."""

    IDLE = 0  # nothing: the arm does not follow
    FOLLOW = 1  # the predicted robot
    BRAKE = 2  # to a stop, and stay there
    PARK = 3  # go on with the move to the parking posture


class Stopped(IntEnum):
    """What shaping has stopped for; it stays so until it is started anew at the measured pose."""

    FINE = 0
    TUBE = 1  # the arm is not where it was sent, or that is not known
    REFUSED = 2  # a target or setpoint that must not be sent
    STALE = 3  # the target got too old, or the clock went back


class Waiting(IntEnum):
    """What is missing until the hand moves the robot."""

    NOTHING = 0
    DEVICE = 1
    ARM = 2
    START = 3  # of the arm: it was asked to become active
    RELEASE = 4  # the dead-man must be let go first
    PRESS = 5
    ENGAGE = 6  # the command, as a press alone does not engage
    RESET = 7
    CAUSE = 8  # the cause of the fault must go first
    PARTNER = 9  # another hand or arm that it depends on
