"""Encoders and the tool sensor."""

from __future__ import annotations

import numpy as np

from sim_devices.arm.kernels.cache import Floats, kernel


@kernel
def count(
    true: Floats,
    offset: Floats,
    zeros: Floats,
    counts: Floats,
    stuck: int,
    towards: float,
    tick: float,
    measured: Floats,
) -> None:
    """Encoders and speeds from them, into the rows of `measured`; `stuck` is the place of one that stands still."""
    for i in range(true.size):
        before = measured[0, i]
        if i != stuck:
            measured[0, i] = np.rint((true[i] + offset[i] + zeros[i]) / counts[i]) * counts[i]
        measured[1, i] += towards * ((measured[0, i] - before) / tick - measured[1, i])


@kernel
def sense_tool(
    through: Floats,
    turn: Floats,
    tool: Floats,
    gravity: float,
    towards: float,
    bias: Floats,
    noise: Floats,
    smooth: Floats,
    wrench: Floats,
) -> None:
    """What acts on the tool: all that goes through it but its own weight, smoothed; `tool` is mass and centre."""
    x, y, z = (-tool[0] * gravity * turn[6], -tool[0] * gravity * turn[7], -tool[0] * gravity * turn[8])
    weight = (x, y, z, tool[2] * z - tool[3] * y, tool[3] * x - tool[1] * z, tool[1] * y - tool[2] * x)
    for i in range(6):
        smooth[i] += towards * (-through[i] - weight[i] - smooth[i])
        wrench[i] = smooth[i] + bias[i] + noise[i]
