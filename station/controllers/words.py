"""What the two ends of a bilateral link say to each other beside setpoints and measurements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class HandWords(NamedTuple):
    """Of the end at the hand; all that the end at the arm has to know, in every message."""

    start: int  # another one: setpoints begin anew where the arm was measured
    epoch: int  # another one: both ends begin with new books; 0: nothing is coupled now
    method: int  # as `LinkMethod` of station.bilateral
    architecture: int  # as `LinkArchitecture`
    force_scale: float
    stiffness: float  # [N/m]
    impedance: float  # [N·s/m]
    straight: Floats  # 3×3: motion of the tool in the world per motion of the hand
    packet: Floats  # as it travels: the numbers of a `Packet` of station.bilateral


class ArmWords(NamedTuple):
    """Of the end at the arm."""

    start: int  # that it has heard of last; 0: none since it became ACTIVE
    epoch: int  # of its books; 0: nothing is coupled now
    held: Floats  # what it has added to the setpoint that was taken last [rad | m]
    packet: Floats  # as it travels
