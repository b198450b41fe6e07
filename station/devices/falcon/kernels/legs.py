"""From the place of the grip to the angles of the legs, and how fast these change with it: closed form.

A leg lies in a plane that is turned by φ about the axis of the base. With u, v, w the place in that plane's axes, C the
cosine of the shin's tilt and L its length seen in the plane,

    C = (v + f) / b,    L = d + e + b √(1 − C²),    (u + c − a cos θ)² + (w − a sin θ)² = L²

so θ = atan2(w, u + c) − acos(K / 2aρ) with ρ² = (u + c)² + w² and K = ρ² + a² − L²; the other sign is an elbow that
bends the other way, which the device cannot do. The rates are the derivatives of the same equation.
"""

from __future__ import annotations

import math

from station.devices.device import Floats
from station.devices.falcon.geometry import (
    CENTRE,
    KNEE,
    LEG_ANGLES,
    SHIN,
    SHOULDER,
    SHOULDER_SIDE,
    SIDE,
    THIGH,
    WRIST,
)
from station.devices.falcon.kernels.cache import kernel


@kernel
def leg_angles(position: Floats, angles: Floats, rates: Floats) -> bool:
    """Angles [rad] of the thighs at a position [m, station frame], and their rates (3×3) [rad/m].

    False if no leg, or no leg with a rate, reaches there; then the results mean nothing.
    """
    across, up, out = position[1], position[2], position[0] + CENTRE
    for leg in range(3):
        cosine, sine = math.cos(LEG_ANGLES[leg]), math.sin(LEG_ANGLES[leg])
        u = cosine * across + sine * up - SHOULDER + WRIST
        v = -sine * across + cosine * up - SHOULDER_SIDE
        tilt = (v + SIDE) / SHIN
        if not -1.0 < tilt < 1.0:
            return False
        flat = math.sqrt(1.0 - tilt * tilt)
        length = 2.0 * KNEE + SHIN * flat
        distance = math.hypot(u, out)
        bend = (u * u + out * out + THIGH * THIGH - length * length) / (2.0 * THIGH * distance)
        if not -1.0 < bend < 1.0:
            return False
        angle = math.atan2(out, u) - math.acos(bend)
        along = u - THIGH * math.cos(angle)
        above = out - THIGH * math.sin(angle)
        lever = THIGH * (above * math.cos(angle) - along * math.sin(angle))
        if lever == 0.0:
            return False
        by_v = length * tilt / flat
        angles[leg] = angle
        rates[leg, 0] = above / lever
        rates[leg, 1] = (along * cosine - by_v * sine) / lever
        rates[leg, 2] = (along * sine + by_v * cosine) / lever
    return True


@kernel
def solve3(matrix: Floats, right: Floats, solution: Floats) -> bool:
    """Solve `matrix @ solution = right` by Cramer's rule; False if it cannot be solved. `right` may be `solution`."""
    a, b, c = matrix[0, 0], matrix[0, 1], matrix[0, 2]
    d, e, f = matrix[1, 0], matrix[1, 1], matrix[1, 2]
    g, h, i = matrix[2, 0], matrix[2, 1], matrix[2, 2]
    x, y, z = right[0], right[1], right[2]
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if determinant == 0.0 or not math.isfinite(determinant):
        return False
    solution[0] = (x * (e * i - f * h) + y * (c * h - b * i) + z * (b * f - c * e)) / determinant
    solution[1] = (x * (f * g - d * i) + y * (a * i - c * g) + z * (c * d - a * f)) / determinant
    solution[2] = (x * (d * h - e * g) + y * (b * g - a * h) + z * (a * e - b * d)) / determinant
    return True
