"""How well an estimate knows where the handle is, all over the workspace, in the frame of the device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.fitting import Fit
from calibration.parameters import Floats
from calibration.syntaxer.delta import COUNT, RATIO, ZERO, place_slopes, places_of
from calibration.syntaxer.plan import places
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey


class PlaceDeviation(NamedTuple):
    """Standard deviation of the place of the handle, by what its dimensions are uncertain; steps of encoders apart."""

    rms: float  # over the workspace [m]
    largest: float  # [m]


def place_deviation(geometry: Syntaxer, fitted: Fit) -> PlaceDeviation:
    """By an estimate of the translation stage, whose first parameters are the dimensions of its chains.

    A turn of all azimuths that nobody can tell is in the frame, not in this.
    """
    free = fitted.identified.free[:COUNT]
    dimensions = fitted.values[:COUNT].reshape(3, -1)
    covariance = fitted.covariance[: free.sum(), : free.sum()] * max(1.0, fitted.noise) ** 2
    angles = survey(parts_of(geometry), np.array(places(geometry))[:, :3]).angles
    turns = (angles - dimensions[:, ZERO]) * dimensions[:, RATIO]
    slopes = place_slopes(dimensions, turns, places_of(dimensions, turns))[:, :, free]
    squares: Floats = np.einsum("nij,jk,nik->n", slopes, covariance, slopes)
    return PlaceDeviation(float(np.sqrt(squares.mean())), float(np.sqrt(squares.max())))
