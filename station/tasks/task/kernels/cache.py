"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler
from station.mechanism import kernels as mechanism

_MECHANISM = Path(str(mechanism.__file__)).parent

kernel = Compiler("task-kernels", Path(__file__).parent.glob("*.py"), uses=_MECHANISM.glob("*.py"))
