"""What a hand moves."""

from __future__ import annotations

from dataclasses import dataclass

from station.mad.scene.haptics import Haptics
from station.mad.scene.values import ANGLES, UNTURNED, Angles, Axis, Item, Loss, MotionKind, ReferenceFrame, Vector
from station.mad.schema import Block, Freedoms, Head, Integer, Number, Numbers, Sign, Text, Word, Words, entry, head
from station.mad.units import Unit


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


@dataclass(frozen=True, kw_only=True)
class Device(Item):
    """Anything a hand moves; Id 0 is the null device."""

    id: int = head(Head.ID)
    name: str | None = entry("name", Text(), "a name for people", default=None, since=2)
    address: str | None = entry("address", Text(), "URL, for example sim:syntaxer", default=None, since=2)
    port: str | None = entry("port", Text(), "the port it is plugged into", default=None)
    type: str | None = entry("type", Word(), "spaceball, panel, mouse3d, syntaxer, …", default=None)
    straight_freedoms: int = entry(
        "straight_freedoms translation", Freedoms("straight_scale"), "directions it moves along: x, y, z", default=3
    )
    turning_freedoms: int = entry(
        "turning_freedoms rotation", Freedoms("turning_scale"), "axes it turns about: x, y, z", default=3
    )
    straight_scale: float = entry("straight_scale", Number(), "robot motion per hand motion", default=1.0)
    turning_scale: float = entry("turning_scale", Number(), "turn of the robot per turn of the hand", default=1.0)
    scale: Vector | None = entry(
        "scale",
        Numbers(Vector, (Unit.NONE,) * 3, 3),
        "the same along each axis, besides",
        default=None,
        since=2,
    )
    motion: DeviceMotion | None = entry(
        "motion", Block(DeviceMotion), "taken as a place or as a speed", default=None, since=2
    )
    reference: ReferenceFrame = entry(
        "reference", Word(ReferenceFrame), "whose axes it moves along", default=ReferenceFrame.WORLD, since=2
    )
    loss: Loss = entry(
        "loss",
        Word(Loss),
        "what holds when it is lost: `own`, the frame that it leads; `all`, every robot",
        default=Loss.OWN,
        since=2,
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
