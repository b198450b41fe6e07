"""What any emulator is: bytes on one side, physics and faults on the other, and a time that is given to it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sim_devices.faults import FaultScript
from station.clock import WALL, Clock, VirtualClock


class Emulator(ABC):
    """Something that behaves like a device at its address.

    It does nothing by itself: `step_to(now)` lets it live until `now`. On a virtual clock it is attached to the clock;
    on wall time `run` steps it.
    """

    period = 0.001  # time between two steps on wall time [s]

    def __init__(self, clock: Clock = WALL, faults: FaultScript | None = None) -> None:
        self.clock = clock
        self.faults = FaultScript() if faults is None else faults
        self._start = self._next_step = clock.now()
        self._detach = clock.attach(self.step_to) if isinstance(clock, VirtualClock) else None

    @property
    @abstractmethod
    def address(self) -> str:
        """URL to open it by, for example serial:/run/user/1000/…/syntaxer."""

    @property
    @abstractmethod
    def signals(self) -> dict[str, float]:
        """Quantities that faults can depend on, by name; always with `t`, the time since the start [s]."""

    @abstractmethod
    def _step(self, now: float) -> None:
        """Live until `now` [s since the start]: hear, move, speak."""

    @abstractmethod
    def _release(self) -> None:
        """Give back what the emulator holds."""

    def step_to(self, now: float) -> None:
        """Live until `now` [s, of the clock]."""
        local = now - self._start
        self.faults.update(local, self.signals if self.faults else {})  # signals take time to find out
        self._step(local)

    def run(self, seconds: float = float("inf")) -> None:
        """Live on wall time for so long [s]; late steps are skipped, not made up."""
        begin = self.clock.now()
        while self.clock.now() - begin < seconds:
            self.step_to(self.clock.now())
            self._next_step = max(self._next_step + self.period, self.clock.now() - self.period)
            self.clock.sleep_until(self._next_step)

    def close(self) -> None:
        """End; may be called twice."""
        if self._detach is not None:
            self._detach()
            self._detach = None
        self._release()
