"""The servo loops of all joints of an arm; see sim_devices/arm/loops.py."""

from __future__ import annotations

from sim_devices.arm.kernels.cache import Floats, kernel

# Entries of `gains`.
SPEED_GAIN, POSITION_GAIN, INTEGRAL_GAIN = 0, 1, 2  # [1/s], [1/s], [1/s³]
KNOWN = 3  # share of the weight that the controller knows
TICK = 4  # [s]
TORQUE_TOWARDS = 5  # share of the way to the wanted effort in one tick
GAINS = 6

FRICTION_SPEED = 0.02  # of the reference, from which friction is fed forward in full [rad/s | m/s]
INTEGRAL_SHARE = 0.4  # of the effort that the integral part may ask for


@kernel
def efforts(
    wanted: Floats,
    measured: Floats,
    inertia: Floats,
    weight: Floats,
    strength: Floats,
    drives: Floats,
    gains: Floats,
    summed: Floats,
    given: Floats,
) -> None:
    """One tick of the servo loops, into `given`.

    Rows: wanted q, v, fed-forward effort; measured q, v; drives largest effort, viscous and dry friction.
    """
    n = given.size
    for i in range(n):
        error = wanted[0, i] - measured[0, i]
        most = INTEGRAL_SHARE * drives[0, i] / max(inertia[i, i] * gains[INTEGRAL_GAIN], 1e-12)
        summed[i] = min(max(summed[i] + gains[TICK] * error, -most), most)
    for i in range(n):
        moved = inertia[i, i] * gains[INTEGRAL_GAIN] * summed[i]
        for k in range(n):
            error = wanted[0, k] - measured[0, k]
            moved += inertia[i, k] * (
                gains[SPEED_GAIN] * (wanted[1, k] + gains[POSITION_GAIN] * error - measured[1, k])
            )
        v = wanted[1, i]
        moved += drives[1, i] * v + drives[2, i] * min(max(v / FRICTION_SPEED, -1.0), 1.0)
        moved += gains[KNOWN] * weight[i] + wanted[2, i]
        told = min(max(moved, -strength[i]), strength[i])
        given[i] += gains[TORQUE_TOWARDS] * (told - given[i])
