"""Largest stable stiffness of a virtual wall on the emulated syntaxer; `python -m benchmarks.virtual_wall` runs it.

The scripted hand taps the wall twice, at some 0.3 m/s, leans on it with some 3 N, and leaves. Between it and the wall
are the plant with motors, friction and encoders, the firmware, its bytes and the real driver (`wall_rig.py`). The
forces trust what they know of any syntaxer, the least of its whole workspace (`station/haptics/from_mad.py`); the
bounds are those of the true device where the wall is.

A wall is **stable** if

- no more than 1 mJ was generated at the port of the hand, counted from the last moment in free space on, and
- leant on, the handle comes to rest, or is on its way there: in the second quarter of a second it moves by less than
  0.1 mm from peak to peak (a straight drift taken off), or by less than 0.8 of what it did in the quarter before. A
  loose hand swings out slowly by itself; what shakes on and on does not get less.

It is **true** if it is stable and, leant on, felt with nine tenths of its stiffness or more: a method that keeps energy
also takes force away. Both are found by halving, from 100 N/m to 51 200 N/m, to some 10 %; walls softer than the
stiffest are taken to be good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.wall_rig import WALL, Run, run
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.translation import survey
from station.haptics import BODIES, Body, Method, stiffness_bound

Bits = NDArray[np.bool_]
Case = tuple[Method, str, float]  # grip by its name, period [s]

PERIODS = (0.25e-3, 0.5e-3, 1e-3, 2e-3)  # [s]
GRIPS = {"loose": 0.0, "tight": 1.0}
SOFTEST, OCTAVES, HALVINGS = 100.0, 9, 6  # [N/m]
GENERATED, SHAKEN = 1e-3, 1e-4  # that are allowed [J], [m]
TRUE = 0.9  # of the stiffness that is felt at least
LEAN = 3.5  # force with which the hand leans on a hard wall [N]
LEANS, QUARTER, ENDS = 1.18, 0.25, 1.95  # times of the probe: the hand leans on the wall, for twice a quarter [s]
CALMING = 0.8  # of the motion that may be left from one quarter to the next
FIRMWARE, CURRENTS = 0.5e-3, 0.3e-3  # loop of the emulated firmware at most; lag of the currents [s]
ARM_FRICTION = 0.015  # of the emulated plant, dry [N·m]
HEAD = ["method", "grip", "T ms", "2b/T", "2b/(T+2d)", "2f_c/Δ"]
HEAD += ["stable up to", "felt there", "generated mJ", "true up to", "× 2b/(T+2d)"]


class Spot(NamedTuple):
    """The true device where the wall is, along its normal."""

    damping: float  # [N·s/m]
    friction: float  # [N]
    step: float  # of one encoder [m]


class Row(NamedTuple):
    """A line of the table."""

    method: Method
    grip: str
    period: float  # [s]
    by_rate: float  # 2·b/T [N/m]
    by_delay: float  # 2·b/(T + 2·d) [N/m]
    by_steps: float  # 2·f_c/Δ [N/m]
    stiffest: float  # [N/m]
    felt: float  # force by depth at rest, at the stiffest wall [N/m]
    generated: float  # there [J]
    true: float  # stiffest wall that is also felt as it is set [N/m]


def spot() -> Spot:
    """What the model and the plant say of the place of the wall."""
    model = SyntaxerModel()
    arms = survey(model.parts, [(WALL, 0.0, 0.0)]).jacobians[0]
    rates = np.linalg.inv(arms)[:, 0]  # of the arms, when the handle moves along x at 1 m/s [rad/m]
    dampings = np.array([chain.damping for chain in model.geometry.chains])
    steps = np.abs(arms[0] * model.parts.chains.angle_per_count)
    damping, friction = float(dampings @ rates**2), float(ARM_FRICTION * np.abs(rates).sum())
    return Spot(damping, friction, float(steps.max()))


def delay(period: float) -> float:
    """From a sample until its force acts [s]."""
    return min(FIRMWARE, period) + CURRENTS


def body(period: float) -> Body:
    """What the forces trust of a syntaxer."""
    return replace(BODIES["syntaxer"], delay=delay(period))


def script(grip: float) -> str:
    """What the hand does."""
    behind = WALL - LEAN / (60.0 * 10.0**grip)  # its own spring has 60 to 600 N/m
    return (
        f"tighten {grip} in 0.1; reach 0.2 0 0 in 0.3; tap wall x={WALL} times=2 every=0.25 depth=15mm; "
        f"reach {behind:.4f} 0 0 in 0.2; hold 0.6; reach 0.2 0 0 in 0.2"
    )


def probe(method: Method, grip: float, period: float, stiffness: float) -> Run:
    """Try one wall."""
    return run(script(grip), ENDS, method, stiffness, period, body(period))


def swing(tried: Run, begin: float) -> float:
    """How far the handle moves in a quarter of a second, a straight drift taken off; peak to peak [m]."""
    now = _within(tried, begin, begin + QUARTER)
    times, depth = tried.times[now], tried.depth[now]
    return float(np.ptp(depth - np.polyval(np.polyfit(times, depth, 1), times)))


def felt(tried: Run) -> float:
    """Force by depth while the hand leans on the wall [N/m]."""
    leaning = _within(tried, LEANS + QUARTER, LEANS + 2.0 * QUARTER)
    return float(np.mean(tried.forces[leaning]) / np.mean(tried.depth[leaning]))


def _within(tried: Run, begin: float, end: float) -> Bits:
    times = tried.times - tried.times[0]
    within: Bits = (times > begin) & (times < end)
    return within


def rests(tried: Run) -> bool:
    """Whether the handle comes to rest when leant on."""
    first, second = swing(tried, LEANS), swing(tried, LEANS + QUARTER)
    return second <= SHAKEN or second <= CALMING * first


def stable(tried: Run) -> bool:
    """Whether a wall is one."""
    return tried.generated <= GENERATED and rests(tried)


def true(tried: Run, stiffness: float) -> bool:
    """Whether it is also felt as it is set [N/m]."""
    return stable(tried) and felt(tried) >= TRUE * stiffness


def stiffest(case: Case, good: Callable[[Run, float], bool]) -> tuple[float, Run]:
    """The stiffest good wall [N/m], 0 if there is none, and how it was; by halving octaves."""
    method, name, period = case

    def tried_at(octave: float) -> tuple[float, Run]:
        stiffness = SOFTEST * 2.0**octave
        return stiffness, probe(method, GRIPS[name], period, stiffness)

    low, high = 0.0, float(OCTAVES)
    stiffness, tried = tried_at(high)
    if good(tried, stiffness):
        return stiffness, tried
    best, best_tried = 0.0, tried
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        stiffness, tried = tried_at(middle)
        if good(tried, stiffness):
            low, best, best_tried = middle, stiffness, tried
        else:
            high = middle
    return best, best_tried


def row(case: Case) -> Row:
    """A line of the table."""
    method, name, period = case
    at = spot()
    best, tried = stiffest(case, lambda run, _: stable(run))
    faithful = best if felt(tried) >= TRUE * best else stiffest(case, true)[0]
    plain = stiffness_bound(damping=at.damping, period=period, friction=at.friction, resolution=at.step)
    late = stiffness_bound(
        damping=at.damping, period=period, friction=at.friction, resolution=at.step, delay=delay(period)
    )
    bounds = (plain.by_damping, late.by_damping, plain.by_quantisation)
    return Row(method, name, period, *bounds, best, felt(tried), tried.generated, faithful)


def rows(workers: int = 2) -> Iterator[Row]:
    """All methods, grips and rates, one after the other as they are found."""
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(row, product(Method, GRIPS, PERIODS))


def told(line: Row) -> str:
    """A line of Markdown."""
    top = SOFTEST * 2.0**OCTAVES
    best = f"> {top:.0f}" if line.stiffest >= top else f"{line.stiffest:.0f}"
    cells = [str(line.method), line.grip, f"{1e3 * line.period:g}", f"{line.by_rate:.0f}", f"{line.by_delay:.0f}"]
    cells += [f"{line.by_steps:.0f}", best, f"{line.felt:.0f}", f"{1e3 * line.generated:.2f}"]
    faithful = f"{line.true:.0f}" if line.true > 0.0 else f"< {SOFTEST:.0f}"
    return "| " + " | ".join([*cells, faithful, f"{line.true / line.by_delay:.1f}"]) + " |"
