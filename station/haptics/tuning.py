"""Settings as kernels read them, and how changes come: gains glide, switches and engagement go along ramps."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from station.haptics.guides import Guides, guide_of
from station.haptics.settings import HapticSettings
from station.haptics.state import EFFECTS, MOST_GUIDES, Cause, HapticState, Inputs
from station.kernel import Bools1, Floats1, Record, address_of_record, field, floats_at, ints_at, kernel
from station.kernel.record import WORD

GLIDES = 3.0  # time constants of the glide in a ramp


class MethodCode(IntEnum):
    """How passivity is kept; the members of `Method` in numbers."""

    COUPLING_ONLY = 0
    OBSERVER = 1
    BOUNDING = 2


class CouplingNumbers(Record):
    """Spring and damper between hand and proxy."""

    stiffness: float = field("N/m")
    turn_stiffness: float = field("N·m/rad")
    damping: float = field("N·s/m")
    turn_damping: float = field("N·m·s/rad")


class BarrierNumbers(Record):
    """Resistance before something: a stop, a singularity, an obstacle."""

    stiffness: float = field("N·m/rad | N/m | J")
    damping: float = field("N·m·s/rad | N·s/m | J·s")
    range: float = field("rad | m | 1", "where it begins")
    force: float = field("N", "largest at the hand")


class SingularityNumbers(BarrierNumbers):
    """Resistance near singularities, also of loops."""

    crossing: float = field("", "1: those of loops are felt too; they bound an assembly, and a push crosses them")


class ObstacleNumbers(BarrierNumbers):
    """Resistance before obstacles, and slowing down."""

    stop_at: float = field("m", "distance where motion stops")
    slow_from: float = field("m", "distance where slowing begins")


class ContactNumbers(Record):
    """Contact measured at the arm."""

    scale: float = field("", "force at the hand per measured force")
    cutoff: float = field("Hz", "corner of the low-pass")
    fresh: float = field("s", "age up to which a measurement counts in full")
    stale: float = field("s", "age from which it does not count")
    force: float = field("N", "largest at the hand")


class BodyNumbers(Record):
    """The device, as trusted."""

    mass: float = field("kg")
    friction: float = field("N")
    damping: float = field("N·s/m")
    turn_damping: float = field("N·m·s/rad")


class CompensationNumbers(Record):
    """What is taken off the hand of that."""

    inertia: float = field("", "share of the mass")
    friction: float = field("", "share of the dry friction")
    speed: float = field("m/s", "at which friction is compensated in full")
    force: float = field("N", "largest at the hand")


class StabilityNumbers(Record):
    """How energy is watched and kept."""

    period: float = field("s", "between two samples")
    trust: float = field("", "share of the device's losses that the ledger counts on")
    allowance: float = field("J", "that may be given before it came in")
    reserve: float = field("J", "beyond that of springs that is not forgotten")
    forgetting: float = field("s", "time constant with which dissipated energy is forgotten")
    speed_floor: float = field("m/s", "no damping of the controller below this speed")
    damping_cap: float = field("N·s/m", "largest damping of the controller")
    recovery: float = field("s", "in which a force that was taken away comes back")
    surprise: float = field("m/s²", "acceleration of the hand that is reckoned with")


class LimitNumbers(Record):
    """What the device can give, and how fast forces may grow."""

    for_long: Floats1 = field("N, N·m", "what each axis gives for long", shape=6)
    peak: Floats1 = field("N, N·m", "what each axis gives for a moment", shape=6)
    force: float = field("N", "largest on the hand")
    torque: float = field("N·m", "largest on the hand")
    warming: float = field("s", "time constant of the motors' heat")
    slew: float = field("N/s", "how fast a force may grow")
    turn_slew: float = field("N·m/s", "how fast a torque may grow")
    power: float = field("W", "largest given to the hand")
    ramp: float = field("s", "in which an effect is switched")
    ramp_in: float = field("s", "in which forces come when the hand engages")
    ramp_down: float = field("s", "in which forces go when it disengages or the arm is lost")
    stale_after: float = field("s", "no force without a sample for this long")


class GlidingNumbers(Record):
    """Settings that glide when they are changed: real numbers only."""

    coupling: CouplingNumbers
    stops: BarrierNumbers
    singularity: SingularityNumbers
    obstacles: ObstacleNumbers
    contact: ContactNumbers
    body: BodyNumbers
    compensation: CompensationNumbers
    cue_force: float = field("N", "strength of cues")


class HapticNumbers(GlidingNumbers):
    """All settings: first those that glide, then those that act at once."""

    strength: Floats1 = field("", "of effects, by cause: 1 as it is set, 0 off", shape=EFFECTS)
    actuated: Bools1 = field("", "whether an axis can push", shape=6)
    cue_axis: int = field("", "of the device, along which cues act")
    resolution: float = field("m", "encoder step at the handle")
    delay: float = field("s", "until a force that was sent acts")
    method: MethodCode
    stability: StabilityNumbers
    limits: LimitNumbers


GLIDING = GlidingNumbers.fixed_size // WORD  # numbers that glide
AT_ONCE = HapticNumbers.fixed_size // WORD - GLIDING  # words that follow them


class Tuning(Record):
    """Settings twice: gains glide from those in use to those wanted."""

    now: HapticNumbers
    wanted: HapticNumbers


def numbers_from(settings: HapticSettings) -> HapticNumbers:
    """All settings as kernels read them."""
    numbers, limits = HapticNumbers(), settings.limits
    for name in ("coupling", "stops", "singularity", "obstacles", "contact", "body", "compensation"):
        _take(getattr(numbers, name), getattr(settings, name))
    _take(numbers.stability, settings.stability)
    _take(numbers.limits, limits)
    numbers.strength[:] = [_is_on(settings, cause) for cause in Cause if cause < EFFECTS]
    # A device that cannot push at all has all effects, of which its limits let nothing through: they are shown.
    numbers.actuated[:] = [force > 0.0 or not any(limits.for_long) for force in limits.for_long]
    numbers.cue_force, numbers.cue_axis = settings.cues.force, settings.cues.axis
    numbers.resolution, numbers.delay = settings.body.resolution, settings.body.delay
    numbers.method = MethodCode[settings.stability.method.name]
    return numbers


def _take(numbers: Record, settings: Any) -> None:
    """Take what has the same names."""
    for name in numbers.fields:
        setattr(numbers, name, getattr(settings, name))


def _is_on(settings: HapticSettings, cause: Cause) -> bool:
    if cause == Cause.DEVICE:
        return settings.device_walls
    said = getattr(settings, cause.name.lower())
    return said if isinstance(said, bool) else bool(said.on)


@kernel
def towards(value: float, wanted: float, up: float, down: float) -> float:
    """A value moved towards a wanted one, at most so far up or down."""
    return min(wanted, value + up) if wanted > value else max(wanted, value - down)


@kernel
def glide(tuning: Tuning, dt: float) -> None:
    """Move gains in use towards those wanted, most of the way within a ramp; other settings act at once."""
    part = min(1.0, GLIDES * dt / tuning.wanted.limits.ramp)
    here, there = address_of_record(tuning.now), address_of_record(tuning.wanted)
    gains, wanted = floats_at(here, GLIDING), floats_at(there, GLIDING)
    for i in range(GLIDING):
        left = wanted[i] - gains[i]
        gains[i] = gains[i] + part * left if abs(left) > 1e-9 * abs(wanted[i]) else wanted[i]
    rest, new = ints_at(here + WORD * GLIDING, AT_ONCE), ints_at(there + WORD * GLIDING, AT_ONCE)
    for i in range(AT_ONCE):
        rest[i] = new[i]


@kernel
def move_ramps(state: HapticState, tuning: Tuning, guides: Guides, inputs: Inputs, dt: float) -> None:
    """Move all switches, the guides and the engagement on by a time [s]."""
    glide(tuning, dt)
    limits, gains, guide_gains = tuning.now.limits, state.gains, state.guide_gains
    step = dt / limits.ramp
    for cause in range(EFFECTS):
        gains[cause] = towards(gains[cause], tuning.now.strength[cause], step, step)
    for g in range(MOST_GUIDES):
        guide_gains[g] = switched(guide_gains[g], guide_of(guides, g).wanted, step, step)
    leads = inputs.engaged and inputs.link
    state.engagement = switched(state.engagement, leads, dt / limits.ramp_in, dt / limits.ramp_down)


@kernel
def switched(gain: float, on: bool, up: float, down: float) -> float:
    """A gain moved towards 1 or 0."""
    return towards(gain, 1.0 if on else 0.0, up, down)


@kernel
def gain_of(state: HapticState, cause: Cause) -> float:
    """How much of an effect is felt now, from 0 to 1."""
    return float(state.gains[cause] * (state.engagement if cause <= Cause.CONTACT else 1.0))
