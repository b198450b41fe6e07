"""What a tick of shaping answers."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import NamedTuple

from station.controllers.shaping.kernels import layout as at
from station.controllers.shaping.kernels.layout import Floats


class Stopped(IntEnum):
    """What shaping has stopped for; it stays so until it is started anew at the measured pose."""

    FINE = at.FINE
    TUBE = at.TUBE  # the arm is not where it was sent, or that is not known
    REFUSED = at.REFUSED  # a target or setpoint that must not be sent
    STALE = at.STALE  # the target got too old, or the clock went back


class Refusal(IntEnum):
    """Why a setpoint was refused."""

    NONE = at.NOT_REFUSED
    NOT_FINITE = at.NOT_FINITE  # target or setpoint is no number
    OUT_OF_RANGE = at.OUT_OF_RANGE  # position
    JUMP = at.JUMP  # further from the last one than is ever allowed
    TOO_FAST = at.TOO_FAST  # speed
    TOO_SUDDEN = at.TOO_SUDDEN  # acceleration
    TOO_JERKY = at.TOO_JERKY  # jerk
    NOT_SMOOTH = at.NOT_SMOOTH  # position, speed and acceleration do not belong together
    CANNOT_STOP = at.CANNOT_STOP  # from there one could not stop within the limits


class Acting(IntFlag):
    """What holds the setpoint back."""

    NOTHING = 0
    POSITION = at.AT_POSITION  # the end of a joint's range is near
    SPEED = at.AT_SPEED
    ACCELERATION = at.AT_ACCELERATION
    SLOWED = at.SLOWED  # the arm is between inner and outer tube, or presses on something
    COMES_BACK = at.COMES_BACK  # a joint is outside its range, or at its very end
    PRESSING = at.PRESSING  # the tool presses as hard as it may: no further


class Shaped(NamedTuple):
    """One tick of shaping. Arrays are the same every time and are overwritten by the next tick."""

    q: Floats  # setpoint [rad | m]; not a number while there is none
    v: Floats  # [rad/s | m/s]
    a: Floats  # [rad/s² | m/s²]
    running: bool  # there is a setpoint
    stopped: Stopped
    at_rest: bool  # it stands still
    acting: Acting
    slow: float  # what tube and press limit leave of the target's speed, 0 to 1
    parked: bool  # the parking move has ended
    follows: bool  # the arm is where it was sent, or nothing is being sent
