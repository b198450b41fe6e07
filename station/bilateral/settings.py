"""Settings of a bilateral link: type, default, unit, range and one sentence each; and as kernels read them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from station.devices.parameter import SettingsError, check, parameter
from station.kernel import Record, field


class LinkMethod(IntEnum):
    """What keeps the link to the arm passive; the members of `BilateralMethod` in numbers, as the kernels have them."""

    DIRECT = 0
    PASSIVITY = 1
    WAVES = 2


class LinkArchitecture(IntEnum):
    """What goes over the link; the members of `Architecture` in numbers, as the kernels have them."""

    POSITION_FORCE = 0
    POSITION_POSITION = 1
    FOUR_CHANNEL = 2


class BilateralMethod(StrEnum):
    """What keeps a delayed link passive."""

    DIRECT = "direct"  # nothing: forces and places as they come
    PASSIVITY = "passivity"  # energy is observed and kept at both ends, in the time domain
    WAVES = "waves"  # wave variables; needs an end at the arm, too

    @property
    def code(self) -> LinkMethod:
        """The same in numbers."""
        return LinkMethod[self.name]


class Architecture(StrEnum):
    """What goes over the link and makes the force on the hand."""

    POSITION_FORCE = "position-force"  # place there, measured force back
    POSITION_POSITION = "position-position"  # place there, place back: a spring at each side
    FOUR_CHANNEL = "four-channel"  # both there and both back

    @property
    def code(self) -> LinkArchitecture:
        """The same in numbers."""
        return LinkArchitecture[self.name]


@dataclass(frozen=True, kw_only=True)
class BilateralSettings:
    """Both ends of a link use the same."""

    method: BilateralMethod = parameter(BilateralMethod.PASSIVITY, "what keeps it passive")
    architecture: Architecture = parameter(Architecture.POSITION_FORCE, "what goes over the link")
    two_port: bool = parameter(False, "whether the arm side runs its end; else the station watches the hand alone")
    turns: bool = parameter(False, "whether rotations and torques are coupled too")
    period: float = parameter(0.001, "time between two ticks", "s", 5e-5, 0.02)

    # The force on the hand
    force_scale: float = parameter(1.0, "force at the hand per force on the tool", "", 1e-3, 100.0)
    position_scale: float = parameter(1.0, "motion of the arm per motion of the hand", "", 1e-3, 1e3)
    cutoff: float = parameter(30.0, "corner of the low-pass of reflected forces", "Hz", 0.1, 1000.0)
    force: float = parameter(4.0, "largest force on the hand", "N", 0.0, 500.0)
    torque: float = parameter(0.1, "largest torque on the hand", "N·m", 0.0, 50.0)
    fresh: float = parameter(0.05, "silence of the other side up to which what it said counts in full", "s", 1e-4, 1.0)
    old: float = parameter(0.15, "silence from which on it does not count", "s", 2e-4, 2.0)

    # Position-position and four-channel
    stiffness: float = parameter(600.0, "spring between hand and arm", "N/m", 1.0, 50_000.0)
    damping: float = parameter(0.5, "damper beside it", "N·s/m", 0.0, 200.0)
    turn_stiffness: float = parameter(0.5, "the same in rotation", "N·m/rad", 1e-3, 100.0)
    turn_damping: float = parameter(0.002, "the same in rotation", "N·m·s/rad", 0.0, 5.0)
    share: float = parameter(0.5, "of the measured force in the force of four-channel", "", 0.0, 1.0)
    yield_time: float = parameter(0.1, "in which the arm gives way to a force", "s", 0.005, 2.0)

    # Passivity in the time domain
    firmness: float = parameter(
        2000.0, "largest stiffness at which a force grows that energy is short for", "N/m", 1, 1e5
    )
    turn_firmness: float = parameter(0.5, "the same in rotation", "N·m/rad", 1e-3, 200.0)
    allowance: float = parameter(3e-4, "energy that may be given to the hand before it came in", "J", 0.0, 0.005)
    softest: float = parameter(200.0, "what is touched that is softer is felt with losses", "N/m", 1.0, 1e5)
    turn_softest: float = parameter(0.05, "the same in rotation", "N·m/rad", 1e-3, 200.0)
    forgetting: float = parameter(0.005, "in which energy is forgotten that nothing can hold", "s", 1e-3, 10.0)
    damping_cap: float = parameter(5.0, "largest damping that takes energy back", "N·s/m", 0.0, 100.0)
    touch: float = parameter(0.05, "force below which nothing is touched", "N", 1e-6, 10.0)
    turn_touch: float = parameter(0.002, "the same of a torque", "N·m", 1e-9, 1.0)
    active: bool = parameter(False, "whether surroundings that move by themselves may push the hand; needs two_port")
    sensor_time: float = parameter(0.002, "by how much the force sensor is late", "s", 0.0, 0.1)
    arm_allowance: float = parameter(0.05, "energy per contact that the arm takes from its own supply", "J", 0.0, 1.0)
    ahead: float = parameter(0.03, "time for which the arm must have energy: its own lag", "s", 1e-3, 0.5)
    drift_time: float = parameter(0.1, "in which drift is taken out, as energy allows", "s", 0.005, 10.0)
    speed: float = parameter(1.0, "largest speed of the arm's reference", "m/s", 1e-3, 10.0)
    turn_speed: float = parameter(3.0, "the same in rotation", "rad/s", 1e-3, 50.0)
    retreat: float = parameter(0.05, "speed at which the arm gives back what it owes, at the hand", "m/s", 0.0, 1.0)

    # Waves
    impedance: float = parameter(
        5.0, "of the waves: drag of the hand, and what is felt is b/delay", "N·s/m", 0.1, 200.0
    )
    turn_impedance: float = parameter(0.005, "the same in rotation", "N·m·s/rad", 1e-4, 5.0)
    wave_time: float = parameter(0.005, "in which waves that came in are used up: smooths jitter", "s", 0.0, 0.1)
    wave_reserve: float = parameter(0.005, "energy that waves may be short of", "J", 0.0, 0.1)
    contact_damping: float = parameter(30.0, "of the arm in contact, at the end of the waves", "N·s/m", 0.0, 2000.0)
    contact_time: float = parameter(0.1, "after which that damping lets go", "s", 0.005, 5.0)
    turn_contact_damping: float = parameter(0.03, "the same in rotation", "N·m·s/rad", 0.0, 20.0)

    def __post_init__(self) -> None:
        check(self)
        if self.old <= self.fresh:
            raise SettingsError(f"old is {self.old:g} [s]; allowed: more than fresh, {self.fresh:g}")
        if self.method is BilateralMethod.WAVES and self.architecture is Architecture.FOUR_CHANNEL:
            raise SettingsError(
                "waves carry force and place both ways already; allowed: position-force, position-position"
            )
        if self.method is BilateralMethod.WAVES and not self.two_port:
            raise SettingsError(
                "waves need an arm side that runs its end (two_port); allowed without: direct, passivity"
            )


class LinkNumbers(Record):
    """`BilateralSettings` as kernels read them: units and meaning are those of the same name there."""

    method: LinkMethod
    architecture: LinkArchitecture
    axes: int = field("", "that are coupled: three, or six with turns")
    active: bool = field("", "and there is an end at the arm")
    period: float
    force_scale: float
    position_scale: float
    cutoff: float
    force: float
    torque: float
    fresh: float
    old: float
    stiffness: float
    damping: float
    turn_stiffness: float
    turn_damping: float
    share: float = field("", "of the measured force at the hand: 1 for position-force, 0 for position-position")
    yield_time: float
    firmness: float
    turn_firmness: float
    allowance: float
    softest: float = field("N/m", "of the own coupling's spring if that is all that is felt, or softer")
    turn_softest: float = field("N·m/rad", "the same in rotation")
    forgetting: float
    damping_cap: float
    touch: float
    turn_touch: float
    sensor_time: float
    arm_allowance: float
    ahead: float
    drift_time: float
    speed: float
    turn_speed: float
    retreat: float
    impedance: float
    turn_impedance: float
    wave_time: float
    wave_reserve: float
    contact_damping: float
    contact_time: float
    turn_contact_damping: float


SHARES = {Architecture.POSITION_FORCE: 1.0, Architecture.POSITION_POSITION: 0.0}


def numbers_of(settings: BilateralSettings) -> LinkNumbers:
    """Settings as kernels read them."""
    s = settings
    # What a spring of the own coupling holds is known; what is touched may be softer.
    known = s.architecture is Architecture.POSITION_POSITION
    differing = {
        "method": s.method.code,
        "architecture": s.architecture.code,
        "axes": 6 if s.turns else 3,
        "active": s.active and s.two_port,
        "share": SHARES.get(s.architecture, s.share),
        "softest": s.stiffness if known else min(s.softest, s.stiffness),
        "turn_softest": s.turn_stiffness if known else min(s.turn_softest, s.turn_stiffness),
    }
    return LinkNumbers(**{name: getattr(s, name) for name in LinkNumbers.fields if name not in differing}, **differing)
