"""Geometry of the translation stage from places that an instrument or a jig has measured.

Told apart: azimuth, arm, bar, zero and ratio of each chain, and base radius less platform radius. Not told apart by
any measurement of places: base radius from platform radius, for only their difference moves the handle. And if nobody
knows how the instrument stands, a turn of all azimuths from a turn of the instrument: the first chain then says where
up is.
"""

from __future__ import annotations

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.syntaxer.delta import (
    COUNT,
    NAMES,
    Places,
    dimensions_of,
    names_of,
    place_slopes,
    places_of,
    turns_of,
)
from calibration.syntaxer.measured import Measured, check_size
from calibration.turning import aligned
from station.devices.syntaxer import Syntaxer
from station.kernel.so3 import cross_matrix, right_rate, rotation

AXES = ("x", "y", "z", "rx", "ry", "rz")
FEWEST = 8  # places
# Typical errors, and which of two that cannot be told apart is fixed: the one with the larger number.
TYPICAL = {
    "azimuth": (5e-3, 3),
    "base_radius": (1e-3, 0),
    "platform_radius": (1e-3, 4),
    "arm": (1e-3, 0),
    "bar": (1e-3, 0),
    "zero": (3e-2, 0),
    "ratio": (0.1, 1),
}
UNITS = {"azimuth": "rad", "zero": "rad", "ratio": ""}


def chain_parameters(geometry: Syntaxer) -> tuple[Parameter, ...]:
    """Everything that places depend on, of all three chains."""
    values = dimensions_of(geometry)
    return tuple(
        Parameter(
            name=f"chain {chain + 1} {name.replace('_', ' ')}",
            unit=UNITS.get(name, "m"),
            nominal=float(values[chain, number]),
            typical=TYPICAL[name][0],
            keep=TYPICAL[name][1] + (1 if name == "azimuth" and chain == 0 else 0),
        )
        for chain in range(3)
        for number, name in enumerate(NAMES)
    )


class PlacesModel:
    """Places of the handle, for whoever measured them."""

    def __init__(self, nominal: Syntaxer, data: Measured) -> None:
        """Take measurements; a DataError or UnitsError if they cannot be of this device."""
        if len(data.counts) < FEWEST:
            raise DataError(f"{len(data.counts)} places; at least {FEWEST} are needed")
        self.data, self.turns = data, turns_of(nominal, data.counts)
        nominally = places_of(dimensions_of(nominal), self.turns)
        check_size(data.positions, nominally.positions)
        self.guess = aligned(nominally.positions, data.positions)[0] if data.stand else np.eye(4)
        self._whiten = _whitening(nominal, data, nominally, self.guess[:3, :3])
        stand = tuple(
            Parameter(
                name=f"instrument {axis}",
                unit="m" if number < 3 else "rad",
                nominal=0.0,
                typical=1e-2,
                keep=2,
            )
            for number, axis in enumerate(AXES)
        )
        self._parameters = chain_parameters(nominal) + (stand if data.stand else ())

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Chains, then small motions of the instrument."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Places."""
        return len(self.turns)

    def positions(self, values: Floats, which: Ints) -> Floats:
        """Of the handle, for the instrument (n, 3) [m]."""
        places = places_of(values[:COUNT].reshape(3, -1), self.turns[which]).positions
        turn, moved = self._stand(values)
        return np.asarray(places @ (turn @ self.guess[:3, :3]).T + turn @ self.guess[:3, 3] + moved)

    def _stand(self, values: Floats) -> tuple[Floats, Floats]:
        if not self.data.stand:
            return np.eye(3), np.zeros(3)
        return rotation(values[COUNT + 3 : COUNT + 6]), values[COUNT : COUNT + 3]

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted places against measured ones."""
        dimensions, turns = values[:COUNT].reshape(3, -1), self.turns[which]
        at = places_of(dimensions, turns)
        turn, moved = self._stand(values)
        seen = at.positions @ self.guess[:3, :3].T + self.guess[:3, 3]
        residuals = seen @ turn.T + moved - self.data.positions[which]
        jacobian = np.zeros((len(which), 3, len(self._parameters)))
        jacobian[:, :, :COUNT] = turn @ self.guess[:3, :3] @ place_slopes(dimensions, turns, at)
        if self.data.stand:
            vector = values[COUNT + 3 : COUNT + 6]
            jacobian[:, :, COUNT : COUNT + 3] = np.eye(3)
            jacobian[:, :, COUNT + 3 :] = -turn @ cross_matrix(seen) @ np.linalg.inv(right_rate(vector))
        whiten = self._whiten[which]
        return Rows(np.einsum("nij,nj->ni", whiten, residuals), whiten @ jacobian)

    def numbers(self, values: Floats) -> dict[str, float]:
        """Of the geometry, by name."""
        return {name: float(value) for name, value in zip(names_of(), values[:COUNT], strict=True)}


def _whitening(nominal: Syntaxer, data: Measured, at: Places, turn: Floats) -> Floats:
    """What makes residuals of places independent, of size one (n, 3, 3): instrument and steps of the encoders."""
    step = np.array([2.0 * np.pi / (nominal.motor.counts * chain.ratio) for chain in nominal.chains])
    spread = turn @ at.rates * (step / np.sqrt(12.0))
    covariance = spread @ np.swapaxes(spread, 1, 2) + data.floor[0] ** 2 * np.eye(3)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)))
