"""What keywords are given: numbers, words, references and places, as types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from station.mad.schema import Numbers
from station.mad.units import Unit

BASE_ID = 0
NULL_DEVICE = 0


class Vector(NamedTuple):
    """Three numbers along x, y, z."""

    x: float
    y: float
    z: float


class Angles(NamedTuple):
    """Turns about the fixed x, y, z axes in that order: rotation Rz(c)·Ry(b)·Rx(a) [rad]."""

    a: float
    b: float
    c: float


class Interval(NamedTuple):
    """A closed range."""

    lo: float
    hi: float


class Parameters(NamedTuple):
    """Kleinfinger-Khalil placement Rz(gamma)·Tz(epsil)·Rx(alpha)·Tx(d)·Rz(theta)·Tz(r) [rad, m]."""

    theta: float
    r: float
    alpha: float
    d: float
    gamma: float = 0.0
    epsil: float = 0.0


class Friction(NamedTuple):
    """Joint friction: viscous [N·m·s/rad | N·s/m], coulomb [N·m | N]."""

    viscous: float
    coulomb: float = 0.0


class Inertia(NamedTuple):
    """Inertia about the centre of mass, in the axes of the body's frame [kg·m²]."""

    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    xz: float = 0.0
    yz: float = 0.0


class Colour(NamedTuple):
    """Red, green, blue and opacity, each 0 to 1."""

    red: float
    green: float
    blue: float
    opacity: float = 1.0


class Round(NamedTuple):
    """Radius and length along z of a cylinder or capsule, centred on its frame [m]."""

    radius: float
    length: float


class Pixels(NamedTuple):
    """Two numbers along the image's x (right) and y (down) [px]."""

    x: float
    y: float


class Twist(NamedTuple):
    """A straight and a turning part, such as the speed limits of a mobile base [m/s, rad/s or per s²]."""

    straight: float
    turn: float


class Auto(Enum):
    """In place of a mesh file: draw a generic body."""

    AUTO = "auto"


class ClosureKind(Enum):
    """What a closed loop leaves free between its two frames; the value lists the closed axes."""

    WELD = "x y z rx ry rz"
    REVOLUTE = "x y z rx ry"
    PRISMATIC = "x y rx ry rz"
    CYLINDRICAL = "x y rx ry"
    UNIVERSAL = "x y z, z ⟂ x"
    BALL = "x y z"
    PLANAR = "z rx ry"

    @property
    def rows(self) -> int:
        """Number of equations."""
        return len(self.value.replace("z ⟂ x", "⟂").split())


class Priority(Enum):
    """What a frame follows first where a robot cannot do all."""

    PLACE = "x y z"
    ORIENTATION = "rx ry rz"


class Axis(Enum):
    """One of the six directions in which two frames can differ: along or about an axis."""

    X = 0
    Y = 1
    Z = 2
    RX = 3
    RY = 4
    RZ = 5


class Loss(Enum):
    """What holds when a device or an arm is lost."""

    OWN = "own"
    ALL = "all"


class ReferenceFrame(Enum):
    """In whose axes a device moves its target."""

    WORLD = "world"
    VIEW = "view"
    TOOL = "tool"


class MotionKind(Enum):
    """How a device's motion is taken: as a place, or as a speed."""

    ABSOLUTE = "absolute"
    INCREMENTAL = "incremental"


class DriveKind(Enum):
    """How a mobile base can move."""

    DIFFERENTIAL = "differential"
    OMNIDIRECTIONAL = "omnidirectional"


class Target(NamedTuple):
    """A link or frame named by a constraint; `word` is the keyword that was used."""

    word: str
    id: int


class JointValue(NamedTuple):
    """A number that belongs to the joint of a link."""

    link: int
    value: float


class CamPoint(NamedTuple):
    """A point of a cam: value of the leader, and of the joint that it moves [rad | m]."""

    leader: float
    value: float


class Place(NamedTuple):
    """A place in a file, 1-based; line 0: not from a file."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """Where a block stood, and each of its entries by the field they filled (several if it may be repeated)."""

    place: Place = Place(0, 0)
    entries: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)

    def of(self, name: str, nth: int = 0) -> Place:
        """Place of the (n-th) entry that filled field `name`, or of the block where it is absent."""
        return self.entries[name][nth] if name in self.entries else self.place


NOWHERE = Source()
ORIGIN = Vector(0.0, 0.0, 0.0)
UNTURNED = Angles(0.0, 0.0, 0.0)

VECTOR = Numbers(Vector, (Unit.LENGTH,) * 3, least=3)
ANGLES = Numbers(Angles, (Unit.ANGLE,) * 3, least=3)
JOINT_INTERVAL = Numbers(Interval, (Unit.JOINT,) * 2, least=2)


@dataclass(frozen=True, kw_only=True)
class Item:
    """Anything that stands as a block in a file."""

    source: Source = field(default=NOWHERE, compare=False, repr=False)
