"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.compiled import Compiler

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

kernel = Compiler("arm", Path(__file__).parent.glob("*.py"))
