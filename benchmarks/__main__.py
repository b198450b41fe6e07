"""Run all benchmarks: `python -m benchmarks [NAME …] [--json]`."""

from __future__ import annotations

import importlib
import json
import sys

NAMES = (
    "parsing",
    "classic",
    "solver",
    "velocity",
    "devices",
    "wakeup",
    "statistics",
    "delayed_wall",
    "collision",
    "shaping",
    "arm_physics",
    "arm_link",
    "recording",
    "verify",
    "calibration",
    "view",
)


def main() -> None:
    """Run the named benchmarks, or all, and print their figures."""
    chosen = [name for name in sys.argv[1:] if not name.startswith("-")] or list(NAMES)
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    figures = {}
    for name in chosen:
        print(f"benchmark {name} …", file=sys.stderr)
        figures[name] = importlib.import_module(f"benchmarks.{name}").run()
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, rows in figures.items():
        width = max(len(label) for label in rows)
        print(name, *(f"  {label:<{width}}  {value:.4g}" for label, value in rows.items()), sep="\n")


try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
