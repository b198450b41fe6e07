"""A motion as somebody sampled it, by a clock of its own; and about how much later another one saw the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from calibration.errors import DataError, UnitsError
from calibration.parameters import Floats, Ints

LEAST = 50  # samples
SMOOTH = 5  # degree of the curve through samples
MOVED = 5.0  # times its noise that a signal has to move
FALLEN, AGAIN = 0.7, 0.9  # of the best agreement: where it has fallen, and what no delay beyond may reach
UNITS = {1e3: "milliseconds given for seconds", 1e6: "microseconds given for seconds"}


@dataclass(frozen=True, kw_only=True)
class Signal:
    """Samples of some channels, such as joint values."""

    times: Floats  # n, rising, by the signal's own clock [s]
    values: Floats  # n × channels [rad | m]
    noise: float  # standard deviation of a value [rad | m]

    def __post_init__(self) -> None:
        n = len(self.times)
        if n < LEAST:
            raise DataError(f"{n} samples; at least {LEAST} are needed, some seconds are usual")
        if self.values.ndim != 2 or len(self.values) != n:
            raise DataError(f"values have the shape {self.values.shape}; allowed: ({n}, channels)")
        if not (np.isfinite(self.times).all() and np.isfinite(self.values).all()):
            raise DataError("a signal that is not finite")
        if not (np.diff(self.times) > 0.0).all():
            place = int(np.argmin(np.diff(self.times)))
            raise DataError(f"times must rise; sample {place + 1} is not later than the one before")
        if not self.noise > 0.0:
            raise DataError("noise is a positive standard deviation; nothing is measured without")

    @property
    def period(self) -> float:
        """Between samples, the middle one [s]."""
        return float(np.median(np.diff(self.times)))

    @property
    def duration(self) -> float:
        """From first to last sample [s]."""
        return float(self.times[-1] - self.times[0])

    def curve(self) -> BSpline:
        """A smooth curve through the samples."""
        return make_interp_spline(self.times, self.values, k=SMOOTH)


def rough_delay(reference: Signal, other: Signal) -> float:
    """What to take from the times of the other to get those of the reference, to about a sample [s].

    By cross-correlation of speeds, at all shifts. Raises a DataError if nothing moved, if the two do not resemble each
    other, or if the motion repeats itself so that several delays fit; a UnitsError for milliseconds.
    """
    if reference.values.shape[1] != other.values.shape[1]:
        raise DataError(f"{reference.values.shape[1]} channels against {other.values.shape[1]}; give the same")
    for signal, name in ((reference, "the reference"), (other, "the other signal")):
        if float(np.ptp(signal.values, axis=0).max()) < MOVED * signal.noise:
            raise DataError(f"{name} does not move: a delay cannot be told; move the arm")
    ratio = other.duration / reference.duration
    for factor, words in UNITS.items():
        if factor / 3.0 < ratio < factor * 3.0 or 1.0 / (3.0 * factor) < ratio < 3.0 / factor:
            raise UnitsError(f"one signal lasts {max(ratio, 1.0 / ratio):.3g} times as long as the other: {words}")
    step = max(min(reference.period, other.period), reference.duration / 20_000.0)
    a, b = (_speeds(signal, step) for signal in (reference, other))
    size = len(a) + len(b) - 1
    together = np.fft.irfft((np.fft.rfft(b, size, axis=0) * np.conj(np.fft.rfft(a, size, axis=0))).sum(axis=1), size)
    energy = float(np.sqrt(np.sum(a * a) * np.sum(b * b)))
    lags: Ints = np.arange(size, dtype=np.int64)
    lags[lags >= len(b)] -= size
    best = int(np.argmax(together))
    if together[best] < 0.5 * energy:
        raise DataError(f"the two signals agree by {together[best] / energy:.0%} only; are they of one motion?")
    _check_repeating(together, lags, best, step)
    return float(other.times[0] - reference.times[0] + step * lags[best])


def _speeds(signal: Signal, step: float) -> Floats:
    times = np.arange(signal.times[0], signal.times[-1], step)
    even = np.column_stack([np.interp(times, signal.times, column) for column in signal.values.T])
    return np.diff(even, axis=0)


def _check_repeating(together: Floats, lags: Ints, best: int, step: float) -> None:
    """Agreement as good as the best, beyond where it has fallen once, means that the motion repeats itself."""
    order = np.argsort(lags)
    even, place = together[order], int(np.flatnonzero(order == best)[0])
    low = np.flatnonzero(even < FALLEN * even[place])
    left, right = low[low < place], low[low > place]
    outside = np.ones(len(even), dtype=bool)
    outside[left[-1] + 1 if len(left) else 0 : right[0] if len(right) else len(even)] = False
    again = int(np.argmax(np.where(outside, even, -np.inf)))
    if even[again] > AGAIN * even[place] and outside[again]:
        other = step * abs(again - place)
        raise DataError(f"the motion repeats itself every {other:.3f} s: the delay cannot be told; move otherwise")
