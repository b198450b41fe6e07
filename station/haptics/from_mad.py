"""Settings of the forces from what a MAD file says and what the device says of itself."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from station.devices.device import Axis, Capabilities
from station.haptics.bounds import StiffnessBound, stiffness_bound
from station.haptics.effects import Contact, Obstacles, Singularity, Stops
from station.haptics.settings import Body, Coupling, HapticSettings, Limits, Method, Stability
from station.mad.scene import Haptics

SHARE = 0.8  # of the stiffness bound that is used
DAMPER_SHARE = 0.3  # of the device's damping that the coupling's damper may be


class Gains(NamedTuple):
    """Springs of the coupling with the bounds they were chosen from: to be shown."""

    straight: StiffnessBound  # [N/m]
    turning: StiffnessBound  # [N·m/rad]
    coupling: Coupling


def gains_from_device(
    haptics: Haptics | None, capabilities: Capabilities, body: Body, method: Method = Method.OBSERVER
) -> Gains:
    """Springs and dampers of the coupling: what the file wants, within what damping, rate and encoders allow.

    A method that keeps passivity by itself lets the file have springs beyond the bound, up to what the device renders.
    """
    file = haptics or Haptics()
    period = 1.0 / capabilities.rate
    damping = _given(file.damping, DAMPER_SHARE * body.damping)
    turn_damping = _given(file.turn_damping, DAMPER_SHARE * body.turn_damping)
    straight = stiffness_bound(
        damping=body.damping,
        period=period,
        friction=body.friction,
        resolution=body.resolution,
        virtual_damping=damping,
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
    return Gains(straight, turning, coupling)


def settings_from_device(
    haptics: Haptics | None,
    capabilities: Capabilities,
    body: Body | None = None,
    method: Method = Method.OBSERVER,
) -> HapticSettings:
    """All settings; the words `stops`, `singularity` and `contact` of a file are factors on the defaults, 0 is off."""
    file, body = haptics or Haptics(), body or Body()
    axes = capabilities.axes
    for_long = tuple(axis.force for axis in axes)
    peak = tuple(max(axis.force, axis.peak) for axis in axes)
    force = _given(file.force, max(1e-3, *peak[:3]))
    torque = _given(file.torque, max(1e-4, *peak[3:]))
    limits = Limits(for_long=for_long, peak=peak, force=force, torque=torque)  # type: ignore[arg-type]
    stops, singularity, contact = _given(file.stops, 1.0), _given(file.singularity, 1.0), _given(file.contact, 1.0)
    part = 0.5 * force  # so that no single effect uses up what the hand can be given
    return HapticSettings(
        coupling=gains_from_device(haptics, capabilities, body, method).coupling,
        stops=replace(Stops(force=part), on=stops > 0.0, stiffness=Stops.stiffness * stops),
        singularity=replace(
            Singularity(force=part), on=singularity > 0.0, stiffness=Singularity.stiffness * singularity
        ),
        obstacles=Obstacles(force=part),
        contact=replace(Contact(force=part), on=contact > 0.0, scale=contact),
        body=body,
        stability=Stability(method=method, period=1.0 / capabilities.rate),
        limits=limits,
    )


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
