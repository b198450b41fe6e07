"""`haptics_tick`: one tick of all forces; which inputs are refused, and why.

`HapticRenderer` is a thin class over the kernels: hand and proxy in, the wrench on the hand out, every tick.
"""

from __future__ import annotations

import math

import numpy as np

from station.devices.parameter import SettingsError
from station.haptics.effects import (
    add_compensation,
    add_contact,
    add_coupling,
    add_cue,
    add_device_walls,
    add_obstacles,
    add_singularity,
    add_stops,
)
from station.haptics.guides import Guide, Guides
from station.haptics.limits import limit_power, limit_slew, saturate, warm
from station.haptics.passivity import bound_energy, control_passivity, forget, let_act, note_force, take_sample
from station.haptics.pulls import add_guides
from station.haptics.settings import HapticSettings
from station.haptics.state import (
    CAUSES,
    EFFECTS,
    MOST_GUIDES,
    MOST_OBSTACLES,
    MOST_STOPS,
    Acting,
    Cause,
    Cue,
    Energy,
    Fault,
    HapticState,
    Inputs,
    Rendered,
)
from station.haptics.tuning import HapticNumbers, MethodCode, Tuning, gain_of, move_ramps, numbers_from
from station.kernel import Floats, Floats1, entry, kernel

LARGEST = 1e9  # beyond this a number is as good as infinite: its square must not overflow
VERY_OLD = 1e6  # [s]


@entry
def haptics_tick(state: HapticState, tuning: Tuning, guides: Guides, inputs: Inputs, wrench: Floats1) -> int:
    """Write the wrench on the hand, device axes [N, N·m]; returns the `Fault`, 0 if all is well."""
    settings = tuning.now
    faults = faults_of(state, settings, inputs)
    state.faults, state.acting = faults, Acting.NOTHING
    if faults != Fault.NONE:
        _let_go(state, faults, inputs)
        wrench[:6] = 0.0
        return faults
    dt = inputs.now - state.last_now if state.started else settings.stability.period
    dt = min(dt, settings.limits.stale_after)
    state.last_now = inputs.now
    let_act(state, dt)
    if inputs.fresh:
        take_sample(state, settings, inputs)
    else:
        state.age += dt
    move_ramps(state, tuning, guides, inputs, dt)
    _add_effects(state, settings, guides, inputs, dt)
    forget(state, settings, dt)
    _sum_up(state, settings, wrench, dt)
    if not within(wrench):  # no input is known that leads here; if one does, the hand must not feel it
        state.faults = Fault.NOT_FINITE
        _let_go(state, Fault.NOT_FINITE, inputs)
        wrench[:6] = 0.0
        return Fault.NOT_FINITE
    for cause in range(CAUSES):
        for i in range(6):
            state.sent[cause, i] = state.parts[cause, i]
    warm(state, settings, dt)
    return Fault.NONE


@kernel
def _add_effects(state: HapticState, settings: HapticNumbers, guides: Guides, inputs: Inputs, dt: float) -> None:
    """All effects, each in its own six numbers, and what their springs hold."""
    for cause in range(CAUSES):
        for i in range(6):
            state.parts[cause, i] = 0.0
    energy = add_coupling(state, settings, inputs, gain_of(state, Cause.COUPLING))
    energy += add_stops(state, settings, inputs, gain_of(state, Cause.STOPS))
    energy += add_singularity(state, settings, inputs, gain_of(state, Cause.SINGULARITY))
    energy += add_obstacles(state, settings, inputs, gain_of(state, Cause.OBSTACLES))
    energy += add_guides(state, settings, guides, inputs, gain_of(state, Cause.GUIDES), gain_of(state, Cause.ZONES))
    energy += add_contact(state, settings, inputs, gain_of(state, Cause.CONTACT), dt)
    add_compensation(state, settings, inputs, gain_of(state, Cause.COMPENSATION))
    add_cue(state, settings, inputs, gain_of(state, Cause.CUES), dt)
    add_device_walls(state, settings, inputs, gain_of(state, Cause.DEVICE))
    state.potential = energy


@kernel
def _sum_up(state: HapticState, settings: HapticNumbers, wrench: Floats1, dt: float) -> None:
    """The sum of all effects, then limits, then passivity; what these take away are causes of their own."""
    for i in range(6):
        wrench[i] = 0.0
        for cause in range(EFFECTS):
            wrench[i] += state.parts[cause, i]
        state.parts[Cause.LIMITS, i] = -wrench[i]
    acting = saturate(state, settings, wrench)
    acting |= limit_power(state, settings, wrench)
    acting |= limit_slew(state, settings, wrench, dt)
    for i in range(6):
        state.parts[Cause.LIMITS, i] += wrench[i]
        state.parts[Cause.PASSIVITY, i] = -wrench[i]
        state.wrench[i] = wrench[i]
    acts = False
    if settings.method == MethodCode.OBSERVER:
        acts = control_passivity(state, settings, dt)
    elif settings.method == MethodCode.BOUNDING:
        acts = bound_energy(state, settings, dt)
    else:
        state.ratio = 1.0
    for i in range(6):
        wrench[i] = state.wrench[i]
    saturate(state, settings, wrench)  # a damper of passivity must not exceed the device either
    for i in range(6):
        state.wrench[i] = wrench[i]
        state.parts[Cause.PASSIVITY, i] += wrench[i]
    state.acting = acting | (Acting.PASSIVITY if acts else Acting.NOTHING)


@kernel
def _let_go(state: HapticState, faults: Fault, inputs: Inputs) -> None:
    """No force at once; it comes back along the ramp of engagement, and energy that was owed stays owed."""
    for i in range(6):
        note_force(state, i, state.wrench[i])
    state.acted = True
    for i in range(6):
        note_force(state, i, state.applied[i])
        note_force(state, i, 0.0)
        state.wrench[i] = 0.0
    for cause in range(CAUSES):
        for i in range(6):
            state.parts[cause, i] = state.sent[cause, i] = 0.0
    state.engagement, state.playing, state.slow_down, state.ratio = 0.0, Cue.NONE, 1.0, 0.0
    state.available = min(state.available, 0.0)
    state.potential = 0.0
    if faults & (Fault.DEVICE_LOST | Fault.CLOCK) != Fault.NONE:
        state.started = False
    elif faults & Fault.NOT_FINITE == Fault.NONE:
        state.age += max(0.0, inputs.now - state.last_now)
        state.last_now = inputs.now


@kernel
def within(numbers: Floats1) -> bool:
    """Whether all these are finite and not absurd."""
    for i in range(numbers.size):  # noqa: SIM110 - generators are not compiled
        if not abs(numbers[i]) < LARGEST:  # also for what is no number
            return False
    return True


@kernel
def is_unit(quaternion: Floats1) -> bool:
    """Whether four numbers are a rotation, to one per cent."""
    square = 0.0
    for i in range(4):
        square += quaternion[i] ** 2
    return abs(square - 1.0) < 0.02


@kernel
def faults_of(state: HapticState, settings: HapticNumbers, inputs: Inputs) -> Fault:
    """What is wrong with this tick. A refused tick has zero force and a named fault."""
    if not inputs.ready:
        return Fault.DEVICE_LOST
    if inputs.measured_age == math.inf:  # never measured: as good as very old
        inputs.measured_age = VERY_OLD
    if not _told_is_finite(inputs):
        return Fault.NOT_FINITE
    stops, obstacles = inputs.stop_count, inputs.obstacle_count
    if not (0 <= stops <= MOST_STOPS and 0 <= obstacles <= MOST_OBSTACLES and Cue.NONE <= inputs.cue <= Cue.FAULT):
        return Fault.TOO_MANY_ROWS
    if not _rows_are_finite(inputs):
        return Fault.NOT_FINITE
    if not (is_unit(inputs.hand_turn) and is_unit(inputs.proxy_turn)):
        return Fault.NO_ROTATION
    return _faults_of_time(state, settings, inputs)


@kernel
def _told_is_finite(inputs: Inputs) -> bool:
    """Whether all numbers but those of rows are."""
    if not (abs(inputs.now) < LARGEST and abs(inputs.sample_time) < LARGEST):
        return False
    if not (abs(inputs.nearness) < LARGEST and abs(inputs.measured_age) < LARGEST):
        return False
    hand = within(inputs.hand) and within(inputs.hand_turn) and within(inputs.hand_speed)
    proxy = within(inputs.proxy) and within(inputs.proxy_turn) and within(inputs.proxy_speed)
    others = within(inputs.hand_acceleration) and within(inputs.nearness_gradient)
    return hand and proxy and others and within(inputs.measured) and within(inputs.own_wrench)


@kernel
def _rows_are_finite(inputs: Inputs) -> bool:
    """Whether all rows are that are filled."""
    for k in range(inputs.stop_count):
        if not (abs(inputs.stop_distance[k]) < LARGEST and within(inputs.stop_gradient[k])):
            return False
    for k in range(inputs.obstacle_count):
        if not (abs(inputs.obstacle_distance[k]) < LARGEST and within(inputs.obstacle_normal[k])):
            return False
        if not within(inputs.obstacle_point[k]):
            return False
    return True


@kernel
def _faults_of_time(state: HapticState, settings: HapticNumbers, inputs: Inputs) -> Fault:
    """Time that goes back, and samples that are too old."""
    fresh = inputs.fresh
    if not state.started:
        return Fault.NONE if fresh else Fault.STALE_SAMPLE
    if inputs.now < state.last_now or (fresh and inputs.sample_time <= state.last_sample):
        return Fault.CLOCK
    if not fresh and state.age + inputs.now - state.last_now > settings.limits.stale_after:
        return Fault.STALE_SAMPLE
    return Fault.NONE


class HapticRenderer:
    """Forces for one hand. A tick reads no clock, does not wait, allocates next to nothing and never raises."""

    def __init__(self, settings: HapticSettings | None = None) -> None:
        self._settings = settings or HapticSettings()
        numbers = numbers_from(self._settings)
        self.tuning = Tuning(now=numbers, wanted=numbers)  # for other kernels, as are all records
        self.guides, self.state = Guides(), HapticState()
        self.wrench: Floats = np.zeros(6)
        self._names: dict[str, int] = {}
        self.tick(Inputs())  # compile or load now, not in the first real tick
        self.reset()

    def reset(self) -> None:
        """Forget all that was: ledger, ramps, heat."""
        self.state.reset()
        self.state.gains[:] = self.tuning.now.strength

    def tick(self, inputs: Inputs) -> Rendered:
        """One tick; what goes wrong becomes a fault with zero force."""
        state = self.state
        fault = haptics_tick(state, self.tuning, self.guides, inputs, self.wrench)
        return Rendered(
            self.wrench,
            state.parts,
            state.slow_down,
            Energy(state.rendered, state.dissipated, state.available, state.potential, state.lowest),
            state.acting,
            Fault(fault),
        )

    @property
    def settings(self) -> HapticSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: HapticSettings) -> None:
        """Use other settings from the next tick on. Switches ramp and gains glide; limits act at once."""
        self.tuning.wanted = numbers_from(settings)
        self._settings = settings

    def lay(self, name: str, guide: Guide) -> None:
        """Lay a guide or zone; it grows along a ramp. One of the same name fades out meanwhile."""
        free = [g for g in range(MOST_GUIDES) if self._is_free(g)]
        if not free:
            raise SettingsError(f"no room for guide {name}; allowed: {MOST_GUIDES} at a time, fading ones included")
        self.remove(name)
        self.guides[free[0]].take(guide.laid())
        self.state.guide_gains[free[0]] = 0.0
        self._names[name] = free[0]

    def remove(self, name: str) -> None:
        """Let a guide fade out; nothing happens if there is none of that name."""
        place = self._names.pop(name, None)
        if place is not None:
            self.guides[place].wanted = False

    def energy_of(self, cause: Cause) -> float:
        """Energy that went from the hand into one cause [J]; negative: it gave energy."""
        return float(self.state.cause_energy[cause])

    def _is_free(self, place: int) -> bool:
        return not self.guides[place].wanted and float(self.state.guide_gains[place]) == 0.0
