"""`Summary`: a run in a dozen lines for people, or as data for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from station.monitor.bench import event_words, readable, words_of
from station.monitor.run import EnergyBook, Run, Spell
from station.servo.pacing import Measure
from station.servo.shared import Emulated


class Times(NamedTuple):
    """How a time is distributed [s]; nan if it was never measured."""

    p50: float
    p99: float
    largest: float


class Error(NamedTuple):
    """How far the predicted robot was from its target while engaged [m | rad]; nan if it never was."""

    p50: float
    largest: float


class Strongest(NamedTuple):
    """The largest force on the hand."""

    force: float  # [N]
    cause: str
    time: float  # since the start [s]


class StateSpell(NamedTuple):
    """How long the supervisor was in a state."""

    state: str
    cause: str  # what led to it
    begin: float  # since the start [s]
    duration: float  # [s]
    reason: str = ""  # what device and controller said of it


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a run came to."""

    robot: str
    led: str  # the frame that the hand led, and why it was this one
    device: str
    dead_man: str | None  # the button that is held to lead, in words; None: the device has none
    controller: str
    emulated: tuple[str, ...]
    began: str  # time of the day, UTC
    duration: float  # [s]
    ending: str
    rate: float  # [Hz]
    ticks: int
    late: int
    late_by_stage: Mapping[str, int]
    late_waiting: int  # of these, rather kept waiting for a processor than busy for longer than usual
    skipped: int
    tick: Times
    wake_up: Times
    latency: Times  # hand to force
    latency_periods: float  # p50 [periods]
    error: Error  # [m]
    turn_error: Error  # [rad]
    strongest: Strongest | None
    causes: Mapping[str, float]  # largest force of each [N]
    energy: EnergyBook
    limits: Mapping[str, float]  # that acted, for how long [s]
    arm: Mapping[str, float]  # signs of its force sensor, for how long [s]
    states: tuple[StateSpell, ...]
    faults: tuple[StateSpell, ...]
    records: int
    lost: int
    hand_lost: int
    not_finite: int
    restarts: int
    steal: float  # share, 0 to 1
    failure: str = ""  # why the servo did not end in order; empty if it did
    part: str = ""  # its name among several
    further: tuple[Summary, ...] = ()  # other parts of the same servo

    @classmethod
    def of(cls, run: Run) -> Summary:
        """Of a run that was watched."""
        latency = _times(run, Measure.LATENCY)
        peak = run.peak
        return cls(
            robot=run.bench.title,
            led=run.bench.led,
            device=run.bench.device,
            dead_man=run.bench.dead_man,
            controller=run.bench.controller or "none",
            emulated=tuple(words_of(Emulated, run.emulated)),
            began=_day(run.began),
            duration=run.duration,
            ending=run.ending.value,
            rate=1.0 / run.period if run.period > 0.0 else math.nan,
            ticks=run.ticks,
            late=run.late,
            late_by_stage={readable(stage.name): count for stage, count in run.late_by_stage.items()},
            late_waiting=run.late_waiting,
            skipped=run.skipped,
            tick=_times(run, Measure.TICK),
            wake_up=_times(run, Measure.WAKE_UP),
            latency=latency,
            latency_periods=latency.p50 / run.period if run.period > 0.0 else math.nan,
            error=Error(run.error.percentile(50.0), run.error.worst),
            turn_error=Error(run.turn_error.percentile(50.0), run.turn_error.worst),
            strongest=Strongest(peak.force, readable(peak.cause.name), peak.time) if peak else None,
            causes={readable(cause.name): force for cause, force in run.cause_peaks.items()},
            energy=run.energy,
            limits={readable(str(flag.name)): seconds for flag, seconds in run.acting.items()},
            arm={readable(str(sign.bit.name)): seconds for sign, seconds in run.signs.items()},
            states=tuple(map(_spell, run.spells)),
            faults=tuple(map(_spell, run.faults)),
            records=run.records,
            lost=run.lost,
            hand_lost=run.hand_lost,
            not_finite=run.not_finite,
            restarts=run.restarts,
            steal=run.steal,
            failure=run.failure,
            part=run.bench.part,
            further=tuple(map(cls.of, run.further)),
        )

    @property
    def parts(self) -> tuple[Summary, ...]:
        """All parts, this one first."""
        return (self, *self.further)

    @property
    def empty(self) -> bool:
        """Whether nothing was seen."""
        return self.records == 0

    @property
    def shares(self) -> dict[str, float]:
        """How long the supervisor was in each state in all [s]."""
        sums: dict[str, float] = {}
        for spell in self.states:
            sums[spell.state] = sums.get(spell.state, 0.0) + spell.duration
        return sums

    @property
    def data(self) -> dict[str, Any]:
        """For programs: what JSON can hold; null for what is not known. `parts` has several by their names."""
        alone = {name: value for name, value in vars(self).items() if name not in ("part", "further")}
        answer: dict[str, Any] = _known({name: _plain(value) for name, value in alone.items()})
        if self.further:
            answer["parts"] = {part.part: replace(part, further=()).data for part in self.parts}
        return answer

    @property
    def text(self) -> str:
        """For people."""
        from station.monitor.summary_text import lines_of

        return "\n".join(lines_of(self))


def _times(run: Run, measure: Measure) -> Times:
    histogram = run.times[measure]
    return Times(histogram.percentile(50.0), histogram.percentile(99.0), histogram.worst)


def _spell(spell: Spell) -> StateSpell:
    return StateSpell(spell.name, event_words(spell.cause), spell.begin, spell.duration, spell.reason)


def _day(began: float) -> str:
    if not math.isfinite(began):
        return ""
    return datetime.fromtimestamp(began, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _plain(value: object) -> object:
    """Named tuples as objects, so that a program need not count."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        items = [_plain(item) for item in value]
        return dict(zip(fields, items, strict=True)) if fields else items
    return value


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
