"""Geometry of the translation stage from closure: a bar of known length from a ball on the table to the handle.

No instrument: the handle swings on the bar, and only counts are written down. The bar closes a loop that the device
has too many encoders for, so its own dimensions show. Where the balls stand is estimated with them. Not told apart:
base radius from platform radius, and a turn of all azimuths, for a bar does not know where up is. Without the length of
the bar nothing would tell how large the device is.

What is measured are counts, and their steps move the handle by more than the bar is wrong. So the error is in what the
model depends on, not in what it predicts: for every place the counts nearest to those that were read, and on the bar,
are found first, and everything is taken there. With the counts as they were read, slopes would go with the errors, and
what a bar tells least would be told wrongly and too surely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.syntaxer.delta import COUNT, RATIO, Places, dimensions_of, names_of, place_slopes, places_of, turns_of
from calibration.syntaxer.geometry import chain_parameters
from calibration.syntaxer.measured import LEAST
from station.devices.syntaxer import Syntaxer

FEWEST = 25  # places: one number each
APPROACHES = 2  # to the counts on the bar: the second one leaves less than a billionth of a count


class OnTheBar(NamedTuple):
    """Places at the counts nearest to those that were read that lie on the bar."""

    turns: Floats  # of the motors (n, 3) [rad]
    places: Places
    along: Floats  # from ball to handle, length 1 (n, 3)
    off: Floats  # distance from ball to handle at the counts that were read, less the length, to first order (n) [m]
    sigma: Floats  # standard deviation of that (n) [m]


class BarModel:
    """Places of the handle on a bar, at one or more stands of its ball."""

    def __init__(
        self, nominal: Syntaxer, counts: Floats, balls: Ints, length: float, noise: float, *, known: bool = True
    ) -> None:
        """Take counts.

        Args:
            nominal: the device as it is said to be.
            counts: of the encoders (n, 6).
            balls: which stand of the ball each belongs to (n).
            length: of the bar, from ball to handle [m].
            noise: standard deviation of that distance from place to place [m].
            known: whether the length is known; if not, it is estimated too, and the size of the device is not.
        """
        if len(counts) < FEWEST:
            raise DataError(f"{len(counts)} places on the bar; at least {FEWEST} are needed")
        if not (0.02 < length < 2.0):
            raise DataError(f"the bar is {length:g} m long; allowed: 0.02 to 2 m (millimetres for metres?)")
        self.turns, self.balls, self.length, self.noise = turns_of(nominal, counts), balls, length, max(noise, LEAST)
        self._step = 2.0 * np.pi / nominal.motor.counts / np.sqrt(12.0)  # error of a reading [rad of the motor]
        nominally = places_of(dimensions_of(nominal), self.turns)
        feet = []
        for ball in range(int(balls.max()) + 1):
            mine = np.flatnonzero(balls == ball)
            if len(mine) < 5:
                raise DataError(f"{len(mine)} places with the ball at stand {ball + 1}; at least 5 are needed")
            feet.append(_centre(nominally.positions[mine]))
        found = [
            Parameter(name=f"ball {ball + 1} {axis}", unit="m", nominal=float(value), typical=5e-2, keep=0)
            for ball, foot in enumerate(feet)
            for axis, value in zip("xyz", foot, strict=True)
        ]
        bar = () if known else (Parameter(name="bar length", unit="m", nominal=length, typical=1e-3, keep=5),)
        self._parameters = (*chain_parameters(nominal), *found, *bar)
        self._known, self._feet = known, len(feet)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Chains, then where the balls stand, then the length if it is not known."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Places."""
        return len(self.turns)

    def on_the_bar(self, values: Floats, which: Ints) -> OnTheBar:
        """The counts that were most likely to be read, had they no steps, and what follows from them."""
        dimensions, feet = values[:COUNT].reshape(3, -1), values[COUNT : COUNT + 3 * self._feet].reshape(-1, 3)
        length = self.length if self._known else values[-1]
        read, foot = self.turns[which], feet[self.balls[which]]
        turns = read
        for _ in range(APPROACHES + 1):
            at = places_of(dimensions, turns)
            along = at.positions - foot
            distance = np.linalg.norm(along, axis=1)
            along /= distance[:, None]
            slopes = np.einsum("ni,nij->nj", along, at.rates) / dimensions[:, RATIO]  # per turn of a motor [m/rad]
            off = distance - length + np.sum(slopes * (read - turns), axis=1)
            spread = self._step**2 * slopes
            variance = self.noise**2 + np.sum(spread * slopes, axis=1)
            here = OnTheBar(turns, at, along, off, np.sqrt(variance))
            turns = read - spread * (off / variance)[:, None]
        return here

    def distances(self, values: Floats, which: Ints) -> Floats:
        """From ball to handle, less the length of the bar (n) [m]."""
        return self.on_the_bar(values, which).off

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Distance from ball to handle against the length of the bar."""
        here, balls = self.on_the_bar(values, which), self.balls[which]
        jacobian = np.zeros((len(which), 1, len(self._parameters)))
        dimensions = values[:COUNT].reshape(3, -1)
        slopes = place_slopes(dimensions, here.turns, here.places)
        jacobian[:, 0, :COUNT] = np.einsum("ni,nij->nj", here.along, slopes)
        for axis in range(3):
            jacobian[np.arange(len(which)), 0, COUNT + 3 * balls + axis] = -here.along[:, axis]
        if not self._known:
            jacobian[:, 0, -1] = -1.0
        return Rows((here.off / here.sigma)[:, None], jacobian / here.sigma[:, None, None])

    def numbers(self, values: Floats) -> dict[str, float]:
        """Of the geometry, by name."""
        return {name: float(value) for name, value in zip(names_of(), values[:COUNT], strict=True)}


def _centre(points: Floats) -> Floats:
    """Centre of the sphere nearest to points (n, 3) [m]."""
    middle = points.mean(axis=0)
    rows = np.column_stack([2.0 * (points - middle), np.ones(len(points))])
    solved = np.linalg.lstsq(rows, np.sum((points - middle) ** 2, axis=1), rcond=None)[0]
    return np.asarray(middle + solved[:3])
