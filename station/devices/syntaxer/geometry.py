"""All dimensions of the syntaxer, SI units. Where a figure is not in print it is marked as our estimate.

    Syntaxer ── 3 × Chain (arm and bars) ── Motor
             ├─ Stops, Cylinder
             └─ Paramat ── 3 × Strut (string in a spring) ── Motor

Every part checks itself; and refuses numbers that cannot be in one line, with its name and the value. `numbers.py`
turns it all into named numbers and back, `state.py` into records for kernels.

The same as named numbers and back: what a device tells in its handshake, and what a calibration changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from station.devices.errors import DeviceError

Triple = tuple[float, float, float]

DEGREE = math.pi / 180.0
HALF_WORD = 2**31


class GeometryError(DeviceError, ValueError):
    """Dimensions of which no device can be made."""


def need(part: object, condition: bool, rule: str) -> None:
    """Refuse a part that breaks a rule."""
    if not condition:
        raise GeometryError(f"syntaxer geometry, {type(part).__name__.lower()}: {rule}")


def positive(part: object, *names: str) -> None:
    """Refuse a part one of whose numbers is not finite and above 0."""
    for name in names:
        value = getattr(part, name)
        need(part, 0.0 < value < math.inf, f"{name} is a finite number above 0, not {value!r}")


def finite(part: object, *names: str) -> None:
    """Refuse a part one of whose numbers, or triples of numbers, is not finite."""
    for name in names:
        value = getattr(part, name)
        values = value if isinstance(value, tuple) else (value,)
        need(part, all(map(math.isfinite, values)), f"{name} is finite, not {value!r}")


def mass(part: object, *names: str) -> None:
    """Refuse a part one of whose masses is not finite or below 0."""
    for name in names:
        value = getattr(part, name)
        need(part, 0.0 <= value < math.inf, f"{name} is a mass of 0 or more, not {value!r}")


def many(part: object, name: str, count: int) -> None:
    """Refuse a part of which there are not so many."""
    have = len(getattr(part, name))
    need(part, have == count, f"{name} are {count}, not {have}")


@dataclass(frozen=True, kw_only=True)
class Motor:
    """A DC motor with encoder. Defaults: Maxon RE 25 class, 20 W, 24 V winding; our estimates, not a data sheet."""

    torque_constant: float = 0.0235  # [N·m/A]
    continuous: float = 1.2  # what it bears for long, standing still [A]
    peak: float = 3.6  # what it bears for about a second: nine times the heat [A]
    resistance: float = 2.3  # [Ω]
    rotor_inertia: float = 1.0e-6  # [kg·m²]
    counts: int = 2000  # of the encoder per turn, four per line

    def __post_init__(self) -> None:
        positive(self, "torque_constant", "continuous", "peak", "resistance", "rotor_inertia", "counts")
        need(self, self.peak >= self.continuous, "peak is at least the continuous current")


# 13 mm, 3 W, light enough to ride on the platform; our estimate.
SMALL_MOTOR = Motor(
    torque_constant=0.008, continuous=0.30, peak=0.75, resistance=14.0, rotor_inertia=5.0e-8, counts=2000
)


@dataclass(frozen=True, kw_only=True)
class Chain:
    """One arm and its pair of bars. Lengths and ratio of the thesis; masses and damping are our estimates."""

    azimuth: float = 0.0  # on the plate, clockwise from the top as the operator sees it [rad]
    base_radius: float = 0.150  # RA, centre of the plate to motor axis [m]
    platform_radius: float = 0.050  # RB, centre of the platform to bar joints [m]
    arm: float = 0.160  # LA [m]
    bar: float = 0.265  # LB [m]
    ratio: float = 16.0  # motor turns per turn of the arm: sector 144 mm, pinion 9 mm
    zero: float = 0.0  # angle of the arm at the home count [rad]
    motor_gain: float = 1.0  # torque constant of this arm's own motor, over that of `Syntaxer.motor`
    arm_mass: float = 0.110  # [kg]
    arm_centre: float = 0.050  # its centre of mass from the motor axis [m]
    bar_mass: float = 0.030  # both bars together [kg]
    bar_centre: float = 0.5  # their centre of mass: 0 at the elbow, 1 at the platform
    damping: float = 0.02  # viscous, at the arm [N·m·s/rad]

    def __post_init__(self) -> None:
        positive(self, "base_radius", "platform_radius", "arm", "bar", "ratio", "motor_gain", "damping")
        finite(self, "azimuth", "zero", "arm_centre")
        mass(self, "arm_mass", "bar_mass")
        need(self, 0.0 <= self.bar_centre <= 1.0, "bar_centre lies between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class Stops:
    """Ends of travel of the translation stage, as in robots/syntaxer.mad [rad]."""

    motor_low: float = -50.0 * DEGREE
    motor_high: float = 110.0 * DEGREE
    bar_low: float = 35.0 * DEGREE  # bars against the arm
    bar_high: float = 155.0 * DEGREE
    sideways: float = 42.0 * DEGREE

    def __post_init__(self) -> None:
        need(self, -math.pi < self.motor_low < self.motor_high < math.pi, "motor_low is below motor_high")
        need(self, 0.0 < self.bar_low < self.bar_high < math.pi, "bar_low is below bar_high, both within 0 and 180°")
        need(self, 0.0 < self.sideways < math.pi / 2, "sideways lies within 0 and 90°")


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """The workspace that is promised: a cylinder whose axis is that of the plate."""

    radius: float = 0.170  # [m]
    near: float = 0.145  # end towards the plate [m]
    far: float = 0.295  # end towards the operator [m]

    def __post_init__(self) -> None:
        positive(self, "radius")
        need(self, 0.0 < self.near < self.far < math.inf, "near is below far, both before the plate")


@dataclass(frozen=True, kw_only=True)
class Strut:
    """A kevlar string in the middle of a coil spring, from the platform to the moving plate; ours throughout."""

    anchor: Triple  # eye on the platform, from the ball, axes of the device [m]
    point: Triple  # on the plate, from the ball, axes of the plate [m]
    spring: float = 400.0  # rate [N/m]
    pretension: float = 8.0  # by a spiral spring on the drum; the coil spring pushes as much when neutral [N]
    drum_radius: float = 0.006  # [m]
    ratio: float = 16.0  # motor turns per turn of the drum
    motor_gain: float = 1.0  # torque constant of this string's own motor, over that of `Paramat.motor`

    def __post_init__(self) -> None:
        positive(self, "spring", "pretension", "drum_radius", "ratio", "motor_gain")
        for name in ("anchor", "point"):
            many(self, name, 3)
            finite(self, name)
        need(self, self.neutral > 1e-3, "anchor and point are at least 1 mm apart")

    @property
    def neutral(self) -> float:
        """Length when the plate is not turned [m]."""
        return math.dist(self.anchor, self.point)


def default_struts() -> tuple[Strut, Strut, Strut]:
    """One strut across (turns about x), two along the mast (turn about z and y): each its own axis when neutral."""
    return (
        Strut(anchor=(0.0, -0.040, -0.032), point=(0.0, 0.0, -0.032)),
        Strut(anchor=(-0.050, -0.032, 0.0), point=(0.0, -0.032, 0.0)),
        Strut(anchor=(-0.050, 0.0, 0.032), point=(0.0, 0.0, 0.032)),
    )


@dataclass(frozen=True, kw_only=True)
class Paramat:
    """The rotation stage on the platform; its ball is at the centre of the platform. Range of the thesis, rest ours."""

    struts: tuple[Strut, Strut, Strut] = field(default_factory=default_struts)
    motor: Motor = SMALL_MOTOR
    range: float = 15.0 * DEGREE  # of each component of the rotation vector, both ways [rad]
    least_tension: float = 1.0  # a string that hangs through measures nothing [N]
    most_tension: float = 25.0  # [N]
    fixed_mass: float = 0.130  # mast, drums and motors [kg]
    handle_mass: float = 0.090  # plate and handle [kg]
    handle_centre: Triple = (0.020, 0.0, 0.0)  # their centre of mass from the ball, axes of the plate [m]
    damping: float = 0.001  # of the plate, viscous [N·m·s/rad]

    def __post_init__(self) -> None:
        many(self, "struts", 3)
        many(self, "handle_centre", 3)
        finite(self, "handle_centre")
        mass(self, "fixed_mass", "handle_mass")
        need(self, 0.0 < self.range < math.pi / 4, "range lies within 0 and 45°")
        positive(self, "least_tension", "most_tension", "damping")
        inside = all(self.least_tension < strut.pretension < self.most_tension for strut in self.struts)
        need(self, inside, "pretension lies between least_tension and most_tension")


def default_chains() -> tuple[Chain, Chain, Chain]:
    """Three alike, a third of a turn apart, the first one on top."""
    return Chain(), Chain(azimuth=2.0 * math.pi / 3.0), Chain(azimuth=4.0 * math.pi / 3.0)


@dataclass(frozen=True, kw_only=True)
class Syntaxer:
    """The whole device. Device frame: origin in the centre of the plate, x to the operator, z up."""

    chains: tuple[Chain, Chain, Chain] = field(default_factory=default_chains)
    motor: Motor = Motor()
    stops: Stops = Stops()
    cylinder: Cylinder = Cylinder()
    paramat: Paramat = field(default_factory=Paramat)
    platform_mass: float = 0.080  # the ring alone; with the PARAMAT 0.3 kg, as in robots/syntaxer.mad [kg]
    balancer: Triple = (0.0, 0.0, 2.943)  # steady pull of a spring balancer on the platform [N]; our addition
    gravity: Triple = (0.0, 0.0, -9.81)  # in the device frame: the plate may lean [m/s²]
    home: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)  # counts at arm angle `zero`, string `neutral`
    rate: float = 1000.0  # samples and currents per second [Hz]

    def __post_init__(self) -> None:
        for name in ("chains", "balancer", "gravity"):
            many(self, name, 3)
        many(self, "home", 6)
        mass(self, "platform_mass")
        positive(self, "rate")
        finite(self, "balancer", "gravity")
        need(self, all(-HALF_WORD <= count < HALF_WORD for count in self.home), "home counts have 32 bits")
        azimuths = [chain.azimuth for chain in self.chains]
        rising = all(math.sin(azimuths[(i + 1) % 3] - azimuths[i]) > 0.0 for i in range(3))
        need(self, rising, "chains are in the order of their azimuths, less than half a turn apart")


__all__ = ["SMALL_MOTOR", "Chain", "Cylinder", "GeometryError", "Motor", "Paramat", "Stops", "Strut", "Syntaxer"]


DEFAULT = Syntaxer()


def numbers_of(geometry: Syntaxer) -> dict[str, float | int]:
    """All numbers of a geometry by name."""
    return dict(_walk(geometry, ""))


def geometry_from(numbers: Mapping[str, float | int], base: Syntaxer = DEFAULT) -> Syntaxer:
    """`base` with some numbers changed; raises GeometryError for a name that is not there or a value that cannot be."""
    known = numbers_of(base)
    for name, value in numbers.items():
        if name not in known:
            near = [other for other in known if other.rpartition(".")[2] == name.rpartition(".")[2]]
            hint = f"did you mean {near[0]}?" if near else f"names are such as {', '.join(list(known)[1:5])}"
            raise GeometryError(f"syntaxer geometry: there is no number {name!r}; {hint}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GeometryError(f"syntaxer geometry: {name} is a number, not {value!r}")
        if isinstance(known[name], int) and value != _whole(value):
            raise GeometryError(f"syntaxer geometry: {name} is a whole number, not {value!r}")
    changed: Syntaxer = _rebuilt(base, "", {**known, **numbers})
    return changed


def _whole(value: float) -> int | None:
    """The nearest whole number, if there is one."""
    return round(value) if abs(value) < 1e18 else None


def _walk(part: Any, name: str) -> Iterator[tuple[str, float | int]]:
    if is_dataclass(part):
        for item in fields(part):
            yield from _walk(getattr(part, item.name), f"{name}.{item.name}" if name else item.name)
    elif isinstance(part, tuple):
        for number, item in enumerate(part, start=1):
            yield from _walk(item, f"{name}.{number}")
    else:
        yield name, part


def _rebuilt(part: Any, name: str, numbers: Mapping[str, float | int]) -> Any:
    if is_dataclass(part):
        below = f"{name}." if name else ""
        values = {item.name: _rebuilt(getattr(part, item.name), below + item.name, numbers) for item in fields(part)}
        return part.__class__(**values)
    if isinstance(part, tuple):
        return tuple(_rebuilt(item, f"{name}.{number}", numbers) for number, item in enumerate(part, start=1))
    return type(part)(numbers[name])
