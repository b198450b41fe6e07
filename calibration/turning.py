"""Rotations of many observations at once: vectors ↔ matrices, and how one changes with the other."""

from __future__ import annotations

import numpy as np

from calibration.parameters import Floats


def cross_matrix(vectors: Floats) -> Floats:
    """[v]× of vectors (…, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    flat = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1)
    return flat.reshape(*vectors.shape[:-1], 3, 3)


def rotation(vectors: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) of rotation vectors (…, 3) [rad]."""
    angles = np.linalg.norm(vectors, axis=-1)[..., None, None]
    crossed = cross_matrix(vectors)
    return np.asarray(
        np.eye(3) + np.sinc(angles / np.pi) * crossed + 0.5 * np.sinc(angles / 2.0 / np.pi) ** 2 * (crossed @ crossed)
    )


def rotation_vector(matrices: Floats) -> Floats:
    """Rotation vectors (…, 3) [rad] of rotation matrices, up to and including half a turn: by way of quaternions."""
    m = matrices
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    trace = diagonal.sum(axis=-1)
    # Four ways to the quaternion; the one with the largest component loses nothing.
    choices = np.concatenate([trace[..., None], 2.0 * diagonal - trace[..., None]], axis=-1)
    best = np.argmax(choices, axis=-1)
    k = np.empty((*m.shape[:-2], 4, 4))
    k[..., 0, 0] = trace
    k[..., 0, 1:] = np.stack(
        [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], axis=-1
    )
    k[..., 1:, 0] = k[..., 0, 1:]
    k[..., 1:, 1:] = m + np.swapaxes(m, -1, -2) - trace[..., None, None] * np.eye(3)
    k += np.eye(4)
    quaternion = np.take_along_axis(k, best[..., None, None], axis=-2)[..., 0, :]
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    quaternion *= np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., :1])
    factor = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)
    return np.asarray(factor * quaternion[..., 1:])


def right_rate(vectors: Floats) -> Floats:
    """How a rotation vector w changes when R(w) is turned from the right by a small vector u: dw = M·u, (…, 3, 3)."""
    angles = np.linalg.norm(vectors, axis=-1)[..., None, None]
    crossed = cross_matrix(vectors)
    half = 0.5 * angles
    small = angles < 1e-4
    safe = np.where(small, 1.0, half)
    factor = np.where(small, 1.0 / 12.0, (1.0 - safe / np.tan(safe)) / np.where(small, 1.0, angles) ** 2)
    return np.asarray(np.eye(3) + 0.5 * crossed + factor * (crossed @ crossed))


def nearest_rotation(matrix: Floats) -> Floats:
    """The rotation nearest to a 3×3 matrix."""
    u, _, v = np.linalg.svd(matrix)
    return np.asarray(u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))]) @ v)


def aligned(points: Floats, images: Floats) -> tuple[Floats, float]:
    """Pose (4, 4) that brings points (n, 3) nearest to their images, and the scale that would fit better."""
    centre, other = points.mean(axis=0), images.mean(axis=0)
    spread = (images - other).T @ (points - centre)
    turn = nearest_rotation(spread)
    size = float(np.sum((points - centre) ** 2))
    scale = float(np.trace(turn.T @ spread)) / size if size > 0.0 else 1.0
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:3, 3] = other - turn @ centre
    return pose, scale
