"""Where assemblies meet: singularities of loops, at which a robot can move though all its drives stand still.

With B the motions that keep the loops closed, U the units of joints (a radian counts `length` metres) and d the rows of
driven joints, the share of a motion that the drives see is

    s = min over y of |U_d·B_d·y| / |U·B·y|

1 where passive joints stand still, 0 at the singularity: there the next assembly begins, and the drives decide nothing.
"""

from __future__ import annotations

import math

from station.kernel import kernel
from station.mechanism.algebra import cholesky, symmetric_eigenvalues
from station.mechanism.memory import JointKind, MechanismMemory


@kernel
def seen_by_drives(mem: MechanismMemory) -> float:
    """The least share of a motion of the robot that its drives see, 0 to 1, where it was eliminated last.

    1 where there are no loops, or where nothing is passive.
    """
    n, free, length = mem.q.size, mem.free, mem.length
    basis, driven, joint_kind = mem.basis, mem.driven, mem.joint_kind
    whole, seen, factor = mem.triangle, mem.hessian, mem.turned
    if mem.matrix.shape[0] == 0 or free == 0:
        return 1.0
    for a in range(free):
        for b in range(a + 1):
            total, part = 0.0, 0.0
            for j in range(n):
                unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
                product = unit * basis[j, a] * basis[j, b]
                total += product
                if driven[j]:
                    part += product
            whole[a, b] = total
            seen[a, b] = seen[b, a] = part
    if not cholesky(whole, free, factor):
        return 1.0
    for _ in range(2):  # L⁻¹·seen·L⁻ᵀ: from the left, and after turning it over once more
        for k in range(free):
            for i in range(free):
                value = seen[i, k]
                for m in range(i):
                    value -= factor[i, m] * seen[m, k]
                seen[i, k] = value
        for i in range(free):
            for k in range(i):
                seen[i, k], seen[k, i] = seen[k, i], seen[i, k]
    for i in range(free):  # and with the roots that the factor leaves out; its diagonal holds 1 / D
        for k in range(free):
            seen[i, k] *= math.sqrt(factor[i, i] * factor[k, k])
    symmetric_eigenvalues(seen, free)
    least = seen[0, 0]
    for i in range(1, free):
        least = min(least, seen[i, i])
    return math.sqrt(max(least, 0.0))
