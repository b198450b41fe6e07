"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler

kernel = Compiler("shaping", Path(__file__).parent.glob("*.py"))
