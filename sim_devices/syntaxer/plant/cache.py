"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler
from station.devices.syntaxer import kernels

MODEL = Path(kernels.__file__).parent.glob("*.py")  # its functions are compiled into ours

kernel = Compiler("syntaxer-plant", Path(__file__).parent.glob("*.py"), uses=MODEL)
