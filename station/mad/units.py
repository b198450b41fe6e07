"""File units ⇄ SI, correctly rounded both ways.

A MAD file holds millimetres (or metres) and degrees; everything behind `station.mad` is SI. Conversion goes
through decimal arithmetic, so a number read from a file is the float nearest to its SI value, and the text
written for an SI value reads back as exactly that float: load → write → load changes no bit.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from enum import Enum

PI = Decimal("3.14159265358979323846264338327950288419716939937511")
_EXACT = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_SHORTEST = [Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[]) for digits in range(15, 22)]

RADIANS_PER_DEGREE = _EXACT.divide(PI, Decimal(180))


class LengthUnit(Enum):
    """Unit of every length in a file; the value is one such unit in metres."""

    MM = Decimal("0.001")
    M = Decimal(1)


class JointType(Enum):
    """What the joint of a link does; the value is what MAD 1 writes after `type`."""

    PRISMATIC = 1
    REVOLUTE = 2
    FIXED = 0


class Unit(Enum):
    """What a number in a file counts. JOINT units depend on the joint: degrees if it turns, lengths if it slides."""

    NONE = ""
    LENGTH = "length"
    ANGLE = "°"
    JOINT = "° | length"
    JOINT_SPEED = "°/s | length/s"
    JOINT_ACCELERATION = "°/s² | length/s²"
    JOINT_JERK = "°/s³ | length/s³"
    JOINT_EFFORT = "N·m | N"
    JOINT_DAMPING = "N·m·s/rad | N·s/m"
    JOINT_INERTIA = "kg·m² | kg"
    SPEED = "length/s"
    ACCELERATION = "length/s²"
    ANGULAR_SPEED = "°/s"
    ANGULAR_ACCELERATION = "°/s²"
    TIME = "s"
    RATE = "Hz"
    MASS = "kg"
    INERTIA = "kg·m²"
    FORCE = "N"
    TORQUE = "N·m"
    STIFFNESS = "N/m"
    DAMPING = "N·s/m"
    TURN_STIFFNESS = "N·m/rad"
    TURN_DAMPING = "N·m·s/rad"
    PIXEL = "px"


_LENGTHS = {Unit.LENGTH, Unit.SPEED, Unit.ACCELERATION}
_ANGLES = {Unit.ANGLE, Unit.ANGULAR_SPEED, Unit.ANGULAR_ACCELERATION}
_BY_JOINT = {Unit.JOINT, Unit.JOINT_SPEED, Unit.JOINT_ACCELERATION, Unit.JOINT_JERK}


FARTHEST = 1e5  # of lengths and angles [m, rad]: 100 km, or 16,000 turns
LARGEST = 1e12  # of all other numbers [SI]: far above any robot, and its powers still fit a float
SMALLEST = 1e-12  # of numbers that must be more than 0 [SI]: one can still divide by it


def largest_of(unit: Unit) -> float:
    """How large a number of that unit may be, either way [SI]; beyond that sums and powers would overflow."""
    return FARTHEST if unit in (Unit.LENGTH, Unit.ANGLE, Unit.JOINT) else LARGEST


def scale_of(unit: Unit, length: LengthUnit, joint: JointType = JointType.REVOLUTE) -> Decimal:
    """One file unit in SI. Masses, forces and their compounds are SI in the file already: 1."""
    if unit in _LENGTHS or (unit in _BY_JOINT and joint is JointType.PRISMATIC):
        return length.value
    if unit in _ANGLES or unit in _BY_JOINT:
        return RADIANS_PER_DEGREE
    return Decimal(1)


def ratio_of(driven: JointType, driving: JointType, length: LengthUnit) -> Decimal:
    """One file unit of the driven joint per file unit of the driving one, in SI."""
    own, other = (scale_of(Unit.JOINT, length, joint) for joint in (driven, driving))
    return Decimal(1) if own == other else _EXACT.divide(own, other)


def coefficient_of(driven: JointType, driving: JointType, length: LengthUnit, power: int) -> Decimal:
    """One file unit of the driven joint per so high a power of one of the driving one, in SI."""
    own, other = (scale_of(Unit.JOINT, length, joint) for joint in (driven, driving))
    return own if power == 0 else _EXACT.divide(own, _EXACT.power(other, power))


def from_text(text: str, scale: Decimal) -> float:
    """The float nearest to `text` × `scale`; not finite where the text is not or overflows."""
    if scale == 1:
        return float(text)
    return float(_EXACT.multiply(_EXACT.create_decimal(text), scale))


def to_text(value: float, scale: Decimal) -> str:
    """The shortest decimal text that `from_text` reads back as exactly `value`."""
    if value == 0.0:
        return "0"
    if scale == 1:
        return _plain(Decimal(repr(value)))
    exact = _EXACT.divide(Decimal(value), scale)
    for context in _SHORTEST:
        text = _plain(context.plus(exact))
        if from_text(text, scale) == value:
            return text
    raise AssertionError(f"no text of 21 digits reads back as {value!r}")  # 17 always suffice


def joint_text(value: float, joint: JointType, length: LengthUnit, digits: int = 8) -> str:
    """A joint value for people, rounded: `-60°`, `73 mm`."""
    shown = f"{value / float(scale_of(Unit.JOINT, length, joint)):.{digits}g}"
    return f"{shown} {length.name.lower()}" if joint is JointType.PRISMATIC else f"{shown}°"


def _plain(number: Decimal) -> str:
    """`1.5`, `-0.002`, `90`: no exponent unless the number is very small or very large."""
    number = number.normalize(_EXACT)
    exponent = number.adjusted()
    return f"{number:f}" if -7 <= exponent <= 15 else f"{number:e}"
