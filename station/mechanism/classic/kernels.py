"""Compiled kinematics of a serial chain: frames, Jacobian and pose error.

A compiled function here calls only its own file, so that numba's cache never mixes old and new code.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from station.mechanism.classic.results import Floats
from station.mechanism.kernels.cache import kernel


@kernel
def frames(before: Floats, after: Floats, revolute: NDArray[np.bool_], q: Floats) -> Floats:
    """Pose of every joint's frame and, last, of the tip in the world, (n + 1, 4, 4) [m]; z is the joint's axis."""
    n = q.size
    out = np.zeros((n + 1, 4, 4))
    for i in range(n + 1):
        step = before[i] if i < n else after
        for row in range(3):
            for column in range(4):
                value = step[row, column]
                if i > 0:
                    value = out[i - 1, row, 3] if column == 3 else 0.0
                    for k in range(3):
                        value += out[i - 1, row, k] * step[k, column]
                out[i, row, column] = value
        out[i, 3, 3] = 1.0
        if i < n and revolute[i]:
            cos, sin = math.cos(q[i]), math.sin(q[i])
            for row in range(3):
                x, y = out[i, row, 0], out[i, row, 1]
                out[i, row, 0] = cos * x + sin * y
                out[i, row, 1] = cos * y - sin * x
        elif i < n:
            for row in range(3):
                out[i, row, 3] += q[i] * out[i, row, 2]
    return out


@kernel
def jacobian(poses: Floats, revolute: NDArray[np.bool_]) -> Floats:
    """6×n, world axes, linear first: [z × (tip - origin); z] for a joint that turns, [z; 0] for one that slides."""
    n = revolute.size
    out = np.zeros((6, n))
    for i in range(n):
        zx, zy, zz = poses[i, 0, 2], poses[i, 1, 2], poses[i, 2, 2]
        if revolute[i]:
            x = poses[n, 0, 3] - poses[i, 0, 3]
            y = poses[n, 1, 3] - poses[i, 1, 3]
            z = poses[n, 2, 3] - poses[i, 2, 3]
            out[0, i], out[1, i], out[2, i] = zy * z - zz * y, zz * x - zx * z, zx * y - zy * x
            out[3, i], out[4, i], out[5, i] = zx, zy, zz
        else:
            out[0, i], out[1, i], out[2, i] = zx, zy, zz
    return out


@kernel
def rotation_vector(rotation: Floats) -> Floats:
    """Axis times angle of a 3×3 rotation, angle in [0, π] [rad]; exact near both ends of that range."""
    out = np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = 0.5 * (rotation[k, j] - rotation[j, k])
    sin = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2)
    cos = 0.5 * (rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0)
    angle = math.atan2(sin, cos)
    if cos > -0.9:
        scale = angle / sin if sin > 1e-9 else 1.0
        for i in range(3):
            out[i] *= scale
        return out
    # near half a turn the symmetric part (1 - cos)·axis·axisᵀ tells the axis, the rest only its sign
    best = 0
    for i in range(1, 3):
        best = i if rotation[i, i] > rotation[best, best] else best
    length, along = math.sqrt((1.0 - cos) * (rotation[best, best] - cos)), 0.0
    axis = np.empty(3)
    for i in range(3):
        axis[i] = (0.5 * (rotation[i, best] + rotation[best, i]) - (cos if i == best else 0.0)) / length
        along += axis[i] * out[i]
    for i in range(3):
        out[i] = axis[i] * math.copysign(angle, along)
    return out


@kernel
def pose_error(pose: Floats, target: Floats) -> Floats:
    """What separates a pose from its target, world axes: [p_target - p; log(R_target·Rᵀ)] [m, rad]."""
    out = np.empty(6)
    turn = np.zeros((3, 3))
    for i in range(3):
        out[i] = target[i, 3] - pose[i, 3]
        for j in range(3):
            for k in range(3):
                turn[i, j] += target[i, k] * pose[j, k]
    about = rotation_vector(turn)
    for i in range(3):
        out[3 + i] = about[i]
    return out
