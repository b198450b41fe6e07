"""When within a period something samples: an even beat, from the times that it tells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.parameters import Floats
from calibration.timing.clocks import Clocks, Messages
from station.clock import Exchange

EVEN = 0.05  # of a period, that samples may be off an even beat
PARTS_TRIED = 4  # of the usual time between two samples that may be the period: some samples are never seen


class Beat(NamedTuple):
    """Even times, by the clock of who samples."""

    period: float  # [s]
    middle: float  # one of them, in the middle of the time [s]


class Sampling(NamedTuple):
    """The same by the station's clock."""

    period: float  # [s]
    at: float  # of one sample, in the middle of the time [s]
    uncertainty: float  # of `at`: what deviation and asymmetry of the clocks leave open [s]

    @property
    def sure(self) -> bool:
        """Whether it is told when within a period samples are taken."""
        return self.uncertainty < 0.5 * self.period


def beat_of(told: Floats) -> Beat | None:
    """The beat of samples with these rising times [s], some of which may be missing; None if they are not even."""
    usual = float(np.median(np.diff(told)))
    for parts in range(1, PARTS_TRIED + 1):
        numbers = np.concatenate([[0.0], np.cumsum(np.round(np.diff(told) * parts / usual))])
        if numbers[-1] < 1.0:
            continue
        period, first = (float(value) for value in np.polyfit(numbers, told - told[0], 1))
        off = told - told[0] - first - period * numbers
        if period > 0.0 and float(np.sqrt(np.mean(off**2))) < EVEN * period:
            return Beat(period, float(told[0] + first + period * np.round(numbers[-1] / 2.0)))
    return None


def sampling_of(beat: Beat, clock: Clocks) -> Sampling:
    """A beat of the other clock, by the station's."""
    at = float(clock.by_station(np.array([beat.middle]))[0])
    return Sampling(beat.period / (1.0 + clock.drift), at, clock.offset_deviation + clock.asymmetry)


def messages_of(exchanged: list[Exchange], told: Floats, arrival: Floats, beat: Beat | None) -> Messages:
    """Messages there, by exchanges, and back.

    Who looks at its clock once a period may have heard a message up to a period later than it says: that counts, so
    that no way is shorter than it can be.
    """
    there = np.array([[one.sent, one.heard] for one in exchanged], dtype=np.float64).reshape(-1, 2)
    return Messages(there[:, 0], there[:, 1] + (0.0 if beat is None else beat.period), told, arrival)
