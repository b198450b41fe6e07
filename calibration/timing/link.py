"""A link to an arm, timed by a motion: setpoints go out by the station's clock, measurements come back with the arm's.

    clock     the arm's clock less the station's, and its drift: by exchanges of messages (see `clocks`)
    command   from a setpoint to the joints, on the way and in the arm: by the motion, sampled by the arm's clock
    measured  from the joints to the station, for what is not held up on the way
    total     both together: from a setpoint to the measurement that shows it

`total` and drift are sure. No motion and no exchange can tell a clock that is ahead from a way there that is shorter
than the way back: `asymmetry` bounds by how much `command` may be too long and `measured` too short, or the reverse.

What the station does is swept against the ticks of the arm: setpoints come by 2 % slower than the arm takes them, so
that they meet its ticks early and late by turns. With equal periods they would meet them at one and the same phase
until a stall shifts that, and a shift by a part of a tick looks like a drift.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.leading import Leader, Led, Path, eased
from calibration.parameters import Flags, Floats
from calibration.timing.aligning import Alignment, align
from calibration.timing.clocks import Clocks, check_rising, compare_clocks
from calibration.timing.sampling import Sampling, beat_of, messages_of, sampling_of
from calibration.timing.signals import Signal
from station.clock import Exchange

FOLLOWING = 3e-4  # what an arm's joints are off their setpoints, beside being late [rad | m]
EXACT = 1e-9  # noise of setpoints [rad | m]
SECONDS, AMPLITUDE = 5.0, 0.04  # of the motion [s], [rad | m]
TAIL = 0.3  # that the arm is listened to afterwards [s]
SWEEP, LOOKS = 0.0213, 4  # share of a period; looks at what has come in per period
TONES = (0.53, 0.91, 1.43)  # [Hz]: no ratio of small numbers, so that the motion does not repeat itself
IN_TIME = 4.0  # periods that the newest setpoint may be old, beyond the usual, for the arm to have been in time
RECOVERY = 0.03  # after a setpoint that was held up, in which an arm makes up for it [s]
ENOUGH = 0.3  # of the measurements that must have been in time, for the others to be left out


class LinkTiming(NamedTuple):
    """When things happen on a link."""

    clock: Clocks  # of the arm against the station's
    motion: Alignment  # of the joints, by the arm's clock as the station would tell it, against setpoints
    sampling: Sampling | None  # when the arm samples, by the station's clock; None: at uneven times
    held_up: float  # share of measurements that were left out of the motion: their setpoints came late

    @property
    def command(self) -> float:
        """From a setpoint to the joints [s]."""
        return self.motion.delay

    @property
    def measured(self) -> float:
        """From the joints to the station [s]."""
        return 0.5 * self.clock.trip

    @property
    def total(self) -> float:
        """From a setpoint to the measurement that shows it [s]."""
        return self.command + self.measured

    @property
    def deviation(self) -> float:
        """Standard deviation of `total` [s]."""
        return math.hypot(self.motion.deviation, self.clock.back_deviation)

    @property
    def asymmetry(self) -> float:
        """By which `command` and `measured` may be off, the one more and the other less [s]."""
        return self.clock.asymmetry

    def data(self) -> dict[str, Any]:
        """For a file."""
        numbers = {name: getattr(self, name) for name in ("command", "measured", "total", "deviation", "asymmetry")}
        sampling = None if self.sampling is None else self.sampling._asdict()
        parts = {"clock": self.clock.data(), "motion": self.motion.data(), "sampling": sampling}
        return {**numbers, **parts, "held_up": self.held_up, "judgement": self.motion.judgement.data()}


def swing(begin: Floats, seconds: float = SECONDS, amplitude: float = AMPLITUDE) -> Path:
    """A motion about a pose that begins and ends at rest and does not repeat itself."""

    def at(time: float) -> Floats:
        gate = eased(2.0 * time / seconds) * eased(2.0 * (seconds - time) / seconds)
        wave = sum(math.sin(2.0 * math.pi * tone * time + number) for number, tone in enumerate(TONES))
        return np.asarray(begin + amplitude * gate * wave / len(TONES))

    return at


def time_link(leader: Leader, seconds: float = SECONDS, amplitude: float = AMPLITUDE) -> Led:
    """Swing an arm about where it stands, and keep what was sent and heard."""
    leader = leader.swept(SWEEP, LOOKS)
    with leader.following() as begin:
        led = leader.lead(swing(begin, seconds, amplitude), seconds)
        last = led.sent[-1].q
        tail = leader.lead(lambda _: last, TAIL)
    return Led(led.sent + tail.sent, led.heard + tail.heard, led.exchanged + tail.exchanged)


def link_timing(led: Led) -> LinkTiming:
    """Delays and clocks of a link from what was sent and heard on a motion.

    Raises a DataError for an arm that did not move, was heard for too short or whose clock jumped.
    """
    if len(led.sent) < 2 or len(led.heard) < 2:
        raise DataError("nothing was sent, or nothing was heard; a delay cannot be told")
    sent_at = np.array([one.time for one in led.sent])
    told = np.array([one.controller_time for one in led.heard])
    arrival = np.array([one.arrival for one in led.heard])
    check_rising(told)
    fresh = np.concatenate([[True], np.diff(told) > 0.0])  # an arm may tell the same instant twice
    told, arrival, q = told[fresh], arrival[fresh], np.array([one.q for one in led.heard])[fresh]
    beat = beat_of(told) if len(told) > 2 else None
    exchanged = [one for one in led.exchanged if one.sent >= sent_at[0]]
    clock = compare_clocks(messages_of(exchanged, told, arrival, beat))
    sampled = clock.by_station(told)
    late = _after_held_up(clock, exchanged, sampled, float(np.median(np.diff(sent_at))))
    used = ~late if (~late).mean() >= ENOUGH else np.ones(len(late), dtype=bool)
    sent = Signal(times=sent_at, values=np.array([one.q for one in led.sent]), noise=EXACT)
    seen = Signal(times=sampled[used], values=q[used], noise=FOLLOWING)
    motion = align(sent, seen, drifts=False)
    sampling = None if beat is None else sampling_of(beat, clock)
    return LinkTiming(clock, motion, sampling, float(1.0 - used.mean()))


def _after_held_up(clock: Clocks, exchanged: list[Exchange], sampled: Floats, period: float) -> Flags:
    """Which samples were taken while the newest setpoint was old, or soon after: the arm cannot have moved in time."""
    heard = clock.by_station(np.array([one.heard for one in exchanged]))
    newest = np.maximum(np.searchsorted(heard, sampled, side="right") - 1, 0)
    age = sampled - np.array([one.sent for one in exchanged])[newest]
    late = np.flatnonzero(age > np.median(age) + IN_TIME * period)
    last = np.searchsorted(late, np.arange(len(sampled)), side="right") - 1
    since = np.where(last >= 0, sampled - sampled[late[np.maximum(last, 0)]], np.inf) if len(late) else np.inf
    return np.asarray(np.broadcast_to(since, sampled.shape) < RECOVERY)


def led_hash(led: Led) -> str:
    """Of what was sent and heard."""
    digest = hashlib.sha256()
    for one in led.sent:
        digest.update(np.array([one.time, *one.q], dtype="<f8").tobytes())
    for said in led.heard:
        digest.update(np.array([said.controller_time, said.arrival, *said.q], dtype="<f8").tobytes())
    for exchange in led.exchanged:
        digest.update(np.array(exchange, dtype="<f8").tobytes())
    return digest.hexdigest()
