"""`Run`: all that is known of a run after it was watched. What `Summary` and `report` are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.monitor.bench import Bench
from station.monitor.histogram import Histogram
from station.servo.pacing import Measure, Stage
from station.servo.shared import Acting, Cause, Emulated, Event, ServoState
from station.servo.shared.signs import Sign

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


ROUTINE = frozenset(
    (Event.NONE, Event.SHUTDOWN, Event.HOLD_ASKED, Event.RELEASED, Event.RESET, Event.ENGAGE, Event.ALL_READY)
)


class Ending(StrEnum):
    """Why watching ended."""

    STILL_RUNNING = "still running"
    TIME_OVER = "time was over"
    ASKED = "stopped by the operator"
    SERVO_ENDED = "the servo ended"
    SERVO_SILENT = "the servo stopped ticking"


class Spell(NamedTuple):
    """The supervisor was in one state for some time."""

    state: int  # `ServoState`
    cause: int  # `Event` that led to it
    begin: float  # since the start of the run [s]
    end: float  # [s]
    reason: str = ""  # what device and controller said of it

    @property
    def name(self) -> str:
        """Of the state."""
        known = self.state in ServoState._value2member_map_
        return ServoState(self.state).name if known else f"STATE {self.state}"

    @property
    def trouble(self) -> bool:
        """Whether something went wrong: a fault, or a hold that nobody asked for."""
        return self.state == ServoState.FAULT or self.cause not in ROUTINE

    @property
    def duration(self) -> float:
        """How long it lasted [s]."""
        return self.end - self.begin


class Gap(NamedTuple):
    """Records that were overwritten before they could be read."""

    begin: float  # since the start of the run [s]
    end: float  # [s]
    lost: int


class Peak(NamedTuple):
    """The largest force on the hand."""

    force: float  # [N]
    time: float  # since the start of the run [s]
    cause: Cause  # which pushed most in the direction of that force


class EnergyBook(NamedTuple):
    """Energy at the hand [J], over the whole run."""

    generated: float  # beyond all that the hand gave and the device took: 0 for a passive station
    rendered: float  # from the hand into the forces, less what came back
    dissipated: float  # that the device's own damping and friction surely took
    by_passivity: float  # that the method of stability took from the hand


@dataclass(frozen=True)
class Curves:
    """Curves over the run: lowest and highest within each place."""

    time: Floats  # when each place begins, since the start of the run [s]
    low: Singles
    high: Singles
    places: Mapping[str, slice]

    def of(self, name: str) -> tuple[Singles, Singles]:
        """Lowest and highest of a curve, one row for each place."""
        columns = self.places[name]
        return self.low[:, columns], self.high[:, columns]

    def thinned(self, most: int) -> Curves:
        """At most so many places, evenly merged."""
        step = -(-len(self.time) // most) if most else 1
        if step <= 1:
            return self
        starts = np.arange(0, len(self.time), step)
        low = np.fmin.reduceat(self.low, starts, axis=0)
        return Curves(self.time[starts], low, np.fmax.reduceat(self.high, starts, axis=0), self.places)


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that was watched."""

    bench: Bench
    began: float  # time of the day, since 1970 [s]
    duration: float  # [s]
    period: float  # between two ticks [s]; nan if not known
    ticks: int
    records: int
    lost: int  # records
    late: int
    skipped: int
    late_by_stage: Mapping[Stage, int]
    late_waiting: int  # of these, rather kept waiting for a processor than busy for longer than usual
    times: Mapping[Measure, Histogram]  # [s]
    error: Histogram  # while engaged [m]
    turn_error: Histogram  # while engaged [rad]
    spells: tuple[Spell, ...]
    spells_left_out: int
    gaps: tuple[Gap, ...]
    acting: Mapping[Acting, float]  # for how long [s]
    joint_acting: Mapping[int, tuple[float, float, float]]  # by joint: at lower stop, upper stop, speed limit [s]
    signs: Mapping[Sign, float]  # of the arm's force sensor: for how long [s]
    peak: Peak | None
    cause_peaks: Mapping[Cause, float]  # [N]
    energy: EnergyBook
    curves: Curves
    emulated: Emulated
    not_finite: int  # records with a number that is none
    hand_lost: int  # samples of the device that never arrived
    restarts: int
    steal: float  # share of the processors' time that the hypervisor took
    ending: Ending = field(default=Ending.STILL_RUNNING)
    failure: str = ""  # why the servo did not end in order; empty if it did
    further: tuple[Run, ...] = ()  # other parts of the same servo, each as if it were alone

    @property
    def parts(self) -> tuple[Run, ...]:
        """All parts, this one first."""
        return (self, *self.further)

    @property
    def empty(self) -> bool:
        """Whether nothing was seen."""
        return self.records == 0

    @property
    def faults(self) -> tuple[Spell, ...]:
        """Every time that something went wrong."""
        return tuple(spell for spell in self.spells if spell.trouble)
