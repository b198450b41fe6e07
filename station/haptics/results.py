"""What a tick of the forces answers."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import NamedTuple

from station.haptics.kernels import cues as cue
from station.haptics.kernels import layout as at
from station.haptics.kernels.layout import Floats


class Cause(IntEnum):
    """Why the hand feels a force; rows of `Rendered.parts`. All rows together are the wrench that is sent."""

    COUPLING = at.COUPLING  # what the robot could not do
    STOPS = at.STOPS  # before a joint stop
    SINGULARITY = at.SINGULARITY
    OBSTACLES = at.OBSTACLES
    GUIDES = at.GUIDES
    ZONES = at.ZONES
    CONTACT = at.CONTACT  # measured at the arm
    COMPENSATION = at.COMPENSATION  # of the device's inertia and friction
    CUES = at.CUES
    DEVICE = at.DEVICE  # the edge of the device itself
    LIMITS = at.LIMITS  # taken away by force, heat, power and slew limits
    PASSIVITY = at.PASSIVITY  # taken away by the method of stability


class Fault(IntFlag):
    """Why there is no force."""

    NONE = 0
    NOT_FINITE = at.NOT_FINITE  # an input is no number, or absurdly large
    DEVICE_LOST = at.DEVICE_LOST  # the caller says that the device is not ready
    STALE_SAMPLE = at.STALE_SAMPLE  # no new place of the hand for too long
    CLOCK = at.CLOCK  # a time stamp went backwards
    TOO_MANY_ROWS = at.TOO_MANY_ROWS  # more stops or obstacles than there is room for, or an unknown cue
    NO_ROTATION = at.NO_ROTATION  # a quaternion without unit length


class Acting(IntFlag):
    """What holds a force back."""

    NOTHING = 0
    FORCE_LIMIT = at.AT_FORCE_LIMIT
    SLEW_LIMIT = at.AT_SLEW_LIMIT
    POWER_LIMIT = at.AT_POWER_LIMIT
    PASSIVITY = at.PASSIVITY_ACTS
    HOT = at.HOT  # motors are warm: less than the peak is left


class Cue(IntEnum):
    """The haptic grammar."""

    CLUTCH = cue.CLUTCH_CUE  # one click
    LIMIT = cue.LIMIT_CUE  # a short buzz
    STALE_LINK = cue.STALE_CUE  # a slow flutter
    MODE = cue.MODE_CUE  # two clicks
    FAULT = cue.FAULT_CUE  # three buzzes


class Energy(NamedTuple):
    """The ledger at the hand [J]."""

    rendered: float  # from the hand into the forces
    dissipated: float  # that the device's own damping and friction surely took
    available: float  # that may be given back
    potential: float  # that springs hold
    lowest: float  # least of rendered + dissipated so far: below zero, energy was generated


class Rendered(NamedTuple):
    """One tick of the forces. Arrays are the same every time and are overwritten by the next tick."""

    wrench: Floats  # on the hand, device axes [N, N·m]
    parts: Floats  # 12×6, rows by `Cause` [N, N·m]
    slow_down: float  # what obstacles leave of the speed, 0 to 1
    energy: Energy
    acting: Acting
    fault: Fault
