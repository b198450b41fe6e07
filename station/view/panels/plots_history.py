"""`History`: the newest ticks of some curves, bounded; and `thinned`: what of them fits on a screen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from station.servo.pacing import Measure
from station.servo.shared import Cause
from station.view.moment import NEVER, Moment

Floats = NDArray[np.float64]
ROWS = 65536  # that are kept: a minute at 1 kHz
ENERGIES = ("energy_rendered", "energy_dissipated", "energy_available", "energy_potential")
CURVES = (
    "dexterity",
    *(f"force {cause.name.lower()}" for cause in Cause),
    *(name.replace("_", " ") for name in ENERGIES),
    "tracking error",
    "arm behind",
    "hand to force",
    "age of sample",
    "age of measurement",
)


class History:
    """A ring of rows: one for each tick, one column for each curve. Ticks that were not seen leave a gap.

    Args:
        rows: how many are kept.
    """

    def __init__(self, rows: int = ROWS) -> None:
        self._time = np.full(rows, np.nan)
        self._values = np.full((len(CURVES), rows), np.nan)
        self._next = self._epoch = 0
        self.filled = 0  # rows that are there
        self.newest = math.nan  # time of the newest row [s]

    def take(self, moment: Moment) -> None:
        """The ticks of a moment; those of another station begin anew."""
        if moment.epoch != self._epoch:
            self._epoch, self._next, self.filled, self.newest = moment.epoch, 0, 0, math.nan
        if moment.snapshot is None or not moment.fresh or not len(moment.records):
            return
        times, values = moment.recorded("time")[:, 0].astype(float), curves_of(moment)
        if moment.lost and self.filled:
            times = np.concatenate([[times[0]], times])
            values = np.concatenate([np.full((len(CURVES), 1), np.nan), values], axis=1)
        self._append(times[-len(self._time) :], values[:, -len(self._time) :])

    def _append(self, times: Floats, values: Floats) -> None:
        rows = len(self._time)
        places = (self._next + np.arange(len(times))) % rows
        self._time[places], self._values[:, places] = times, values
        self._next = (self._next + len(times)) % rows
        self.filled = min(self.filled + len(times), rows)
        self.newest = float(times[-1])

    def since(self, seconds: float, curves: list[int] | None = None) -> tuple[Floats, Floats]:
        """Times [s] and curves (curves, rows) of the last seconds, all or some, oldest first; copies."""
        order = (self._next - self.filled + np.arange(self.filled)) % len(self._time)
        times = self._time[order]
        first = int(np.searchsorted(times, self.newest - seconds))
        chosen = np.arange(len(CURVES)) if curves is None else np.array(curves, np.int64)
        return times[first:], self._values[chosen[:, None], order[None, first:]]


def curves_of(moment: Moment) -> Floats:
    """The curves of every tick of a moment (curves, rows)."""
    parts = np.linalg.norm(moment.recorded("wrench_parts")[:, :, :3], axis=2).T  # [N]
    energies = [1e3 * moment.recorded(name)[:, 0] for name in ENERGIES]  # [mJ]
    target, predicted, measured = (
        moment.recorded(f"{name}_pose")[:, :3, 3] for name in ("target", "predicted", "measured")
    )
    age = moment.recorded("measured_age")[:, 0]
    known = age < NEVER
    return np.vstack(
        [
            moment.recorded("singularity")[:, 0],
            parts,
            *energies,
            1e3 * np.linalg.norm(target - predicted, axis=1),  # [mm]
            np.where(known, 1e3 * np.linalg.norm(predicted - measured, axis=1), np.nan),  # [mm]
            1e3 * moment.recorded("spent")[:, Measure.LATENCY],  # [ms]
            1e3 * _or_nan(moment.recorded("hand_age")[:, 0]),  # [ms]
            1e3 * _or_nan(age),  # [ms]
        ]
    )


def _or_nan(ages: Floats) -> Floats:
    return np.where(ages < NEVER, ages, np.nan)


def thinned(times: Floats, values: Floats, span: float, pixels: int) -> tuple[Floats, Floats]:
    """Lowest and highest value in every pixel: times (2·n) [s] and curves (curves, 2·n), at most two per pixel.

    Pixels are counted from the zero of time, not from the newest tick, so that a curve moves without flickering. A
    pixel with nothing but gaps is a gap.
    """
    if len(times) <= 2 * pixels:
        return times, values
    width = span / pixels
    bins = np.floor(times / width).astype(np.int64)
    starts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(bins))])
    low = np.fmin.reduceat(values, starts, axis=1)
    high = np.fmax.reduceat(values, starts, axis=1)
    middle = (bins[starts] + 0.25) * width
    return (
        np.stack([middle, middle + 0.5 * width], axis=1).ravel(),
        np.stack([low, high], axis=2).reshape(len(values), -1),
    )
