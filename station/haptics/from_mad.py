"""Settings and guides from what a MAD file says, what the device says of itself, and what is known of its model.

How stiff a sampled spring may be: from the device's damping, friction, encoder step and the rate.

A spring that is sampled and held gives back more than was put in; the device itself has to take the difference:

    K ≤ 2·(b - B)/T         damping b, virtual damper B, period T (J. E. Colgate, G. Schenkel, 1994: b > K·T/2 + B)
    K ≤ 2·(b - B)/(T + 2·d) if forces come late by d: on average a held force is half a period old, and d more
    K ≤ 2·f_c/Δ             dry friction f_c, encoder step Δ (J. J. Abbott, A. M. Okamura, 2005)

All are needed. What is used is a share (the margin) of the smaller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, NamedTuple

from station.devices.device import Axis, Capabilities
from station.devices.parameter import SettingsError
from station.haptics.guides import (
    AxisGuide,
    ConeGuide,
    CurveGuide,
    Guide,
    LineGuide,
    PlaneGuide,
    PointGuide,
    Triple,
    Zone,
)
from station.haptics.settings import (
    Body,
    Contact,
    Coupling,
    HapticSettings,
    Limits,
    Method,
    Obstacles,
    Singularity,
    Stability,
    Stops,
)
from station.mad.scene import Crossing, GuideKind, Haptics, Scene, StabilityMethod, Vector
from station.mad.scene import Guide as SceneGuide


class LimitedBy(StrEnum):
    """What keeps a spring from being stiffer."""

    DAMPING = "damping and rate"
    QUANTISATION = "friction and encoder step"
    DEVICE = "what the device says it renders"
    WANTED = "nothing: it is as stiff as wanted"


class StiffnessBound(NamedTuple):
    """How stiff a spring may be, why, and how stiff it is chosen."""

    by_damping: float  # [N/m | N·m/rad]
    by_quantisation: float
    bound: float  # the smaller of the two
    limited_by: LimitedBy
    chosen: float

    @property
    def margin(self) -> float:
        """How much of the bound is left, from 0 to 1; negative if the chosen spring is beyond it."""
        return 1.0 - self.chosen / self.bound if self.bound > 0.0 else (0.0 if self.chosen == 0.0 else -math.inf)

    def __str__(self) -> str:
        return f"{self.chosen:.0f} of at most {self.bound:.0f} (limit: {self.limited_by}), margin {self.margin:.0%}"


def stiffness_bound(
    *,
    damping: float,
    period: float,
    friction: float,
    resolution: float,
    virtual_damping: float = 0.0,
    delay: float = 0.0,
    share: float = 0.8,
    wanted: float = math.inf,
    device: float = math.inf,
) -> StiffnessBound:
    """The bound of a spring and the spring to use.

    `damping` b and `virtual_damping` B [N·s/m | N·m·s/rad], `period` T [s], `friction` f_c [N | N·m], `resolution` Δ
    [m | rad], `delay` d until a force acts [s], `share` of the bound to use, `wanted` stiffness and what the `device`
    renders [N/m | N·m/rad].
    """
    for name, value in (
        ("damping", damping),
        ("friction", friction),
        ("virtual_damping", virtual_damping),
        ("delay", delay),
    ):
        if not (math.isfinite(value) and value >= 0.0):
            raise SettingsError(f"{name} is {value:g}; allowed: 0 and more, finite")
    if not (period > 0.0 and math.isfinite(period) and resolution >= 0.0 and 0.0 < share <= 1.0):
        raise SettingsError(f"period {period:g} s, resolution {resolution:g}, share {share:g}; allowed: more than 0")
    by_damping = max(0.0, 2.0 * (damping - virtual_damping) / (period + 2.0 * delay))
    by_quantisation = 2.0 * friction / resolution if resolution > 0.0 else math.inf
    bound = min(by_damping, by_quantisation)
    limits = {
        LimitedBy.WANTED: wanted,
        LimitedBy.DEVICE: device,
        LimitedBy.DAMPING: share * by_damping,
        LimitedBy.QUANTISATION: share * by_quantisation,
    }
    limited_by = min(limits, key=lambda name: limits[name])
    return StiffnessBound(by_damping, by_quantisation, bound, limited_by, limits[limited_by])


SHARE = 0.8  # of the stiffness bound that is used
DAMPER_SHARE = 0.3  # of the device's damping that the coupling's damper may be
METHODS = {
    StabilityMethod.COUPLING_ONLY: Method.COUPLING_ONLY,
    StabilityMethod.OBSERVER_CONTROLLER: Method.OBSERVER,
    StabilityMethod.ENERGY_BOUNDING: Method.BOUNDING,
}
KINDS: dict[GuideKind, Callable[..., Guide]] = {
    GuideKind.POINT: PointGuide,
    GuideKind.LINE: LineGuide,
    GuideKind.PLANE: PlaneGuide,
    GuideKind.AXIS: AxisGuide,
    GuideKind.CURVE: CurveGuide,
    GuideKind.CONE: ConeGuide,
    GuideKind.ZONE: Zone,
}
# Mechanics of the devices that are known, by model, as far as they are trusted.
# Syntaxer: from its model and the numbers of its emulated plant, the least anywhere in the workspace; nothing is
# measured on hardware yet. Damping 0.02 N·m·s/rad and dry friction 0.015 N·m at each arm, through the Jacobian; the
# encoder step is that of one arm along an axis, in the middle; delay: 0.5 ms of the firmware's loop, 0.3 ms of the
# currents. Falcon: plausible, not measured, and below what its emulator has (1.5 N·s/m, 0.25 N); one exchange takes
# 1 ms.
BODIES = {
    "syntaxer": Body(
        damping=0.30,
        turn_damping=0.001,
        friction=0.08,
        mass=0.35,
        resolution=20e-6,
        turn_resolution=37e-6,
        delay=0.8e-3,
    ),
    "Novint Falcon": Body(damping=1.0, friction=0.2, mass=0.25, resolution=60e-6, delay=1e-3),
}


class Gains(NamedTuple):
    """Springs of the coupling with the bounds they were chosen from: to be shown."""

    straight: StiffnessBound  # [N/m]
    turning: StiffnessBound  # [N·m/rad]
    coupling: Coupling
    text: str  # for people: the spring in translation, its bound, and what keeps it passive


def body_from_device(haptics: Haptics | None, capabilities: Capabilities) -> Body:
    """What is trusted of a device: what the file says, else what is known of its model, else little."""
    known = BODIES.get(capabilities.model, Body())
    if haptics is None or haptics.body is None:
        return known
    said = {part.name: getattr(haptics.body, part.name) for part in fields(Body)}
    return replace(known, **{name: value for name, value in said.items() if value is not None})


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
            Singularity(force=part),
            on=singularity > 0.0,
            stiffness=Singularity.stiffness * singularity,
            crossing=file.crossing is Crossing.YES,
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


def guides_from_scene(scene: Scene) -> dict[str, Guide]:
    """All guides of a scene by name, in its order; places and directions are those of the world.

    Raises SettingsError with one line that says where in the file what is wrong.
    """
    found = {}
    for said in scene.guides:
        try:
            found[said.name] = KINDS[said.type](**_numbers(said))
        except SettingsError as error:
            place = said.source.place
            where = f"{scene.file or scene.name}:{place.line}:{place.column}"
            raise SettingsError(f"{where}: guide {said.name}: {error}") from None
    return found


def _numbers(said: SceneGuide) -> dict[str, Any]:
    """What the file says, by the names that guides have for it; the rest keeps its default."""
    given: dict[str, Any] = {
        "stiffness": said.stiffness,
        "damping": said.damping,
        "radius": said.radius,
        "force": said.force,
        "point": said.pos and tuple(said.pos),
        "direction": said.direction and tuple(said.direction),
        "half_angle": said.half_angle,
        "size": said.size,
        "turn_stiffness": said.torque,
        "tool": said.tool and _unit(said.tool),
        "points": _triples(said.points) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _unit(vector: Vector) -> Triple:
    length = math.hypot(*vector)
    return vector.x / length, vector.y / length, vector.z / length


def _triples(numbers: tuple[float, ...]) -> tuple[Triple, ...]:
    """Three by three."""
    return tuple((numbers[i], numbers[i + 1], numbers[i + 2]) for i in range(0, len(numbers) - 2, 3))
