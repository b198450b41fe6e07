"""Forward kinematics of the whole tree, poses and Jacobians of frames."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats


@kernel
def forward(mem: Block, q: Floats, rotation: Floats, position: Floats) -> None:
    """Pose of every body in the world [m], written into `rotation` and `position`."""
    before, joint_kind, order, parents = at.before(mem), at.joint_kind(mem), at.order(mem), at.parents(mem)
    for i in range(order.size):
        j = order[i]
        parent = parents[j]
        offset = before[j]
        for row in range(3):
            if parent < 0:
                x, y, z, p = offset[row, 0], offset[row, 1], offset[row, 2], offset[row, 3]
            else:
                a, b, c = rotation[parent, row, 0], rotation[parent, row, 1], rotation[parent, row, 2]
                x = a * offset[0, 0] + b * offset[1, 0] + c * offset[2, 0]
                y = a * offset[0, 1] + b * offset[1, 1] + c * offset[2, 1]
                z = a * offset[0, 2] + b * offset[1, 2] + c * offset[2, 2]
                p = a * offset[0, 3] + b * offset[1, 3] + c * offset[2, 3] + position[parent, row]
            rotation[j, row, 0] = x
            rotation[j, row, 1] = y
            rotation[j, row, 2] = z
            position[j, row] = p
        if joint_kind[j] == REVOLUTE:
            cos, sin = math.cos(q[j]), math.sin(q[j])
            for row in range(3):
                x, y = rotation[j, row, 0], rotation[j, row, 1]
                rotation[j, row, 0] = cos * x + sin * y
                rotation[j, row, 1] = cos * y - sin * x
        else:
            for row in range(3):
                position[j, row] += rotation[j, row, 2] * q[j]


@kernel
def frame_pose(mem: Block, frame: int, rotation: Floats, position: Floats, pose: Floats) -> None:
    """Pose of a frame in the world [m], written into the 3×4 part of `pose`."""
    frame_body, frame_offset = at.frame_body(mem), at.frame_offset(mem)
    body = frame_body[frame]
    offset = frame_offset[frame]
    for row in range(3):
        for column in range(4):
            if body < 0:
                pose[row, column] = offset[row, column]
            else:
                value = (
                    rotation[body, row, 0] * offset[0, column]
                    + rotation[body, row, 1] * offset[1, column]
                    + rotation[body, row, 2] * offset[2, column]
                )
                pose[row, column] = value + (position[body, row] if column == 3 else 0.0)


@kernel
def frame_jacobian(mem: Block, frame: int, point: Floats, rotation: Floats, position: Floats, jacobian: Floats) -> None:
    """6×n Jacobian of the body of a frame at a world point: world axes, linear first; written into `jacobian`."""
    frame_body, joint_kind, order, parents = at.frame_body(mem), at.joint_kind(mem), at.order(mem), at.parents(mem)
    for row in range(6):
        for column in range(order.size):
            jacobian[row, column] = 0.0
    j = frame_body[frame]
    while j >= 0:
        zx, zy, zz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
        if joint_kind[j] == REVOLUTE:
            rx, ry, rz = point[0] - position[j, 0], point[1] - position[j, 1], point[2] - position[j, 2]
            jacobian[0, j] = zy * rz - zz * ry
            jacobian[1, j] = zz * rx - zx * rz
            jacobian[2, j] = zx * ry - zy * rx
            jacobian[3, j], jacobian[4, j], jacobian[5, j] = zx, zy, zz
        else:
            jacobian[0, j], jacobian[1, j], jacobian[2, j] = zx, zy, zz
        j = parents[j]


@kernel
def rotation_vector(matrix: Floats, vector: Floats) -> None:
    """Axis times angle [rad] of a rotation matrix, written into `vector`; steady also at half a turn."""
    x = matrix[2, 1] - matrix[1, 2]
    y = matrix[0, 2] - matrix[2, 0]
    z = matrix[1, 0] - matrix[0, 1]
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (matrix[0, 0] + matrix[1, 1] + matrix[2, 2] - 1.0)
    if sine < 0.01 and cosine > 0.0:  # as in most steps: the series of the arc sine, exact to the last digit
        s = sine * sine
        scale = 0.5 + s * (1.0 / 12.0 + s * (3.0 / 80.0 + s * (5.0 / 224.0)))
        vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z
        return
    angle = math.atan2(sine, cosine)
    if sine > 1e-7:
        scale = 0.5 * angle / sine
        vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z
        return
    # Close to half a turn: the axis is the largest column of (R + Rᵀ)/2 + I, with the sign of the sine part.
    best = 0
    for k in range(1, 3):
        if matrix[k, k] > matrix[best, best]:
            best = k
    ax = 0.5 * (matrix[0, best] + matrix[best, 0]) + (1.0 if best == 0 else 0.0)
    ay = 0.5 * (matrix[1, best] + matrix[best, 1]) + (1.0 if best == 1 else 0.0)
    az = 0.5 * (matrix[2, best] + matrix[best, 2]) + (1.0 if best == 2 else 0.0)
    scale = angle / math.sqrt(ax * ax + ay * ay + az * az)
    if ax * x + ay * y + az * z < 0.0:
        scale = -scale
    vector[0], vector[1], vector[2] = scale * ax, scale * ay, scale * az
