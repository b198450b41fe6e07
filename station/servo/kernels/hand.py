"""The predicted robot as the hand feels it: its proxy, the proxy's speed, and forces at the robot.

With A the Jacobian of the mapping (hand → target) and A⁺ its inverse, zero along locked axes:

    proxy = hand - A⁺·(target - predicted)

so a robot that is where the hand wants it makes no force, whatever scale and frames are. While the hand does not move
the robot, the stretch of the last engaged tick is kept: forces fade along their ramp instead of ending with a jerk.
"""

from __future__ import annotations

import math

from station.devices.mapping.kernels.frames import applied_back
from station.devices.mapping.kernels.layout import BACK_STRAIGHT, BACK_TURNING, ENGAGED, HAND, OWN, STRAIGHT, TURNING
from station.devices.mapping.kernels.rotation import (
    Vector,
    difference,
    product,
    quaternion_of,
    turn_by,
    unit,
    vector_of,
)
from station.devices.mapping.kernels.samples import place_at, turn_at
from station.haptics.kernels import layout as felt
from station.mechanism.kernels.memory import Floats
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import ACCELERATION, LAST_VELOCITY, STRETCH

Address = int
CORNER = 30.0  # of the filter of the hand's acceleration [Hz]
LOCKED = 1e-12  # what is this much smaller than the rest counts as locked


@kernel
def invert(state: Floats, place: int, normal: Floats, back: Floats) -> None:
    """(AᵀA)⁻¹·Aᵀ of the 3×3 matrix at a place of the mapping's state; directions that A does not know give zero."""
    size = 0.0
    for i in range(3):
        for k in range(3):
            normal[i, k] = 0.0
            for j in range(3):
                normal[i, k] += state[place + 3 * j + i] * state[place + 3 * j + k]
        size += normal[i, i]
    for i in range(3):
        normal[i, i] += LOCKED * size
    a, b, c = normal[0, 0], normal[0, 1], normal[0, 2]
    d, e, f = normal[1, 1], normal[1, 2], normal[2, 2]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    if not determinant > 0.0:
        back[:, :] = 0.0
        return
    s, t, u = a * f - c * c, b * c - a * e, a * d - b * b
    for k in range(3):
        x, y, z = state[place + 3 * k], state[place + 3 * k + 1], state[place + 3 * k + 2]
        back[0, k] = (p * x + q * y + r * z) / determinant
        back[1, k] = (q * x + s * y + t * z) / determinant
        back[2, k] = (r * x + t * y + u * z) / determinant


@kernel
def times(matrix: Floats, v: Vector) -> Vector:
    """A 3×3 matrix times a vector."""
    return (
        matrix[0, 0] * v[0] + matrix[0, 1] * v[1] + matrix[0, 2] * v[2],
        matrix[1, 0] * v[0] + matrix[1, 1] * v[1] + matrix[1, 2] * v[2],
        matrix[2, 0] * v[0] + matrix[2, 1] * v[1] + matrix[2, 2] * v[2],
    )


@kernel
def felt_gradient(mapping: Floats, by_frame: Floats, inputs: Floats, row: int) -> None:
    """How something changes with the followed frame, as it changes with the hand: into six numbers of the inputs."""
    s = applied_back(mapping, BACK_STRAIGHT, (by_frame[0], by_frame[1], by_frame[2]))
    t = applied_back(mapping, BACK_TURNING, (by_frame[3], by_frame[4], by_frame[5]))
    for i in range(3):
        inputs[row + i], inputs[row + 3 + i] = s[i], t[i]


@kernel
def fill_hand(mem: Address, now: float, dt: float, ready: bool, fresh: bool, device_time: float) -> None:
    """Where the hand is, how it moves, and what the mapping itself asks for."""
    inputs, mapping, velocity = at.haptics_inputs(mem), at.mapping_state(mem), at.sample_velocity(mem)
    memory = at.memory(mem)
    place, turn, share = place_at(mapping, HAND), turn_at(mapping, HAND), 1.0 - math.exp(-2.0 * math.pi * CORNER * dt)
    inputs[felt.NOW], inputs[felt.READY] = now, 1.0 if ready else 0.0
    inputs[felt.FRESH] = 1.0 if fresh else 0.0
    inputs[felt.SAMPLE_TIME] = device_time
    for i in range(3):
        inputs[felt.HAND + i], inputs[felt.OWN + i] = place[i], mapping[OWN + i]
    for i in range(4):
        inputs[felt.HAND_TURN + i] = turn[i]
    if fresh:
        for i in range(6):
            inputs[felt.HAND_SPEED + i] = velocity[i]
        for i in range(3):
            wanted = (velocity[i] - memory[LAST_VELOCITY + i]) / dt
            memory[ACCELERATION + i] += share * (wanted - memory[ACCELERATION + i])
            memory[LAST_VELOCITY + i] = velocity[i]
            inputs[felt.HAND_ACCELERATION + i] = memory[ACCELERATION + i]


@kernel
def fill_proxy(mem: Address, engagement: int) -> None:
    """The predicted robot, mapped back to the hand."""
    inputs, mapping, memory = at.haptics_inputs(mem), at.mapping_state(mem), at.memory(mem)
    speed = (inputs[felt.HAND_SPEED], inputs[felt.HAND_SPEED + 1], inputs[felt.HAND_SPEED + 2])
    spin = (inputs[felt.HAND_SPEED + 3], inputs[felt.HAND_SPEED + 4], inputs[felt.HAND_SPEED + 5])
    if engagement == ENGAGED:
        target, pose, twist = at.target(mem), at.frame_pose(mem), at.frame_twist(mem)
        straight, turning, normal = at.straight_back(mem), at.turning_back(mem), at.normal(mem)
        invert(mapping, STRAIGHT, normal, straight)
        invert(mapping, TURNING, normal, turning)
        missing = (target[0, 3] - pose[0, 3], target[1, 3] - pose[1, 3], target[2, 3] - pose[2, 3])
        stretch = times(straight, missing)
        twisted = times(turning, vector_of(difference(quaternion_of(target), quaternion_of(pose))))
        for i in range(3):
            memory[STRETCH + i], memory[STRETCH + 3 + i] = stretch[i], twisted[i]
        speed = times(straight, (twist[0], twist[1], twist[2]))
        spin = times(turning, (twist[3], twist[4], twist[5]))
    about = (-memory[STRETCH + 3], -memory[STRETCH + 4], -memory[STRETCH + 5])
    turned = unit(product(turn_by(about), turn_at(mapping, HAND)))
    for i in range(3):
        inputs[felt.PROXY + i] = inputs[felt.HAND + i] - memory[STRETCH + i]
        inputs[felt.PROXY_SPEED + i], inputs[felt.PROXY_SPEED + 3 + i] = speed[i], spin[i]
    for i in range(4):
        inputs[felt.PROXY_TURN + i] = turned[i]
