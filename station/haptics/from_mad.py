"""Settings of the forces from what a MAD file says and what the device says of itself."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from station.devices.device import Axis, Capabilities
from station.haptics.bodies import body_from_device
from station.haptics.bounds import LimitedBy, StiffnessBound, stiffness_bound
from station.haptics.effects import Contact, Obstacles, Singularity, Stops
from station.haptics.settings import Body, Coupling, HapticSettings, Limits, Method, Stability
from station.mad.scene import Haptics, StabilityMethod

SHARE = 0.8  # of the stiffness bound that is used
DAMPER_SHARE = 0.3  # of the device's damping that the coupling's damper may be
METHODS = {
    StabilityMethod.COUPLING_ONLY: Method.COUPLING_ONLY,
    StabilityMethod.OBSERVER_CONTROLLER: Method.OBSERVER,
    StabilityMethod.ENERGY_BOUNDING: Method.BOUNDING,
}


class Gains(NamedTuple):
    """Springs of the coupling with the bounds they were chosen from: to be shown."""

    straight: StiffnessBound  # [N/m]
    turning: StiffnessBound  # [N·m/rad]
    coupling: Coupling
    text: str  # for people: the spring in translation, its bound, and what keeps it passive


def method_from(haptics: Haptics | None) -> Method:
    """How passivity is kept, as the file says; else by observer and controller."""
    said = haptics.stability if haptics is not None else None
    return Method.OBSERVER if said is None or said.type is None else METHODS[said.type]


def gains_from_device(
    haptics: Haptics | None, capabilities: Capabilities, body: Body | None = None, method: Method | None = None
) -> Gains:
    """Springs and dampers of the coupling: what the file wants, within what damping, rate and encoders allow.

    A method that keeps passivity by itself lets the file have springs beyond the bound, up to what the device renders,
    and takes care of the delay; without one, the delay counts in the bound.
    """
    file = haptics or Haptics()
    body, method = body or body_from_device(haptics, capabilities), method or method_from(haptics)
    period = 1.0 / capabilities.rate
    delay = body.delay if method is Method.COUPLING_ONLY else 0.0
    damping = _given(file.damping, DAMPER_SHARE * body.damping)
    turn_damping = _given(file.turn_damping, DAMPER_SHARE * body.turn_damping)
    straight = stiffness_bound(
        damping=body.damping,
        period=period,
        friction=body.friction,
        resolution=body.resolution,
        virtual_damping=damping,
        delay=delay,
        share=SHARE,
        wanted=_given(file.stiffness, math.inf),
        device=_stiffest(capabilities.axes[:3]),
    )
    turning = stiffness_bound(
        damping=body.turn_damping,
        period=period,
        friction=0.0,
        resolution=0.0,
        virtual_damping=turn_damping,
        delay=delay,
        share=SHARE,
        wanted=_given(file.turn_stiffness, math.inf),
        device=_stiffest(capabilities.axes[3:]),
    )
    if method is not Method.COUPLING_ONLY:
        straight = _as_wanted(straight, file.stiffness, capabilities.axes[:3])
        turning = _as_wanted(turning, file.turn_stiffness, capabilities.axes[3:])
    coupling = Coupling(
        stiffness=straight.chosen, damping=damping, turn_stiffness=turning.chosen, turn_damping=turn_damping
    )
    return Gains(straight, turning, coupling, _told(straight, capabilities.rate, delay, method))


def _told(spring: StiffnessBound, rate: float, delay: float, method: Method) -> str:
    """`coupling 640 N/m: 80 % of the bound 800 N/m = 2·(b - B)/T at 1000 Hz; observer-controller`."""
    if spring.chosen == 0.0:
        return "no coupling: the device cannot push"
    by_damping = spring.by_damping <= spring.by_quantisation
    damped = f"2·(b - B)/(T + 2·d), d = {1e3 * delay:g} ms," if delay > 0.0 else "2·(b - B)/T"
    formula = f"{damped} at {rate:.0f} Hz" if by_damping else "2·f_c/Δ of friction and encoders"
    share = f"{100.0 * spring.chosen / spring.bound:.0f} %" if spring.bound > 0.0 else "beyond"
    text = f"coupling {spring.chosen:.0f} N/m: {share} of the bound {spring.bound:.0f} N/m = {formula}; {method}"
    return text + (", limit: what the device says it renders" if spring.limited_by is LimitedBy.DEVICE else "")


def settings_from_device(
    haptics: Haptics | None,
    capabilities: Capabilities,
    body: Body | None = None,
    method: Method | None = None,
) -> HapticSettings:
    """All settings; the words `stops`, `singularity` and `contact` of a file are factors on the defaults, 0 is off.

    What is trusted of the device and the method are taken from the file too, if they are not given here.
    """
    file, body = haptics or Haptics(), body or body_from_device(haptics, capabilities)
    method = method or method_from(haptics)
    axes = capabilities.axes
    for_long = tuple(axis.force for axis in axes)
    peak = tuple(max(axis.force, axis.peak) for axis in axes)
    force = _given(file.force, max(1e-3, *peak[:3]))
    torque = _given(file.torque, max(1e-4, *peak[3:]))
    limits = Limits(for_long=for_long, peak=peak, force=force, torque=torque)  # type: ignore[arg-type]
    stops, singularity, contact = _given(file.stops, 1.0), _given(file.singularity, 1.0), _given(file.contact, 1.0)
    # So that no single effect uses up what the hand can be given. A device that cannot push has limits of zero, and
    # effects as for one that can: what would be felt is shown.
    part = 0.5 * (force if any(peak[:3]) else _given(file.force, Limits.force))
    return HapticSettings(
        coupling=gains_from_device(haptics, capabilities, body, method).coupling,
        stops=replace(Stops(force=part), on=stops > 0.0, stiffness=Stops.stiffness * stops),
        singularity=replace(
            Singularity(force=part), on=singularity > 0.0, stiffness=Singularity.stiffness * singularity
        ),
        obstacles=Obstacles(force=part),
        contact=replace(Contact(force=part), on=contact > 0.0, scale=contact),
        body=body,
        stability=Stability(method=method, period=1.0 / capabilities.rate, trust=_trust(file)),
        limits=limits,
    )


def _trust(file: Haptics) -> float:
    return _given(file.stability.trust if file.stability is not None else None, Stability.trust)


def _given(value: float | None, default: float) -> float:
    return default if value is None else value


def _stiffest(axes: tuple[Axis, ...]) -> float:
    """What the weakest axis that can push renders [N/m | N·m/rad]; 0 if none can."""
    return min((axis.stiffness or math.inf for axis in axes if axis.actuated), default=0.0)


def _as_wanted(bound: StiffnessBound, wanted: float | None, axes: tuple[Axis, ...]) -> StiffnessBound:
    """What the file wants, beyond the bound if need be; the bound and the negative margin stay visible."""
    if wanted is None or wanted <= bound.chosen:
        return bound
    return bound._replace(chosen=min(wanted, max(bound.chosen, _stiffest(axes))))
