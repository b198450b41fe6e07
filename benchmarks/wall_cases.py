"""What goes wrong between a hand and a stiff wall, and what energy the hand gets: `python -m benchmarks.wall_cases`.

One session on the emulated syntaxer: taps, fast reversals, leaning on the wall, held loosely and tightly. The wall is
five times as stiff as what the device says it renders. Energy is counted from the last moment in free space on (see
`wall_rig.py`), and is printed in millijoules.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.wall_rig import ENCODER, WALL, Run, Trouble, run
from station.haptics import BODIES, Method

SECONDS, PERIOD = 2.6, 1e-3  # of a session; sampling [s]
STIFF, HARD = 3000.0, 9000.0  # [N/m]


def taps(grip: float) -> str:
    """Taps, and fast reversals in and out of the wall."""
    return (
        f"tighten {grip} in 0.1; reach 0.2 0 0 in 0.2; tap wall x={WALL} times=1 every=0.2 depth=15mm; "
        f"reach 0.186 0 0 in 0.15; tap wall x={WALL} times=3 every=0.1 depth=15mm; "
    )


def leaning(grip: float) -> str:
    """On the wall, and away."""
    return f"reach {WALL - 3.5 / (60.0 * 10.0**grip):.4f} 0 0 in 0.15; hold 0.35; reach 0.2 0 0 in 0.15; hold 1"


BOTH_GRIPS = taps(0.0) + taps(1.0) + leaning(1.0)
LOOSE = taps(0.0) + "hold 0.95; " + leaning(0.0)  # leans at the same time


def again_and_again(kind: str, samples: int, every: float) -> str:
    """A fault for so many samples, at all phases of what the hand does."""
    starts = np.arange(0.35, SECONDS, every)
    return "; ".join(f"{kind} at {start:.4f} for {samples * PERIOD:.4f}" for start in starts)


TROUBLES = {
    "nothing": Trouble(),
    "coarse encoders": Trouble(counts=ENCODER // 4),
    "jitter of ticks": Trouble(jitter=0.4),
    "samples late by up to 2 ms": Trouble(faults="jitter ms=2 at 0.3"),
    "one in ten lost": Trouble(faults="drop p=0.1 at 0.3"),
    "one lost": Trouble(faults=again_and_again("drop", 1, 0.0117)),
    "two lost in a row": Trouble(faults=again_and_again("drop", 2, 0.0117)),
    "bursts of six lost": Trouble(faults=again_and_again("drop", 6, 0.0237)),
    "all at once": Trouble(faults="drop p=0.1 at 0.3", jitter=0.3, counts=ENCODER // 2),
}


def played(method: Method, stiffness: float, trouble: Trouble, hand: str = BOTH_GRIPS) -> Run:
    """One session at a wall of some stiffness [N/m]."""
    body = BODIES["syntaxer"]
    body = replace(body, resolution=body.resolution * ENCODER / trouble.counts)
    return run(hand, SECONDS, method, stiffness, PERIOD, body, trouble)


def main() -> None:
    """A table of all troubles and methods."""
    print("| trouble | " + " | ".join(Method) + " |")
    print("|---" * (1 + len(Method)) + "|")
    for name, trouble in TROUBLES.items():
        energies = [1e3 * played(method, STIFF, trouble).generated for method in Method]
        print(f"| {name} | " + " | ".join(f"{energy:.2f}" for energy in energies) + " |", flush=True)


if __name__ == "__main__":
    main()
