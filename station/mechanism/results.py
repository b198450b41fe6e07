"""What a mechanism answers: frozen, with a status that says how it went."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from station.mad.units import JointType
from station.mechanism.kernels.memory import Floats


class Status(IntEnum):
    """How a step or a reach went; the higher, the worse. A step is always taken, whatever its status."""

    OK = 0
    LIMITED = 1  # a joint limit or a contact holds something back
    NEAR_SINGULAR = 2  # some direction needs fast joints; motion stays bounded
    UNREACHABLE = 3  # as close as it gets, and at rest there
    CLOSURE_LOST = 4  # the loops could not be kept closed; the robot has stayed where it was


class Joint(NamedTuple):
    """A joint: SI units, None where the file sets no limit."""

    id: int
    name: str | None
    type: JointType
    limits: tuple[float, float] | None  # [rad | m]
    speed: float | None  # [rad/s | m/s]
    acceleration: float | None  # [rad/s² | m/s²]
    effort: float | None  # [N·m | N]
    active: bool  # False: passive, not driven by a controller
    gear: float = 1.0  # how far it moves per unit that its controller counts


class Report(NamedTuple):
    """What compiling a robot found out."""

    mobility: int  # joints that can be chosen freely, by rank
    closure_rows: int  # equations of loops and couplings
    closure_rank: int  # of them, that say something of their own
    redundant_rows: int
    counted_mobility: int  # joints minus rows, as Grübler counts; too small for over-constrained loops
    loose_joints: tuple[int, ...]  # passive links that neither a controller nor a loop determines
    opened: float  # how far the loop that was open most was, with the values of the file [m]
    opened_turn: float  # the same of angles [rad]
    left: float  # how far one is open yet: parts that are not quite true [m]
    left_turn: float  # [rad]
    moved: float  # most that a joint was moved to close them [rad | m]


class TrackingError(NamedTuple):
    """How far followed frames are from their target poses: the largest of each."""

    metres: float
    radians: float


class Step(NamedTuple):
    """One step of motion."""

    status: Status
    q: Floats  # joint values afterwards [rad | m]
    velocity: Floats  # of the joints in this step [rad/s | m/s]
    tracking_error: TrackingError
    active_limits: tuple[int, ...]  # ids of links whose limits hold something back
    multipliers: Floats  # per joint, then per contact: positive where a lower bound pushes, negative an upper one
    condition: float  # largest to smallest singular value of the followed frames' rows; of one of the last 4 steps
    acceleration_gave_way: bool  # loops or contacts asked for more than the acceleration limits allow


class Reach(NamedTuple):
    """The end of the way to a far target."""

    status: Status
    q: Floats  # joint values there [rad | m]
    position_error: float  # [m]
    rotation_error: float  # [rad]
    iterations: int
    restarts: int
