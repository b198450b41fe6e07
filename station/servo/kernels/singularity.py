"""How near a singularity is, and which way it lies.

The measure is the least over the largest singular value of dx/dq, among as many as the task has rank: 0 at a
singularity, and the inverse of the solver's condition. Its slope comes from trial places a little further along each
straight axis that pushes, loops closed to first order; one direction per tick, for it changes slowly.
"""

from __future__ import annotations

import math

from station.haptics.kernels.layout import NEARNESS, SINGULAR
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.closures import closure_rows, eliminate
from station.mechanism.kernels.dense import symmetric_eigenvalues
from station.mechanism.kernels.memory import Block, Floats
from station.mechanism.kernels.tree import forward, frame_pose
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import LOOK, SINGULARITY, SINGULARITY_GRADIENT
from station.servo.kernels.hand import felt_gradient
from station.servo.kernels.sensitivity import fill_gram

Address = int
TRIAL = 1e-4  # length of a trial motion, as a part of the mechanism's length
LOOK_FROM = 2.0  # slopes are looked at within this many times the range of the effect


@kernel
def measure(gram: Floats, rank: int) -> float:
    """Least over largest singular value, from G, which is destroyed."""
    symmetric_eigenvalues(gram, 6)
    largest, value = 0.0, 0.0
    for nth in range(min(rank, 6)):
        best = nth
        for i in range(nth + 1, 6):
            if gram[i, i] > gram[best, best]:
                best = i
        gram[nth, nth], gram[best, best] = gram[best, best], gram[nth, nth]
        value = gram[nth, nth]
        largest = max(largest, value)
    return math.sqrt(max(value, 0.0) / largest) if largest > 0.0 else 0.0


@kernel
def fill_singularity(mem: Address, robot: Block, frame: int, rank: int) -> None:
    """Measure and slope into the inputs of the forces; G and `spread` must be there, and G is used up."""
    memory, inputs, mapping = at.memory(mem), at.haptics_inputs(mem), at.mapping_state(mem)
    gradient = at.gradient(mem)
    here = measure(at.gram(mem), rank)
    memory[SINGULARITY] = here
    if here < LOOK_FROM * at.haptics_settings(mem)[SINGULAR + 2]:
        axis = int(memory[LOOK])
        memory[LOOK] = (axis + 1) % 6
        memory[SINGULARITY_GRADIENT + axis] = _slope(mem, robot, frame, rank, axis, here)
    else:
        for i in range(6):
            memory[SINGULARITY_GRADIENT + i] = 0.0
    for i in range(6):
        gradient[i] = memory[SINGULARITY_GRADIENT + i]
    inputs[NEARNESS] = here
    felt_gradient(mapping, gradient, inputs, NEARNESS + 1)


@kernel
def _slope(mem: Address, robot: Block, frame: int, rank: int, axis: int, here: float) -> float:
    """Change of the measure with motion of the frame along or about a world axis [1/m, 1/rad]."""
    q, trial, spread, pose = robot_at.q(robot), at.trial_q(mem), at.spread(mem), at.trial_pose(mem)
    rotation, position = robot_at.rotation(robot), robot_at.position(robot)
    step = TRIAL * (robot_at.scale(robot)[0] if axis < 3 else 1.0)
    for j in range(q.size):
        trial[j] = q[j] + step * spread[j, axis]
    _place(robot, trial)
    frame_pose(robot, frame, rotation, position, pose)
    fill_gram(mem, robot, frame, pose)
    there = measure(at.gram(mem), rank)
    _place(robot, q)
    slope = (there - here) / step
    return slope if math.isfinite(slope) else 0.0


@kernel
def _place(robot: Block, q: Floats) -> None:
    """Put bodies and loops where joint values say, without a step."""
    forward(robot, q, robot_at.rotation(robot), robot_at.position(robot))
    if robot_at.matrix(robot).shape[0] > 0:
        closure_rows(robot, q, True)
        eliminate(robot, robot_at.closure_rank(robot)[0])
