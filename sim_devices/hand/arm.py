"""What an arm feels like at a handle, from a loose to a tight grip. Values are typical of people, not of one person."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_devices.hand.errors import ScriptError
from sim_devices.hand.kernels import DAMPING, IMPEDANCE_ROWS, MASS, SKIN, SKIN_DAMPING, STIFFNESS, Floats

Range = tuple[float, float]  # at a loose and at a tight grip; between them by equal ratios
TREMOR_CENTRE = 2.0 * math.pi * 10.0  # frequency at which the size of tremor holds [rad/s]


@dataclass(frozen=True, kw_only=True)
class Arm:
    """Mass, spring and damper to where the arm wants to be; a stiff skin between this mass and the handle."""

    mass: Range = (0.15, 0.6)  # felt at the handle [kg]
    stiffness: Range = (60.0, 600.0)  # [N/m]
    damping_ratio: Range = (0.6, 0.8)  # of mass and spring
    skin: Range = (600.0, 2500.0)  # stiffness of skin and tissue [N/m]
    skin_damping: Range = (4.0, 12.0)  # [N·s/m]
    inertia: Range = (2.0e-4, 8.0e-4)  # of the wrist [kg·m²]
    turning_stiffness: Range = (0.3, 3.0)  # [N·m/rad]
    turning_skin: Range = (2.0, 10.0)  # [N·m/rad]
    turning_skin_damping: Range = (0.005, 0.015)  # [N·m·s/rad]
    strength: float = 40.0  # largest force of the muscles [N]
    turning_strength: float = 1.5  # [N·m]
    reaction: float = 0.18  # until an error is acted upon [s]
    correction: float = 2.0  # part of an error that is corrected per second [1/s]; 0: none is
    most_correction: float = 0.03  # [m]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            numbers = value if isinstance(value, tuple) else (value,)
            least = 0.0 if name == "correction" else math.ulp(0.0)
            if not all(math.isfinite(number) and number >= least for number in numbers):
                raise ScriptError(f"arm: {name} is {value}; allowed: finite numbers above 0")
        if self.correction * self.reaction >= 1.0:
            raise ScriptError("arm: correction times reaction is 1 or more; allowed: less, or the arm swings")

    def impedance(self, grip: float) -> Floats:
        """Mass, stiffness, damping, skin and its damping of the six axes at a grip from 0 to 1."""

        def at(ends: Range) -> float:
            return float(ends[0] * (ends[1] / ends[0]) ** grip)

        table = np.zeros((IMPEDANCE_ROWS, 6))
        table[MASS] = [at(self.mass)] * 3 + [at(self.inertia)] * 3
        table[STIFFNESS] = [at(self.stiffness)] * 3 + [at(self.turning_stiffness)] * 3
        table[DAMPING] = 2.0 * at(self.damping_ratio) * np.sqrt(table[MASS] * table[STIFFNESS])
        table[SKIN] = [at(self.skin)] * 3 + [at(self.turning_skin)] * 3
        table[SKIN_DAMPING] = [at(self.skin_damping)] * 3 + [at(self.turning_skin_damping)] * 3
        return table


def tremor_force(impedance: Floats) -> float:
    """Force that moves the arm alone by one metre at 10 Hz [N/m]."""
    mass, stiffness, damping = (float(impedance[row, 0]) for row in (MASS, STIFFNESS, DAMPING))
    return math.hypot(stiffness - mass * TREMOR_CENTRE**2, damping * TREMOR_CENTRE)
