"""The dashboard where there is no terminal: one line in each second, and one for each change of state or sign."""

from __future__ import annotations

import math

from station.monitor.bench import event_words
from station.monitor.glyphs import number
from station.monitor.moment import Moment
from station.monitor.run import Spell
from station.servo.pacing import Measure
from station.servo.shared.signs import Change


def line_of(moment: Moment) -> str:
    """What matters of a moment."""
    apart, angle = moment.error
    tick = "/".join(number(1e6 * moment.percentile(Measure.TICK, place), 0) for place in (0, 2, 4))
    cause = moment.strongest
    parts = [
        f"{number(moment.now, 1, 7)} s",
        f"{moment.headline[0]:<8}",
        f"error {number(1e3 * apart, 2)} mm {number(math.degrees(angle), 2)}°",
        f"force {number(moment.force, 2)} N" + (f" ({cause})" if cause else ""),
        f"generated {number(1e3 * moment.generated, 3)} mJ",
        f"tick p50/p99/max {tick} µs",
        f"latency {number(moment.latency, 2)} periods",
        f"late {moment.whole('late_ticks')} skipped {moment.whole('skipped_ticks')} lost {moment.lost}",
    ]
    parts += [f"gripper {moment.gripper}"] if moment.gripper else []
    parts += [f"episode {moment.episode}"] if moment.episode else []
    emulated = moment.emulated
    line = "  ".join(parts) + (f"  emulated: {', '.join(emulated)}" if emulated else "")
    return named(moment.bench.part, line)


def named(part: str, line: str) -> str:
    """A line of one part among several."""
    return f"{part}: {line}" if part else line


def change_of(spell: Spell) -> str:
    """A change of state, with what device and arm said of it, if they have."""
    said = f" ({spell.reason})" if spell.reason else ""
    return f"{number(spell.begin, 3, 9)} s  now {spell.name}: {event_words(spell.cause)}{said}"


def reason_of(spell: Spell) -> str:
    """What device and arm said of a change of state that was told already."""
    return f"{number(spell.begin, 3, 9)} s  {spell.name}, reason: {spell.reason}"


def sign_of(change: Change) -> str:
    """A sign of the arm's force sensor that has come or gone."""
    return f"{number(change.time, 3, 9)} s  {change.told}"
