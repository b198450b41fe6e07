"""When the machine itself stood still: a witness on each processor, above everybody else (stalls.c).

A shared machine takes its processors away for milliseconds, whatever priority a process has. What happens in such a
moment, or right after it, has its cause there; what happens while both witnesses run on time has not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.compiling import built

Floats = NDArray[np.float64]

PERIOD = 0.0005  # of the witnesses [s]
LEAST = 0.0005  # that a wake-up must be late to be told [s]
PRIORITY = 98  # of SCHED_FIFO: above servo and emulators
IN_MEMORY = Path("/dev/shm")  # where witnesses write: a pipe that nobody reads would be full after some thousand lines


class Stalls:
    """Witnesses for the time of a `with`; afterwards `spans` has when processors stood still.

    Args:
        priority: of the witnesses; 0: as ordinary programs, which also wait for a processor that others have.
        least: that a wake-up must be late to be noted [s].
    """

    def __init__(self, priority: int = PRIORITY, least: float = LEAST) -> None:
        self._words = [str(round(1e9 * PERIOD)), str(round(1e9 * least)), str(priority)]
        self.spans: Floats = np.zeros((0, 2))  # begin and end of each [s, monotonic]

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        program = self._stack.enter_context(built("stalls"))
        folder = IN_MEMORY if IN_MEMORY.is_dir() else None
        self._witnesses = []
        for processor in sorted(os.sched_getaffinity(0)):
            said = self._stack.enter_context(tempfile.TemporaryFile(dir=folder))
            witness = subprocess.Popen([program, str(processor), *self._words], stdout=said)
            self._witnesses.append((witness, said))
        return self

    def __exit__(self, *_: object) -> None:
        for witness, _said in self._witnesses:
            if witness.poll() is not None:
                print("no witness: SCHED_FIFO is not allowed, so nothing is put down to the machine", file=sys.stderr)
            witness.terminate()
            witness.wait()
        self.look()
        self._stack.close()

    def look(self) -> None:
        """Bring `spans` up to date."""
        lines: list[list[float]] = []
        for _witness, said in self._witnesses:
            text = os.pread(said.fileno(), os.fstat(said.fileno()).st_size, 0)  # the witness goes on writing at its end
            whole = text[: text.rfind(b"\n") + 1]
            lines += [[1e-9 * float(word) for word in line.split()] for line in whole.splitlines()]
        self.spans = np.array(sorted(lines)).reshape(-1, 2)

    @property
    def stood(self) -> float:
        """Time that processors stood still, added up [s]."""
        return float((self.spans[:, 1] - self.spans[:, 0]).sum())

    @property
    def longest(self) -> float:
        """Longest moment [s]."""
        return float((self.spans[:, 1] - self.spans[:, 0]).max(initial=0.0))

    def within(self, begin: float, end: float) -> float:
        """Longest moment between two times [s, monotonic]."""
        lasted = np.minimum(self.spans[:, 1], end) - np.maximum(self.spans[:, 0], begin)
        return float(lasted.max(initial=0.0))

    def before(self, moments: Floats, window: float) -> Floats:
        """For each moment, how long processors stood still in the window that ends with it, added up [s]."""
        begin, end = self.spans[:, 0], self.spans[:, 1]
        found = np.zeros(len(moments))
        for place, moment in enumerate(moments):
            first, last = np.searchsorted(begin, (moment - window - self.longest, moment))
            if last > first:
                within = np.minimum(end[first:last], moment) - np.maximum(begin[first:last], moment - window)
                found[place] = np.maximum(within, 0.0).sum()
        return found
