"""The numbers of shared state that stand for something: states, modes, causes of force."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from station.bilateral import BilateralStatus, LinkMethod
from station.controllers.supervisor.words import Event, Waiting
from station.controllers.supervisor.words import SupervisorState as ServoState
from station.haptics.state import Cause

DEAD_MAN = "the dead-man"  # in texts, and where nobody told which button it is


class DeviceCode(IntEnum):
    """How the device is doing; the members of `DeviceStatus` in numbers."""

    OPENING = 0
    HOMING = 1
    READY = 2
    LOST = 3
    FAULT = 4
    CLOSED = 5


class ControllerCode(IntEnum):
    """How the controller is doing; the members of `ControllerStatus` in numbers, and none at all."""

    NONE = 0  # the predicted robot is alone
    OPENING = 1
    READY = 2
    ACTIVE = 3
    STOPPED = 4
    FAULT = 5
    LOST = 6
    CLOSED = 7


class Mode(IntEnum):
    """How motion of the hand moves the target."""

    POSITION = 0  # where the hand is, the target is
    RATE = 1  # how far the hand is, the target goes fast
    JOINTS = 2  # joint targets of the panel; the hand only feels


class ReferenceFrame(IntEnum):
    """In whose axes the hand moves the target."""

    WORLD = 0
    VIEW = 1
    TOOL = 2


class GripperCode(IntEnum):
    """How the gripper is doing; the members of `ToolStatus` in numbers, and none at all."""

    NONE = 0
    OPENING = 1
    IDLE = 2
    ACTIVATING = 3
    READY = 4
    FAULT = 5
    LOST = 6
    CLOSED = 7


class EpisodeState(IntEnum):
    """Whether an episode goes on, and how the newest one ended."""

    NONE = 0  # there was none yet
    RUNNING = 1
    SUCCESS = 2
    FAILURE = 3
    DISCARDED = 4  # not to be learned from; what was recorded of it stays


class EpisodeStep(IntEnum):
    """What is said of episodes."""

    START = 0
    SUCCESS = 1
    FAILURE = 2
    DISCARD = 3  # the one that goes on, or the one that has just ended


class Edit(IntEnum):
    """What was changed in a run."""

    NONE = 0
    OBSTACLE = 1
    LOCK = 2
    GEOMETRY = 3
    CONSTRAINT = 4


class EditState(IntEnum):
    """How far changes of a run have got."""

    NONE = 0  # there was none yet
    GOING = 1  # something is still on its way
    DONE = 2
    STOPPED = 3  # loops could not be closed: a geometry stays as near as it got, a constraint is off again


class Acting(IntFlag):
    """Limits that hold something back in this tick."""

    NONE = 0
    JOINT_STOP = 1
    JOINT_SPEED = 2
    JOINT_ACCELERATION = 4
    CONTACT = 8
    SINGULARITY = 16
    REACH = 32
    PASSIVITY = 64
    FORCE = 128
    FORCE_SLEW = 256
    POWER = 512
    WORKSPACE = 1024


class Emulated(IntFlag):
    """Parts of the bench that are not real: always named as such on the screen."""

    NONE = 0
    DEVICE = 1
    CONTROLLER = 2
    HAND = 4
    GRIPPER = 8


class Reason(IntEnum):
    """Why a command was refused."""

    ACCEPTED = 0
    MALFORMED = 1  # makes no sense: unknown, of the wrong length, not a number
    WRONG_STATE = 2  # not in this state of the supervisor
    DEAD_MAN = 3  # the dead-man is not held
    NO_DEVICE = 4  # the device is lost or not ready
    NO_CONTROLLER = 5  # the controller is lost or not ready
    FAULT = 6  # the cause of the fault is still there
    OUT_OF_RANGE = 7  # beyond the limits of this robot or device
    NO_SUCH_FRAME = 8
    NOT_POSSIBLE = 9  # not with this device or robot
    EPISODE = 10  # one goes on already, or none does
    TAKEN = 11  # another client holds the dead-man

    @property
    def words(self) -> str:
        """For a person."""
        return _REASONS[self]


_REASONS = {
    Reason.ACCEPTED: "done",
    Reason.MALFORMED: "it made no sense to the station",
    Reason.WRONG_STATE: "not in this state",
    Reason.DEAD_MAN: "the dead-man is not held",
    Reason.NO_DEVICE: "the device is not ready",
    Reason.NO_CONTROLLER: "the arm is not ready",
    Reason.FAULT: "there is a fault: reset first",
    Reason.OUT_OF_RANGE: "beyond what this robot or device allows",
    Reason.NO_SUCH_FRAME: "the robot has no such frame",
    Reason.NOT_POSSIBLE: "not with this device or robot",
    Reason.EPISODE: "an episode goes on already, or none does",
    Reason.TAKEN: "somebody else holds the dead-man",
}


def to_engage(dead_man: str | None) -> str:
    """What a person does to lead; `dead_man` is the button that is held, in words, None if the device has none."""
    return f"hold {dead_man} to engage" if dead_man else "engage by command: this device has no button to hold"


def naming_button(text: str, dead_man: str | None) -> str:
    """A text for people, with the button that is the dead-man by its name, if there is one."""
    return text.replace(DEAD_MAN, dead_man or DEAD_MAN)


__all__ = [
    "DEAD_MAN",
    "Acting",
    "BilateralStatus",
    "Cause",
    "ControllerCode",
    "DeviceCode",
    "Edit",
    "EditState",
    "Emulated",
    "EpisodeState",
    "EpisodeStep",
    "Event",
    "GripperCode",
    "LinkMethod",
    "Mode",
    "Reason",
    "ReferenceFrame",
    "ServoState",
    "Waiting",
    "naming_button",
    "to_engage",
]
