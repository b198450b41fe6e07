"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler
from station.mechanism import kernels as mechanism
from station.tasks.task import kernels as task

_USED = [path for package in (mechanism, task) for path in Path(str(package.__file__)).parent.glob("*.py")]

kernel = Compiler("verify-kernels", Path(__file__).parent.glob("*.py"), uses=_USED)
