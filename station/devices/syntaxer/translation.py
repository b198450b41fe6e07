"""The translation stage: three arms on an upright plate, three pairs of bars to a platform that never turns.

Device frame: origin in the centre of the plate, x from the plate to the operator, z up. An arm at azimuth φ points
outwards along (0, sin φ, cos φ); at angle 0 it lies in the plate, positive angles turn it to the operator. As the
platform does not turn, its centre lies on a sphere of the length of the bars around the elbow moved inwards by the
platform's radius: three spheres meet where the handle is.

First the kernels, then the same at many places: angles, Jacobians, weights, margins, forces.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.devices.syntaxer.geometry import Cylinder
from station.devices.syntaxer.state import Chains, Loads, Parts, PlaceStatus, Vector
from station.kernel import Floats, Floats1, Floats2, Floats3, entry, kernel
from station.kernel.vectors import column, cross, dot, length, minus, plus, three


@kernel
def sphere_centre(chains: Chains, i: int, angle: float) -> Vector:
    """The elbow of a chain, moved inwards by the radius of the platform [m]."""
    outwards = chains.reach[i] + chains.arm[i] * math.cos(angle)
    return chains.arm[i] * math.sin(angle), outwards * chains.sine[i], outwards * chains.cosine[i]


@kernel
def swing(chains: Chains, i: int, angle: float) -> Vector:
    """How the elbow moves when the arm turns [m/rad]."""
    outwards = -chains.arm[i] * math.sin(angle)
    return chains.arm[i] * math.cos(angle), outwards * chains.sine[i], outwards * chains.cosine[i]


@kernel
def delta_forward(chains: Chains, angles: Floats, position: Floats) -> PlaceStatus:
    """Where the handle is [m] for three arm angles [rad]; of the two places, that on the side of the operator.

    The centres of the spheres always go round the same way within the stops, so their normal tells the two places
    apart without a comparison that could flip from one tick to the next.
    """
    first = sphere_centre(chains, 0, angles[0])
    a = minus(sphere_centre(chains, 1, angles[1]), first)
    b = minus(sphere_centre(chains, 2, angles[2]), first)
    bar = chains.bar[0]
    half_a = 0.5 * (dot(a, a) + bar * bar - chains.bar[1] ** 2)
    half_b = 0.5 * (dot(b, b) + bar * bar - chains.bar[2] ** 2)
    normal = cross(b, a)
    squared = dot(normal, normal)
    # The point of the plane of the centres from which all three distances fit; then off the plane by `height`.
    foot = plus((0.0, 0.0, 0.0), cross(normal, b), half_a / squared)
    foot = plus(foot, cross(a, normal), half_b / squared)
    height = (bar - length(foot)) * (bar + length(foot))
    if not height >= 0.0:  # also for angles that are not finite, and for centres in a line
        return PlaceStatus.NO_SOLUTION
    place = plus(plus(first, foot, 1.0), normal, math.sqrt(height / squared))
    position[0], position[1], position[2] = place
    return PlaceStatus.OK


@kernel
def delta_inverse(chains: Chains, position: Floats, angles: Floats) -> PlaceStatus:
    """Arm angles [rad], within half a turn of 0, that put the handle there [m]: elbows outwards."""
    status = PlaceStatus.OK
    for i in range(3):
        x = position[1] * chains.sine[i] + position[2] * chains.cosine[i] - chains.reach[i]
        y = position[1] * chains.cosine[i] - position[2] * chains.sine[i]
        z = position[0]
        distance = math.sqrt(x * x + z * z)
        along = (distance * distance + y * y + chains.arm[i] ** 2 - chains.bar[i] ** 2) / (2.0 * chains.arm[i])
        squared = (distance - along) * (distance + along)
        if not squared >= 0.0:
            status = PlaceStatus.NO_SOLUTION
        angle = math.atan2(z, x) - math.atan2(math.sqrt(squared), along)
        angles[i] = angle if angle > -math.pi else angle + 2.0 * math.pi
    return status


@kernel
def delta_jacobian(chains: Chains, angles: Floats, position: Floats, jacobian: Floats) -> float:
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
        serial = drive / (chains.bar[i] * chains.arm[i])
        parallel = -determinant / (chains.bar[i] * length(normal))  # the chains go round against x
        margin = min(margin, serial, parallel)
    return margin


@kernel
def delta_place(chains: Chains, angles: Floats, position: Floats, jacobian: Floats) -> tuple[PlaceStatus, float]:
    """Position [m], Jacobian [m/rad] and margin from arm angles [rad]."""
    status = delta_forward(chains, angles, position)
    if status != PlaceStatus.OK:
        return status, math.nan
    margin = delta_jacobian(chains, angles, position, jacobian)
    return (PlaceStatus.OK if margin > 0.0 else PlaceStatus.BEYOND_SINGULARITY), margin


@kernel
def delta_room(chains: Chains, angles: Floats, position: Floats) -> float:
    """How far the nearest of all stops is [rad]; negative beyond one."""
    room = math.inf
    for i in range(3):
        bar = minus(three(position, 0), sphere_centre(chains, i, angles[i]))
        outwards = bar[1] * chains.sine[i] + bar[2] * chains.cosine[i]
        around = bar[1] * chains.cosine[i] - bar[2] * chains.sine[i]
        to_arm = (math.atan2(bar[0], outwards) - angles[i]) % (2.0 * math.pi)
        lean = math.atan2(abs(around), math.sqrt(bar[0] * bar[0] + outwards * outwards))
        room = min(room, angles[i] - chains.motor_low[i], chains.motor_high[i] - angles[i])
        room = min(room, to_arm - chains.bar_low[i], chains.bar_high[i] - to_arm, chains.sideways[i] - lean)
    return room


@kernel
def arm_weights(chains: Chains, loads: Loads, angles: Floats, jacobian: Floats, torques: Floats) -> None:
    """Torques at the arms that carry the weight [N·m], written into the first three of `torques`.

    Both ends of a bar only translate, and its centre of mass divides the line between them in a fixed ratio, so lumping
    its mass at its ends in that ratio (half and half for an even bar) gives the potential energy exactly. (For inertia
    it would not be exact: an even bar lumped at its ends has three times its moment of inertia about its middle.)
    """
    gravity = three(loads.gravity, 0)
    on_platform = plus(three(loads.balancer, 0), gravity, loads.carried)
    for i in range(3):
        of_arm = chains.moment[i] / chains.arm[i] * dot(gravity, swing(chains, i, angles[i]))
        torques[i] = -of_arm - dot(column(jacobian, i), on_platform)


@entry
def survey_places(
    chains: Chains,
    loads: Loads,
    points: Floats2,
    angles: Floats2,
    jacobians: Floats3,
    weights: Floats2,
    margins: Floats1,
    rooms: Floats1,
) -> None:
    """Angles [rad], Jacobians [m/rad], weights [N·m], margin and room to the stops [rad] at places of the handle [m].

    Room and margin of a place that cannot be reached are minus infinity, all else there is not a number.
    """
    for n in range(points.shape[0]):
        if delta_inverse(chains, points[n], angles[n]) == PlaceStatus.OK:
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
def there_and_back(chains: Chains, points: Floats, angles: Floats, back: Floats) -> float:
    """Largest distance [m] between places and where forward kinematics has their inverse; -1 if one has none."""
    worst = 0.0
    for n in range(points.shape[0]):
        if delta_inverse(chains, points[n], angles) != PlaceStatus.OK:
            return -1.0
        if delta_forward(chains, angles, back) != PlaceStatus.OK:
            return -1.0
        for j in range(3):
            worst = max(worst, abs(points[n, j] - back[j]))
    return worst


class Survey(NamedTuple):
    """The translation stage at n places of the handle; not a number where it cannot go."""

    points: Floats  # n×3 [m]
    angles: Floats  # n×3, of the arms [rad]
    jacobians: Floats  # n×3×3, handle per arm, one column per arm [m/rad]
    weights: Floats  # n×3, torques at the arms that carry the weight [N·m]
    margins: Floats  # n, smallest sine to a singularity; -inf out of reach
    rooms: Floats  # n, to the nearest stop [rad]; negative beyond one, -inf out of reach

    @property
    def inside(self) -> bool:
        """Whether all places are within the stops and on this side of every singularity."""
        return bool((self.rooms >= 0.0).all() and (self.margins > 0.0).all())


def survey(parts: Parts, points: ArrayLike) -> Survey:
    """Look at the translation stage at places [m]."""
    at = np.array(points, dtype=np.float64, order="C").reshape(-1, 3)
    n = len(at)
    found = Survey(at, np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3)), np.empty(n), np.empty(n))
    survey_places(parts.chains, parts.loads, *found)
    return found


def cylinder_points(cylinder: Cylinder, layers: int = 9, rings: int = 5, spokes: int = 72) -> Floats:
    """Places all over a cylinder and on its skin [m]."""
    depth, radius, angle = np.meshgrid(
        np.linspace(cylinder.near, cylinder.far, layers),
        np.linspace(0.0, cylinder.radius, rings),
        np.linspace(0.0, 2.0 * np.pi, spokes, endpoint=False),
        indexing="ij",
    )
    return np.stack([depth, radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(-1, 3)


def torque_limits(parts: Parts, amperes: ArrayLike) -> Floats:
    """Torques at the three arms [N·m] for currents [A]."""
    limits: Floats = np.asarray(amperes, dtype=np.float64)[:3] * parts.chains.torque_per_ampere
    return limits


def weakest_force(found: Survey, torques: ArrayLike, *, weight: bool = True) -> Floats:
    """Largest force that can be given in every direction [N], at each place, with torques up to these [N·m].

    Motor i limits the force to a slab |column·F + weight| ≤ torque; the nearest wall of the three slabs counts.
    """
    room = np.asarray(torques) - (np.abs(found.weights) if weight else 0.0)
    nearest: Floats = np.maximum(room / np.linalg.norm(found.jacobians, axis=1), 0.0).min(axis=1)
    return nearest


def strongest_force(found: Survey, torques: ArrayLike, *, weight: bool = True) -> Floats:
    """Largest force in the best direction [N]: the farthest of the eight corners where three slabs meet."""
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, 8).T
    corners = signs * np.asarray(torques) - (found.weights[:, None, :] if weight else 0.0)
    forces = np.linalg.solve(found.jacobians.transpose(0, 2, 1)[:, None], corners[..., None])[..., 0]
    farthest: Floats = np.linalg.norm(forces, axis=2).max(axis=1)
    return farthest


def force_along(found: Survey, torques: ArrayLike, axis: int, *, weight: bool = True) -> Floats:
    """Largest force both ways along an axis of the device [N]."""
    room = np.maximum(np.asarray(torques) - (np.abs(found.weights) if weight else 0.0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = room / np.abs(found.jacobians[:, axis, :])
    both: Floats = np.where(np.isnan(shares), np.inf, shares).min(axis=1)
    return both


def least_damping(found: Survey, damping: ArrayLike) -> Floats:
    """Damping in the least damped direction at the handle [N·s/m], from that at the arms [N·m·s/rad]."""
    mobility = (found.jacobians / np.asarray(damping)) @ found.jacobians.transpose(0, 2, 1)
    least: Floats = 1.0 / np.linalg.eigvalsh(mobility)[:, -1]
    return least


def step_per_count(found: Survey, parts: Parts) -> Floats:
    """How far one count of the arm that counts most moves the handle [m]."""
    steps = np.linalg.norm(found.jacobians, axis=1) * parts.chains.angle_per_count
    largest: Floats = steps.max(axis=1)
    return largest
