"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler

# Other compilers that call these kernels name all as used.
FILES = (*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).parents[1] / "stages.py")

kernel = Compiler("pacing", FILES)
