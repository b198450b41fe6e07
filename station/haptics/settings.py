"""Everything that can be set about forces: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from station.devices.device import LOST_AFTER
from station.devices.parameter import SettingsError, check, check_length, parameter

Six = tuple[float, float, float, float, float, float]


class Method(StrEnum):
    """How passivity is kept; all over the same ledger."""

    COUPLING_ONLY = "coupling-only"  # by the choice of gains alone; the ledger only watches
    OBSERVER = "observer-controller"  # foresees the next interval, scales and damps
    BOUNDING = "energy-bounding"  # no more than the device's damping can answer for


@dataclass(frozen=True, kw_only=True)
class Coupling:
    """Spring and damper between hand and proxy."""

    on: bool = parameter(True, "whether what the robot cannot do is felt")
    stiffness: float = parameter(600.0, "spring in translation", "N/m", 0.0, 50_000.0)
    damping: float = parameter(0.5, "damper in translation", "N·s/m", 0.0, 200.0)
    turn_stiffness: float = parameter(0.5, "spring in rotation", "N·m/rad", 0.0, 100.0)
    turn_damping: float = parameter(0.002, "damper in rotation", "N·m·s/rad", 0.0, 5.0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Stops:
    """Resistance before a joint stop."""

    on: bool = parameter(True, "whether stops are felt before they act")
    stiffness: float = parameter(5.0, "torque at the joint per angle into the range", "N·m/rad | N/m", 0.0, 10_000.0)
    damping: float = parameter(0.05, "torque per speed of approach", "N·m·s/rad | N·s/m", 0.0, 1000.0)
    range: float = parameter(0.17, "where it begins before the stop", "rad | m", 1e-6, 10.0)
    force: float = parameter(3.0, "largest force at the hand", "N", 0.0, 500.0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Singularity:
    """Resistance near a singularity; the measure is told by the caller and has no unit."""

    on: bool = parameter(True, "whether singularities are felt before they act")
    stiffness: float = parameter(75.0, "spring along the measure", "J", 0.0, 10_000.0)
    damping: float = parameter(0.5, "damper along the measure", "J·s", 0.0, 1000.0)
    range: float = parameter(0.04, "where it begins: value of the measure", "", 1e-9, 1e6)
    force: float = parameter(3.0, "largest force at the hand", "N", 0.0, 500.0)
    crossing: bool = parameter(
        False, "whether those between two assemblies of loops are felt, and crossed by a push; else they hold the robot"
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Obstacles:
    """Repulsion by obstacles, and slowing down near them."""

    on: bool = parameter(True, "whether obstacles are felt before contact")
    stiffness: float = parameter(300.0, "force per depth into the range", "N/m", 0.0, 50_000.0)
    damping: float = parameter(1.0, "force per speed of approach", "N·s/m", 0.0, 200.0)
    range: float = parameter(0.01, "where it begins before contact", "m", 1e-6, 10.0)
    force: float = parameter(4.0, "largest force at the hand", "N", 0.0, 500.0)
    stop_at: float = parameter(0.0, "distance at which motion towards it is stopped", "m", -1.0, 10.0)
    slow_from: float = parameter(0.03, "distance at which slowing begins", "m", -1.0, 10.0)

    def __post_init__(self) -> None:
        check(self)
        if self.slow_from - self.stop_at < 1e-6:
            raise SettingsError(f"slow_from is {self.slow_from:g} [m]; allowed: more than stop_at, {self.stop_at:g}")


@dataclass(frozen=True, kw_only=True)
class Contact:
    """Contact forces measured at the arm."""

    on: bool = parameter(True, "whether measured contact is felt")
    scale: float = parameter(1.0, "force at the hand per measured force", "", 0.0, 100.0)
    cutoff: float = parameter(30.0, "corner of the low-pass", "Hz", 0.1, 1000.0)
    fresh: float = parameter(0.02, "age up to which a measurement counts in full", "s", 1e-4, 1.0)
    stale: float = parameter(0.1, "age from which it does not count", "s", 2e-4, 2.0)
    force: float = parameter(4.0, "largest force at the hand", "N", 0.0, 500.0)

    def __post_init__(self) -> None:
        check(self)
        if self.stale <= self.fresh:
            raise SettingsError(f"stale is {self.stale:g} [s]; allowed: more than fresh, {self.fresh:g}")


@dataclass(frozen=True, kw_only=True)
class Compensation:
    """A share of the device's own inertia and friction, taken off the hand; never all of it."""

    on: bool = parameter(False, "whether the device is compensated")
    inertia: float = parameter(0.3, "share of the mass", "", 0.0, 0.6)
    friction: float = parameter(0.5, "share of the dry friction", "", 0.0, 0.8)
    speed: float = parameter(0.02, "speed at which friction is compensated in full", "m/s", 1e-3, 1.0)
    force: float = parameter(0.5, "largest force at the hand", "N", 0.0, 10.0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Cues:
    """The haptic grammar."""

    on: bool = parameter(True, "whether cues are felt")
    force: float = parameter(0.4, "strength of cues", "N", 0.0, 0.5)
    axis: int = parameter(2, "axis of the device along which they act", "", 0, 2)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Body:
    """What is trusted of the device's own mechanics: what it surely takes of energy, and its encoders."""

    damping: float = parameter(1.0, "viscous damping at the handle", "N·s/m", 0.0, 100.0)
    turn_damping: float = parameter(0.001, "viscous damping in rotation", "N·m·s/rad", 0.0, 10.0)
    friction: float = parameter(0.05, "dry friction at the handle", "N", 0.0, 20.0)
    mass: float = parameter(0.2, "mass felt at the handle", "kg", 0.0, 20.0)
    resolution: float = parameter(30e-6, "encoder step felt at the handle", "m", 0.0, 0.01)
    turn_resolution: float = parameter(3e-4, "encoder step felt in rotation", "rad", 0.0, 0.1)
    delay: float = parameter(0.0, "time until a force acts: link, firmware, currents", "s", 0.0, 0.02)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Stability:
    """How energy is watched and kept."""

    method: Method = parameter(Method.OBSERVER, "how passivity is kept")
    period: float = parameter(1e-3, "time between two samples", "s", 5e-5, 0.02)
    trust: float = parameter(0.5, "share of the device's damping and friction that is counted on", "", 0.0, 1.0)
    allowance: float = parameter(5e-5, "energy that may be given before it came in", "J", 0.0, 1e-3)
    reserve: float = parameter(5e-4, "energy beyond that of springs that is not forgotten", "J", 0.0, 0.1)
    forgetting: float = parameter(0.005, "time constant with which dissipated energy is forgotten", "s", 1e-3, 10.0)
    speed_floor: float = parameter(0.01, "no damping of the controller below this speed", "m/s", 0.0, 1.0)
    damping_cap: float = parameter(5.0, "largest damping of the controller", "N·s/m", 0.0, 100.0)
    recovery: float = parameter(0.005, "time in which a force that was taken away comes back", "s", 1e-4, 1.0)
    surprise: float = parameter(60.0, "acceleration of the hand that is reckoned with", "m/s²", 0.0, 1000.0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the device can give, and how fast forces may grow."""

    for_long: Six = parameter((5.0,) * 3 + (0.05,) * 3, "what each axis gives for long; 0: none", "N | N·m", 0.0, 500.0)
    peak: Six = parameter((8.0,) * 3 + (0.1,) * 3, "what each axis gives for a moment", "N | N·m", 0.0, 500.0)
    force: float = parameter(8.0, "largest force on the hand", "N", 1e-3, 500.0)
    torque: float = parameter(0.2, "largest torque on the hand", "N·m", 1e-4, 100.0)
    warming: float = parameter(5.0, "time constant of the motors' heat", "s", 0.01, 1000.0)
    slew: float = parameter(5000.0, "how fast a force may grow", "N/s", 1.0, 1e6)
    turn_slew: float = parameter(100.0, "how fast a torque may grow", "N·m/s", 0.01, 1e5)
    power: float = parameter(5.0, "largest power given to the hand", "W", 0.01, 500.0)
    ramp: float = parameter(0.1, "time in which an effect is switched", "s", 1e-3, 10.0)
    ramp_in: float = parameter(0.2, "time in which forces come when the hand engages", "s", 1e-3, 10.0)
    ramp_down: float = parameter(
        0.015, "time in which forces go when it disengages or the arm is lost", "s", 1e-3, 10.0
    )
    stale_after: float = parameter(LOST_AFTER, "no force without a sample for this long", "s", 1e-3, 1.0)

    def __post_init__(self) -> None:
        check(self)
        check_length(self, "for_long", 6)
        check_length(self, "peak", 6)
        for i, (steady, moment) in enumerate(zip(self.for_long, self.peak, strict=True)):
            if moment < steady:
                raise SettingsError(f"peak[{i}] is {moment:g}; allowed: at least {steady:g}, what it gives for long")


@dataclass(frozen=True, kw_only=True)
class HapticSettings:
    """All of it."""

    coupling: Coupling = field(default_factory=Coupling)
    stops: Stops = field(default_factory=Stops)
    singularity: Singularity = field(default_factory=Singularity)
    obstacles: Obstacles = field(default_factory=Obstacles)
    contact: Contact = field(default_factory=Contact)
    compensation: Compensation = field(default_factory=Compensation)
    cues: Cues = field(default_factory=Cues)
    guides: bool = parameter(True, "whether guides are felt")
    zones: bool = parameter(True, "whether attraction zones are felt")
    device_walls: bool = parameter(True, "whether the edge of the device is felt")
    body: Body = field(default_factory=Body)
    stability: Stability = field(default_factory=Stability)
    limits: Limits = field(default_factory=Limits)
