"""Places that a collection sends the handle to because of what is there: stops of the arms."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats
from calibration.syntaxer.delta import RATIO, ZERO, Places, dimensions_of, places_of
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey

COARSE, FINE = 6.5, 0.7  # steps of a search [°]
MIDDLE = np.radians(30.0)  # of the range of an arm
CLEAR = np.radians(5.0)  # that the other arms stay off their own stops
LEAST_ROOM = np.radians(1.0)  # to all other stops
BEYOND = 0.012  # a stop, where a hand pushes to [m]


@lru_cache(maxsize=64)
def stop_place(geometry: Syntaxer, arm: int, end: int) -> tuple[Floats, Floats]:
    """Where the handle is when an arm meets a stop, with most room to all other stops, and a place beyond [m]."""
    stops = geometry.stops
    stop, outwards = ((stops.motor_low, -1.0), (stops.motor_high, 1.0))[end]
    free = parts_of(replace(geometry, stops=replace(stops, motor_low=-3.0, motor_high=3.0)))
    room, best = -np.inf, np.zeros(3)
    for step in COARSE, FINE:  # first all over, then around the best
        middle = np.delete(best, arm) if np.isfinite(room) else np.full(2, MIDDLE)
        tried = np.radians(np.arange(-10.0, 10.5)) * step
        for other in itertools.product(*(one + tried for one in middle)):
            angles = np.insert(np.clip(other, stops.motor_low + CLEAR, stops.motor_high - CLEAR), arm, stop)
            with contextlib.suppress(DataError):  # the parts do not fit together there
                found = float(survey(free, _place(geometry, angles).positions).rooms[0])
                room, best = (found, angles) if found > room else (room, best)
    if room < LEAST_ROOM:
        raise DataError(f"arm {arm + 1} cannot be leant on that stop: another stop is met before")
    at = _place(geometry, best)
    push = outwards * at.rates[0, :, arm]
    return at.positions[0], at.positions[0] + BEYOND * push / float(np.linalg.norm(push))


def _place(geometry: Syntaxer, angles: Floats) -> Places:
    """Of the handle, for angles of the arms [rad]."""
    dimensions = dimensions_of(geometry)
    return places_of(dimensions, ((angles - dimensions[:, ZERO]) * dimensions[:, RATIO])[None])
