"""The scene: everything that a MAD file describes, typed, frozen, in SI units.

One class per block, one field per keyword; the `entry(…)` of a field is its definition for reader, writer and manual
(see schema.py). `source` is where the block stood in the file and takes no part in comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from station.errors import Problem
from station.mad.schema import (
    Block,
    Files,
    Flag,
    Head,
    Ids,
    Integer,
    JointKind,
    JointValues,
    Number,
    NumberList,
    Numbers,
    Ratios,
    Reference,
    Sign,
    Text,
    Word,
    Words,
    entry,
    head,
)
from station.mad.units import JointType, LengthUnit, Unit

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


class Axis(Enum):
    """One of the six directions in which two frames can differ: along or about an axis."""

    X = 0
    Y = 1
    Z = 2
    RX = 3
    RY = 4
    RZ = 5


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


@dataclass(frozen=True, kw_only=True)
class Shape(Item):
    """A solid: exactly one of box, sphere, cylinder, capsule, plane, mesh, placed by pos and ori."""

    pos: Vector = entry("pos", VECTOR, "where its frame is", default=ORIGIN, since=2)
    ori: Angles = entry("ori", ANGLES, "how its frame is turned", default=UNTURNED, since=2)
    box: Vector | None = entry(
        "box",
        Numbers(Vector, (Unit.LENGTH,) * 3, 3, Sign.POSITIVE),
        "full size along x, y, z, centred",
        default=None,
        since=2,
    )
    sphere: float | None = entry("sphere", Number(Unit.LENGTH, Sign.POSITIVE), "radius, centred", default=None, since=2)
    cylinder: Round | None = entry(
        "cylinder",
        Numbers(Round, (Unit.LENGTH,) * 2, 2, Sign.POSITIVE),
        "radius and length along z, centred",
        default=None,
        since=2,
    )
    capsule: Round | None = entry(
        "capsule",
        Numbers(Round, (Unit.LENGTH,) * 2, 2, Sign.POSITIVE),
        "radius and length along z between the centres of its round ends, centred",
        default=None,
        since=2,
    )
    plane: bool = entry("plane", Flag(), "everything below z = 0 is solid", default=False, since=2)
    mesh: str | None = entry("mesh", Text(), "a file: NFF, DXF, STL, OBJ, glTF or DAE", default=None, since=2)
    scale: Vector | None = entry(
        "scale", Numbers(Vector, (Unit.LENGTH,) * 3, 3), "what one unit of the mesh file is", default=None, since=2
    )
    colour: Colour | None = entry(
        "colour", Numbers(Colour, (Unit.NONE,) * 4, 3, Sign.NOT_NEGATIVE), "parts from 0 to 1", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Obstacle(Shape):
    """A solid that robots must not touch, in the world or carried by a link of a robot."""

    name: str = head(Head.NAME)
    pred: int | None = entry(
        "pred", Integer(), "the link or frame that carries it (inside a robot)", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Body(Item):
    """What a link, frame or base carries: looks, collision shapes and mass."""

    name: str | None = entry("name", Text(), "a name for people and controllers", default=None, since=2, rank=-1)
    filename: tuple[str | Auto, ...] = entry(
        "filename", Files(), "mesh files; `auto` draws a generic body", default=(), rank=1
    )
    visual: tuple[Shape, ...] = entry("visual", Block(Shape), "a solid that is drawn", many=True, since=2, rank=1)
    collision: tuple[Shape, ...] = entry(
        "collision", Block(Shape), "a solid that may touch obstacles", many=True, since=2, rank=1
    )
    mass: float | None = entry("mass", Number(Unit.MASS, Sign.NOT_NEGATIVE), "mass", default=None, since=2, rank=1)
    com: Vector | None = entry("com", VECTOR, "centre of mass; the origin if absent", default=None, since=2, rank=1)
    inertia: Inertia | None = entry(
        "inertia",
        Numbers(Inertia, (Unit.INERTIA,) * 6, least=3),
        "about the centre of mass, in the axes of this frame",
        default=None,
        since=2,
        rank=1,
    )


@dataclass(frozen=True, kw_only=True)
class MobileBase(Item):
    """Wheels under a base."""

    drive: DriveKind = entry("type", Word(DriveKind), "how it can move", since=2)
    track: float | None = entry(
        "track", Number(Unit.LENGTH, Sign.POSITIVE), "distance between the driven wheels", default=None, since=2
    )
    wheel: float | None = entry("wheel", Number(Unit.LENGTH, Sign.POSITIVE), "wheel radius", default=None, since=2)
    speed: Twist | None = entry(
        "speed",
        Numbers(Twist, (Unit.SPEED, Unit.ANGULAR_SPEED), 2, Sign.POSITIVE),
        "largest speed",
        default=None,
        since=2,
    )
    acceleration: Twist | None = entry(
        "acceleration",
        Numbers(Twist, (Unit.ACCELERATION, Unit.ANGULAR_ACCELERATION), 2, Sign.POSITIVE),
        "largest acceleration",
        default=None,
        since=2,
    )
    ticks: float | None = entry(
        "ticks", Number(Unit.NONE, Sign.POSITIVE), "odometer counts per wheel turn", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Base(Body):
    """Where a robot stands; it always has Id 0."""

    pos: Vector = entry("pos", VECTOR, "its place in the world", default=ORIGIN)
    ori: Angles = entry("ori", ANGLES, "how it is turned in the world", default=UNTURNED)
    mobile: MobileBase | None = entry(
        "mobile", Block(MobileBase), "wheels: the base itself can move", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Link(Body):
    """One joint and the rigid body it carries."""

    id: int = head(Head.ID)
    parameters: Parameters = entry(
        "parameters",
        Numbers(Parameters, (Unit.ANGLE, Unit.LENGTH, Unit.ANGLE, Unit.LENGTH, Unit.ANGLE, Unit.LENGTH), least=4),
        "Kleinfinger-Khalil placement in the frame of `pred`, with the initial joint value",
    )
    joint: JointType = entry("type", JointKind(), "1 or `prismatic`, 2 or `revolute`; `fixed`: a row with no joint")
    pred: int = entry("pred", Integer(), "the link or frame it is mounted on; 0 is the base")
    limits: Interval | None = entry("limits", JOINT_INTERVAL, "stops, as joint values", default=None)
    range: Interval | None = entry("range", JOINT_INTERVAL, "stops, relative to the initial joint value", default=None)
    passive: bool = entry("passive", Flag(), "moves freely: the controller does not drive it", default=False, since=2)
    speed: float | None = entry(
        "speed", Number(Unit.JOINT_SPEED, Sign.POSITIVE), "largest speed", default=None, since=2
    )
    acceleration: float | None = entry(
        "acceleration",
        Number(Unit.JOINT_ACCELERATION, Sign.POSITIVE),
        "largest acceleration",
        default=None,
        since=2,
    )
    jerk: float | None = entry("jerk", Number(Unit.JOINT_JERK, Sign.POSITIVE), "largest jerk", default=None, since=2)
    effort: float | None = entry(
        "effort", Number(Unit.JOINT_EFFORT, Sign.POSITIVE), "largest torque or force", default=None, since=2
    )
    friction: Friction | None = entry(
        "friction",
        Numbers(Friction, (Unit.JOINT_DAMPING, Unit.JOINT_EFFORT), least=1, sign=Sign.NOT_NEGATIVE),
        "friction that the joint opposes to motion",
        default=None,
        since=2,
    )

    armature: float | None = entry(
        "armature",
        Number(Unit.JOINT_INERTIA, Sign.NOT_NEGATIVE),
        "inertia of motor and gear, seen at the joint",
        default=None,
        since=2,
    )

    @property
    def initial(self) -> float:
        """Joint value in the file [rad | m]; 0 for a fixed row."""
        if self.joint is JointType.REVOLUTE:
            return self.parameters.theta
        return self.parameters.r if self.joint is JointType.PRISMATIC else 0.0

    @property
    def stops(self) -> Interval | None:
        """Lowest and highest joint value [rad | m], from `limits` or `range`."""
        if self.range is not None:
            return Interval(self.initial + self.range.lo, self.initial + self.range.hi)
        return self.limits


@dataclass(frozen=True, kw_only=True)
class Frame(Body):
    """A constant place on a link, on the base or on another frame."""

    id: int = head(Head.ID)
    pos: Vector = entry("pos", VECTOR, "where it is in the frame of `pred`", default=ORIGIN)
    ori: Angles = entry("ori", ANGLES, "how it is turned", default=UNTURNED)
    pred: int = entry("pred", Integer(), "the link or frame it is fixed to; 0 is the base")


@dataclass(frozen=True, kw_only=True)
class Gripper(Item):
    """The moving part of a tool."""

    address: str | None = entry("address", Text(), "URL of its controller", default=None, since=2)
    stroke: Interval = entry(
        "stroke", Numbers(Interval, (Unit.LENGTH,) * 2, 2), "opening when closed and when open", since=2
    )
    speed: float | None = entry(
        "speed", Number(Unit.SPEED, Sign.POSITIVE), "largest speed of the opening", default=None, since=2
    )
    force: float | None = entry("force", Number(Unit.FORCE, Sign.POSITIVE), "largest grip force", default=None, since=2)


@dataclass(frozen=True, kw_only=True)
class Tool(Frame):
    """A frame with a tool on it; the frame is the point that works."""

    gripper: Gripper | None = entry("gripper", Block(Gripper), "it can open and close", default=None, since=2)


@dataclass(frozen=True, kw_only=True)
class Camera(Frame):
    """A frame with a camera in it: z looks forward, x to the right of the image, y down."""

    address: str | None = entry("address", Text(), "URL of its video", default=None, since=2)
    resolution: Pixels = entry(
        "resolution", Numbers(Pixels, (Unit.PIXEL,) * 2, 2, Sign.POSITIVE), "width and height", since=2
    )
    focal: Pixels | None = entry(
        "focal", Numbers(Pixels, (Unit.PIXEL,) * 2, 2, Sign.POSITIVE), "focal lengths", default=None, since=2
    )
    centre: Pixels | None = entry(
        "centre", Numbers(Pixels, (Unit.PIXEL,) * 2, 2), "principal point", default=None, since=2
    )
    distortion: tuple[float, ...] = entry(
        "distortion", NumberList(), "k1 k2 p1 p2 k3 of the usual lens model", default=(), since=2
    )
    rate: float | None = entry("rate", Number(Unit.RATE, Sign.POSITIVE), "images per second", default=None, since=2)


@dataclass(frozen=True, kw_only=True)
class Constraint(Item):
    """Two targets that stay together (a closed loop), or one target that follows devices."""

    targets: tuple[Target, ...] = entry(
        "link frame tool camera", Reference(), "what is held: two of them, or one and devices", many=True
    )
    devices: tuple[int, ...] = entry(
        "device sensor", Ids(), "devices that may drive it, one at a time; 0 is 'none'", default=()
    )
    kind: ClosureKind = entry(
        "type", Word(ClosureKind), "which motion a loop leaves free", default=ClosureKind.WELD, since=2
    )
    axes: tuple[Axis, ...] = entry(
        "axes", Words(Axis), "the held axes one by one, instead of `type`", default=(), since=2
    )

    @property
    def closes_loop(self) -> bool:
        """True for a loop closure, False for a target that follows devices."""
        return len(self.targets) == 2

    @property
    def rows(self) -> int:
        """Number of equations."""
        return len(self.axes) or self.kind.rows


@dataclass(frozen=True, kw_only=True)
class Coupling(Item):
    """A joint that machinery moves with others: q_link = Σ ratio·q_other + offset."""

    link: int = entry("link", Integer(), "the joint that is moved", since=2)
    equals: tuple[JointValue, ...] = entry("equals", Ratios(), "the joints that move it, each with its ratio", since=2)
    offset: float = entry("offset", Number(Unit.JOINT), "added to the sum", default=0.0, since=2)


@dataclass(frozen=True, kw_only=True)
class Posture(Item):
    """Joint values with a name; joints that are not listed keep their initial values."""

    name: str = head(Head.NAME)
    joints: tuple[JointValue, ...] = entry("joints", JointValues(), "joint values", default=(), since=2)


@dataclass(frozen=True, kw_only=True)
class Controller(Item):
    """What drives the joints of a robot, or some of them."""

    address: str = entry("address", Text(), "URL, for example tcp://127.0.0.1:5555 or sim:arm", since=2)
    joints: tuple[int, ...] = entry(
        "joints", Ids(), "the links it drives, in its own order; all active ones if absent", default=(), since=2
    )
    rate: float | None = entry("rate", Number(Unit.RATE, Sign.POSITIVE), "setpoints per second", default=None, since=2)
    watchdog: float | None = entry(
        "watchdog", Number(Unit.TIME, Sign.POSITIVE), "it stops by itself after this silence", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Robot(Item):
    """A tree of links and frames on a base, with the constraints between them."""

    name: str = head(Head.NAME)
    path: str | None = entry("path", Text(), "folder of its mesh files", default=None)
    base: Base = entry("base", Block(Base), "where it stands")
    links: tuple[Link, ...] = entry("link", Block(Link), "a joint and its body", many=True)
    frames: tuple[Frame, ...] = entry("frame", Block(Frame), "a constant place", many=True)
    tools: tuple[Tool, ...] = entry("tool", Block(Tool), "a frame with a tool", many=True, since=2)
    cameras: tuple[Camera, ...] = entry("camera", Block(Camera), "a frame with a camera", many=True, since=2)
    constraints: tuple[Constraint, ...] = entry(
        "constraint ball",
        Block(Constraint, presets={"ball": {"kind": ClosureKind.BALL}}),
        "a closed loop, or a target that follows devices; `ball`: two origins coincide",
        many=True,
    )
    couplings: tuple[Coupling, ...] = entry("coupling", Block(Coupling), "a joint moved by others", many=True, since=2)
    postures: tuple[Posture, ...] = entry("posture", Block(Posture), "named joint values", many=True, since=2)
    controllers: tuple[Controller, ...] = entry(
        "controller", Block(Controller), "what drives the joints", many=True, since=2
    )
    obstacles: tuple[Obstacle, ...] = entry(
        "obstacle", Block(Obstacle), "a solid that this robot carries", many=True, since=2
    )

    def placed(self) -> Iterator[Link | Frame]:
        """Everything with an id, links first."""
        yield from self.links
        yield from self.frames
        yield from self.tools
        yield from self.cameras


@dataclass(frozen=True, kw_only=True)
class DeviceMotion(Item):
    """How the two halves of a device's motion are taken."""

    translation: MotionKind = entry(
        "translation", Word(MotionKind), "straight motion", default=MotionKind.ABSOLUTE, since=2
    )
    rotation: MotionKind = entry(
        "rotation", Word(MotionKind), "turning motion", default=MotionKind.INCREMENTAL, since=2
    )


@dataclass(frozen=True, kw_only=True)
class DeviceEdge(Item):
    """The edge of a device's own workspace, felt as a soft wall."""

    margin: float | None = entry(
        "margin", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "how far before the edge it begins", default=None, since=2
    )
    stiffness: float | None = entry(
        "stiffness", Number(Unit.STIFFNESS, Sign.NOT_NEGATIVE), "spring of the wall", default=None, since=2
    )
    force: float | None = entry(
        "force", Number(Unit.FORCE, Sign.NOT_NEGATIVE), "largest force of the wall; 0: no wall", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Bubble(Item):
    """A ball inside which the hand points, and beyond which it sets a speed."""

    radius: float = entry("radius", Number(Unit.LENGTH, Sign.POSITIVE), "of the ball", since=2)
    rate: float | None = entry(
        "rate", Number(Unit.RATE, Sign.POSITIVE), "speed per depth beyond the ball", default=None, since=2
    )
    speed: float | None = entry(
        "speed", Number(Unit.SPEED, Sign.POSITIVE), "largest such speed of the hand", default=None, since=2
    )
    stiffness: float | None = entry(
        "stiffness", Number(Unit.STIFFNESS, Sign.NOT_NEGATIVE), "spring felt beyond the ball", default=None, since=2
    )


class StabilityMethod(Enum):
    """How forces are kept passive; docs/haptics.md compares them."""

    COUPLING_ONLY = "coupling_only"
    OBSERVER_CONTROLLER = "observer_controller"
    ENERGY_BOUNDING = "energy_bounding"


@dataclass(frozen=True, kw_only=True)
class HapticStability(Item):
    """How forces are kept passive."""

    type: StabilityMethod | None = entry("type", Word(StabilityMethod), "the method", default=None, since=2)
    trust: float | None = entry(
        "trust",
        Number(sign=Sign.NOT_NEGATIVE),
        "share of the device's losses that is counted on, 0 to 1",
        default=None,
        since=2,
    )


class LinkMethod(Enum):
    """What keeps the link to an arm passive; docs/bilateral.md compares them."""

    DIRECT = "direct"
    PASSIVITY = "passivity"
    WAVES = "waves"


class LinkArchitecture(Enum):
    """What goes over the link to an arm and makes the force on the hand."""

    POSITION_FORCE = "position_force"
    POSITION_POSITION = "position_position"
    FOUR_CHANNEL = "four_channel"


@dataclass(frozen=True, kw_only=True)
class HapticBilateral(Item):
    """How contact at the arm is reflected to the hand, also over a link with delay."""

    type: LinkMethod | None = entry("type", Word(LinkMethod), "the method", default=None, since=2)
    architecture: LinkArchitecture | None = entry(
        "architecture", Word(LinkArchitecture), "what is reflected", default=None, since=2
    )
    firmness: float | None = entry(
        "firmness",
        Number(Unit.STIFFNESS, Sign.POSITIVE),
        "largest stiffness at which a force grows that energy is short for",
        default=None,
        since=2,
    )
    impedance: float | None = entry(
        "impedance", Number(Unit.DAMPING, Sign.POSITIVE), "of the waves", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class HapticBody(Item):
    """What is trusted of a device's own mechanics, felt at the handle."""

    damping: float | None = entry(
        "damping", Number(Unit.DAMPING, Sign.NOT_NEGATIVE), "its viscous damping", default=None, since=2
    )
    turn_damping: float | None = entry(
        "turn_damping", Number(Unit.TURN_DAMPING, Sign.NOT_NEGATIVE), "the same in rotation", default=None, since=2
    )
    friction: float | None = entry(
        "friction", Number(Unit.FORCE, Sign.NOT_NEGATIVE), "its dry friction", default=None, since=2
    )
    mass: float | None = entry("mass", Number(Unit.MASS, Sign.NOT_NEGATIVE), "its mass", default=None, since=2)
    resolution: float | None = entry(
        "resolution", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "step of its encoders", default=None, since=2
    )
    turn_resolution: float | None = entry(
        "turn_resolution", Number(Unit.ANGLE, Sign.NOT_NEGATIVE), "the same in rotation", default=None, since=2
    )
    delay: float | None = entry(
        "delay", Number(Unit.TIME, Sign.NOT_NEGATIVE), "from a sample until its force acts", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Haptics(Item):
    """How the robot is felt through a device."""

    stiffness: float | None = entry(
        "stiffness", Number(Unit.STIFFNESS, Sign.NOT_NEGATIVE), "spring between hand and robot", default=None, since=2
    )
    damping: float | None = entry(
        "damping", Number(Unit.DAMPING, Sign.NOT_NEGATIVE), "damper beside that spring", default=None, since=2
    )
    turn_stiffness: float | None = entry(
        "turn_stiffness", Number(Unit.TURN_STIFFNESS, Sign.NOT_NEGATIVE), "spring in rotation", default=None, since=2
    )
    turn_damping: float | None = entry(
        "turn_damping", Number(Unit.TURN_DAMPING, Sign.NOT_NEGATIVE), "damper in rotation", default=None, since=2
    )
    force: float | None = entry(
        "force", Number(Unit.FORCE, Sign.POSITIVE), "largest force on the hand", default=None, since=2
    )
    torque: float | None = entry(
        "torque", Number(Unit.TORQUE, Sign.POSITIVE), "largest torque on the hand", default=None, since=2
    )
    stops: float | None = entry(
        "stops", Number(sign=Sign.NOT_NEGATIVE), "gain of the resistance before joint stops", default=None, since=2
    )
    singularity: float | None = entry(
        "singularity",
        Number(sign=Sign.NOT_NEGATIVE),
        "gain of the resistance near singularities",
        default=None,
        since=2,
    )
    contact: float | None = entry(
        "contact", Number(sign=Sign.NOT_NEGATIVE), "gain of contact forces measured at the arm", default=None, since=2
    )
    stability: HapticStability | None = entry(
        "stability", Block(HapticStability), "how forces are kept passive", default=None, since=2
    )
    bilateral: HapticBilateral | None = entry(
        "bilateral", Block(HapticBilateral), "how contact at the arm is reflected", default=None, since=2
    )
    body: HapticBody | None = entry(
        "body", Block(HapticBody), "what is trusted of the device's own mechanics", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Device(Item):
    """Anything a hand moves; Id 0 is the null device."""

    id: int = head(Head.ID)
    name: str | None = entry("name", Text(), "a name for people", default=None, since=2)
    address: str | None = entry("address", Text(), "URL, for example sim:syntaxer", default=None, since=2)
    port: str | None = entry("port", Text(), "the port it is plugged into", default=None)
    type: str | None = entry("type", Word(), "spaceball, panel, mouse3d, syntaxer, …", default=None)
    translation: float = entry("translation", Number(), "sensitivity of straight motion", default=1.0)
    rotation: float = entry("rotation", Number(), "sensitivity of turning motion", default=1.0)
    scale: Vector | None = entry(
        "scale",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "robot motion per hand motion along each axis",
        default=None,
        since=2,
    )
    motion: DeviceMotion | None = entry(
        "motion", Block(DeviceMotion), "taken as a place or as a speed", default=None, since=2
    )
    reference: ReferenceFrame = entry(
        "reference", Word(ReferenceFrame), "whose axes it moves along", default=ReferenceFrame.WORLD, since=2
    )
    deadman: int | None = entry("deadman", Integer(), "button that must be held to move", default=None, since=2)
    estop: int | None = entry("estop", Integer(), "button that is an emergency stop", default=None, since=2)
    clutch: int | None = entry(
        "clutch", Integer(), "button that lets the hand move without the robot", default=None, since=2
    )
    deadzone: float | None = entry(
        "deadzone", Number(sign=Sign.NOT_NEGATIVE), "part of the travel that is taken as rest", default=None, since=2
    )
    curve: float | None = entry(
        "curve", Number(sign=Sign.POSITIVE), "exponent of the response, 1 is straight", default=None, since=2
    )
    lock: tuple[Axis, ...] = entry("lock", Words(Axis), "axes that are ignored", default=(), since=2)
    seat: Angles = entry(
        "seat",
        ANGLES,
        "how it is turned from its usual place before the operator: x to the operator, z up",
        default=UNTURNED,
        since=2,
    )
    straight_rate: float | None = entry(
        "straight_rate",
        Number(Unit.SPEED, Sign.POSITIVE),
        "speed at full deflection of a straight axis that is taken as a speed",
        default=None,
        since=2,
    )
    turning_rate: float | None = entry(
        "turning_rate",
        Number(Unit.ANGULAR_SPEED, Sign.POSITIVE),
        "speed at full deflection of a turning axis",
        default=None,
        since=2,
    )
    edge: DeviceEdge | None = entry(
        "edge", Block(DeviceEdge), "the edge of its own workspace, felt as a wall", default=None, since=2
    )
    bubble: Bubble | None = entry(
        "bubble", Block(Bubble), "beyond this ball the hand sets a speed", default=None, since=2
    )
    haptics: Haptics | None = entry("haptics", Block(Haptics), "how the robot is felt", default=None, since=2)


class GuideKind(Enum):
    """What a guide leads the hand to; docs/haptics.md has their forces."""

    POINT = "point"
    LINE = "line"
    PLANE = "plane"
    AXIS = "axis"
    CURVE = "curve"
    CONE = "cone"
    ZONE = "zone"


@dataclass(frozen=True, kw_only=True)
class Guide(Item):
    """Something in the world that the hand is led to, felt and not touched."""

    name: str = head(Head.NAME)
    type: GuideKind = entry("type", Word(GuideKind), "what it is", since=2)
    pos: Vector | None = entry(
        "pos",
        VECTOR,
        "the point, a point of line, plane or axis, tip of a cone, middle of a zone",
        default=None,
        since=2,
    )
    direction: Vector | None = entry(
        "direction",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "of a line or axis; where a cone opens to; the normal of a plane",
        default=None,
        since=2,
    )
    points: tuple[float, ...] = entry(
        "points", NumberList(Unit.LENGTH), "of a curve, from one to the next: x y z of each", default=(), since=2
    )
    half_angle: float | None = entry(
        "half_angle", Number(Unit.ANGLE, Sign.POSITIVE), "half of the opening of a cone", default=None, since=2
    )
    size: float | None = entry(
        "size", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "radius of a zone, free inside", default=None, since=2
    )
    radius: float | None = entry(
        "radius", Number(Unit.LENGTH, Sign.NOT_NEGATIVE), "how far it attracts; 0: without end", default=None, since=2
    )
    stiffness: float | None = entry(
        "stiffness", Number(Unit.STIFFNESS, Sign.POSITIVE), "spring to its nearest point", default=None, since=2
    )
    damping: float | None = entry(
        "damping", Number(Unit.DAMPING, Sign.NOT_NEGATIVE), "damper across it", default=None, since=2
    )
    force: float | None = entry("force", Number(Unit.FORCE, Sign.POSITIVE), "largest pull", default=None, since=2)
    torque: float | None = entry(
        "torque",
        Number(Unit.TORQUE, Sign.NOT_NEGATIVE),
        "of an axis, on a tool that is square to it; less as it turns along it",
        default=None,
        since=2,
    )
    tool: Vector | None = entry(
        "tool",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "direction in the handle that an axis turns along itself; z if absent",
        default=None,
        since=2,
    )


@dataclass(frozen=True, kw_only=True)
class Scene(Item):
    """All that one MAD file describes."""

    name: str
    version: tuple[int, int] | None = None  # None: the header gives none, which means 1
    unit: LengthUnit = entry(
        "unit", Word(LengthUnit), "unit of every length in the file", default=LengthUnit.MM, since=2
    )
    devices: tuple[Device, ...] = entry("device sensor", Block(Device), "something a hand moves", many=True)
    robots: tuple[Robot, ...] = entry("robot", Block(Robot), "a robot", many=True)
    obstacles: tuple[Obstacle, ...] = entry("obstacle", Block(Obstacle), "a solid in the world", many=True, since=2)
    guides: tuple[Guide, ...] = entry("guide", Block(Guide), "something the hand is led to", many=True, since=2)
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)

    @property
    def major(self) -> int:
        """Major version of the language it is written in."""
        return self.version[0] if self.version else 1

    def robot(self, name: str) -> Robot:
        """The robot of that name; raises KeyError that lists the names there are."""
        for robot in self.robots:
            if robot.name == name:
                return robot
        raise KeyError(f"no robot '{name}' in this scene; there are: {', '.join(r.name for r in self.robots)}")
