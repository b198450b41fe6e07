"""`@kernel`: how everything in this folder is compiled; see `station.compiled`."""

from __future__ import annotations

from pathlib import Path

import station.haptics.kernels.layout as forces
from station.compiled import Compiler

FILES = sorted(Path(__file__).parent.glob("*.py"))

kernel = Compiler("bilateral", FILES, uses=[Path(forces.__file__)])
