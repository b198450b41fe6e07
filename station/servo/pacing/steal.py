"""How much of the processors' time the hypervisor gives to other machines: what no program here can help."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path("/")


class ProcessorTimes(NamedTuple):
    """Counters of the kernel since the start of the machine, all processors together [ticks of the kernel]."""

    steal: int
    total: int

    @classmethod
    def read(cls, root: Path = ROOT) -> ProcessorTimes:
        """The counters now; raises OSError or ValueError where there are none."""
        words = (root / "proc/stat").read_text(encoding="ascii").partition("\n")[0].split()
        if words[:1] != ["cpu"] or len(words) < 9:
            raise ValueError("no times of processors in /proc/stat")
        numbers = [int(word) for word in words[1:9]]  # guests come after these and are contained in them
        return cls(numbers[7], sum(numbers))


class StealMeter:
    """Part of the time that was taken away since this was made."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._before = self._read()

    def share(self) -> float:
        """From 0 to 1; 0 where the kernel does not tell."""
        now = self._read()
        return (now.steal - self._before.steal) / max(now.total - self._before.total, 1)

    def _read(self) -> ProcessorTimes:
        try:
            return ProcessorTimes.read(self._root)
        except (OSError, ValueError):
            return ProcessorTimes(0, 0)
