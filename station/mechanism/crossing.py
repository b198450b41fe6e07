"""Where assemblies meet: singularities of loops, at which a robot can move though all its drives stand still.

With B the motions that keep the loops closed, U the units of joints (a radian counts `length` metres) and d the rows of
driven joints, the share of a motion that the drives see is

    s = min over y of |U_d·B_d·y| / |U·B·y|

1 where passive joints stand still, 0 at the singularity: there the next assembly begins, and the drives decide nothing.

**Keeping an assembly** (`keeps_assembly`): a step brings s no lower than a least share, and towards that not faster
than (s - least)/0.08 s, as obstacles are approached. It is a half-space for the solver, so motion along it and away
from it is as free as ever. The slope of s comes from trial places along all motions that keep the loops closed, in
every step that is near; far from it s is looked at in one step of eight.
"""

from __future__ import annotations

import math

from station.kernel import Floats1, kernel
from station.mechanism.algebra import cholesky, symmetric_eigenvalues
from station.mechanism.closures import closure_rows, eliminate
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tree import forward

LEAST_SHARE = 0.02  # of a motion that drives see, below which no step leads
NEAR_SHARE = 0.1  # from which on steps are bounded
LOOK_EVERY = 8  # steps, where it is further away
HOLDING_TIME = 0.08  # [s]
TRIAL = 1e-5  # motion of a free joint by which the slope is found [rad | m]
FLAT = 1e-4  # slope below which nothing tells where the singularity is [1/rad | 1/m]
OWN_ROW = -1  # in place of the frame of a contact


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


@kernel
def keep_assembly(mem: MechanismMemory, number: int, dt: float) -> bool:
    """Bound the next step by a half-space of this number, where the singularity is near; whether it does.

    Loops must have been eliminated at `q`, and are again afterwards.
    """
    if mem.assembly_wait > 0:
        mem.assembly_wait -= 1
        return False
    here = seen_by_drives(mem)
    if here >= NEAR_SHARE:
        mem.assembly_wait = LOOK_EVERY - 1
        return False
    n, free, row, steep = mem.q.size, mem.free, mem.contact_rows[number], 0.0
    motions, joints, trial = mem.spans[0], mem.held_joints, mem.trial
    nth = 0
    for j in range(n):
        row[j] = 0.0
        if not mem.used_column[j]:  # moves by itself; all others follow it
            joints[nth] = j
            nth += 1
        for a in range(free):
            motions[j, a] = mem.basis[j, a]
    for a in range(free):
        for j in range(n):
            trial[j] = mem.q[j] + TRIAL * motions[j, a]
        _put(mem, trial)
        slope = (seen_by_drives(mem) - here) / TRIAL
        row[joints[a]] = slope if mem.free == free and math.isfinite(slope) else 0.0
        steep = max(steep, abs(row[joints[a]]))
    _put(mem, mem.q)
    mem.contact_frame[number] = OWN_ROW
    mem.contact_distance[number] = max(here - LEAST_SHARE, 0.0) * min(dt / HOLDING_TIME, 1.0)
    return steep > FLAT


@kernel
def _put(mem: MechanismMemory, q: Floats1) -> None:
    """Put bodies and loops where joint values say."""
    forward(mem, q, mem.rotation, mem.position)
    closure_rows(mem, q, True)
    eliminate(mem, mem.closure_rank)
