"""What a robot is made of: base, links, frames, tools, cameras."""

from __future__ import annotations

from dataclasses import dataclass

from station.mad.scene.calibrated import Calibrated
from station.mad.scene.solids import Shape
from station.mad.scene.ties import Mount
from station.mad.scene.values import (
    ANGLES,
    JOINT_INTERVAL,
    ORIGIN,
    UNTURNED,
    VECTOR,
    Angles,
    Auto,
    DriveKind,
    Friction,
    Inertia,
    Interval,
    Item,
    Parameters,
    Pixels,
    Twist,
    Vector,
)
from station.mad.schema import (
    Block,
    Files,
    Flag,
    Head,
    Integer,
    JointKind,
    Number,
    NumberList,
    Numbers,
    Sign,
    Text,
    Word,
    entry,
    head,
)
from station.mad.units import JointType, Unit


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

    on: Mount | None = entry("on", Block(Mount), "the part of another robot that carries it", default=None, since=2)
    pos: Vector = entry("pos", VECTOR, "its place in the world, or on what carries it", default=ORIGIN)
    ori: Angles = entry("ori", ANGLES, "how it is turned there", default=UNTURNED)
    mobile: MobileBase | None = entry(
        "mobile", Block(MobileBase), "wheels: the base itself can move", default=None, since=2
    )


@dataclass(frozen=True, kw_only=True)
class Link(Body):
    """One joint and the rigid body it carries."""

    id: int = head(Head.ID)
    parameters: Parameters = entry(
        "parameters",
        Numbers(
            Parameters,
            (Unit.ANGLE, Unit.LENGTH, Unit.ANGLE, Unit.LENGTH, Unit.ANGLE, Unit.LENGTH),
            least=4,
            older={"rpara": "r", "dpara": "d"},  # as files of 1998 write them, all labels five letters long
        ),
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
    gear: float = entry(
        "gear",
        Number(Unit.NONE, Sign.POSITIVE),
        "how far the joint moves per unit that its controller counts; 1 if absent",
        default=1.0,
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
    calibrated: tuple[Calibrated, ...] = entry(
        "calibrated", Block(Calibrated), "its place or its lens was measured", many=True, since=2
    )
