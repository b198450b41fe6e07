"""What a hand does at a delayed wall, and what is judged of it; see `delayed_wall.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.delayed_wall_plant import PERIOD, START, Floats, Session, jitter_of, play
from station.bilateral import Architecture, BilateralMethod, BilateralSettings

GRIPS = ("loose", "tight")
GENERATED = 5e-3  # energy that counts as unstable [J]
SHAKEN, ARM_SHAKEN = 1e-4, 3e-4  # hand and arm at rest move by less, from peak to peak [m]
CALMING = 0.9  # or by this part of what it did before
SOFTEST, STIFFEST = 100.0, 51_200.0  # walls that are tried [N/m]
QUIET = 0.02  # no more is felt while nothing is [N]
DEEP, DEEPER = 0.01, 0.02  # where the hand wants to be while it presses [m]
AFTER = 0.05  # beyond a round trip after which nothing is on the way [s]


class Script(NamedTuple):
    """Where the hand wants to be, tick by tick, and when it is judged."""

    wanted: Floats  # [m]
    approach: slice  # in free space
    pressing: slice  # at rest on the wall
    further: slice  # at rest after it has pressed further


class Probe(NamedTuple):
    """One session at one wall."""

    generated: float  # at the port between hand and device, since nothing was on the way [J]
    by_force: float  # the same of the forces alone, by the station's ledger [J]
    rests: bool  # hand and arm, pressing
    felt: float  # force by depth, pressing [N/m]
    firm: float  # more force by more depth, pressing further [N/m]
    drag: float  # mean force in free space [N]
    drift: float  # arm against hand, pressing [m]
    left: float  # the same at the end, in free space again [m]

    @property
    def stable(self) -> bool:
        """Whether a person would call it a wall."""
        return self.rests and self.generated <= GENERATED


def script(delay: float) -> Script:
    """A tap, fast reversals, pressing, pressing further, away; pauses grow with the delay."""
    parts: list[Floats] = []

    def stay(place: float, seconds: float) -> None:
        parts.append(np.full(round(seconds / PERIOD), place))

    def go(start: float, end: float, seconds: float) -> None:
        phase = np.arange(1, round(seconds / PERIOD) + 1) * PERIOD / seconds
        parts.append(start + (end - start) * 0.5 * (1.0 - np.cos(np.pi * phase)))

    def now() -> int:
        return sum(map(len, parts))

    pause, press = 0.2 + 2.4 * delay, 1.5 + 12.0 * delay
    stay(START, 0.1 + 3.0 * delay)
    begin = now()
    go(START, 0.012, 0.2)
    go(0.012, -0.02, 0.2)
    stay(-0.02, pause)
    for _ in range(3):
        go(-0.015, 0.015, 0.1)
        go(0.015, -0.015, 0.1)
    stay(-0.02, pause)
    go(-0.02, DEEP, 0.2)
    stay(DEEP, press)
    first = now()
    go(DEEP, DEEPER, 0.2)
    stay(DEEPER, press)
    second = now()
    go(DEEPER, -0.02, 0.2)
    stay(-0.02, 0.5 + 2.4 * delay)
    window = round((0.4 + 4.8 * delay) / PERIOD)  # two round trips with their jitter: echoes must not look like rest
    return Script(
        np.concatenate(parts),
        slice(begin, begin + round(0.1 / PERIOD)),
        slice(first - window, first),
        slice(second - window, second),
    )


def generated(session: Session, energy: Floats, delay: float) -> float:
    """Most energy that came out since a moment at which nothing was felt, touched or on the way [J].

    So what hand and device have dissipated before pays for nothing, and what waves carry is not taken for generated.
    """
    settled = round((2.0 * (delay + jitter_of(delay)) + AFTER) / PERIOD)
    busy = np.cumsum((np.abs(session.force) > QUIET) | (session.arm > -SHAKEN))
    before = np.concatenate([np.zeros(settled), busy[:-settled]])
    highest = np.maximum.accumulate(np.where(busy == before, energy, -np.inf))
    highest[np.isinf(highest)] = 0.0  # nothing had come in at the beginning
    return max(0.0, float((highest - energy).max()))


def at_rest(places: Floats, shaken: float = SHAKEN) -> bool:
    """Whether something rests or is on its way there."""
    half = len(places) // 2
    before, after = np.ptp(places[:half]), np.ptp(places[half:])
    return bool(after < shaken or after < CALMING * before)


def probe(settings: BilateralSettings, stiffness: float, delay: float, grip: str, seed: int = 1) -> Probe:
    """Probe one wall."""
    hand = script(delay)
    session = play(settings, stiffness, hand.wanted, delay, grip, seed)
    forces = [-float(session.force[window].mean()) for window in (hand.pressing, hand.further)]
    depths = [float(session.hand[window].mean()) for window in (hand.pressing, hand.further)]
    return Probe(
        generated(session, session.energy, delay),
        generated(session, session.ledger, delay),
        at_rest(session.hand[hand.further]) and at_rest(session.arm[hand.further], ARM_SHAKEN),
        forces[1] / max(depths[1], 1e-6),
        (forces[1] - forces[0]) / max(depths[1] - depths[0], 1e-6),
        float(np.abs(session.force[hand.approach]).mean()),
        float(session.drift[hand.further].mean()),
        float(session.drift[-1]),
    )


def worst(settings: BilateralSettings, stiffness: float, delay: float) -> Probe:
    """The same wall with both grips: of each number the worse."""
    found = [probe(settings, stiffness, delay, grip) for grip in GRIPS]
    best_is_large = ("rests", "felt", "firm")
    sides = {
        name: (min if name in best_is_large else max)(getattr(one, name) for one in found) for name in Probe._fields
    }
    return Probe(**sides)


def stiffest(settings: BilateralSettings, delay: float) -> float:
    """The largest stable wall for both grips [N/m]: steps of 2 up to the first that is not, then halving; 0: none."""

    def good(stiffness: float) -> bool:
        return all(probe(settings, stiffness, delay, grip).stable for grip in GRIPS)

    low, high = 0.0, SOFTEST
    while high <= STIFFEST and good(high):
        low, high = high, 2.0 * high
    if low in (0.0, STIFFEST):
        return low
    for _ in range(3):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def cases(force: float) -> dict[str, BilateralSettings]:
    """All methods and architectures, by name; `force`: largest on the hand [N]."""
    plain = BilateralSettings(force=force)
    short = {
        Architecture.POSITION_FORCE: "P-F",
        Architecture.POSITION_POSITION: "P-P",
        Architecture.FOUR_CHANNEL: "4-ch",
    }
    found = {}
    for method, both in (("direct", True), ("passivity", False), ("passivity", True), ("waves", True)):
        for architecture, name in short.items():
            if method == "waves" and architecture is Architecture.FOUR_CHANNEL:
                continue
            ends = {"direct": "", "waves": ""}.get(method, " both ends" if both else " station")
            found[f"{method}{ends}, {name}"] = replace(
                plain, method=BilateralMethod(method), architecture=architecture, two_port=both
            )
    return found
