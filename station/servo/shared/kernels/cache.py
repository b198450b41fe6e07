"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler
from station.servo.pacing.kernels.cache import FILES as PACING

_SHARED, _STATION = Path(__file__).parents[1], Path(__file__).parents[3]

# Constants of the whole package end up in machine code. Other compilers that call these kernels name all as used.
FILES = (
    *sorted(Path(__file__).parent.glob("*.py")),
    *sorted(_SHARED.glob("*.py")),
    *PACING,
    _STATION / "mechanism" / "kernels" / "memory.py",
)

kernel = Compiler("shared-state", FILES)
