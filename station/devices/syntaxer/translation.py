"""The translation stage at a place: angles, Jacobian, weight, margin; one place or many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.devices.syntaxer.geometry import Cylinder
from station.devices.syntaxer.kernels import layout
from station.devices.syntaxer.kernels import survey as kernels
from station.devices.syntaxer.kernels.layout import Floats
from station.devices.syntaxer.packing import Packed


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


def survey(packed: Packed, points: ArrayLike) -> Survey:
    """Look at the translation stage at places [m]."""
    at = np.array(points, dtype=np.float64, order="C").reshape(-1, 3)
    n = len(at)
    found = Survey(at, np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3)), np.empty(n), np.empty(n))
    kernels.survey(packed.chains, packed.loads, *found)
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


def torque_limits(packed: Packed, amperes: ArrayLike) -> Floats:
    """Torques at the three arms [N·m] for currents [A]."""
    limits: Floats = np.asarray(amperes, dtype=np.float64)[:3] * packed.chains[:, layout.TORQUE_PER_AMPERE]
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


def step_per_count(found: Survey, packed: Packed) -> Floats:
    """How far one count of the arm that counts most moves the handle [m]."""
    steps = np.linalg.norm(found.jacobians, axis=1) * packed.chains[:, layout.ANGLE_PER_COUNT]
    largest: Floats = steps.max(axis=1)
    return largest
