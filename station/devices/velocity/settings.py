"""Everything that can be set about velocity estimation; docs/mapping.md says how the defaults were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from station.devices.parameter import check, check_length, parameter
from station.devices.velocity.kernels import layout


class VelocityMethod(StrEnum):
    """How positions become a velocity."""

    DIFFERENCE = "difference"  # between the last two samples: a baseline
    LOWPASS = "lowpass"  # the same through a first-order low-pass: a baseline
    LEAST_SQUARES = "least squares"  # best line through a window of fixed length
    END_FIT = "end-fit FOAW"  # adaptive window, line through its ends
    BEST_FIT = "best-fit FOAW"  # adaptive window, least-squares slope


_NUMBERS = {
    VelocityMethod.DIFFERENCE: layout.DIFFERENCE,
    VelocityMethod.LOWPASS: layout.LOWPASS,
    VelocityMethod.LEAST_SQUARES: layout.LEAST_SQUARES,
    VelocityMethod.END_FIT: layout.END_FIT,
    VelocityMethod.BEST_FIT: layout.BEST_FIT,
}


@dataclass(frozen=True, kw_only=True)
class VelocitySettings:
    """How the velocity of a hand is estimated."""

    method: VelocityMethod = parameter(VelocityMethod.END_FIT, "how positions become a velocity")
    window: float = parameter(0.032, "longest time that is looked back", "s", 1e-4, 1.0)
    resolution: tuple[float, ...] = parameter(
        (30e-6,) * 3 + (3e-4,) * 3, "encoder step of each axis, felt at the handle", "m | rad", 0.0, 1.0
    )
    noise: float = parameter(1.0, "how far a sample may be off the line, in encoder steps", "", 0.5, 10.0)
    cutoff: float = parameter(50.0, "corner of the low-pass", "Hz", 0.1, 10_000.0)
    gap: float = parameter(0.020, "longest silence that the history survives", "s", 1e-4, 10.0)
    largest: tuple[float, ...] = parameter(
        (5.0,) * 3 + (50.0,) * 3, "bound of the answer of each axis", "m/s | rad/s", 1e-6, 1e6
    )

    def __post_init__(self) -> None:
        check_length(self, "resolution", layout.AXES)
        check_length(self, "largest", layout.AXES)
        check(self)


def packed(settings: VelocitySettings) -> layout.Floats:
    """The settings as the numbers that kernels read."""
    numbers = np.zeros(layout.SETTINGS_SIZE)
    numbers[layout.METHOD] = _NUMBERS[settings.method]
    numbers[layout.WINDOW] = settings.window * (1.0 + 1e-6)  # a sample exactly that old still counts
    numbers[layout.GAP], numbers[layout.CUTOFF] = settings.gap, settings.cutoff
    numbers[layout.NOISE : layout.NOISE + layout.AXES] = settings.noise * np.array(settings.resolution)
    numbers[layout.LARGEST : layout.LARGEST + layout.AXES] = settings.largest
    return numbers
