"""A summary in about a dozen lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from station.monitor.bench import readable
from station.monitor.glyphs import number
from station.monitor.summary import StateSpell, Summary, Times
from station.servo.shared.signs import SIGNS
from station.servo.shared.words import to_engage

LABEL = 11
MOST_FAULTS = 3  # kinds that are shown
OF_ALL = ("duration", "deadlines", "tick cost", "latency")  # what parts of a servo have in common
EMPTY = "no tick was recorded: the servo ended before its first one"


def facts_of(summary: Summary) -> Iterator[tuple[str, str]]:
    """What to say of a run, each with its name."""
    made_up = f" (emulated: {', '.join(summary.emulated)})" if summary.emulated else ""
    parts = [part for part in (summary.robot, summary.device) if part]
    yield "run", f"{' · '.join(parts)} · controller {summary.controller}{made_up}"
    if summary.led:
        yield "hand led", summary.led
    yield (
        "duration",
        f"{number(summary.duration, 1)} s, {summary.ticks} ticks at {number(summary.rate, 0)} Hz; {summary.ending}",
    )
    yield "states", ", ".join(f"{state} {number(seconds, 1)} s" for state, seconds in summary.shares.items())
    yield "deadlines", _deadlines(summary)
    yield "tick cost", f"{_micro(summary.tick)}; wake-up {_micro(summary.wake_up)} late"
    latency = summary.latency
    yield (
        "latency",
        f"hand to force p50 {_milli(latency.p50)} = {number(summary.latency_periods, 2)} periods, {_tail(latency)}",
    )
    yield "tracking", _tracking(summary)
    yield "force", _force(summary)
    energy = summary.energy
    yield (
        "energy",
        (
            f"generated {number(1e3 * energy.generated, 3)} mJ; into forces {number(1e3 * energy.rendered, 1)} mJ, "
            f"device took {number(1e3 * energy.dissipated, 1)} mJ, passivity {number(1e3 * energy.by_passivity, 1)} mJ"
        ),
    )
    yield (
        "limits",
        ", ".join(f"{name} {number(length, 2)} s" for name, length in summary.limits.items()) or "none acted",
    )
    if summary.arm:
        yield "arm", _arm(summary)
    yield "faults", _faults(summary)
    yield "records", _records(summary)


def lines_of(summary: Summary) -> list[str]:
    """For the terminal."""
    if summary.empty:
        return [EMPTY]
    if summary.further:
        lines = [_line(*fact) for fact in facts_of_all(summary)]
        for part in summary.parts:
            told = [EMPTY] if part.empty else [_line(*fact) for fact in facts_of_part(part)]
            lines += [f"{part.part}:", *(f"  {line}" for line in told)]
        return lines
    return [_line(*fact) for fact in facts_of(summary)]


def facts_of_all(summary: Summary) -> Iterator[tuple[str, str]]:
    """Of a run with several parts: what is true of all of them."""
    yield "run", ", ".join(f"{part.part} ({part.robot})" for part in summary.parts)
    for label, text in facts_of(summary):
        if label in OF_ALL:
            yield label, text
    if summary.failure:
        yield "failed", summary.failure


def facts_of_part(part: Summary) -> Iterator[tuple[str, str]]:
    """And of one of them alone."""
    return ((label, text) for label, text in facts_of(replace(part, failure="")) if label not in OF_ALL)


def _line(label: str, text: str) -> str:
    return f"{label:<{LABEL}}{text}"


def _deadlines(summary: Summary) -> str:
    stages = ", ".join(f"{name} {count}" for name, count in summary.late_by_stage.items() if count)
    share = f" ({100.0 * summary.late / summary.ticks:.2g} %)" if summary.late and summary.ticks else ""
    waiting = f"; {summary.late_waiting} of them kept waiting for a processor" if summary.late_waiting else ""
    return f"{summary.late} late{share}" + (f": {stages}" if stages else "") + f"{waiting}; {summary.skipped} skipped"


def _tracking(summary: Summary) -> str:
    error, turn = summary.error, summary.turn_error
    if math.isnan(error.largest):
        return f"never engaged; {to_engage(summary.dead_man)}"
    return (
        f"p50 {number(1e3 * error.p50, 2)} mm, largest {number(1e3 * error.largest, 2)} mm; "
        f"p50 {number(math.degrees(turn.p50), 2)}°, largest {number(math.degrees(turn.largest), 2)}°"
    )


def _force(summary: Summary) -> str:
    if summary.strongest is None:
        return "none"
    force, cause, time = summary.strongest
    others = sorted(((size, name) for name, size in summary.causes.items() if size >= 0.005), reverse=True)
    by_cause = ", ".join(f"{name} {number(size, 2)}" for size, name in others[:4])
    return f"largest {number(force, 2)} N by {cause} at {number(time, 2)} s; largest by cause: {by_cause} N"


def _arm(summary: Summary) -> str:
    """What stood of its force sensor, and for how long in all."""
    stood = [(sign.past, summary.arm.get(readable(str(sign.bit.name)), 0.0)) for sign in SIGNS]
    return ", ".join(f"{words} {number(length, 2)} s" for words, length in stood if length)


def _faults(summary: Summary) -> str:
    """The same trouble over and over is told once, a servo that failed before all else."""
    kinds: dict[tuple[str, str], list[StateSpell]] = {}
    for fault in summary.faults:
        kinds.setdefault((fault.state, fault.cause), []).append(fault)
    shown = [_trouble(spells) for spells in list(kinds.values())[:MOST_FAULTS]]
    more = len(kinds) - len(shown)
    shown = [summary.failure, *shown] if summary.failure else shown
    return "; ".join(shown) + (f"; and {more} other kinds" if more else "") if shown else "none"


def _trouble(spells: list[StateSpell]) -> str:
    first, length = spells[0], sum(spell.duration for spell in spells)
    what = f"{first.state}, {first.cause}: at {number(first.begin, 2)} s for {number(first.duration, 2)} s"
    reason = next((f" ({spell.reason})" for spell in spells if spell.reason), "")
    return what + reason + (f", {len(spells)}× in all for {number(length, 2)} s" if len(spells) > 1 else "")


def _records(summary: Summary) -> str:
    parts = [f"{summary.records} read, {summary.lost} lost", f"{summary.hand_lost} samples of the hand lost"]
    if summary.not_finite:
        parts.append(f"{summary.not_finite} with a number that is none")
    if summary.restarts:
        parts.append(f"servo restarted {summary.restarts}×")
    return "; ".join([*parts, f"{number(100.0 * summary.steal, 1)} % of the processors stolen"])


def _micro(times: Times) -> str:
    p50, p99, largest = (number(1e6 * value, 0) for value in times)
    return f"p50 {p50}, p99 {p99}, max {largest} µs"


def _milli(seconds: float) -> str:
    return f"{number(1e3 * seconds, 2)} ms"


def _tail(times: Times) -> str:
    return f"p99 {_milli(times.p99)}, max {_milli(times.largest)}"
