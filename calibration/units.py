"""Units that people type and read, in those of the program."""

from __future__ import annotations

import math

MM, DEGREE = 1e-3, math.pi / 180.0  # [m], [rad]
SHOWN = {"m": (1e3, "mm"), "rad": (1.0 / DEGREE, "°"), "s": (1e3, "ms")}  # what people read: factor and unit
