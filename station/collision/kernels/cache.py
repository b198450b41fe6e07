"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

import station.mechanism.kernels as mechanism
from station.compiled import Compiler

_HERE = Path(__file__).parent
_MECHANISM = Path(str(mechanism.__file__)).parent

kernel = Compiler("collision", _HERE.glob("*.py"), uses=[_MECHANISM / "memory.py", _MECHANISM / "at.py"])
