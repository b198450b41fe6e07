"""Velocity estimators on quantised positions, against the true derivative: `python -m benchmarks.velocity`.

Five motions of a hand, sampled at 1 and 4 kHz and rounded to encoder steps of 20, 30 and 40 µm:

sine      2 Hz, 20 mm: lag is the phase of the answer
creep     1 mm/s: one encoder step takes 20 to 40 ms
reversal  0.2 m/s there and back, turned round within 10 ms
hit       0.3 m/s until a wall stops it within 2 ms; `settle` is when the answer is below 10 % for good
rest      standing on the edge between two encoder values with 3 µm of tremble
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.devices.velocity import VelocityEstimator, VelocityMethod, VelocitySettings

Floats = NDArray[np.float64]
Figures = dict[str, float]

RATES = (1000.0, 4000.0)  # [Hz]
STEPS = (20e-6, 30e-6, 40e-6)  # [m]
SECONDS = 2.0
SINE = 2.0 * np.pi * 2.0  # [rad/s]
SKIPPED = 0.1  # time at the start that is not scored [s]


class Motion(NamedTuple):
    """Position [m] and velocity [m/s] at some times."""

    position: Floats
    velocity: Floats


def sine(times: Floats) -> Motion:
    """2 Hz, 20 mm."""
    return Motion(0.020 * np.sin(SINE * times), 0.020 * SINE * np.cos(SINE * times))


def creep(times: Floats) -> Motion:
    """1 mm/s."""
    return Motion(0.001 * times, np.full_like(times, 0.001))


def reversal(times: Floats) -> Motion:
    """0.2 m/s there, and from 1 s on back, with a constant deceleration of 10 ms."""
    return _integrated(times, 0.2 - 0.4 * np.clip((times - 1.0) / 0.010, 0.0, 1.0))


def hit(times: Floats) -> Motion:
    """0.3 m/s until a wall at 1 s stops it within 2 ms."""
    return _integrated(times, 0.3 * (1.0 - np.clip((times - 1.0) / 0.002, 0.0, 1.0)))


def rest(times: Floats) -> Motion:
    """A hand that rests on the edge between two encoder values (half a step is added below) and trembles by 3 µm."""
    tremble = np.random.default_rng(1).normal(0.0, 3e-6, times.size)
    return Motion(tremble, np.zeros_like(times))


def _integrated(times: Floats, velocity: Floats) -> Motion:
    moved = 0.5 * (velocity[1:] + velocity[:-1]) * np.diff(times)
    return Motion(np.concatenate([[0.0], np.cumsum(moved)]), velocity)


def entrants() -> dict[str, VelocitySettings]:
    """All that compete."""
    method = VelocityMethod
    wanted = [("difference", method.DIFFERENCE, 0.016, 50.0)]
    wanted += [(f"low-pass {cut:g} Hz", method.LOWPASS, 0.016, cut) for cut in (20.0, 50.0, 100.0)]
    wanted += [(f"least squares {1e3 * w:g} ms", method.LEAST_SQUARES, w, 50.0) for w in (0.008, 0.016, 0.024)]
    wanted += [(f"end-fit {1e3 * w:g} ms", method.END_FIT, w, 50.0) for w in (0.016, 0.024, 0.032)]
    wanted += [(f"best-fit {1e3 * w:g} ms", method.BEST_FIT, w, 50.0) for w in (0.016, 0.024, 0.032)]
    return {label: VelocitySettings(method=m, window=w, cutoff=c) for label, m, w, c in wanted}


def estimated(settings: VelocitySettings, motion: Motion, times: Floats, step: float) -> Floats:
    """What an estimator says of a motion rounded to encoder steps [m/s]."""
    resolution = (step,) * 3 + settings.resolution[3:]
    estimator = VelocityEstimator(
        VelocitySettings(method=settings.method, window=settings.window, cutoff=settings.cutoff, resolution=resolution)
    )
    read = step * np.floor(motion.position / step)  # floor, so that 0 is an edge between two values
    place, answers = np.zeros(6), np.zeros_like(times)
    for i, (moment, value) in enumerate(zip(times, read, strict=True)):
        place[0] = value
        answers[i] = estimator.update(moment, place)[0]
    return answers


def rms(error: Floats) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(error**2)))


def lag(answers: Floats, times: Floats) -> float:
    """By how much the answer to the sine is late, from its phase [ms]."""
    inside = times >= 1.0  # whole periods
    basis = np.stack([np.cos(SINE * times[inside]), np.sin(SINE * times[inside])], axis=1)
    (along, across), *_ = np.linalg.lstsq(basis, answers[inside], rcond=None)
    return float(1e3 * np.arctan2(across, along) / SINE)


def settle(answers: Floats, times: Floats) -> float:
    """Time from the wall until the answer stays below 10 % of the speed before [ms]."""
    late = np.flatnonzero((np.abs(answers) > 0.03) & (times > 1.0))
    return float(1e3 * (times[late[-1]] - 1.0)) if late.size else 0.0


def score(settings: VelocitySettings, rate: float, step: float) -> Figures:
    """All figures of an estimator at one rate and one encoder step."""
    times = np.arange(int(SECONDS * rate)) / rate
    figures: Figures = {}
    scored = times >= SKIPPED
    around = (times > 0.98) & (times < 1.08)
    motions: dict[str, tuple[Callable[[Floats], Motion], NDArray[np.bool_]]] = {
        "sine": (sine, scored),
        "creep": (creep, scored),
        "reversal": (reversal, around),
        "hit": (hit, around),
        "rest": (rest, scored),
    }
    for name, (move, where) in motions.items():
        motion = move(times)
        answers = estimated(settings, motion, times, step)
        figures[f"{name} mm/s"] = 1e3 * rms((answers - motion.velocity)[where])
        if name == "sine":
            figures["lag ms"] = lag(answers, times)
        if name == "hit":
            figures["settle ms"] = settle(answers, times)
    return figures


def microseconds(settings: VelocitySettings, samples: int = 20_000) -> float:
    """Time of one update from Python with full windows, median of rounds [µs]."""
    estimator, place, rounds = VelocityEstimator(settings), np.zeros(6), []
    for number in range(10):
        started = time.perf_counter()
        for i in range(samples // 10):
            estimator.update((number * samples + i) * 2.5e-4, place)
        rounds.append((time.perf_counter() - started) / (samples // 10))
    return 1e6 * float(np.median(rounds))


def measure(rates: tuple[float, ...] = RATES, steps: tuple[float, ...] = STEPS) -> dict[str, dict[str, Figures]]:
    """Figures by condition and entrant."""
    tables: dict[str, dict[str, Figures]] = {}
    for rate in rates:
        for step in steps:
            title = f"{rate:g} Hz, steps of {1e6 * step:g} µm"
            tables[title] = {label: score(settings, rate, step) for label, settings in entrants().items()}
    return tables


def show(tables: dict[str, dict[str, Figures]]) -> None:
    """Print tables."""
    for title, rows in tables.items():
        columns = list(next(iter(rows.values())))
        print(f"\n{title} (RMS error unless said otherwise)\n")
        print("| " + " | ".join(["estimator", *columns]) + " |")
        print("|---" * (1 + len(columns)) + "|")
        for label, figures in rows.items():
            print("| " + " | ".join([label, *(f"{figures[c]:.2f}" for c in columns)]) + " |")


def run() -> Figures:
    """Figures by name, for `python -m benchmarks`."""
    tables = measure(steps=(30e-6,))
    return {
        f"{title} | {label} | {name}": value
        for title, rows in tables.items()
        for label, figures in rows.items()
        for name, value in figures.items()
    }


if __name__ == "__main__":
    if "--quick" in sys.argv:
        show(measure((1000.0,), (30e-6,)))
    else:
        show(measure())
        print("\none update from Python, windows of 128 samples where there are windows\n")
        for name, chosen in entrants().items():
            print(f"{name:<22} {microseconds(chosen):.2f} µs")
