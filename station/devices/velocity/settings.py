"""Everything that can be set about velocity estimation; docs/mapping.md says how the defaults were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np

from station.devices.parameter import check, check_length, parameter
from station.kernel import Floats1, Record, field

AXES = 6  # x y z [m], then rotation about x y z [rad]


class VelocityMethod(StrEnum):
    """How positions become a velocity."""

    DIFFERENCE = "difference"  # between the last two samples: a baseline
    LOWPASS = "lowpass"  # the same through a first-order low-pass: a baseline
    LEAST_SQUARES = "least squares"  # best line through a window of fixed length
    END_FIT = "end-fit FOAW"  # adaptive window, line through its ends
    BEST_FIT = "best-fit FOAW"  # adaptive window, least-squares slope


class Fit(IntEnum):
    """The same methods, for kernels."""

    DIFFERENCE = 0
    LOWPASS = 1
    LEAST_SQUARES = 2
    END_FIT = 3
    BEST_FIT = 4


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
        check_length(self, "resolution", AXES)
        check_length(self, "largest", AXES)
        check(self)


class VelocityNumbers(Record):
    """The settings as kernels read them."""

    fit: Fit
    window: float = field("s", "longest time that is looked back")
    gap: float = field("s", "longest silence that the history survives")
    cutoff: float = field("Hz", "of the low-pass")
    noise: Floats1 = field("m | rad", "largest error of each axis between two samples", shape=AXES)
    largest: Floats1 = field("m/s | rad/s", "bound of the answer of each axis", shape=AXES)


def numbers_of(settings: VelocitySettings) -> VelocityNumbers:
    """The settings for kernels."""
    return VelocityNumbers(
        fit=Fit[settings.method.name],
        window=settings.window * (1.0 + 1e-6),  # a sample exactly that old still counts
        gap=settings.gap,
        cutoff=settings.cutoff,
        noise=settings.noise * np.array(settings.resolution),
        largest=settings.largest,
    )
