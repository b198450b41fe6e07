"""How joints move with the followed frame, loops included: what a stop at a joint means for the hand.

With B the motions that keep the loops closed (the identity where there are none), J the Jacobian of the followed frame
and G = J·B·(BᵀB)⁻¹·Bᵀ·Jᵀ, the least motion of the joints for a motion x of the frame is

    dq/dx = B·(BᵀB)⁻¹·Bᵀ·Jᵀ·(G + λ·I)⁻¹

with rotations counted at the mechanism's length. λ bounds it near singularities, as the solver bounds its steps.
"""

from __future__ import annotations

from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.dense import cholesky, cholesky_solve
from station.mechanism.kernels.memory import Block, Floats
from station.mechanism.kernels.tree import frame_jacobian
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel

Address = int
DAMPED = 1e-4  # λ as a part of the trace of G


@kernel
def fill_gram(mem: Address, robot: Block, frame: int, pose: Floats) -> None:
    """J into `jacobian`, J·B·(BᵀB)⁻¹·Bᵀ into `reduced`, G into `gram`; bodies are where the robot's memory says."""
    jacobian, reduced, gram = at.jacobian(mem), at.reduced(mem), at.gram(mem)
    n, length = robot_at.q(robot).size, robot_at.scale(robot)[0]
    frame_jacobian(robot, frame, pose[:3, 3], robot_at.rotation(robot), robot_at.position(robot), jacobian)
    for i in range(3, 6):
        for j in range(n):
            jacobian[i, j] *= length
    if robot_at.matrix(robot).shape[0] == 0:
        for i in range(6):
            for j in range(n):
                reduced[i, j] = jacobian[i, j]
    else:
        _onto_loops(mem, robot)
    for i in range(6):
        for k in range(i + 1):
            value = 0.0
            for j in range(n):
                value += reduced[i, j] * jacobian[k, j]
            gram[i, k], gram[k, i] = value, value


@kernel
def _onto_loops(mem: Address, robot: Block) -> None:
    """Rows of J, projected onto the motions that keep the loops closed."""
    jacobian, reduced, column = at.jacobian(mem), at.reduced(mem), at.column(mem)
    metric, factor, basis = at.metric(mem), at.metric_factor(mem), robot_at.basis(robot)
    n, free = robot_at.q(robot).size, robot_at.sizes(robot)[1]
    for a in range(free):
        for b in range(a + 1):
            value = 0.0
            for j in range(n):
                value += basis[j, a] * basis[j, b]
            metric[a, b], metric[b, a] = value, value
    known = cholesky(metric, free, factor)
    for i in range(6):
        for k in range(free):
            column[k] = 0.0
            for j in range(n):
                column[k] += jacobian[i, j] * basis[j, k]
        if known:
            cholesky_solve(factor, free, column, column)
        for j in range(n):
            reduced[i, j] = 0.0
            for k in range(free):
                reduced[i, j] += basis[j, k] * column[k]


@kernel
def fill_spread(mem: Address, robot: Block) -> bool:
    """dq/dx into `spread` [rad/m, …]; G must be there. False if it cannot be told, and then it is zero."""
    reduced, gram, factor = at.reduced(mem), at.gram(mem), at.gram_factor(mem)
    spread, column = at.spread(mem), at.column(mem)
    n, length, trace = robot_at.q(robot).size, robot_at.scale(robot)[0], 0.0
    for i in range(6):
        trace += gram[i, i]
    for i in range(6):
        gram[i, i] += DAMPED * trace
    known = trace > 0.0 and cholesky(gram, 6, factor)
    for i in range(6):
        gram[i, i] -= DAMPED * trace
    if not known:
        spread[:, :] = 0.0
        return False
    for j in range(n):
        for i in range(6):
            column[i] = reduced[i, j]
        cholesky_solve(factor, 6, column, column)
        for i in range(6):
            spread[j, i] = column[i] * (1.0 if i < 3 else length)
    return True
