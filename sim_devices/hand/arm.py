"""An arm at a handle, from a loose to a tight grip: what it feels like, and how it moves.

Values are typical of people, not of one person. The mass of the arm is between its own spring to the target and the
skin at the handle, six axes at a time. It lives here, not in the device: coupled through the skin it needs nothing of
whoever moves the handle but its place. It is integrated by the implicit midpoint rule, which keeps energy exactly and
is stable at any step. Between two calls the handle is taken to have moved evenly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_devices.hand.errors import ScriptError
from station.kernel import Floats, Floats1, Floats3, Record, entry, field, kernel

Range = tuple[float, float]  # at a loose and at a tight grip; between them by equal ratios
TREMOR_CENTRE = 2.0 * math.pi * 10.0  # frequency at which the size of tremor holds [rad/s]

LONGEST_STEP = 0.001  # of the mass [s]
MOST_STEPS = 1000
LONGEST_HOLD = 0.002  # for which a wrench is made to be held [s]


class Impedance(Record):
    """What an arm feels like, along and about three axes."""

    mass: Floats1 = field("kg, kg·m²", shape=6)
    stiffness: Floats1 = field("N/m, N·m/rad", "to where the arm wants to be", shape=6)
    damping: Floats1 = field("N·s/m, N·m·s/rad", shape=6)
    skin: Floats1 = field("N/m, N·m/rad", "between the mass and the handle", shape=6)
    skin_damping: Floats1 = field("N·s/m, N·m·s/rad", shape=6)


class ArmState(Record):
    """Where the mass of an arm is."""

    place: Floats1 = field("m, rad", shape=6)
    speed: Floats1 = field("m/s, rad/s", shape=6)
    handle: Floats1 = field("m, rad", "place of the handle at the last call", shape=6)
    push: Floats1 = field("N", "of the muscles besides, by tremor", shape=6)


class ArmInputs(Record):
    """What the arm wants, what it can, and what its handle does."""

    target: Floats1 = field("m, rad", "where the arm wants to be now", shape=6)
    target_speed: Floats1 = field("m/s, rad/s", shape=6)
    handle: Floats1 = field("m, rad", "where the handle is", shape=6)
    handle_speed: Floats1 = field("m/s, rad/s", shape=6)
    strength: float = field("N", "of the muscles")
    turning_strength: float = field("N·m")
    tremor: float = field("N", "amplitude of one sine with the power of the tremor")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """Mass, spring and damper to where the arm wants to be; a stiff skin between this mass and the handle."""

    mass: Range = (0.15, 0.6)  # felt at the handle [kg]
    stiffness: Range = (60.0, 600.0)  # [N/m]
    damping_ratio: Range = (0.6, 0.8)  # of mass and spring
    skin: Range = (600.0, 2500.0)  # stiffness of skin and tissue [N/m]
    skin_damping: Range = (4.0, 12.0)  # [N·s/m]
    inertia: Range = (2.0e-4, 8.0e-4)  # of the wrist [kg·m²]
    turning_stiffness: Range = (0.3, 3.0)  # [N·m/rad]
    turning_skin: Range = (2.0, 10.0)  # [N·m/rad]
    turning_skin_damping: Range = (0.005, 0.015)  # [N·m·s/rad]
    strength: float = 40.0  # largest force of the muscles [N]
    turning_strength: float = 1.5  # [N·m]
    reaction: float = 0.18  # until an error is acted upon [s]
    correction: float = 2.0  # part of an error that is corrected per second [1/s]; 0: none is
    most_correction: float = 0.03  # [m]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            numbers = value if isinstance(value, tuple) else (value,)
            least = 0.0 if name == "correction" else math.ulp(0.0)
            if not all(math.isfinite(number) and number >= least for number in numbers):
                raise ScriptError(f"arm: {name} is {value}; allowed: finite numbers above 0")
        if self.correction * self.reaction >= 1.0:
            raise ScriptError("arm: correction times reaction is 1 or more; allowed: less, or the arm swings")

    def impedance(self, grip: float) -> Impedance:
        """Mass, stiffness, damping, skin and its damping of the six axes at a grip from 0 to 1."""

        def at(ends: Range) -> float:
            return float(ends[0] * (ends[1] / ends[0]) ** grip)

        made = Impedance(
            mass=[at(self.mass)] * 3 + [at(self.inertia)] * 3,
            stiffness=[at(self.stiffness)] * 3 + [at(self.turning_stiffness)] * 3,
            skin=[at(self.skin)] * 3 + [at(self.turning_skin)] * 3,
            skin_damping=[at(self.skin_damping)] * 3 + [at(self.turning_skin_damping)] * 3,
        )
        made.damping[:] = 2.0 * at(self.damping_ratio) * np.sqrt(made.mass * made.stiffness)
        return made


def tremor_force(impedance: Impedance) -> float:
    """Force that moves the arm alone by one metre at 10 Hz [N/m]."""
    mass, stiffness, damping = (float(of[0]) for of in (impedance.mass, impedance.stiffness, impedance.damping))
    return math.hypot(stiffness - mass * TREMOR_CENTRE**2, damping * TREMOR_CENTRE)


@entry
def step_arm(
    impedance: Impedance,
    sines: Floats3,
    state: ArmState,
    inputs: ArmInputs,
    now: float,
    period: float,
    wrench: Floats1,
) -> None:
    """Live for `period` until `now` [s]; write the wrench on the handle [N, N·m] for a period like this one.

    A spring that is sampled and held gives energy: on average it acts half a period late. So it is taken where it will
    be half a period on, at the present speeds.
    """
    finite = True
    for i in range(6):
        wrench[i] = 0.0
        finite = finite and math.isfinite(inputs.handle[i]) and math.isfinite(inputs.handle_speed[i])
    if not finite:
        return
    tremble(sines, inputs.tremor, now - 0.5 * period, state)
    steps = min(max(math.ceil(period / LONGEST_STEP - 1e-6), 0), MOST_STEPS)
    for n in range(steps):
        step = period / steps
        for first in (0, 3):
            move_mass(impedance, state, inputs, period, step, (n + 0.5) * step, first)
    half = 0.5 * min(max(period, 0.0), LONGEST_HOLD)
    for i in range(6):
        state.handle[i] = inputs.handle[i]
        stretch, rate = state.place[i] - inputs.handle[i], state.speed[i] - inputs.handle_speed[i]
        skin = impedance.skin[i]
        wrench[i] = skin * stretch + (impedance.skin_damping[i] + skin * half) * rate


@kernel
def tremble(sines: Floats, size: float, now: float, state: ArmState) -> None:
    """Write the force of the tremor [N]: a sum of sines for each axis."""
    for i in range(3):
        total = 0.0
        for j in range(sines.shape[1]):
            total += math.sin(sines[i, j, 0] * now + sines[i, j, 1])
        state.push[i] = size * total / math.sqrt(sines.shape[1])


@kernel
def move_mass(
    impedance: Impedance,
    state: ArmState,
    inputs: ArmInputs,
    period: float,
    step: float,
    middle: float,
    first: int,
) -> None:
    """One step of three axes; `middle` is the time of its middle since the last call [s]."""
    size = 0.0
    for i in range(first, first + 3):
        size += muscle(impedance, state, inputs, period, step, middle, i, -1.0) ** 2
    limit = inputs.strength if first == 0 else inputs.turning_strength
    share = 1.0 if size <= limit * limit else limit / math.sqrt(size)
    for i in range(first, first + 3):
        speed = muscle(impedance, state, inputs, period, step, middle, i, share)
        state.place[i] += step * speed
        state.speed[i] = 2.0 * speed - state.speed[i]


@kernel
def muscle(
    impedance: Impedance,
    state: ArmState,
    inputs: ArmInputs,
    period: float,
    step: float,
    middle: float,
    i: int,
    share: float,
) -> float:
    """Force of the muscles of an axis in the middle of a step [N]; or, with a share of it, the speed there [m/s]."""
    inertia = 2.0 * impedance.mass[i] / step
    hand_speed = (inputs.handle[i] - state.handle[i]) / period
    skin = impedance.skin[i] * (state.handle[i] + middle * hand_speed - state.place[i])
    skin += impedance.skin_damping[i] * hand_speed + inertia * state.speed[i]
    skin_slope = inertia + 0.5 * step * impedance.skin[i] + impedance.skin_damping[i]
    wanted = inputs.target[i] - (period - middle) * inputs.target_speed[i]
    own = impedance.stiffness[i] * (wanted - state.place[i]) + state.push[i]
    own += impedance.damping[i] * inputs.target_speed[i]
    own_slope = 0.5 * step * impedance.stiffness[i] + impedance.damping[i]
    speed: float = (skin + own) / (skin_slope + own_slope)
    force: float = own - own_slope * speed
    if share < 0.0:
        return force
    return speed if share == 1.0 else float((skin + share * force) / skin_slope)
