"""Talking to an arm from compiled code, without Python in between: `Controller.native`.

A driver that can do it gives two kernels by address. Whatever is not usual (another status, a restart, a message that
makes no sense, silence) they leave to `newest` and `send`, which see to it: so a driver is complete without this, and
only faster with it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from station.kernel import Callback, Floats1, Floats2, Record, field

PACKET = 29  # numbers of a packet between the two ends of a bilateral link


class Received(IntEnum):
    """Answers of `receive`."""

    FRESH = 0  # the sample was filled
    NOTHING_NEW = 1
    LOOK = 2  # call `newest`, which knows what has come


class Transmitted(IntEnum):
    """Answers of `transmit`."""

    SENT = 0
    NOT_SENT = 1  # nobody takes it just now, or it is not finite


class ArmSample(Record):
    """The newest measurement, as `Measurement` has it; n joints."""

    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")
    effort: Floats1 = field("N·m | N", shape="n")
    wrench: Floats1 = field("N, N·m", "on the tool, in the frame of the tool", shape=6)
    has_velocity: bool
    has_effort: bool
    has_wrench: bool
    echo: int = field("", "sequence of the setpoint that was applied last; -1: none yet", default=-1)
    controller_time: float = field("s", "of the controller's own clock")
    arrival: float = field("s", "when it came in, by the station's clock")
    sequence: int = field("", "counts measurements as the controller made them")
    has_words: bool = field("", "whether its end of a bilateral link said something, too")
    start: int = field("", "that it has heard of last; 0: none since it became ACTIVE")
    epoch: int = field("", "of its books; 0: nothing is coupled now")
    held: Floats1 = field("rad | m", "what it has added to the setpoint that was taken last", shape="n")
    packet: Floats1 = field("", "of the end at the arm", shape=PACKET)


class ArmSetpoint(Record):
    """The next setpoint, and what the hand's end of a bilateral link says with it; n joints."""

    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")
    with_velocity: bool
    sequence: int = field("", "of this setpoint: higher than all before")
    has_words: bool = field("", "whether the rest counts")
    start: int = field("", "another one: setpoints begin anew where the arm was measured")
    epoch: int = field("", "another one: both ends begin with new books; 0: nothing is coupled now")
    method: int = field("", "BilateralMethod")
    architecture: int = field("", "Architecture")
    force_scale: float = field("", "force at the hand per force on the tool")
    stiffness: float = field("N/m", "spring between hand and arm")
    impedance: float = field("N·s/m", "of the waves")
    straight: Floats2 = field("", "motion of the tool in the world per motion of the hand", shape=(3, 3))
    packet: Floats1 = field("", "of the end at the hand", shape=PACKET)


RECEIVE = Callback(int, int, ArmSample, float)  # (memory of the driver, the sample to fill, now [s]) -> Received
TRANSMIT = Callback(int, int, ArmSetpoint, float)  # (memory of the driver, what to send, now [s]) -> Transmitted


class NativeArm(NamedTuple):
    """How compiled code reaches an arm, until it answers LOOK; `Controller.upkeep` is to be called meanwhile."""

    receive: int  # address of a kernel
    transmit: int  # address of a kernel
    memory: int  # of the driver, which both are called with
    upkeep_at: float  # when to call it first [s]
