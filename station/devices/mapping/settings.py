"""Everything that can be set about the mapping of a hand: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import ClassVar

from station.devices.device import LOST_AFTER, AxisKind
from station.devices.parameter import SettingsError, check, check_length, parameter
from station.mad.scene import ReferenceFrame

Triple = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]
Kinds = tuple[AxisKind, AxisKind, AxisKind, AxisKind, AxisKind, AxisKind]
Locks = tuple[bool, bool, bool, bool, bool, bool]

ORIGIN: Triple = (0.0, 0.0, 0.0)
POINT_AND_TWIST: Kinds = (AxisKind.ABSOLUTE,) * 3 + (AxisKind.INCREMENTAL,) * 3
UNLOCKED: Locks = (False,) * 6
MOST_BUTTONS = 32


class LockFrame(StrEnum):
    """Whose axes are locked."""

    REFERENCE = "reference"  # those along which the hand moves the target
    TOOL = "tool"  # those of the followed frame


class Shape(IntEnum):
    """Shapes of a region where a handle can go: simple and convex, in the device's own frame."""

    NONE = 0
    BOX = 1
    CYLINDER = 2
    SPHERE = 3


@dataclass(frozen=True, kw_only=True)
class Box:
    """Travel of three straight axes."""

    shape: ClassVar[Shape] = Shape.BOX
    centre: Triple = parameter(ORIGIN, "middle of the box", "m", -100.0, 100.0)
    size: Triple = parameter((0.2, 0.2, 0.2), "full length along x, y, z", "m", 1e-4, 100.0)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check_length(self, "size", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Half lengths of what is left within a margin [m]; an error if nothing is."""
        x, y, z = (_left(0.5 * length, margin) for length in self.size)
        return x, y, z


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """As of the syntaxer."""

    shape: ClassVar[Shape] = Shape.CYLINDER
    centre: Triple = parameter(ORIGIN, "middle of the axis", "m", -100.0, 100.0)
    radius: float = parameter(0.170, "radius", "m", 1e-4, 100.0)
    length: float = parameter(0.150, "length along the axis", "m", 1e-4, 100.0)
    axis: int = parameter(2, "which axis of the device it lies along: 0 x, 1 y, 2 z", "", 0, 2)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Radius and half length of what is left within a margin [m]; an error if nothing is."""
        return _left(self.radius, margin), _left(0.5 * self.length, margin), 0.0


@dataclass(frozen=True, kw_only=True)
class Sphere:
    """A ball."""

    shape: ClassVar[Shape] = Shape.SPHERE
    centre: Triple = parameter(ORIGIN, "its middle", "m", -100.0, 100.0)
    radius: float = parameter(0.1, "radius", "m", 1e-4, 100.0)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Radius of what is left within a margin [m]; an error if nothing is."""
        return _left(self.radius, margin), 0.0, 0.0


Region = Box | Cylinder | Sphere


def _left(half: float, margin: float) -> float:
    if half <= margin:
        raise SettingsError(f"margin is {margin:g} [m]; allowed: less than half of the region, {half:g}")
    return half - margin


@dataclass(frozen=True, kw_only=True)
class Response:
    """How the deflection of an incremental axis becomes a speed."""

    straight_rate: float = parameter(0.2, "speed at full deflection of a straight axis", "m/s", 0.0, 10.0)
    turning_rate: float = parameter(1.0, "speed at full deflection of a turning axis", "rad/s", 0.0, 20.0)
    dead_zone: float = parameter(0.05, "part of the travel that is taken as rest", "", 0.0, 0.9)
    exponent: float = parameter(1.5, "exponent of the curved part, 1 is straight", "", 0.2, 5.0)
    blend: float = parameter(1.0, "share of the curved part, the rest is straight", "", 0.0, 1.0)
    straight_lead: float = parameter(0.05, "how far rates take the target ahead of the robot", "m", 1e-4, 10.0)
    turning_lead: float = parameter(0.35, "how far rates turn the target ahead of the robot", "rad", 1e-3, 3.0)
    feedback: float = parameter(1.0, "how much of the robot's wrench incremental axes give to the hand", "", 0.0, 10.0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Engagement:
    """When the hand moves the robot, and which samples are believed."""

    dead_man: int | None = parameter(
        None, "button that must be held to move; none: not needed", "", 0, MOST_BUTTONS - 1
    )
    clutch: int | None = parameter(
        None, "button that lets the hand move without the robot; none: no clutch", "", 0, MOST_BUTTONS - 1
    )
    hand_speed: float = parameter(3.0, "fastest hand: a sample beyond is refused", "m/s", 0.01, 100.0)
    hand_turn_speed: float = parameter(20.0, "fastest wrist: a sample beyond is refused", "rad/s", 0.1, 1000.0)
    refusals: int = parameter(5, "refused samples in a row that disengage", "", 1, 1000)
    stale_after: float = parameter(LOST_AFTER, "a sample older than this disengages", "s", 1e-3, 1.0)
    period: float = parameter(1e-3, "time between two samples of the device", "s", 1e-5, 1.0)
    spread: float = parameter(0.0, "time over which what a sample brings is passed on; 0: at once", "s", 0.0, 1.0)

    def __post_init__(self) -> None:
        check(self)
        if self.dead_man is not None and self.dead_man == self.clutch:
            raise SettingsError(f"clutch is button {self.clutch}; allowed: another one than the dead-man")


@dataclass(frozen=True, kw_only=True)
class Edge:
    """The edge of the device's workspace, felt as a soft wall."""

    region: Region | None = parameter(None, "where the handle can go, device frame; none: no wall")
    margin: float = parameter(0.010, "how far before the edge the wall begins", "m", 0.0, 1.0)
    stiffness: float = parameter(800.0, "spring of the wall", "N/m", 0.0, 20_000.0)
    damping: float = parameter(0.5, "damper of the wall, outwards only", "N·s/m", 0.0, 100.0)
    force: float = parameter(4.0, "largest force of the wall", "N", 0.0, 100.0)

    def __post_init__(self) -> None:
        check(self)
        if self.region is not None:
            self.region.halves(self.margin)


@dataclass(frozen=True, kw_only=True)
class Bubble:
    """A ball inside which the hand points, and outside which it also sets a speed."""

    radius: float = parameter(0.0, "of the ball; 0: no bubble", "m", 0.0, 10.0)
    centre: Triple = parameter(ORIGIN, "middle of the ball, device frame", "m", -100.0, 100.0)
    rate: float = parameter(4.0, "speed per depth outside the ball, of the hand's scale", "1/s", 0.0, 100.0)
    speed: float = parameter(0.2, "largest such speed, of the hand's scale", "m/s", 0.0, 10.0)
    stiffness: float = parameter(150.0, "spring felt outside the ball", "N/m", 0.0, 20_000.0)
    damping: float = parameter(0.5, "damper outside the ball, outwards only", "N·s/m", 0.0, 100.0)
    force: float = parameter(3.0, "largest force of that spring", "N", 0.0, 100.0)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check(self)


@dataclass(frozen=True, kw_only=True)
class Guide:
    """The pull towards a start place before engaging."""

    start: Triple = parameter(ORIGIN, "where the hand is led, device frame", "m", -100.0, 100.0)
    stiffness: float = parameter(50.0, "spring of the pull", "N/m", 0.0, 1000.0)
    damping: float = parameter(2.0, "damper of the pull", "N·s/m", 0.0, 100.0)
    force: float = parameter(1.5, "largest pull; 0: only text", "N", 0.0, 10.0)
    radius: float = parameter(0.010, "the hand has arrived within this", "m", 1e-4, 1.0)
    ramp: float = parameter(0.5, "time in which the pull grows to its full size", "s", 1e-3, 10.0)

    def __post_init__(self) -> None:
        check_length(self, "start", 3)
        check(self)


@dataclass(frozen=True, kw_only=True)
class MappingSettings:
    """How the motion of a hand becomes that of a target, and what the device itself makes felt."""

    motion: Kinds = parameter(POINT_AND_TWIST, "how each axis is taken: absolute, incremental or none")
    scale: Six = parameter(
        (1.0,) * 6, "robot motion per hand motion along and about each axis of the seat", "", -100.0, 100.0
    )
    middle: Six = parameter((0.0,) * 6, "where the deflection of an incremental axis is zero", "m | rad", -100.0, 100.0)
    low: Six = parameter((-0.1,) * 3 + (-0.26,) * 3, "largest deflection to the negative side", "m | rad", -100.0, 0.0)
    high: Six = parameter((0.1,) * 3 + (0.26,) * 3, "largest deflection to the positive side", "m | rad", 0.0, 100.0)
    seat: Triple = parameter(
        ORIGIN, "rotation vector that turns device axes into the seat's: x right, y away, z up", "rad", -6.3, 6.3
    )
    reference: ReferenceFrame = parameter(ReferenceFrame.WORLD, "whose axes the seat's axes stand for")
    locks: Locks = parameter(UNLOCKED, "axes along and about which the target stays")
    lock_frame: LockFrame = parameter(LockFrame.REFERENCE, "whose axes the locks are")
    response: Response = field(default_factory=Response)
    engagement: Engagement = field(default_factory=Engagement)
    edge: Edge = field(default_factory=Edge)
    bubble: Bubble = field(default_factory=Bubble)
    guide: Guide = field(default_factory=Guide)

    def __post_init__(self) -> None:
        for name in ("motion", "scale", "middle", "low", "high", "locks"):
            check_length(self, name, 6)
        check_length(self, "seat", 3)
        check(self)
        turning = {kind for kind in self.motion[3:] if kind is not AxisKind.NONE}
        if len(turning) > 1:
            raise SettingsError("motion of the turning axes is mixed; allowed: all absolute or all incremental")
        if self.bubble.radius > 0.0 and self.motion[:3] != (AxisKind.ABSOLUTE,) * 3:
            raise SettingsError("bubble needs absolute straight axes; set its radius to 0 or the motion to absolute")
