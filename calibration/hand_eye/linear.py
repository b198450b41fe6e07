"""Hand-eye, first step: linear methods that do not mind half turns.

With `stations` i, A_i = where the hand is for the robot's base and B_i = where the camera is for the target, both 4×4:

    A_i · X = Y · B_i        X: camera in the hand, Y: target (as the base sees it)

and between stations i and j the classic form A·X = X·B with A = A_i⁻¹·A_j, B = B_i⁻¹·B_j. Rotations are found as 3×3
matrices from a null space, never as axis and angle, so that a rotation X of 180° is like any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats
from station.kernel.so3 import nearest_rotation, rotation_vector

LEAST = 3  # stations
PARALLEL = 1e-2  # sine of the angle within which all rotation axes count as one
STILL = 1e-3  # rotation between stations that counts as none [rad]


class HandEye(NamedTuple):
    """Two constant transforms."""

    x: Floats  # camera in the hand (4, 4) [m]
    y: Floats  # target in the robot's base (4, 4) [m]


def motions(hand: Floats, eye: Floats) -> tuple[Floats, Floats]:
    """A and B of A·X = X·B between all pairs of stations (n, 4, 4)."""
    first, second = np.triu_indices(len(hand), 1)
    return np.linalg.inv(hand[first]) @ hand[second], np.linalg.inv(eye[first]) @ eye[second]


def check_stations(hand: Floats, eye: Floats) -> None:
    """A DataError for what no method can solve."""
    for name, poses in (("hand", hand), ("eye", eye)):
        if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) != len(hand):
            raise DataError(f"{name} poses have the shape {poses.shape}; allowed: (n, 4, 4), as many of each")
        if not np.isfinite(poses).all():
            raise DataError(f"{name} poses are not finite numbers")
        square = poses[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2)
        if np.abs(square - np.eye(3)).max() > 1e-3 or np.linalg.det(poses[:, :3, :3]).min() < 0.0:
            raise DataError(f"{name} poses do not hold rotation matrices")
    if len(hand) < LEAST:
        raise DataError(f"{len(hand)} stations; at least {LEAST} are needed, 10 to 20 are usual")
    a, _ = motions(hand, eye)
    axes = rotation_vector(a[:, :3, :3])
    turned = axes[np.linalg.norm(axes, axis=1) > STILL]
    if not len(turned):
        raise DataError("the hand was never turned; turn it between stations, about two axes at least")
    # Axes of the turns as a matrix: a second direction must be there.
    spread = np.linalg.svd(turned / np.linalg.norm(turned, axis=1, keepdims=True), compute_uv=False)
    if spread[1] < PARALLEL * spread[0]:
        raise DataError("the hand was turned about one axis only: the place along that axis cannot be told; turn more")


def solve_ax_xb(hand: Floats, eye: Floats) -> HandEye:
    """X from motions between stations: rotation and translation in one linear system each, and Y from X."""
    check_stations(hand, eye)
    a, b = motions(hand, eye)
    turn_a, turn_b = a[:, :3, :3], b[:, :3, :3]
    # R_A·R·R_Bᵀ = R, by rows of R: (R_A ⊗ R_B)·vec(R) = vec(R)
    kron = np.einsum("nij,nkl->nikjl", turn_a, turn_b).reshape(-1, 9, 9)
    system = (np.eye(9) - kron).reshape(-1, 9)
    matrix = np.linalg.svd(system.T @ system)[2][-1].reshape(3, 3)
    turn = nearest_rotation(matrix * np.sign(np.linalg.det(matrix)))
    # (R_A - I)·t = R·t_B - t_A
    left = (turn_a - np.eye(3)).reshape(-1, 3)
    right = (b[:, :3, 3] @ turn.T - a[:, :3, 3]).ravel()
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = turn, np.linalg.lstsq(left, right, rcond=None)[0]
    return HandEye(x, _mean_pose(hand @ x @ np.linalg.inv(eye)))


def solve_ax_yb(hand: Floats, eye: Floats) -> HandEye:
    """X and Y at once: the two rotations are the singular vectors of Σ R_B ⊗ R_A that belong together."""
    check_stations(hand, eye)
    turn_a, turn_b = hand[:, :3, :3], eye[:, :3, :3]
    # R_Y = R_A·R_X·R_Bᵀ for every station, so vec(R_Y) = (R_A ⊗ R_B)·vec(R_X): n times the largest singular value.
    total = np.einsum("nij,nkl->ikjl", turn_a, turn_b).reshape(9, 9)
    u, _, v = np.linalg.svd(total)
    from_x, from_y = v[0].reshape(3, 3), u[:, 0].reshape(3, 3)
    x, y = np.eye(4), np.eye(4)
    x[:3, :3] = nearest_rotation(from_x * np.sign(np.linalg.det(from_x)))
    y[:3, :3] = nearest_rotation(from_y * np.sign(np.linalg.det(from_y)))
    # R_A·t_X - t_Y = R_Y·t_B - t_A
    left = np.concatenate([turn_a, np.broadcast_to(-np.eye(3), turn_a.shape)], axis=2).reshape(-1, 6)
    right = (eye[:, :3, 3] @ y[:3, :3].T - hand[:, :3, 3]).ravel()
    found = np.linalg.lstsq(left, right, rcond=None)[0]
    x[:3, 3], y[:3, 3] = found[:3], found[3:]
    return HandEye(x, y)


def _mean_pose(poses: Floats) -> Floats:
    mean = np.eye(4)
    mean[:3, :3] = nearest_rotation(poses[:, :3, :3].mean(axis=0))
    mean[:3, 3] = poses[:, :3, 3].mean(axis=0)
    return mean
