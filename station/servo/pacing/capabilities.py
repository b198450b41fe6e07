"""Which powers of the super-user this process has: being root in a container does not mean all of them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path("/")
SYS_NICE, IPC_LOCK = 23, 14  # real-time priorities; locking memory without bound
_EFFECTIVE = re.compile(r"^CapEff:\s*([0-9a-f]+)", re.MULTILINE)


def capable(capability: int, root: Path = ROOT) -> bool:
    """Whether this process has a capability, by its number."""
    try:
        found = _EFFECTIVE.search((root / "proc/self/status").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return False
    return found is not None and bool(int(found[1], 16) >> capability & 1)
