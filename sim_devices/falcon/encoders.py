"""The three counters: relative until homed, sixteen bits wide, and sometimes wrong."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge.falcon.frames import ALL_LEGS, Three
from sim_devices.faults import FaultScript

OUTER_MARK = 700  # count near the outer end: a leg that has been beyond it …
INNER_MARK = -900  # … and then comes below this one knows where it is
GLITCH_PERIOD = 50  # readings from one glitch to the next
NEAR_THE_END = 32760  # of the range of a counter


class Encoders:
    """True counts in, reported counts out."""

    def __init__(self, *, homed: bool) -> None:
        self.homed = ALL_LEGS if homed else 0
        self._start = [0, 0, 0]
        self._been_out = [False, False, False]
        self._held: dict[int, int] = {}  # by leg: where a stuck counter stands
        self._wrap: list[int] | None = None
        self._readings = 0

    def switch_on(self, counts: Sequence[int]) -> None:
        """Counters begin at 0, wherever the legs are."""
        self.homed = 0
        self._start = list(counts)
        self._been_out = [False, False, False]

    def watch(self, counts: Sequence[int]) -> None:
        """While the host asks for homing: notice the marks."""
        for leg, count in enumerate(counts):
            self._been_out[leg] |= count > OUTER_MARK
            if self._been_out[leg] and count < INNER_MARK:
                self.homed |= 1 << leg

    def read(self, counts: Sequence[int], faults: FaultScript) -> Three:
        """What is reported for the true counts."""
        self._readings += 1
        values = [
            count if self.homed >> leg & 1 else count - start
            for leg, (count, start) in enumerate(zip(counts, self._start, strict=True))
        ]
        self._go_wrong(values, faults)
        first, second, third = ((value + 0x8000) % 0x10000 - 0x8000 for value in values)
        return first, second, third

    def _go_wrong(self, values: list[int], faults: FaultScript) -> None:
        fault = faults.active("counter-wrap")
        if fault is None:
            self._wrap = None
        elif self._wrap is None:
            self._wrap = [NEAR_THE_END - value for value in values]
        if self._wrap is not None:
            values[:] = [value + offset for value, offset in zip(values, self._wrap, strict=True)]
        fault = faults.active("encoder-offset")
        if fault is not None:
            values[int(fault["axis"]) % 3] += int(fault["counts"])
        fault = faults.active("encoder-glitch")
        if fault is not None and self._readings % GLITCH_PERIOD == 0:
            values[int(fault["axis"]) % 3] += int(fault["counts"])
        fault = faults.active("stuck-encoder")
        if fault is None:
            self._held.clear()
        else:
            leg = int(fault["axis"]) % 3
            values[leg] = self._held.setdefault(leg, values[leg])
