"""What a syntaxer can do, computed from its model: the worst place of the workspace counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.syntaxer.geometry import Syntaxer
from station.devices.syntaxer.kernels.layout import Floats
from station.devices.syntaxer.kernels.statics import handle_weight
from station.devices.syntaxer.packing import Packed
from station.devices.syntaxer.rotation import Turned, cube, torque_along, turned_by
from station.devices.syntaxer.translation import cylinder_points, force_along, least_damping, survey, torque_limits

BUTTONS = ("deadman", "index", "left", "right")


class Strength(NamedTuple):
    """Forces [N] or torques [N·m] along the three axes, in the worst place."""

    for_long: Floats
    peak: Floats


def capabilities(geometry: Syntaxer, packed: Packed) -> Capabilities:
    """Declare the device: axes with their ends, forces and stiffness."""
    cylinder, angle = geometry.cylinder, geometry.paramat.range
    force, torque = force_strength(geometry, packed), torque_strength(geometry, packed)
    spring, twist = stiffest(geometry, packed)
    ends = ((cylinder.near, cylinder.far), (-cylinder.radius, cylinder.radius), (-cylinder.radius, cylinder.radius))
    along = [
        Axis(kind=AxisKind.ABSOLUTE, low=low, high=high, force=steady, peak=peak, stiffness=spring)
        for (low, high), steady, peak in zip(ends, force.for_long.tolist(), force.peak.tolist(), strict=True)
    ]
    about = [
        Axis(kind=AxisKind.INCREMENTAL, low=-angle, high=angle, force=steady, peak=peak, stiffness=twist)
        for steady, peak in zip(torque.for_long.tolist(), torque.peak.tolist(), strict=True)
    ]
    axes = (along[0], along[1], along[2], about[0], about[1], about[2])
    return Capabilities(model="syntaxer", axes=axes, buttons=BUTTONS, grip=True, rate=geometry.rate)


def force_strength(geometry: Syntaxer, packed: Packed) -> Strength:
    """Forces along x, y, z anywhere in the cylinder, weight carried [N]."""
    found = survey(packed, cylinder_points(geometry.cylinder))

    def least(amperes: ArrayLike) -> Floats:
        limits = torque_limits(packed, amperes)
        return np.array([np.nan_to_num(force_along(found, limits, axis), nan=0.0).min() for axis in range(3)])

    return Strength(least(packed.continuous), least(packed.peak))


def torque_strength(geometry: Syntaxer, packed: Packed) -> Strength:
    """Torques about x, y, z anywhere in the range of rotations, weight carried, strings taut [N·m]."""
    places = [turned_by(packed, vector) for vector in cube(geometry.paramat.range)]
    weights = [weight_tensions(packed, at) for at in places]

    def least(amperes: ArrayLike) -> Floats:
        return np.array(
            [
                min(torque_along(packed, at, axis, amperes, weight) for at, weight in zip(places, weights, strict=True))
                for axis in range(3)
            ]
        )

    return Strength(least(packed.continuous), least(packed.peak))


def weight_tensions(packed: Packed, at: Turned) -> Floats:
    """Changes of tension that carry the weight of the turning parts [N]."""
    weights = np.zeros(6)
    handle_weight(packed.loads, at.rotation, at.strings, weights)
    return weights[3:]


def stiffest(geometry: Syntaxer, packed: Packed) -> tuple[float, float]:
    """Stiffest springs for hand translation [N/m] and rotation [N·m/rad] that cannot start to buzz: K < 2·b/T.

    b is the damping of the device in its least damped direction and place, T the sampling time: a sampled spring
    makes energy in every period, and only damping takes it away.
    """
    found = survey(packed, cylinder_points(geometry.cylinder))
    damping = float(np.nanmin(least_damping(found, [chain.damping for chain in geometry.chains])))
    return 2.0 * damping * geometry.rate, 2.0 * geometry.paramat.damping * geometry.rate
