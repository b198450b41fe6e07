"""Run benchmarks: `python -m benchmarks NAME … [--json] [--quick]`, `all` for all; without a name say what there is."""

from __future__ import annotations

import importlib
import json
import signal
import sys

ALL = "all"
ABOUT = {
    "parsing": "time per link of a long MAD file against a short one",
    "classic": "the methods of the books, side by side",
    "solver": "one step, loops, reaching, scaling, memory, start; beside other solvers",
    "velocity": "velocity estimators on quantised positions",
    "devices": "the way from a device to the station and back, five minutes",
    "wakeup": "lateness of the servo's wake-ups, beside a loop in C",
    "statistics": "what statistics of ticks cost",
    "delayed_wall": "contact over a delayed link",
    "collision": "distances in a tick, beside the library alone",
    "shaping": "supervisor and shaping for 7 joints, beside ruckig alone",
    "arm_physics": "an emulated arm at 1 kHz, beside its physics alone",
    "arm_link": "setpoint to measurement over our links, beside a bare echo",
    "parts": "a tick of two hands, robots and arms beside one of each; sixteen robots by commands",
    "recording": "what recording costs the tick, the processor and the disk",
    "verify": "how fast a task is verified",
    "calibration": "how long robot geometry takes, and how much it gains",
    "view": "frames per second of the view",
    "start": "how long commands and runs take to start, and what their processes hold",
}


def main() -> None:
    """Run the named benchmarks and print their figures; without a name list them."""
    chosen = [name for name in sys.argv[1:] if not name.startswith("-")]
    unknown = [name for name in chosen if name not in (*ABOUT, ALL)]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(ABOUT)}, {ALL}")
    if not chosen:
        _list()
        return
    figures = {}
    for name in ABOUT if ALL in chosen else chosen:
        print(f"benchmark {name} …", file=sys.stderr)
        # While libraries load, Ctrl-C just ends this: some of them turn it into errors of their own.
        handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
        module = importlib.import_module(f"benchmarks.{name}")
        signal.signal(signal.SIGINT, handler)
        figures[name] = module.run()
    if "--json" in sys.argv:
        print(json.dumps(figures, indent=2))
        return
    for name, rows in figures.items():
        width = max(len(label) for label in rows)
        print(name, *(f"  {label:<{width}}  {value:.4g}" for label, value in rows.items()), sep="\n")


def _list() -> None:
    if "--json" in sys.argv:
        print(json.dumps(ABOUT, indent=2))
        return
    width = max(map(len, ABOUT))
    print(*(f"{name:<{width}}  {about}" for name, about in ABOUT.items()), sep="\n")
    print(f"{ALL:<{width}}  all of them, about half an hour")
    print("\nrun some with: station bench NAME …; --quick: a smoke run, whose figures mean nothing")


try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
