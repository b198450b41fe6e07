"""One motion seen twice: by how much, and by how much more each second, the second one is later.

    reference(t) = (other(t') - bias)/gain        t' - delay = t + drift·(t - middle)

The curve through the reference is smooth, so that the delay is found to a small part of a sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.fitting import Fit, FitSettings, fit
from calibration.judge import Judgement, judge
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.timing.blocks import linear_without, spells
from calibration.timing.signals import Signal, rough_delay

MOST = 2000  # samples that are compared
MARGIN = 6  # samples at both ends of the reference, where its curve is not sure
ENOUGH = 0.25  # of the other signal that the reference must cover
TYPICAL_DELAY, TYPICAL_DRIFT = 0.01, 1e-3  # [s], seconds per second
DELAY, DRIFT = 0, 1


class TimingModel:
    """Samples of the other signal against a curve through the reference."""

    def __init__(self, reference: Signal, other: Signal, rough: float, *, drifts: bool = True) -> None:
        """Take two signals.

        Args:
            reference: whose clock counts.
            other: the same motion, seen later.
            rough: what to take from the other's times, about [s].
            drifts: the other's clock may run faster or slower; else both are one clock.
        """
        self.reference, self.other, self.rough = reference, other, rough
        self._curve = reference.curve()
        self._speed = self._curve.derivative()
        begin, end = reference.times[MARGIN], reference.times[-1 - MARGIN]
        slack = 10.0 * reference.period
        covered = np.flatnonzero((other.times - rough > begin + slack) & (other.times - rough < end - slack))
        if len(covered) < ENOUGH * len(other.times):
            raise DataError("the two signals hardly overlap in time; record both during one motion")
        self.chosen: Ints = covered[:: max(1, len(covered) // MOST)]
        self.middle = float(np.mean(other.times[self.chosen] - rough))
        self._drifts = drifts
        channels = range(other.values.shape[1])
        spread = np.maximum(np.ptp(reference.values, axis=0), reference.noise)
        parameters = [Parameter(name="delay", unit="s", nominal=0.0, typical=TYPICAL_DELAY)]
        parameters += [Parameter(name="drift", unit="s/s", nominal=0.0, typical=TYPICAL_DRIFT)] if drifts else []
        parameters += [
            Parameter(name=f"bias {i + 1}", unit="", nominal=0.0, typical=float(spread[i]), keep=1) for i in channels
        ]
        parameters += [Parameter(name=f"gain {i + 1}", unit="", nominal=1.0, typical=0.1, keep=2) for i in channels]
        self._parameters = tuple(parameters)
        self._noise = float(np.hypot(reference.noise, other.noise))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Delay beyond the rough one, drift, and bias and gain of every channel."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Samples."""
        return len(self.chosen)

    def by_reference(self, times: Floats, values: Floats) -> Floats:
        """Times of the other by the clock of the reference [s]."""
        late = times - self.rough - values[DELAY]
        return np.asarray(self.middle + (late - self.middle) / (1.0 + values[DRIFT]) if self._drifts else late)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted samples of the other against its samples, over the noise."""
        chosen = self.chosen[which]
        count = self.other.values.shape[1]
        first = 2 if self._drifts else 1
        bias, gain = values[first : first + count], values[first + count :]
        times = self.by_reference(self.other.times[chosen], values)
        place, speed = self._curve(times), self._speed(times)
        jacobian = np.zeros((len(which), count, len(values)))
        rate = 1.0 / (1.0 + values[DRIFT]) if self._drifts else 1.0
        jacobian[:, :, DELAY] = -gain * speed * rate
        if self._drifts:
            jacobian[:, :, DRIFT] = -gain * speed * rate * (times - self.middle)[:, None]
        for channel in range(count):
            jacobian[:, channel, first + channel] = 1.0
            jacobian[:, channel, first + count + channel] = place[:, channel]
        residuals = bias + gain * place - self.other.values[chosen]
        return Rows(residuals / self._noise, jacobian / self._noise)


class Alignment(NamedTuple):
    """How the other signal lies on the reference."""

    delay: float  # by which the other is late in the middle of the motion, its clock's offset included [s]
    deviation: float  # standard deviation [s]
    drift: float  # seconds per second that the other's clock gains
    drift_deviation: float
    phase: float  # of the other's samples within their period, by the clock of the reference [s]
    period: float  # of the other's samples [s]
    middle: float  # time at which the delay is told [s]
    judgement: Judgement
    fit: Fit

    def by_reference(self, times: Floats) -> Floats:
        """Times of the other by the clock of the reference [s]."""
        late = np.asarray(times) - self.delay
        return np.asarray(self.middle + (late - self.middle) / (1.0 + self.drift))

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            **{name: getattr(self, name) for name in self._fields if name not in ("judgement", "fit")},
            "judgement": self.judgement.data(),
        }


def _deviations(model: TimingModel, fitted: Fit) -> Floats:
    """Standard deviations of the free parameters: by white noise, or by spells of it where that is more."""
    white = np.diag(fitted.covariance) * max(1.0, fitted.noise) ** 2
    times = np.repeat(model.other.times[model.chosen[fitted.used]], fitted.residuals.shape[1])
    moved = linear_without(fitted.jacobian, fitted.residuals[fitted.used].ravel())
    return np.asarray(np.sqrt(np.maximum(white, np.diag(spells(times, moved)))))


def align(reference: Signal, other: Signal, *, drifts: bool = True, fitting: FitSettings | None = None) -> Alignment:
    """Delay and drift of a signal against another of the same motion.

    Raises a DataError for signals that do not move, do not overlap or repeat themselves, a NotExplainedError for two
    that are not one motion.
    """
    rough = rough_delay(reference, other)
    model = TimingModel(reference, other, rough, drifts=drifts)
    fitted = fit(model, fitting)
    fixed = [one for one in fitted.identified.fixed if one.name in ("delay", "drift")]
    if fixed:
        raise DataError(f"this motion does not tell all: {fixed[0]}; move faster, and to and fro")
    spread = _deviations(model, fitted)
    values = fitted.values
    period = other.period
    turns = model.by_reference(other.times[model.chosen], values) / period
    # Mean of angles: phases just before and just after a whole period are neighbours.
    phase = float(np.angle(np.mean(np.exp(2j * np.pi * turns)))) / (2.0 * np.pi) * period
    return Alignment(
        rough + float(values[DELAY]),
        float(spread[DELAY]),
        float(values[DRIFT]) if drifts else 0.0,
        float(spread[DRIFT]) if drifts else 0.0,
        phase % period,
        period,
        model.middle,
        judge(model, fitted),
        fitted,
    )
