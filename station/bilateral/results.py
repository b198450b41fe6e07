"""What an end tells, tick by tick."""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple

from station.bilateral.kernels import layout as at


class BilateralStatus(IntFlag):
    """How an end is doing."""

    GOOD = 0
    NOT_FINITE = at.NOT_FINITE  # own inputs were no numbers: no force, and the arm stays
    SILENT = at.SILENT  # nothing was ever heard of the other side
    STALE = at.STALE  # the newest packet is old: the force is fading or gone, the arm stays
    LIMITED = at.LIMITED  # the force is at its limit, or the arm at its largest speed
    HELD_BACK = at.HELD_BACK  # energy is missing: force or motion is held back
    DEBT = at.DEBT  # more was given than came in, and is being taken back
    DRIFTING = at.DRIFTING  # the arm is not where the hand was
    UNTARED = at.UNTARED  # of a station: the bias of the arm's force sensor was not found
    PRESSING = at.PRESSING  # of a station: the arm presses as hard as it may, and its setpoints go no further


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
