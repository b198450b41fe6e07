"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler

_HERE = Path(__file__).parent

# The table of transitions is frozen into the kernels, so a change of it must compile them anew.
kernel = Compiler("supervisor", _HERE.glob("*.py"), uses=[_HERE.parent / "table.py", _HERE.parent / "words.py"])
