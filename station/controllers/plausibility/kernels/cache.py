"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler

_SHAPING = Path(__file__).parents[2] / "shaping" / "kernels"
_ROBOT = Path(__file__).parents[3] / "mechanism" / "kernels"
kernel = Compiler(
    "plausibility",
    Path(__file__).parent.glob("*.py"),
    uses=[*(_SHAPING / f"{name}.py" for name in ("layout", "tube")), _ROBOT / "memory.py", _ROBOT / "at.py"],
)
