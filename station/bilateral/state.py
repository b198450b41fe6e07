"""What the two ends know and say of themselves: records that kernels and Python share, and results for people.

All that travels is in the units and axes of the hand: the end at the arm converts. Forces are those *on* the hand and
*on* the tool. Six axes: three straight [m, N], three turning [rad, N·m]; a turn is the integral of the angular speed.
"""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple

from station.bilateral.packet import Heard
from station.kernel import Floats1, Record, field


class BilateralStatus(IntFlag):
    """How an end is doing."""

    GOOD = 0
    NOT_FINITE = 1  # own inputs were no numbers: no force, and the arm stays
    SILENT = 2  # nothing was ever heard of the other side
    STALE = 4  # the newest packet is old: the force is fading or gone, the arm stays
    LIMITED = 8  # the force is at its limit, or the arm at its largest speed
    HELD_BACK = 16  # energy is missing: force or motion is held back
    DEBT = 32  # more was given than came in, and is being taken back
    DRIFTING = 64  # the arm is not where the hand was, by more than a millimetre or some milliradians
    UNTARED = 128  # of a station: what the arm's force sensor tells counts as it is, its bias was not found
    PRESSING = 256  # of a station: the arm presses as hard as it may, and its setpoints go no further


class EndInputs(Record):
    """What an end is told in a tick."""

    now: float = field("s")
    place: Floats1 = field("m, rad", "of hand or arm, its own units", shape=6)
    force: Floats1 = field(
        "N, N·m", "that acted on the hand since the last tick; that is measured on the tool", shape=6
    )


class Books(Record):
    """Energy of a port. All but the first and the last only grow."""

    available: float = field("J", "that may be given at this port")
    into: float = field("J", "that went into it")
    out_of: float = field("J", "that came out of it")
    taken: float = field("J", "energy of the newest packet that has been used")
    given: float = field("J", "what the own packets say")
    net: float = field("J", "arm: what its surroundings have, less than nothing while they hold energy")


class Waves(Record):
    """Waves of a port, since the start: the hand sends u and uses w, the arm sends w and uses u."""

    used: Floats1 = field("√J·√s", "integral of the wave that came in and was used", shape=6)
    used_energy: float = field("J", "of that wave")
    sent: Floats1 = field("√J·√s", "integral of the wave that went out", shape=6)
    sent_energy: float = field("J", "of that wave")
    lent: float = field("J", "that was lent to the wave of the other side, ever growing")
    usual_age: float = field("s", "of the newest packet, with the difference of both clocks")
    age_spread: float = field("s", "how far that age is from the usual one, in the mean of late")


class EndState(Record):
    """What both ends remember."""

    started: bool = field("", "whether there was a tick before")
    last_now: float = field("s", "of that tick")
    sent: int = field("", "packets")
    last_place: Floats1 = field("m, rad", shape=6)
    velocity: Floats1 = field("m/s, rad/s", "of the own side, smoothed, units of the hand", shape=6)
    heard: Heard
    filtered: Floats1 = field("N, N·m", "force on the tool, units of the hand; at the hand its low-pass", shape=6)
    books: Books
    waves: Waves
    ratio: float = field("", "part of the force, or of the motion, that is let through")
    status: BilateralStatus


class HandState(EndState):
    """What the end at the hand remembers: nothing more."""


class ArmState(EndState):
    """What the end at the arm remembers; places are in units of the hand, but for that of the arm."""

    joined: bool = field("", "whether the hand was heard, and its place put together with that of the arm")
    hand_origin: Floats1 = field("m, rad", "where the hand was then", shape=6)
    arm_origin: Floats1 = field("m, rad", "where the arm was then, its own units", shape=6)
    reference: Floats1 = field("m, rad", "where the arm is told to be, before what it yields", shape=6)
    offset: Floats1 = field("m, rad", "what drift compensation has added to that beside the waves' port", shape=6)
    yields: Floats1 = field("m, rad", "what the arm yields to forces", shape=6)
    last_step: Floats1 = field("m, rad", "of the reference in the last tick, and of the waves' port", shape=6)
    last_target: Floats1 = field("m, rad", "where the hand was", shape=6)
    late_step: Floats1 = field("m, rad", "steps of the arm, as late as its force sensor", shape=6)
    floating: Floats1 = field("m/s, rad/s", "v_f: speed of the mass at the end of the waves' port in contact", shape=6)
    drift: float = field("m", "how far the arm is told to be from where the hand was")
    turn_drift: float = field("rad", "the same in rotation")


class PortEnergy(NamedTuple):
    """Energy of an end's own port, at the hand or into the arm's surroundings [J]."""

    into: float  # the link, ever growing
    out_of: float  # the link, ever growing
    available: float  # may be given now

    @property
    def net(self) -> float:
        """What has gone in and not come out."""
        return self.into - self.out_of


class LinkCounts(NamedTuple):
    """What became of packets of the other side."""

    heard: int  # number of the newest
    lost: int  # never came, or came after a newer one
    late: int  # came after a newer one, or twice: not used
    refused: int  # made no sense
