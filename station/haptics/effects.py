"""Forces of single effects, but for guides: each adds its own part by cause.

**Coupling**: spring and damper between hand and proxy; what the robot could not do is felt.

    force  = -K·(x_hand - x_proxy) - B·(v_hand - v_proxy)
    torque = -K_t·φ - B_t·(ω_hand - ω_proxy)        φ = log(q_hand·q_proxy⁻¹), about axes that can push

The proxy is where the solver could go (a god-object): it does not give way, so nothing else is needed for walls.

**Barriers**: growing resistance before something acts: joint stops, singularities, obstacles. All share one law. With d
the distance told by the caller, g its gradient at the hand, v the twist of the hand:

    wrench = g·( min(k·(d₀ - d), f_max) + b·max(0, -g·v) )       for d < d₀, else 0

The first term is minus the gradient of a potential, the second takes energy and acts only against approach: there is
always a way out, and going out costs nothing. The gradient comes through the transposed Jacobian of whatever is between
hand and joint, so power is the same on both sides. f_max bounds the force at the hand: it is divided by |g|.

**What is not a spring**: contact measured at the arm, compensation of the device, the device's own walls, cues.

    contact:       filtered by a low-pass, times scale, fading from `fresh` to `stale` age, at most `largest`
    compensation:  s_m·m·a + s_f·f_c·tanh(v/v₀), at most `largest`; both shares below one by their range
    cue:           A·(pulse by pulse) sin(2π·f·t)      along one axis of the device

Every pulse of a cue has whole periods, so its impulse is zero: a hand that moves steadily gets no work from it, and the
most that any motion with speed up to v can get in a pulse is A·v·length·2/π. None of these is passive by itself; they
pass through the same ledger as all others.
"""

from __future__ import annotations

import math

from station.haptics.state import Cause, Cue, HapticState, Inputs
from station.haptics.tuning import BarrierNumbers, HapticNumbers
from station.kernel import Floats1, kernel
from station.kernel.so3 import as_quaternion, difference, vector_of
from station.kernel.vectors import as_vector, cross, minus

DEEPEST = 0.01  # way of the hand from the first touch to the full force of a contact, at most [m]
TOUCH = 0.05  # force at the hand from which something is touched [N]


@kernel
def add_coupling(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> float:
    """Add the force of the coupling, times a gain; returns what its springs hold [J]."""
    coupling, limits, part = settings.coupling, settings.limits, state.parts[Cause.COUPLING]
    turn = vector_of(difference(as_quaternion(inputs.hand_turn), as_quaternion(inputs.proxy_turn)))
    straight, turning = 0.0, 0.0
    for i in range(6):
        if not settings.actuated[i]:
            continue
        stretch = inputs.hand[i] - inputs.proxy[i] if i < 3 else turn[i - 3]
        k = gain * (coupling.stiffness if i < 3 else coupling.turn_stiffness)
        b = gain * (coupling.damping if i < 3 else coupling.turn_damping)
        part[i] -= k * stretch + b * (inputs.hand_speed[i] - inputs.proxy_speed[i])
        if i < 3:
            straight += stretch * stretch
        else:
            turning += stretch * stretch
    held = limited_spring(math.sqrt(straight), gain * coupling.stiffness, limits.force)
    return held + limited_spring(math.sqrt(turning), gain * coupling.turn_stiffness, limits.torque)


@kernel
def limited_spring(stretch: float, stiffness: float, largest: float) -> float:
    """What a spring holds whose force is cut at the largest that is sent [J]: no more can be given back."""
    if stiffness * stretch <= largest:
        return 0.5 * stiffness * stretch * stretch
    return largest * stretch - 0.5 * largest * largest / stiffness


@kernel
def barrier(distance: float, stiffness: float, reach: float, largest: float) -> tuple[float, float]:
    """Push away from distance 0, and its potential.

    push = min(k·(reach - distance), largest) below the reach, else 0; push = -dU/d(distance). Beyond the largest push
    the potential goes on as a straight line, so that it stays a potential.
    """
    depth = reach - distance
    if not depth > 0.0 or not stiffness > 0.0:
        return 0.0, 0.0
    if stiffness * depth <= largest:
        return stiffness * depth, 0.5 * stiffness * depth * depth
    return largest, largest * depth - 0.5 * largest * largest / stiffness


@kernel
def add_barrier(
    part: Floats1,
    settings: HapticNumbers,
    inputs: Inputs,
    distance: float,
    gradient: Floats1,
    law: BarrierNumbers,
    gain: float,
) -> float:
    """Add the push at a distance with its gradient at the hand; returns its potential [J]."""
    steepness, rate = 0.0, 0.0
    for i in range(6):
        g = gradient[i] * settings.actuated[i]
        rate += g * inputs.hand_speed[i]
        if i < 3:
            steepness += g * g
    steepness = math.sqrt(steepness)
    if steepness < 1e-9:  # nothing that the hand does along straight axes changes it: a bound at the hand says nothing
        steepness = 1.0
    largest = law.force / steepness
    push, energy = barrier(distance, law.stiffness, law.range, largest)
    if distance < law.range and rate < 0.0:
        push = min(push - law.damping * rate, largest)
    for i in range(6):
        part[i] += gain * push * gradient[i] * settings.actuated[i]
    return gain * energy


@kernel
def add_stops(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> float:
    """Resistance before joint stops; returns its potential [J]."""
    energy, part = 0.0, state.parts[Cause.STOPS]
    for k in range(inputs.stop_count):
        distance, gradient = inputs.stop_distance[k], inputs.stop_gradient[k]
        energy += add_barrier(part, settings, inputs, distance, gradient, settings.stops, gain)
    return energy


@kernel
def add_singularity(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> float:
    """Resistance near a singularity; returns its potential [J]."""
    part, gradient = state.parts[Cause.SINGULARITY], inputs.nearness_gradient
    return add_barrier(part, settings, inputs, inputs.nearness, gradient, settings.singularity, gain)


@kernel
def add_obstacles(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> float:
    """Repulsion by obstacles, acting at the near point; returns its potential [J] and keeps the slow-down."""
    energy, nearest = 0.0, math.inf
    law, part, actuated = settings.obstacles, state.parts[Cause.OBSTACLES], settings.actuated
    hand, velocity, spin = as_vector(inputs.hand), as_vector(inputs.hand_speed), as_vector(inputs.hand_speed[3:])
    for k in range(inputs.obstacle_count):
        distance, normal = inputs.obstacle_distance[k], as_vector(inputs.obstacle_normal[k])
        lever = cross(minus(as_vector(inputs.obstacle_point[k]), hand), normal)
        nearest = min(nearest, distance)
        push, potential = barrier(distance, law.stiffness, law.range, law.force)
        rate = 0.0
        for i in range(3):
            rate += normal[i] * velocity[i] + lever[i] * spin[i]
        if distance < law.range and rate < 0.0:
            push = min(push - law.damping * rate, law.force)
        for i in range(3):
            part[i] += gain * push * normal[i] * actuated[i]
            part[3 + i] += gain * push * lever[i] * actuated[3 + i]
        energy += gain * potential
    free = (nearest - law.stop_at) / (law.slow_from - law.stop_at)
    state.slow_down = 1.0 - gain * (1.0 - min(max(free, 0.0), 1.0))
    return energy


@kernel
def add_contact(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float, dt: float) -> float:
    """Contact forces measured at the arm; old ones fade, whatever they were. Returns what the contact holds [J].

    What is touched is taken for a spring: it gives back what was put in, as long as it is touched and not deeper than
    a contact is. Without that, what presses steadily would have to be paid from the reserve, and be felt as less.
    """
    contact, filtered = settings.contact, state.filtered
    mixed = 1.0 - math.exp(-2.0 * math.pi * contact.cutoff * dt)
    weight = min(max((contact.stale - inputs.measured_age) / (contact.stale - contact.fresh), 0.0), 1.0)
    total = 0.0
    for i in range(6):
        wanted = inputs.measured[i] if weight > 0.0 else 0.0
        filtered[i] += mixed * (wanted - filtered[i])
        if i < 3:
            total += filtered[i] ** 2
    scale = contact.scale
    size = scale * math.sqrt(total)
    if size > contact.force:
        scale *= contact.force / size
    total = 0.0
    for i in range(6):
        part = gain * weight * scale * filtered[i] * settings.actuated[i]
        state.parts[Cause.CONTACT, i] += part
        if i < 3:
            total += part * part
    size = math.sqrt(total)
    most = DEEPEST * size if size > TOUCH else 0.0
    state.pressed = min(max(state.pressed, 0.0), most)
    return state.pressed


@kernel
def add_compensation(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> None:
    """A share of the device's own inertia and dry friction, along straight axes."""
    shares, parts = settings.compensation, state.parts[Cause.COMPENSATION]
    mass = shares.inertia * settings.body.mass
    friction = shares.friction * settings.body.friction
    total = 0.0
    for i in range(3):
        part = mass * inputs.hand_acceleration[i]
        part += friction * math.tanh(inputs.hand_speed[i] / shares.speed)
        part *= gain * settings.actuated[i]
        parts[i] = part
        total += part * part
    size = math.sqrt(total)
    if size > shares.force:
        for i in range(3):
            parts[i] *= shares.force / size


@kernel
def add_device_walls(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float) -> None:
    """What the mapping asks for at the edge of the device."""
    for i in range(6):
        state.parts[Cause.DEVICE, i] += gain * inputs.own_wrench[i] * settings.actuated[i]


@kernel
def add_cue(state: HapticState, settings: HapticNumbers, inputs: Inputs, gain: float, dt: float) -> None:
    """Start what is asked for, and go on with what is playing; a new cue replaces an old one."""
    if inputs.cue_count != state.counted:
        state.counted, state.playing, state.played = inputs.cue_count, inputs.cue, 0.0
    cue, axis = state.playing, settings.cue_axis
    if cue == Cue.NONE:
        return
    wave = cue_wave(cue, state.played)
    state.parts[Cause.CUES, axis] += gain * settings.cue_force * wave * settings.actuated[axis]
    state.played += dt
    if state.played >= cue_length(cue):
        state.playing = Cue.NONE


@kernel
def pattern(cue: Cue) -> tuple[float, float, float, float]:
    """Frequency [Hz], length of a pulse [s], pause after it [s], number of pulses; strength is the same for all."""
    if cue == Cue.CLUTCH:
        return 100.0, 0.020, 0.0, 1.0  # one click
    if cue == Cue.LIMIT:
        return 200.0, 0.060, 0.0, 1.0  # a short buzz
    if cue == Cue.STALE_LINK:
        return 40.0, 0.150, 0.0, 1.0  # a slow flutter
    if cue == Cue.MODE:
        return 100.0, 0.020, 0.080, 2.0  # two clicks
    if cue == Cue.FAULT:
        return 125.0, 0.040, 0.040, 3.0  # three buzzes
    return 1.0, 0.0, 0.0, 0.0


@kernel
def cue_wave(cue: Cue, time: float) -> float:
    """The cue some time [s] after its start, from -1 to 1; 0 before and afterwards."""
    frequency, pulse, pause, pulses = pattern(cue)
    if not (0.0 <= time < pulses * (pulse + pause)):
        return 0.0
    inside = time % (pulse + pause)
    return math.sin(2.0 * math.pi * frequency * inside) if inside < pulse else 0.0


@kernel
def cue_length(cue: Cue) -> float:
    """How long a cue takes [s], without the last pause."""
    _, pulse, pause, pulses = pattern(cue)
    return pulses * (pulse + pause) - pause if pulses > 0.0 else 0.0
