"""The translation stage: three arms on an upright plate, three pairs of bars to a platform that never turns.

Device frame: origin in the centre of the plate, x from the plate to the operator, z up. An arm at azimuth φ points
outwards along (0, sin φ, cos φ); at angle 0 it lies in the plate, positive angles turn it to the operator. As the
platform does not turn, its centre lies on a sphere of the length of the bars around the elbow moved inwards by the
platform's radius: three spheres meet where the handle is.
"""

from __future__ import annotations

import math

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.layout import (
    ARM,
    BAR,
    BAR_HIGH,
    BAR_LOW,
    BEYOND_SINGULARITY,
    COS,
    MOTOR_HIGH,
    MOTOR_LOW,
    NO_SOLUTION,
    OK,
    REACH,
    SIDEWAYS,
    SIN,
    Floats,
    Vector,
)
from station.devices.syntaxer.kernels.vectors import cross, dot, length, minus, plus, three


@kernel
def sphere_centre(chains: Floats, i: int, angle: float) -> Vector:
    """The elbow of a chain, moved inwards by the radius of the platform [m]."""
    chain = chains[i]
    outwards = chain[REACH] + chain[ARM] * math.cos(angle)
    return chain[ARM] * math.sin(angle), outwards * chain[SIN], outwards * chain[COS]


@kernel
def swing(chains: Floats, i: int, angle: float) -> Vector:
    """How the elbow moves when the arm turns [m/rad]."""
    chain = chains[i]
    outwards = -chain[ARM] * math.sin(angle)
    return chain[ARM] * math.cos(angle), outwards * chain[SIN], outwards * chain[COS]


@kernel
def delta_forward(chains: Floats, angles: Floats, position: Floats) -> int:
    """Where the handle is [m] for three arm angles [rad]; of the two places, that on the side of the operator.

    The centres of the spheres always go round the same way within the stops, so their normal tells the two places
    apart without a comparison that could flip from one tick to the next.
    """
    first = sphere_centre(chains, 0, angles[0])
    a = minus(sphere_centre(chains, 1, angles[1]), first)
    b = minus(sphere_centre(chains, 2, angles[2]), first)
    bar = chains[0, BAR]
    half_a = 0.5 * (dot(a, a) + bar * bar - chains[1, BAR] ** 2)
    half_b = 0.5 * (dot(b, b) + bar * bar - chains[2, BAR] ** 2)
    normal = cross(b, a)
    squared = dot(normal, normal)
    # The point of the plane of the centres from which all three distances fit; then off the plane by `height`.
    foot = plus((0.0, 0.0, 0.0), cross(normal, b), half_a / squared)
    foot = plus(foot, cross(a, normal), half_b / squared)
    height = (bar - length(foot)) * (bar + length(foot))
    if not height >= 0.0:  # also for angles that are not finite, and for centres in a line
        return NO_SOLUTION
    place = plus(plus(first, foot, 1.0), normal, math.sqrt(height / squared))
    position[0], position[1], position[2] = place
    return OK


@kernel
def delta_inverse(chains: Floats, position: Floats, angles: Floats) -> int:
    """Arm angles [rad], within half a turn of 0, that put the handle there [m]: elbows outwards."""
    status = OK
    for i in range(3):
        chain = chains[i]
        x = position[1] * chain[SIN] + position[2] * chain[COS] - chain[REACH]
        y = position[1] * chain[COS] - position[2] * chain[SIN]
        z = position[0]
        distance = math.sqrt(x * x + z * z)
        along = (distance * distance + y * y + chain[ARM] ** 2 - chain[BAR] ** 2) / (2.0 * chain[ARM])
        squared = (distance - along) * (distance + along)
        if not squared >= 0.0:
            status = NO_SOLUTION
        angle = math.atan2(z, x) - math.atan2(math.sqrt(squared), along)
        angles[i] = angle if angle > -math.pi else angle + 2.0 * math.pi
    return status


@kernel
def delta_jacobian(chains: Floats, angles: Floats, position: Floats, jacobian: Floats) -> float:
    """Speed of the handle per speed of each arm [m/rad], one column per arm; returns the margin to singularities.

    A bar of fixed length: bar·v = bar·swing·ω. The margin is the smallest of six sines, and negative beyond a
    singularity: of the angle of each bar to the plane of its arm and motor axis (0: arm and bars stretched or folded,
    the handle cannot move along the bar), and of the angle of each bar to the plane of the other two (0: all bars in a
    plane, the handle gives way without the motors).
    """
    place = three(position, 0)
    a = minus(place, sphere_centre(chains, 0, angles[0]))
    b = minus(place, sphere_centre(chains, 1, angles[1]))
    c = minus(place, sphere_centre(chains, 2, angles[2]))
    determinant = dot(a, cross(b, c))
    margin = 1.0
    for i in range(3):
        bar = a if i == 0 else (b if i == 1 else c)
        normal = cross(b, c) if i == 0 else (cross(c, a) if i == 1 else cross(a, b))
        drive = dot(bar, swing(chains, i, angles[i]))
        jacobian[0, i] = normal[0] * (drive / determinant)
        jacobian[1, i] = normal[1] * (drive / determinant)
        jacobian[2, i] = normal[2] * (drive / determinant)
        serial = drive / (chains[i, BAR] * chains[i, ARM])
        parallel = -determinant / (chains[i, BAR] * length(normal))  # the chains go round against x
        margin = min(margin, serial, parallel)
    return margin


@kernel
def delta_place(chains: Floats, angles: Floats, position: Floats, jacobian: Floats) -> tuple[int, float]:
    """Position [m], Jacobian [m/rad] and margin from arm angles [rad]."""
    status = delta_forward(chains, angles, position)
    if status != OK:
        return status, math.nan
    margin = delta_jacobian(chains, angles, position, jacobian)
    return (OK if margin > 0.0 else BEYOND_SINGULARITY), margin


@kernel
def delta_room(chains: Floats, angles: Floats, position: Floats) -> float:
    """How far the nearest of all stops is [rad]; negative beyond one."""
    room = math.inf
    for i in range(3):
        chain = chains[i]
        bar = minus(three(position, 0), sphere_centre(chains, i, angles[i]))
        outwards = bar[1] * chain[SIN] + bar[2] * chain[COS]
        around = bar[1] * chain[COS] - bar[2] * chain[SIN]
        to_arm = (math.atan2(bar[0], outwards) - angles[i]) % (2.0 * math.pi)
        lean = math.atan2(abs(around), math.sqrt(bar[0] * bar[0] + outwards * outwards))
        room = min(room, angles[i] - chain[MOTOR_LOW], chain[MOTOR_HIGH] - angles[i])
        room = min(room, to_arm - chain[BAR_LOW], chain[BAR_HIGH] - to_arm, chain[SIDEWAYS] - lean)
    return room
