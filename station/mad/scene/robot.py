"""A robot: its bodies, and what is between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from station.mad.scene.bodies import Base, Camera, Frame, Link, Tool
from station.mad.scene.calibrated import Calibrated
from station.mad.scene.solids import Obstacle
from station.mad.scene.ties import axes_entry, kind_entry, off_entry
from station.mad.scene.values import Axis, CamPoint, ClosureKind, Item, JointValue, Loss, Priority, Target
from station.mad.schema import (
    Block,
    CamTable,
    Coefficients,
    Flag,
    Head,
    Ids,
    Integer,
    JointValues,
    Number,
    Ratios,
    Reference,
    Sign,
    Text,
    Word,
    WordOrInteger,
    entry,
    head,
)
from station.mad.units import JointType, Unit


@dataclass(frozen=True, kw_only=True)
class Constraint(Item):
    """Two targets that stay together (a closed loop), or one target that follows devices."""

    targets: tuple[Target, ...] = entry(
        "link frame tool camera", Reference(), "what is held: two of them, or one and devices", many=True
    )
    devices: tuple[int, ...] = entry(
        "device sensor", Ids(), "devices that may drive it, one at a time; 0 is 'none'", default=()
    )
    kind: ClosureKind = kind_entry()
    axes: tuple[Axis, ...] = axes_entry()
    off: bool = off_entry()

    priority: tuple[Priority | int, ...] = entry(
        "priority",
        WordOrInteger(Priority),
        "what follows first if not all can: place or orientation; a number: its rank among constraints, lowest first",
        many=True,
        since=2,
    )

    @property
    def first(self) -> Priority | None:
        """What follows first where a robot cannot do all; None: what it can do best."""
        return next((part for part in self.priority if isinstance(part, Priority)), None)

    @property
    def rank(self) -> int:
        """Among constraints of one robot that follow devices: lower ones are followed first; 0 if not said."""
        return next((part for part in self.priority if isinstance(part, int)), 0)

    @property
    def closes_loop(self) -> bool:
        """True for a loop closure, False for a target that follows devices."""
        return len(self.targets) == 2

    @property
    def holds(self) -> bool:
        """True for a loop that is closed from the start on."""
        return self.closes_loop and not self.off

    @property
    def rows(self) -> int:
        """Number of equations."""
        return len(self.axes) or self.kind.rows


@dataclass(frozen=True, kw_only=True)
class Coupling(Item):
    """A joint that machinery moves with others: q_link = Σ ratio·q_other + f(q_leader) + offset."""

    link: int = entry("link", Integer(), "the joint that is moved", since=2)
    equals: tuple[JointValue, ...] = entry(
        "equals", Ratios(), "the joints that move it, each with its ratio", default=(), since=2
    )
    leader: int | None = entry("leader", Integer(), "the joint that moves it by a curve", default=None, since=2)
    cam: tuple[CamPoint, ...] = entry(
        "cam", CamTable(), "the curve by points: value of the leader, value of the joint, …", default=(), since=2
    )
    periodic: bool = entry("periodic", Flag(), "the table of the cam begins anew at its end", default=False, since=2)
    polynomial: tuple[float, ...] = entry(
        "polynomial", Coefficients(), "the curve as c0 + c1·x + c2·x² + …, x the leader's value", default=(), since=2
    )
    offset: float = entry("offset", Number(Unit.JOINT), "added to the sum", default=0.0, since=2)

    @property
    def leaders(self) -> tuple[int, ...]:
        """All joints that move it."""
        return (*(other.link for other in self.equals), *(() if self.leader is None else (self.leader,)))


@dataclass(frozen=True, kw_only=True)
class Posture(Item):
    """Joint values with a name; joints that are not listed keep their initial values."""

    name: str = head(Head.NAME)
    joints: tuple[JointValue, ...] = entry("joints", JointValues(), "joint values", default=(), since=2)


@dataclass(frozen=True, kw_only=True)
class Controller(Item):
    """What drives the joints of a robot, or some of them."""

    name: str | None = entry("name", Text(), "a name for people; its number if absent", default=None, since=2)
    address: str = entry("address", Text(), "URL, for example tcp://127.0.0.1:5555 or sim:arm", since=2)
    joints: tuple[int, ...] = entry(
        "joints", Ids(), "the links it drives, in its own order; all active ones if absent", default=(), since=2
    )
    rate: float | None = entry(
        "rate", Number(Unit.RATE, Sign.POSITIVE), "setpoints per second at most", default=None, since=2
    )
    watchdog: float | None = entry(
        "watchdog", Number(Unit.TIME, Sign.POSITIVE), "it stops by itself after this silence", default=None, since=2
    )
    loss: Loss = entry(
        "loss",
        Word(Loss),
        "what holds when it is lost: `own`, its robot and those tied to it; `all`, every robot",
        default=Loss.OWN,
        since=2,
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
    calibrated: Calibrated | None = entry(
        "calibrated", Block(Calibrated), "its dimensions were measured", default=None, since=2
    )

    @property
    def active(self) -> tuple[int, ...]:
        """Ids of the links whose joints a controller can drive, in the order of the file."""
        return tuple(link.id for link in self.links if link.joint is not JointType.FIXED and not link.passive)

    @property
    def named_controllers(self) -> dict[str, Controller]:
        """By the names that runs know them by: that of the robot, with `.` and their own where there are several."""
        if len(self.controllers) == 1:
            return {self.name: self.controllers[0]}
        return {f"{self.name}.{one.name or nth}": one for nth, one in enumerate(self.controllers, start=1)}

    def placed(self) -> Iterator[Link | Frame]:
        """Everything with an id, links first."""
        yield from self.links
        yield from self.frames
        yield from self.tools
        yield from self.cameras
