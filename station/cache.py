"""Where this program keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """A folder of this user's; it may not be there yet, or not be writable."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "haptic-station"
