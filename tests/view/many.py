"""Scenes with any number of robots: arms in rows, each where it is out of reach of the others."""

from __future__ import annotations

import robots

APART = 2500  # [mm]
ROW = 4
TIED = "constraint { tool 7 device ( 0 1 ) }"  # in the file of the arm


def arms(count: int, hands: int = 0) -> str:
    """So many UR5e, the first of them led by a device each, the others by commands."""
    text = robots.path("ur5e").read_text(encoding="utf8")
    body = text[text.index("robot ur5e {") :]
    devices = "".join(f'device {nth} {{ name "hand{nth}" scale {{ 1 1 1 }} }}\n' for nth in range(1, hands + 1))
    placed = []
    for nth in range(count):
        pos = f"pos {{ {APART * (nth % ROW)} {APART * (nth // ROW)} 0 }}"
        one = body.replace("robot ur5e {", f"robot arm{nth + 1} {{", 1).replace("base {", f"base {{ {pos} ", 1)
        tied = f"constraint {{ tool 7 device ( 0 {nth + 1} ) }}" if nth < hands else ""
        placed.append(one.replace(TIED, tied))
    return f"RAFF v2.0 Arms\n{devices}{''.join(placed)}"
