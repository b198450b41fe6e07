"""A link to an arm as its times would be, with hold-ups of every kind: for estimates of timing, without an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import lfilter

from calibration.leading import Led, Sent
from calibration.timing.link import LOOKS, SWEEP
from station.clock import Exchange
from station.controllers import Measurement
from tests.calibration.planted import Floats

TICK, BEGIN, SECONDS = 0.001, 1000.0, 5.0  # of the arm [s], of the motion by the station's clock [s], its length [s]
TONES = ((0.53, 0.3, 0.05), (1.43, 0.0, 0.03), (0.91, 1.0, 0.04))  # [Hz], [rad], [rad]


@dataclass(frozen=True, kw_only=True)
class Link:
    """What is planted, and how bad it is."""

    drift: float = 3e-4
    offset: float = -100.0  # in the middle of the motion [s]
    there: float = 4e-4  # least way [s]
    back: float = 4e-4  # least way [s]
    lag: float = 3e-3  # of the arm [s]
    jitter: float = (
        1.0  # times: one-sided coloured wander of 0.1 ms, waits of 50 µs, stalls of 5 to 20 ms twice a second
    )
    by_ticks: bool = True  # the arm samples and looks at its clock once per tick; else whenever the station sends

    @property
    def middle(self) -> float:
        """Of the motion [s]."""
        return BEGIN + 0.5 * SECONDS

    def arm_time(self, times: Floats) -> Floats:
        """By the arm's clock [s]."""
        return np.asarray(times + self.offset + self.drift * (times - self.middle))


def motion(times: Floats) -> Floats:
    """One joint that swings and does not repeat itself."""
    since = times - BEGIN
    return np.asarray(sum(size * np.sin(2.0 * np.pi * tone * since + phase) for tone, phase, size in TONES))[:, None]


class _Hindrance:
    """What holds things up."""

    def __init__(self, random: np.random.Generator, jitter: float) -> None:
        self._random, self._jitter = random, jitter
        count = random.poisson(2.0 * SECONDS)
        self._begin = np.sort(random.uniform(BEGIN, BEGIN + SECONDS, count))
        self._end = np.maximum.accumulate(self._begin + random.uniform(0.005, 0.02, count))

    def stalled(self, times: Any) -> Floats:
        """When a process gets to do what was due then."""
        if not self._jitter or not len(self._begin):
            return np.asarray(times, dtype=np.float64)
        last = np.searchsorted(self._begin, times, side="right") - 1
        until = np.where(last >= 0, self._end[np.maximum(last, 0)], -np.inf)
        return np.asarray(np.maximum(times, until))

    def on_the_way(self, count: int) -> Floats:
        """Time by which messages are later than they need be [s]: wander of 0.1 s, and waits."""
        stay = float(np.exp(-TICK / 0.1))
        noise = self._random.normal(size=count) * np.sqrt(1.0 - stay**2)
        wander = np.abs(lfilter([1.0], [1.0, -stay], noise))
        return np.asarray(self._jitter * (1e-4 * wander + self._random.exponential(5e-5, count)))


def planted(link: Link, seed: int = 0) -> Led:
    """What a station would have sent and heard."""
    random = np.random.default_rng([17, seed])
    station, arm = (_Hindrance(random, link.jitter) for _ in range(2))
    period = TICK * (1.0 + SWEEP)
    count = int(SECONDS / period)
    sends = np.unique(station.stalled(BEGIN + period * np.arange(count)))
    arrives = np.maximum.accumulate(arm.stalled(sends + link.there + station.on_the_way(len(sends))))
    samples = BEGIN + 3e-4 + TICK * np.arange(round(SECONDS / TICK)) if link.by_ticks else arrives
    leaves = np.maximum.accumulate(arm.stalled(samples + link.back + arm.on_the_way(len(samples))))
    looks = np.unique(station.stalled(BEGIN + period / LOOKS * np.arange(LOOKS * count))) if link.by_ticks else leaves
    seen = np.searchsorted(leaves, looks, side="right") - 1
    new = np.concatenate([[seen[0] >= 0], np.diff(seen) > 0])
    seen, looks = seen[new], looks[new]
    shown = np.interp(samples, arrives, sends) - link.lag  # the arm follows the line through setpoints as they came
    q = motion(shown) + 2e-5 * link.jitter * random.normal(size=(len(samples), 1))
    newest = np.maximum(np.searchsorted(arrives, samples[seen], side="right") - 1, 0)
    heard = arrives[newest]
    if link.by_ticks:
        heard = samples[np.maximum(np.searchsorted(samples, heard, side="right") - 1, 0)]
    told, heard = link.arm_time(samples[seen]), link.arm_time(heard)
    return Led(
        [Sent(time, value) for time, value in zip(sends, motion(sends), strict=True)],
        [
            Measurement(q[place], None, None, None, -1, float(told[k]), float(looks[k]), k)
            for k, place in enumerate(seen)
        ],
        [Exchange(*numbers) for numbers in zip(sends[newest], heard, told, looks, strict=True)],
    )
