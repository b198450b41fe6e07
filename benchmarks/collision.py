"""Distances in a tick, beside asking the library about every pair: `python -m benchmarks.collision`.

On one motion of a robot among five obstacles, in turns, so that whatever else the machine does hits all alike:

tick       `tell` and `refine`: what the servo does
all pairs  every pair asked in every tick, with as little around it as in `refine`
path       `clear_path` on 1 kHz samples, which looks between them too, beside asking at every sample

Ratios are of medians; absolute times are of this machine at this moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import station
from station.collision import CollisionSettings, Surroundings
from station.collision.contacts import tell as tell_kernel
from station.kernel.se3 import relative

DT = 1e-3
TICKS = 3000
SECONDS = 10.0  # of the path that is verified
OBSTACLES = """
obstacle floor { plane }
obstacle crate { box { 200 300 200 }  pos { 500 0 100 }     ori { 10 20 30 } }
obstacle ball  { sphere 80            pos { 0 500 400 } }
obstacle post  { cylinder { 50 600 }  pos { -400 300 300 }  ori { 20 0 0 } }
obstacle rail  { capsule { 30 500 }   pos { 300 -500 500 }  ori { 0 90 0 } }
"""
FAR = 3.0  # a horizon within which every pair is, so that every tick asks as often as it may [m]
ROBOTS = ("panda", "ur5e")
Floats = NDArray[np.float64]


def among(name: str, *, include_self: bool, horizon: float = CollisionSettings().horizon) -> Surroundings:
    """A robot of robots/ among the five obstacles, and how far it looks [m]."""
    text = (Path(__file__).parents[1] / "robots" / f"{name}.mad").read_text()
    scene = station.loads(text + OBSTACLES)
    return Surroundings(scene, scene[name], CollisionSettings(horizon=horizon), include_self=include_self)


def motion(surroundings: Surroundings, ticks: int) -> Floats:
    """Every joint swings about its initial value at up to a third of its speed limit, each at its own rate."""
    arm = surroundings.mechanism
    speeds = np.array([(joint.speed or 1.0) / 3.0 for joint in arm.joints])
    rates = 2.0 * np.pi * (0.31 + 0.07 * np.arange(len(speeds)))
    times = DT * np.arange(ticks)[:, None]
    return np.asarray(np.clip(arm.q + speeds / rates * np.sin(rates * times), arm.memory.q_min, arm.memory.q_max))


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return 1e6 * (time.perf_counter() - start)


def ticks(name: str, horizon: float = CollisionSettings().horizon) -> dict[str, float]:
    """Medians and 99th percentiles [µs] and their ratios."""
    surroundings = among(name, include_self=False, horizon=horizon)
    arm, exact, table = surroundings.mechanism, surroundings._exact, surroundings._table
    pairs = [(int(a), int(b)) for a, b in zip(table.pair_a, table.pair_b, strict=True)]

    turn, place, answer = np.zeros((3, 3)), np.zeros(3), np.zeros(7)
    asked = [(exact.query(a, b), exact.poses[a], exact.poses[b]) for a, b in pairs]

    def all_pairs() -> None:
        exact.put(arm.memory.q)
        for query, pose_a, pose_b in asked:
            relative(pose_a, pose_b, turn, place)
            query.ask(turn, place, answer)

    kernel, tell, refine, naive = [], [], [], []
    short, asked_for = 0.0, 0
    for q in motion(surroundings, TICKS):
        arm.memory.q[:] = q
        arm._refresh()
        refine.append(_timed(surroundings.refine))
        asked_for += table.pick_count
        tell.append(_timed(lambda: surroundings.tell(DT)))
        kernel.append(_timed(lambda: tell_kernel(arm.memory, table, DT)))
        naive.append(_timed(all_pairs))
        truth = np.array([exact.measure(a, b) for a, b in pairs])
        short = max(short, float((truth - table.told)[truth < surroundings.settings.horizon].max(initial=0.0)))
    skip = TICKS // 10
    if horizon > 1.0:
        name += ", all within the horizon"
    whole = np.add(tell, refine)[skip:]
    return {
        f"{name}: pairs": len(pairs),
        f"{name}: pairs asked exactly per tick": asked_for / TICKS,
        f"{name}: tick p50 [µs]": float(np.median(whole)),
        f"{name}: tick p99 [µs]": float(np.percentile(whole, 99)),
        f"{name}: of it before the solver (tell) p50 [µs]": float(np.median(tell[skip:])),
        f"{name}: of it compiled p50 [µs]": float(np.median(kernel[skip:])),
        f"{name}: all pairs p50 [µs]": float(np.median(naive[skip:])),
        f"{name}: all pairs / tick": float(np.median(naive[skip:]) / np.median(whole)),
        f"{name}: all pairs / tell": float(np.median(naive[skip:]) / np.median(tell[skip:])),
        f"{name}: told less than true, most [mm]": 1e3 * short,
    }


def path(name: str) -> dict[str, float]:
    """A motion of 1 kHz samples: continuous check beside asking at every sample; and beside real time."""
    surroundings = among(name, include_self=True)
    samples = motion(surroundings, int(SECONDS / DT))
    answer = surroundings.clear_path(samples)
    continuous = 1e-6 * min(_timed(lambda: surroundings.clear_path(samples)) for _ in range(3))
    some = samples[:: len(samples) // 200]
    each = 1e-6 * _timed(lambda: [surroundings.distances(q) for q in some]) / len(some)
    reached = SECONDS if answer.touch is None else DT * (answer.touch.segment + answer.touch.fraction)
    return {
        f"{name}: path, free for [s]": reached,
        f"{name}: path, exact distances asked": answer.queries,
        f"{name}: path, every sample / continuous": each * reached / DT / continuous,
        f"{name}: path, real time / continuous": reached / continuous,
    }


def run() -> dict[str, float]:
    """All figures by label."""
    figures: dict[str, float] = {}
    for name in ROBOTS:
        figures |= ticks(name)
        figures |= path(name)
    return figures | ticks("panda", horizon=FAR)


def main() -> None:
    """Print the figures."""
    figures = run()
    width = max(map(len, figures))
    for label, value in figures.items():
        print(f"{label:<{width}}  {value:.4g}")


if __name__ == "__main__":
    main()
