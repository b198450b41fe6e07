"""How stiff a sampled spring may be: from the device's damping, friction, encoder step and the rate.

A spring that is sampled and held gives back more than was put in; the device itself has to take the difference:

    K ≤ 2·(b - B)/T         damping b, virtual damper B, period T (J. E. Colgate, G. Schenkel, 1994: b > K·T/2 + B)
    K ≤ 2·(b - B)/(T + 2·d) if forces come late by d: on average a held force is half a period old, and d more
    K ≤ 2·f_c/Δ             dry friction f_c, encoder step Δ (J. J. Abbott, A. M. Okamura, 2005)

All are needed. What is used is a share (the margin) of the smaller.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

from station.devices.parameter import SettingsError


class LimitedBy(StrEnum):
    """What keeps a spring from being stiffer."""

    DAMPING = "damping and rate"
    QUANTISATION = "friction and encoder step"
    DEVICE = "what the device says it renders"
    WANTED = "nothing: it is as stiff as wanted"


class StiffnessBound(NamedTuple):
    """How stiff a spring may be, why, and how stiff it is chosen."""

    by_damping: float  # [N/m | N·m/rad]
    by_quantisation: float
    bound: float  # the smaller of the two
    limited_by: LimitedBy
    chosen: float

    @property
    def margin(self) -> float:
        """How much of the bound is left, from 0 to 1; negative if the chosen spring is beyond it."""
        return 1.0 - self.chosen / self.bound if self.bound > 0.0 else (0.0 if self.chosen == 0.0 else -math.inf)

    def __str__(self) -> str:
        return f"{self.chosen:.0f} of at most {self.bound:.0f} (limit: {self.limited_by}), margin {self.margin:.0%}"


def stiffness_bound(
    *,
    damping: float,
    period: float,
    friction: float,
    resolution: float,
    virtual_damping: float = 0.0,
    delay: float = 0.0,
    share: float = 0.8,
    wanted: float = math.inf,
    device: float = math.inf,
) -> StiffnessBound:
    """The bound of a spring and the spring to use.

    `damping` b and `virtual_damping` B [N·s/m | N·m·s/rad], `period` T [s], `friction` f_c [N | N·m], `resolution` Δ
    [m | rad], `delay` d until a force acts [s], `share` of the bound to use, `wanted` stiffness and what the `device`
    renders [N/m | N·m/rad].
    """
    for name, value in (
        ("damping", damping),
        ("friction", friction),
        ("virtual_damping", virtual_damping),
        ("delay", delay),
    ):
        if not (math.isfinite(value) and value >= 0.0):
            raise SettingsError(f"{name} is {value:g}; allowed: 0 and more, finite")
    if not (period > 0.0 and math.isfinite(period) and resolution >= 0.0 and 0.0 < share <= 1.0):
        raise SettingsError(f"period {period:g} s, resolution {resolution:g}, share {share:g}; allowed: more than 0")
    by_damping = max(0.0, 2.0 * (damping - virtual_damping) / (period + 2.0 * delay))
    by_quantisation = 2.0 * friction / resolution if resolution > 0.0 else math.inf
    bound = min(by_damping, by_quantisation)
    limits = {
        LimitedBy.WANTED: wanted,
        LimitedBy.DEVICE: device,
        LimitedBy.DAMPING: share * by_damping,
        LimitedBy.QUANTISATION: share * by_quantisation,
    }
    limited_by = min(limits, key=lambda name: limits[name])
    return StiffnessBound(by_damping, by_quantisation, bound, limited_by, limits[limited_by])
