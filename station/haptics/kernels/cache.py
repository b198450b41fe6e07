"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

import station.devices.mapping.kernels as rotations
from station.compiled import Compiler

_HERE = Path(__file__).parent
_ROTATIONS = Path(str(rotations.__file__)).parent

kernel = Compiler("haptics", _HERE.glob("*.py"), uses=_ROTATIONS.glob("*.py"))
