"""The fastest timing of a smooth curve within speed, acceleration and jerk; see `retime.py` for the idea."""

from __future__ import annotations

import logging

import numpy as np
import toppra  # type: ignore[import-untyped]
from scipy.interpolate import CubicSpline
from toppra.algorithm import TOPPRA  # type: ignore[import-untyped]
from toppra.constraint import (  # type: ignore[import-untyped]
    JointAccelerationConstraint,
    JointVelocityConstraintVarying,
)

from station.tasks.task.errors import RetimeError
from station.tasks.task.limits import Limits
from station.tasks.task.model import Floats

TURNS = 12  # of lowering the speed where a limit is broken
ROOM = 0.995  # of the limits: samples are rounded
CREEP = 1e-3  # least part of a speed limit to which the speed may be lowered
MOST_SAMPLES = 4_000_000

logging.getLogger("toppra").setLevel(logging.ERROR)


def timing(curve: CubicSpline, grid: Floats, limits: Limits, period: float, most: Floats) -> Floats:
    """Where on the path each new sample is: within all limits as finite differences of the samples tell."""
    slope = np.abs(curve(grid, 1))
    window = max(int(np.ceil(float(np.max(limits.acceleration / limits.jerk)) / period)), 1)
    cap, best = np.minimum(1.0 / np.maximum((slope / limits.speed).max(axis=1), 1e-9), most), None
    floor = CREEP * cap
    for _ in range(TURNS):
        places = _sampled(grid, _fastest(curve, grid, limits, cap), period, window)
        slow, where = _too_much(curve, places, limits, period, grid, most)
        total = len(places) * slow
        if best is None or total < best[0]:
            best = (total, places, slow)
        if slow <= 1.0 + 1e-9:
            break
        middles = 0.5 * (places[1:] + places[:-1])
        reached = np.maximum(np.interp(grid, middles, np.diff(places) / period), floor)
        cap = np.where(where < 1.0 - 1e-6, np.minimum(cap, reached * where), cap)
    assert best is not None
    _, places, slow = best
    return _slowed(curve, places, slow, limits, period, grid, most)


def _fastest(curve: CubicSpline, grid: Floats, limits: Limits, most: Floats) -> Floats:
    """Speed along the path at each place of the grid, by TOPP-RA, from rest to rest."""
    slope = curve(grid, 1)
    norms = np.abs(slope)

    def speed_limits(s: float) -> Floats:
        allowed = np.interp(s, grid, most)
        tangent = np.array([np.interp(s, grid, norms[:, j]) for j in range(norms.shape[1])])
        # A limit of ds/dt as one of the joints: of each, that speed, or its own limit if less.
        own = np.maximum(np.minimum(allowed * tangent, ROOM * limits.speed), 1e-9)
        return np.stack([-own, own], axis=1)

    acceleration = 0.97 * ROOM * limits.acceleration
    path = toppra.SplineInterpolator(grid, np.asarray(curve(grid)))
    answer = TOPPRA(
        [
            JointVelocityConstraintVarying(speed_limits),
            JointAccelerationConstraint(np.stack([-acceleration, acceleration], axis=1)),
        ],
        path,
        gridpoints=grid,
        parametrizer="ParametrizeConstAccel",
    ).compute_parameterization(0.0, 0.0)
    speeds = answer[1]
    if speeds is None or not np.isfinite(speeds).all():
        raise RetimeError("no timing within the limits of speed and acceleration was found for this path; smooth it")
    return np.asarray(speeds)


def _sampled(grid: Floats, speeds: Floats, period: float, window: int) -> Floats:
    """Places along the path, one per period: the speed over time, averaged twice over a window, from rest to rest."""
    mean = np.maximum(0.5 * (speeds[1:] + speeds[:-1]), 1e-9 * max(float(speeds.max()), 1e-9))
    times = np.concatenate([[0.0], np.cumsum(np.diff(grid) / mean)])
    count = max(int(np.ceil(times[-1] / period)), 2)
    if count > MOST_SAMPLES:
        raise RetimeError(f"the motion would take {times[-1]:.0f} s; allow more speed or smooth it")
    # Between places of the grid the acceleration is constant: the square of the speed is linear in the way.
    moments = np.linspace(0.0, times[-1], count + 1)
    way = _along(grid, speeds, times, moments)
    rate = np.diff(way)
    kernel = np.ones(window) / window
    for _ in range(2):
        rate = np.convolve(rate, kernel)
    places = np.concatenate([[0.0], np.cumsum(rate)])
    return np.asarray(np.clip(places * (grid[-1] / places[-1]), 0.0, grid[-1]))


def _along(grid: Floats, speeds: Floats, times: Floats, moments: Floats) -> Floats:
    cell = np.clip(np.searchsorted(times, moments, side="right") - 1, 0, len(grid) - 2)
    since, lasts = moments - times[cell], times[cell + 1] - times[cell]
    acceleration = (speeds[cell + 1] - speeds[cell]) / lasts
    return np.asarray(np.clip(grid[cell] + speeds[cell] * since + 0.5 * acceleration * since**2, 0.0, grid[-1]))


def _ratios(curve: CubicSpline, places: Floats, limits: Limits, period: float) -> tuple[Floats, ...]:
    """Largest speed, acceleration and jerk over their limits, of each difference between samples, from rest to rest."""
    q = np.asarray(curve(places))
    q = np.concatenate([np.tile(q[0], (3, 1)), q, np.tile(q[-1], (3, 1))])
    v = np.diff(q, axis=0) / period
    a = np.diff(v, axis=0) / period
    j = np.diff(a, axis=0) / period
    return tuple(
        (np.abs(x) / (ROOM * limit)).max(axis=1)
        for x, limit in ((v, limits.speed), (a, limits.acceleration), (j, limits.jerk))
    )


def _too_much(
    curve: CubicSpline, places: Floats, limits: Limits, period: float, grid: Floats, most: Floats
) -> tuple[float, Floats]:
    """By how much the whole would have to be slower, and a factor of the speed for each place of the grid."""
    speed, acceleration, jerk = _ratios(curve, places, limits, period)
    along = np.diff(places) / period / np.interp(0.5 * (places[1:] + places[:-1]), grid, most)
    needs = np.ones(len(speed))
    needs[3:-3] = np.maximum(speed[3:-3], along)
    needs[1:] = np.maximum(needs[1:], np.sqrt(np.maximum(acceleration, 1.0)))
    needs[2:] = np.maximum(needs[2:], np.cbrt(np.maximum(jerk, 1.0)))
    cells = np.clip(
        np.searchsorted(grid, np.concatenate([np.full(3, places[0]), places, np.full(2, places[-1])])), 0, len(grid) - 1
    )
    factor = np.ones(len(grid))
    np.minimum.at(factor, cells, 1.0 / np.maximum(needs, 1.0))
    return float(needs.max()), _eased(factor, max(len(grid) // 25, 2))


def _eased(factor: Floats, wide: int) -> Floats:
    """The least around each place, with slopes instead of steps: a step would ask for jerk of its own."""
    window = np.lib.stride_tricks.sliding_window_view
    lowest = window(np.pad(factor, 2 * wide, mode="edge"), 2 * wide + 1).min(axis=1)
    return np.asarray(window(lowest, 2 * wide + 1).mean(axis=1))


def _slowed(
    curve: CubicSpline, places: Floats, slow: float, limits: Limits, period: float, grid: Floats, most: Floats
) -> Floats:
    """The whole slower, until the samples keep all limits."""
    over = CubicSpline(np.arange(len(places)), places, bc_type="clamped")
    for _ in range(20):
        if slow <= 1.0 + 1e-9:
            return places
        count = int(np.ceil((len(over.x) - 1) * slow))
        if count > MOST_SAMPLES:
            raise RetimeError("no timing within the limits was found; smooth the path first")
        places = np.clip(over(np.linspace(0.0, len(over.x) - 1, count + 1)), 0.0, grid[-1])
        places = np.maximum.accumulate(places)
        places[0], places[-1] = 0.0, grid[-1]
        more, _ = _too_much(curve, places, limits, period, grid, most)
        if more <= 1.0 + 1e-9:
            return np.asarray(places)
        slow *= 1.01 * more
    raise RetimeError("no timing within the limits was found; smooth the path first")
