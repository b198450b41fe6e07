"""Forward kinematics of the whole tree, poses and Jacobians of frames."""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, Floats3, entry, kernel
from station.mechanism.memory import JointKind, MechanismMemory


@entry(inline=True)
def forward(mem: MechanismMemory, q: Floats1, rotation: Floats3, position: Floats2) -> None:
    """Pose of every body in the world [m], written into `rotation` and `position`."""
    before, joint_kind, order, parents = mem.before, mem.joint_kind, mem.order, mem.parents
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
        if joint_kind[j] == JointKind.REVOLUTE:
            cos, sin = math.cos(q[j]), math.sin(q[j])
            for row in range(3):
                x, y = rotation[j, row, 0], rotation[j, row, 1]
                rotation[j, row, 0] = cos * x + sin * y
                rotation[j, row, 1] = cos * y - sin * x
        else:
            for row in range(3):
                position[j, row] += rotation[j, row, 2] * q[j]


@kernel
def carried_pose(body: int, offset: Floats2, rotation: Floats3, position: Floats2, pose: Floats2) -> None:
    """Pose in the world of what a body carries at an offset, into the 3×4 part of `pose` [m]; body -1: the world."""
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


@entry(inline=True)
def frame_pose(mem: MechanismMemory, frame: int, rotation: Floats3, position: Floats2, pose: Floats2) -> None:
    """Pose of a frame in the world [m], written into the 3×4 part of `pose`."""
    carried_pose(mem.frame_body[frame], mem.frame_offset[frame], rotation, position, pose)


@entry(inline=True)
def frame_jacobian(
    mem: MechanismMemory, frame: int, point: Floats1, rotation: Floats3, position: Floats2, jacobian: Floats2
) -> None:
    """6×n Jacobian of the body of a frame at a world point: world axes, linear first; written into `jacobian`."""
    frame_body, joint_kind, order, parents = mem.frame_body, mem.joint_kind, mem.order, mem.parents
    for row in range(6):
        for column in range(order.size):
            jacobian[row, column] = 0.0
    j = frame_body[frame]
    while j >= 0:
        zx, zy, zz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
        if joint_kind[j] == JointKind.REVOLUTE:
            rx, ry, rz = point[0] - position[j, 0], point[1] - position[j, 1], point[2] - position[j, 2]
            jacobian[0, j] = zy * rz - zz * ry
            jacobian[1, j] = zz * rx - zx * rz
            jacobian[2, j] = zx * ry - zy * rx
            jacobian[3, j], jacobian[4, j], jacobian[5, j] = zx, zy, zz
        else:
            jacobian[0, j], jacobian[1, j], jacobian[2, j] = zx, zy, zz
        j = parents[j]
