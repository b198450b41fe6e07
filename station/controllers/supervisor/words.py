"""States and events of the supervisor, with words for people and what to do next."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from station.controllers.supervisor.kernels import layout as at


class SupervisorState(IntEnum):
    """Who moves the robot, and whether anything may."""

    OFF = at.OFF  # something is missing: no device, no arm, or shut down
    READY = at.READY  # everything is there; a fresh press of the dead-man is all that is missing
    ENGAGED = at.ENGAGED  # the hand moves the robot; needs the dead-man held
    HOLD = at.HOLD  # the robot stays, the hand is free
    FAULT = at.FAULT  # `Event` says why; left only by a reset, when its cause is gone


class Event(IntEnum):
    """What can lead from one state to another, and the cause that is kept. In order of priority: the worst first.

    Numbers stay what they are, as recordings have them: an event that came later is last.
    """

    NONE = 0
    ESTOP = at.ESTOP
    CLOCK = at.CLOCK
    ARM_STOPPED = at.ARM_STOPPED
    ARM_FAULT = at.ARM_FAULT
    DEVICE_FAULT = at.DEVICE_FAULT
    HAPTICS_FAULT = at.HAPTICS_FAULT
    CLOSURE_LOST = at.CLOSURE_LOST
    FOLLOWING_ERROR = at.FOLLOWING_ERROR
    SETPOINT_REFUSED = at.SETPOINT_REFUSED
    OVERRUN = at.OVERRUN
    SHUTDOWN = at.SHUTDOWN
    DEVICE_LOST = at.DEVICE_LOST
    ARM_LOST = at.ARM_LOST
    ARM_LEFT = at.ARM_LEFT
    STALE_TARGET = at.STALE_TARGET
    HOLD_ASKED = at.HOLD_ASKED
    RELEASED = at.RELEASED
    RESET = at.RESET
    ENGAGE = at.ENGAGE
    ALL_READY = at.ALL_READY
    STARTER_LOST = at.STARTER_LOST

    @property
    def words(self) -> str:
        """What has happened, for a person."""
        return EVENTS[self].words

    @property
    def what_next(self) -> str:
        """What a person does next; empty if nothing."""
        return EVENTS[self].what_next


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
}


class ArmFact(IntEnum):
    """How the controller is doing, as the supervisor takes it."""

    NONE = at.NO_ARM  # there is none, by intention: the predicted robot alone
    OPENING = at.ARM_OPENING
    READY = at.ARM_READY
    ACTIVE = at.ARM_ACTIVE
    STOPPED = at.ARM_IS_STOPPED
    FAULT = at.ARM_HAS_FAULT
    LOST = at.ARM_IS_LOST  # also CLOSED


class Shape(IntEnum):
    """What shaping is to do."""

    IDLE = at.IDLE  # nothing: the arm does not follow
    FOLLOW = at.FOLLOW  # the predicted robot
    BRAKE = at.BRAKE  # to a stop, and stay there
    PARK = at.PARK  # go on with the move to the parking posture


class Waiting(IntEnum):
    """What is missing until the hand moves the robot."""

    NOTHING = at.NOTHING
    DEVICE = at.WAIT_DEVICE
    ARM = at.WAIT_ARM
    START = at.WAIT_START  # of the arm: it was asked to become active
    RELEASE = at.WAIT_RELEASE  # the dead-man must be let go first
    PRESS = at.WAIT_PRESS
    ENGAGE = at.WAIT_ENGAGE  # the command, as a press alone does not engage
    RESET = at.WAIT_RESET
    CAUSE = at.WAIT_CAUSE  # the cause of the fault must go first
