"""Settings of single effects: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import SettingsError, check, parameter


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
