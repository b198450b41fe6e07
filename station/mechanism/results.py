"""What a mechanism answers: frozen, with a status that says how it went; and what can go wrong with it.

StationError
└── MechanismError (ValueError)     a robot that cannot be compiled or moved as asked
    └── AssemblyError               its loops cannot be closed
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from station.errors import StationError
from station.kernel import Floats
from station.mad.units import JointType

MOST_TOLD = 3  # open loops in one line


def gap_text(metres: float, radians: float) -> str:
    """A gap as people read it; below a nanometre and a billionth of a degree nothing."""
    millimetres, degrees = 1000.0 * metres, math.degrees(radians)
    parts = [f"{millimetres:.3g} mm"] if millimetres > 1e-6 else []
    parts += [f"{degrees:.3g}°"] if degrees > 1e-9 else []
    return " and ".join(parts) or "0 mm"


class MechanismError(StationError, ValueError):
    """A robot that cannot be compiled, or a request that it cannot understand."""


class AssemblyError(MechanismError):
    """Loops that cannot be closed; carries the smallest gap that was found and where."""

    def __init__(self, robot: str, gap: float, turn: float, between: str, allowed: str = "") -> None:
        self.gap = gap
        self.turn = turn
        self.between = between
        limit = f", and parts that do not quite fit may leave {allowed}" if allowed else ""
        super().__init__(
            f"robot {robot} cannot be assembled: {between} stay {1000.0 * gap:.4g} mm and "
            f"{math.degrees(turn):.4g}° apart at best{limit}; check its lengths, stops and initial joint values"
        )


class Status(IntEnum):
    """How a step or a reach went; the higher, the worse. A step is always taken, unless it is NOT_FINITE."""

    NOT_FINITE = -1  # what was asked for is no number: nothing has moved
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


class OpenLoop(NamedTuple):
    """A loop that cannot be closed whole."""

    by: str  # the constraint, in words
    metres: float  # [m]
    radians: float  # [rad]


def open_note(robot: str, loops: tuple[OpenLoop, ...]) -> str:
    """The line that says of a robot which loops are open and how far; empty where none is."""
    if not loops:
        return ""
    told = [f"{loop.by} by {gap_text(loop.metres, loop.radians)}" for loop in loops[:MOST_TOLD]]
    more = f"; and {len(loops) - MOST_TOLD} more" if len(loops) > MOST_TOLD else ""
    which = f"{'; '.join(told)}{more}"
    return f"robot {robot} stays open at {which}: its parts do not quite fit, and are held as well as they go"


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
    robot: str = ""  # its name
    strained: bool = False  # parts do not quite fit: loops are closed as well as they can be
    open_loops: tuple[OpenLoop, ...] = ()  # that stay open, the worst first

    @property
    def note(self) -> str:
        """What stays open, by which constraints: one line; empty where all loops are closed."""
        return open_note(self.robot, self.open_loops)

    @property
    def opened_text(self) -> str:
        """How far loops are open with the values of the file, for people."""
        return gap_text(self.opened, self.opened_turn)


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
