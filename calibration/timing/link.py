"""A link to an arm, timed by a motion: setpoints go out by the station's clock, measurements come back with the arm's.

    total     from a setpoint to the measurement that shows it, both by the station's clock: found by the motion alone
    offset    the arm's clock less the station's: by exchanges of messages, whose two ways are taken as equally long
    command   from a setpoint to the joints, on the way and in the arm
    measured  from the joints to the station

No motion can tell a clock that is ahead from a way there that is shorter than the way back: only the sum of both ways
is sure. `asymmetry` bounds what that leaves open.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.leading import Leader, Led, Path, eased
from calibration.parameters import Floats
from calibration.timing.aligning import Alignment, align
from calibration.timing.signals import Signal
from station.controllers.controller import LinkHealth

FOLLOWING = 3e-4  # what an arm's joints are off their setpoints, beside being late [rad | m]
EXACT = 1e-9  # noise of setpoints [rad | m]
SECONDS, AMPLITUDE = 5.0, 0.04  # of the motion [s], [rad | m]
PARTS = 20  # of a motion, in which clocks are compared
BEAT = 0.1  # of a period, by which two clocks that tick may pass each other unseen
TONES = (0.53, 0.91, 1.43)  # [Hz]: no ratio of small numbers, so that the motion does not repeat itself


class ClockDrift(NamedTuple):
    """How fast a clock runs against another."""

    drift: float  # seconds per second that it gains
    deviation: float  # standard deviation


class LinkTiming(NamedTuple):
    """When things happen on a link."""

    total: Alignment  # measured against sent, by the station's clock
    by_arm: Alignment  # measured by the arm's clock, made even, against sent
    clock: ClockDrift
    offset: float  # the arm's clock less the station's, in the middle of the motion [s]
    command: float  # [s]
    measured: float  # [s]
    asymmetry: float  # by which command and measured may be off, the one more and the other less [s]

    def data(self) -> dict[str, Any]:
        """For a file."""
        numbers = {name: getattr(self, name) for name in ("offset", "command", "measured", "asymmetry")}
        parts = {"clock": self.clock._asdict(), "total": self.total.data(), "by_arm": self.by_arm.data()}
        return {**numbers, **parts, "judgement": self.total.judgement.data()}


def swing(begin: Floats, seconds: float = SECONDS, amplitude: float = AMPLITUDE) -> Path:
    """A motion about a pose that begins and ends at rest and does not repeat itself."""

    def at(time: float) -> Floats:
        gate = eased(2.0 * time / seconds) * eased(2.0 * (seconds - time) / seconds)
        wave = sum(math.sin(2.0 * math.pi * tone * time + number) for number, tone in enumerate(TONES))
        return np.asarray(begin + amplitude * gate * wave / len(TONES))

    return at


def time_link(leader: Leader, seconds: float = SECONDS, amplitude: float = AMPLITUDE) -> tuple[Led, LinkHealth]:
    """Swing an arm about where it stands, and keep what was sent and heard."""
    with leader.following() as begin:
        led = leader.lead(swing(begin, seconds, amplitude), seconds)
        last = led.sent[-1].q
        tail = leader.lead(lambda _: last, 0.3)
    return Led(led.sent + tail.sent, led.heard + tail.heard), leader.controller.health


def clock_drift(told: Floats, arrival: Floats) -> ClockDrift:
    """How much faster the arm's clock runs than the station's.

    By the measurements that were held up least in each part of the time: what holds others up is no matter of clocks.
    An arm that follows a motion less well at its end than at its beginning would look like a drift, so the motion does
    not take part in this.
    """
    late = arrival - told
    parts = np.array_split(np.arange(len(told)), PARTS)
    least = np.array([part[np.argmin(late[part])] for part in parts])
    times = arrival[least] - arrival[least].mean()
    slope, rest = np.polyfit(times, late[least], 1)
    off = late[least] - slope * times - rest
    spread = max(float(np.sqrt(np.sum(off**2) / (PARTS - 2))), BEAT * float(np.median(np.diff(told))))
    return ClockDrift(-float(slope), spread / float(np.sqrt(np.sum(times**2))))


def link_timing(led: Led, health: LinkHealth) -> LinkTiming:
    """Delays of a link from what was sent and heard on a motion."""
    if len(led.sent) < 2 or len(led.heard) < 2:
        raise DataError("nothing was sent, or nothing was heard; a delay cannot be told")
    sent = Signal(
        times=np.array([one.time for one in led.sent]), values=np.array([one.q for one in led.sent]), noise=EXACT
    )
    values = np.array([one.q for one in led.heard])
    arrival = np.array([one.arrival for one in led.heard])
    told = np.array([one.controller_time for one in led.heard])
    rising = np.concatenate([[True], (np.diff(arrival) > 0.0) & (np.diff(told) > 0.0)])
    arrival, told, values = arrival[rising], told[rising], values[rising]
    clock = clock_drift(told, arrival)
    even = told[0] + (told - told[0]) / (1.0 + clock.drift)
    total = align(sent, Signal(times=arrival, values=values, noise=FOLLOWING), drifts=False)
    by_arm = align(sent, Signal(times=even, values=values, noise=FOLLOWING), drifts=False)
    # The arm's clock less the station's plus the way there is what the motion tells; exchanges tell the clocks.
    offset = health.offset if math.isfinite(health.offset) else by_arm.delay
    command = by_arm.delay - offset
    trip = health.round_trip if math.isfinite(health.round_trip) else total.delay
    return LinkTiming(total, by_arm, clock, offset, command, total.delay - command, 0.5 * trip)


def led_hash(led: Led) -> str:
    """Of what was sent and heard."""
    digest = hashlib.sha256()
    for one in led.sent:
        digest.update(np.array([one.time, *one.q], dtype="<f8").tobytes())
    for said in led.heard:
        digest.update(np.array([said.controller_time, said.arrival, *said.q], dtype="<f8").tobytes())
    return digest.hexdigest()
