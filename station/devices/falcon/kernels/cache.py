"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

from station.compiled import Compiler

FOLDER = Path(__file__).parent
SOURCES = (*FOLDER.glob("*.py"), FOLDER.parent / "geometry.py")

kernel = Compiler("falcon", SOURCES)
