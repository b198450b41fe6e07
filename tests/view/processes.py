"""Scripts that open windows, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WITHIN = 600.0  # on the busiest machine [s]


def clean_environment(**more: str) -> dict[str, str]:
    """Ours, without anything that leads to a screen."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("QT_", "WAYLAND", "DISPLAY"))}
    return {**kept, **more}


def in_process(module: str, folder: Path, *arguments: str, display: str | None = None) -> dict[str, Any]:
    """What a script with windows tells as JSON; it leaves the settings of the user alone. Without a screen if none."""
    screen = {"QT_QPA_PLATFORM": "offscreen"} if display is None else {"DISPLAY": display}
    done = subprocess.run(
        [sys.executable, "-m", module, str(folder), *arguments],
        env=clean_environment(**screen, STATION_VIEW_SETTINGS=str(folder / "settings")),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
