"""What the weight asks of the motors.

Both ends of a bar only translate, and its centre of mass divides the line between them in a fixed ratio, so lumping its
mass at its ends in that ratio (half and half for an even bar) gives the potential energy exactly. (For inertia it would
not be exact: an even bar lumped at its ends has three times its moment of inertia about its middle.)
"""

from __future__ import annotations

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.delta import swing
from station.devices.syntaxer.kernels.layout import ARM, BALANCER, CARRIED, CENTRE, GRAVITY, HANDLE, MOMENT, Floats
from station.devices.syntaxer.kernels.vectors import column, cross, dot, plus, solve_transposed, three, turned


@kernel
def arm_weights(chains: Floats, loads: Floats, angles: Floats, jacobian: Floats, torques: Floats) -> None:
    """Torques at the arms that carry the weight [N·m], written into the first three of `torques`."""
    gravity = three(loads, GRAVITY)
    on_platform = plus(three(loads, BALANCER), gravity, loads[CARRIED])
    for i in range(3):
        of_arm = chains[i, MOMENT] / chains[i, ARM] * dot(gravity, swing(chains, i, angles[i]))
        torques[i] = -of_arm - dot(column(jacobian, i), on_platform)


@kernel
def handle_weight(loads: Floats, rotation: Floats, strings: Floats, tensions: Floats) -> None:
    """Changes of string tension that carry the weight of the turning parts [N], written into the last three."""
    arm = turned(rotation, three(loads, CENTRE))
    moment = cross(arm, three(loads, GRAVITY))
    # The strings turn the plate by -stringsᵀ·tensions, which has to undo the moment of the weight.
    change = solve_transposed(strings, moment)
    for i in range(3):
        tensions[3 + i] = loads[HANDLE] * change[i]
