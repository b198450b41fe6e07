"""The translation stage at many places, for figures, checks and maps."""

from __future__ import annotations

import math

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.delta import delta_forward, delta_inverse, delta_jacobian, delta_room
from station.devices.syntaxer.kernels.layout import OK, Floats
from station.devices.syntaxer.kernels.statics import arm_weights


@kernel
def survey(
    chains: Floats,
    loads: Floats,
    points: Floats,
    angles: Floats,
    jacobians: Floats,
    weights: Floats,
    margins: Floats,
    rooms: Floats,
) -> None:
    """Angles [rad], Jacobians [m/rad], weights [N·m], margin and room to the stops [rad] at places of the handle [m].

    Room and margin of a place that cannot be reached are minus infinity, all else there is not a number.
    """
    for n in range(points.shape[0]):
        if delta_inverse(chains, points[n], angles[n]) == OK:
            margins[n] = delta_jacobian(chains, angles[n], points[n], jacobians[n])
            rooms[n] = delta_room(chains, angles[n], points[n])
            arm_weights(chains, loads, angles[n], jacobians[n], weights[n])
        else:
            margins[n] = rooms[n] = -math.inf
            for i in range(3):
                angles[n, i] = weights[n, i] = math.nan
                for j in range(3):
                    jacobians[n, i, j] = math.nan


@kernel
def there_and_back(chains: Floats, points: Floats, angles: Floats, back: Floats) -> float:
    """Largest distance [m] between places and where forward kinematics has their inverse; -1 if one has none."""
    worst = 0.0
    for n in range(points.shape[0]):
        if delta_inverse(chains, points[n], angles) != OK or delta_forward(chains, angles, back) != OK:
            return -1.0
        for j in range(3):
            worst = max(worst, abs(points[n, j] - back[j]))
    return worst
