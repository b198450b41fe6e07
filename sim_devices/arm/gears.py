"""What an arm's controller counts against what its joints move by: `gear` of the scene.

Behind it everything is in joint values; only what goes over a link is as the controller counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

import numpy as np

from sim_devices.arm.machine import Floats, Reading
from station.controllers.controller import Capabilities
from station.controllers.order import through_gear
from station.mad.scene import Link


class Gears:
    """Of the driven joints, in the controller's order. Where all are 1, nothing is done."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.factors = np.array([link.gear for link in links])
        self._none = bool((self.factors == 1.0).all())

    @overload
    def moved(self, counted: Floats) -> Floats: ...
    @overload
    def moved(self, counted: Floats | None) -> Floats | None: ...
    def moved(self, counted: Floats | None) -> Floats | None:
        """Joint values or speeds of what is counted; what has another length stays as it is, to be refused."""
        if self._none or counted is None or counted.shape != self.factors.shape:
            return counted
        return np.asarray(counted * self.factors)

    def effort(self, counted: Floats | None) -> Floats | None:
        """Efforts of the joints [N·m | N]; the power stays the same."""
        if self._none or counted is None or counted.shape != self.factors.shape:
            return counted
        return np.asarray(counted / self.factors)

    def counted(self, reading: Reading) -> Reading:
        """A reading of joint values as the controller tells it."""
        if self._none:
            return reading
        gears = self.factors
        return reading._replace(q=reading.q / gears, v=reading.v / gears, effort=reading.effort * gears)

    def told(self, able: Capabilities) -> Capabilities:
        """Limits of the joints as the controller tells them."""
        joints = zip(able.joints, self.factors.tolist(), strict=True)
        return replace(able, joints=tuple(through_gear(joint, 1.0 / gear) for joint, gear in joints))
