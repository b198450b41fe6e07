"""Plants for tests, and what is done with all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sim_devices.syntaxer.plant import Plant, PlantNumbers
from station.devices.syntaxer.geometry import Syntaxer
from station.kernel import Floats

NOTHING: Floats = np.zeros(6)
MIDDLE = (0.22, 0.0, 0.0)
FRICTIONLESS = PlantNumbers(arm_friction=0.0, string_friction=0.0, string_damping=0.0)


def undamped() -> Syntaxer:
    """A geometry that loses no energy worth mentioning, and whose weight is balanced."""
    geometry = Syntaxer()
    one, two, three = (replace(chain, damping=1e-12) for chain in geometry.chains)
    paramat = replace(geometry.paramat, damping=1e-12)
    return replace(geometry, chains=(one, two, three), paramat=paramat)


def weightless() -> Syntaxer:
    """Undamped, in orbit, and with a handle that does not swing on its springs when the platform moves."""
    geometry = undamped()
    paramat = replace(geometry.paramat, handle_centre=(0.0, 0.0, 0.0))
    return replace(geometry, gravity=(0.0, 0.0, 0.0), balancer=(0.0, 0.0, 0.0), paramat=paramat)


def live(
    plant: Plant,
    seconds: float,
    currents: ArrayLike = NOTHING,
    wrench: ArrayLike | Callable[[Plant], ArrayLike] = NOTHING,
    *,
    brake: bool = False,
    period: float = 0.001,
) -> None:
    """Let a plant live for some time [s]."""
    for _ in range(round(seconds / period)):
        plant.step(period, currents, brake, wrench(plant) if callable(wrench) else wrench)
