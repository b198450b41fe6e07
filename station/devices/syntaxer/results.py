"""What the model of the syntaxer answers."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from station.devices.syntaxer.kernels.layout import Floats


class PlaceStatus(StrEnum):
    """Whether counts could be understood; in the order of the kernels' answers, then what is no answer."""

    OK = "ok"
    NO_SOLUTION = "no solution"  # no place of the handle fits these arm angles
    BEYOND_SINGULARITY = "beyond a singularity"  # fits, but where the device cannot have got
    NO_ROTATION = "no rotation"  # no rotation fits these string lengths: a string hangs through or broke
    UNKNOWN = "no counts yet"


STATUSES = tuple(PlaceStatus)


class Jacobians(NamedTuple):
    """How the handle moves with the joints."""

    arms: Floats  # 3×3: handle per arm [m/rad]
    strings: Floats  # 3×3: string per rotation about fixed axes [m/rad]


class Currents(NamedTuple):
    """What the six motors are to get, and how much of the wrench that gives."""

    amperes: Floats  # three arms, three strings [A]
    force_share: float  # 1: all of the force; less: shortened, direction kept; 0: none
    torque_share: float  # the same of the torque


class Joints(NamedTuple):
    """Joint values at a pose, if there are any."""

    status: PlaceStatus
    values: Floats  # three arm angles [rad], three string lengths [m]
