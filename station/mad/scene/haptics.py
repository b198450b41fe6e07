"""How a device pushes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from station.mad.scene.values import Item
from station.mad.schema import Block, Number, Sign, Word, entry
from station.mad.units import Unit


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


class Crossing(Enum):
    """Whether the hand decides when a robot with loops goes over from one assembly to another."""

    NO = "no"
    YES = "yes"


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
    crossing: Crossing | None = entry(
        "crossing",
        Word(Crossing),
        "singularities between assemblies of a robot with loops: `yes`, felt, and crossed by a push; `no`, they hold",
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
