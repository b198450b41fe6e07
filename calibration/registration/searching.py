"""About where a work-piece is: from many turns, since touches of planes fit in several ways; the nearest that fits.

Each of the 24 turns of a cube, from the nominal place, is followed downhill with weights that do not mind outliers.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from calibration.hand_eye.refine import small_pose
from calibration.parameters import Floats
from calibration.registration.features import Piece
from calibration.registration.model import RegistrationModel, Touches
from station.kernel.so3 import angle_between

STEPS = 40
SMALL = 1e-10  # step that ends the search [m, rad]
LARGEST = np.array([0.2, 0.2, 0.2, 0.5, 0.5, 0.5])  # step [m, rad]
DAMPING = 1e-9
AS_WELL = 2.0  # times the residuals of the best place, that others may have and still fit
FITS = 3.0  # residuals that fit whatever the best has, in standard deviations
APART, TURNED = 1e-3, 1e-2  # places that are not the same [m, rad]


class Found(NamedTuple):
    """Where a work-piece may be."""

    pose: Floats  # (4, 4) [m]
    size: float  # of residuals, middle one [standard deviations]


def cube_turns() -> Floats:
    """All rotations that bring a cube onto itself (24, 3, 3)."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), order] = signs
            if np.linalg.det(turn) > 0.0:
                found.append(turn)
    return np.array(found)


def search(piece: Piece, touches: Touches, nominal: Floats) -> list[Found]:
    """Places that explain the touches, nearest to the nominal one first."""
    places = np.array([piece.features[name].place for name in touches.features])
    found = []
    for turn in cube_turns():
        begin = nominal.copy()
        begin[:3, :3] = nominal[:3, :3] @ turn
        begin[:3, 3] = touches.points.mean(axis=0) - begin[:3, :3] @ places.mean(axis=0)
        found.append(_downhill(piece, touches, begin))
    found.append(_downhill(piece, touches, nominal))
    least = min(one.size for one in found)
    good = [one for one in found if one.size <= max(AS_WELL * least, FITS)]
    good.sort(key=lambda one: how_far(one.pose, nominal))
    different: list[Found] = []
    for one in good:
        if all(_differ(one.pose, other.pose) for other in different):
            different.append(one)
    return different


def how_far(a: Floats, b: Floats) -> float:
    """Between two places; a turn by a radian counts as a metre."""
    return float(angle_between(a, b)) + float(np.linalg.norm(a[:3, 3] - b[:3, 3]))


def _differ(a: Floats, b: Floats) -> bool:
    return bool(np.linalg.norm(a[:3, 3] - b[:3, 3]) > APART or float(angle_between(a, b)) > TURNED)


def _downhill(piece: Piece, touches: Touches, pose: Floats) -> Found:
    size = np.inf
    for _ in range(STEPS):
        model = RegistrationModel(piece, touches, pose)
        rows = model.rows(np.zeros(6), np.arange(model.observations))
        residuals, jacobian = rows.residuals[:, 0], rows.jacobian[:, 0]
        size = float(np.median(np.abs(residuals)))
        weights = np.minimum(1.0, 2.0 * max(size, 1e-3) / np.maximum(np.abs(residuals), 1e-12))
        normal = jacobian.T @ (weights[:, None] * jacobian)
        normal += DAMPING * np.trace(normal) * np.eye(6)
        step: Floats = -np.asarray(np.linalg.solve(normal, jacobian.T @ (weights * residuals)), dtype=np.float64)
        step *= min(1.0, float((LARGEST / np.maximum(np.abs(step), 1e-300)).min()))
        pose = np.asarray(pose @ small_pose(step))
        if np.abs(step).max() < SMALL:
            break
    return Found(pose, float(np.sqrt(np.mean(np.minimum(residuals**2, (10.0 * max(size, 1e-3)) ** 2)))))
