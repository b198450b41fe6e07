"""The numbers of shared state that stand for something: states, modes, causes of force."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class ServoState(IntEnum):
    """Of the safety supervisor."""

    OFF = 0
    READY = 1
    ENGAGED = 2  # the hand moves the robot; needs the dead-man held
    HOLD = 3  # the robot stays, the hand is free
    FAULT = 4  # `fault` says why


class Cause(IntEnum):
    """What a part of the force on the hand comes from, and what a gain belongs to."""

    COUPLING = 0  # spring and damper between hand and predicted robot
    STOP = 1  # approaching a joint stop
    SINGULARITY = 2  # approaching a singularity
    CONTACT = 3  # obstacles
    GUIDE = 4  # virtual mechanisms
    ZONE = 5  # attraction
    MEASURED = 6  # contact forces of the real arm
    COMPENSATION = 7  # inertia, friction and weight of the device
    CUE = 8  # haptic grammar
    PASSIVITY = 9  # what the passivity controller took away
    LIMIT = 10  # what slew, force and power limits took away


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
