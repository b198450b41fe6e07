"""`Player`: shows a recorded run in shared state of its own, for everybody who can watch a servo.

It is stepped by whoever shows it: `step` publishes what is due, and never waits.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from station.clock import WALL, Clock
from station.servo.shared import Command, CommandIntake, Play, Reason, StateWriter
from station.servo.shared.layout import Words
from station.tasks.recording.chunk import Times
from station.tasks.recording.errors import RecordingError
from station.tasks.replay.ticks import PART, Ticks

SPEEDS = (0.01, 100.0)
MOST_AT_ONCE = 2000  # records in one step: readers of the ring must not be overtaken
KEEP_ALIVE = 0.1  # a replay that stands still shows its moment again, so that nobody takes it for dead [s]
NANO = 1e9


class SpeedError(RecordingError):
    """A speed that is not possible."""


class Player:
    """A recorded run as shared state.

    Args:
        ticks: of the recording.
        speed: 1 is as it was.
        clock: by whose time.
        name: under which readers find it; replay and its process number if not given.
        folder: where; that of this user if not given.
    """

    def __init__(
        self,
        ticks: Ticks,
        speed: float = 1.0,
        clock: Clock = WALL,
        name: str | None = None,
        folder: Path | None = None,
    ) -> None:
        self.ticks, self._clock = ticks, clock
        path = ticks.recording.path
        text = ticks.text
        notes = [*_listed(text.get("notes")), f"replay of {path.name}"]
        joints, name = ticks.layout.joints, name or f"replay-{os.getpid()}"
        first = ticks.read(ticks.start_ns, ticks.start_ns)[1][0]
        start = float(ticks.layout.by_name["time"].view(first)[0])
        told = {"notes": notes, "replay": str(path), "replay_start": start, "replay_seconds": ticks.duration}
        self.shared = StateWriter(joints, {**text, **told}, name, folder)
        self._intake = CommandIntake(joints, name, folder)
        places = [place for place in ticks.layout.by_name.values() if place.field.recorded]
        self._recorded = [(place, getattr(self.shared, place.name)) for place in places]
        self._setting_times, self._settings = ticks.settings()
        self._reason_times, self._reasons = ticks.reasons()
        self._setting = self._reason = -1
        self._times: Times = np.zeros(0, np.int64)
        self._rows: Words = np.zeros((0, ticks.layout.record), np.int64)
        self._next = 0  # row that is shown next
        self._loaded_to = ticks.start_ns - 1  # [ns]
        self._position = float(ticks.start_ns)  # [ns]
        self._shown_at = -np.inf  # [s]
        self._last = clock.now()
        self.paused = False
        self.speed = speed
        self.jumps = 0  # how often somebody who watches went somewhere else

    @property
    def speed(self) -> float:
        """1 is as it was."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if not SPEEDS[0] <= speed <= SPEEDS[1]:
            raise SpeedError(f"speed {speed:g}: from {SPEEDS[0]:g} to {SPEEDS[1]:g} is allowed")
        self._speed = speed

    @property
    def path(self) -> Path:
        """The shared state."""
        return self.shared.path

    @property
    def position(self) -> float:
        """Since the beginning of the recording [s]."""
        return (min(self._position, self.ticks.end_ns) - self.ticks.start_ns) / NANO

    @property
    def ended(self) -> bool:
        """Whether everything was shown."""
        return self._next >= len(self._rows) and self._loaded_to >= self.ticks.end_ns

    def seek(self, position: float) -> None:
        """Go somewhere else [s since the beginning]; the tick there is shown at the next step."""
        within = min(max(position, 0.0), self.ticks.duration)
        self._position = self.ticks.start_ns + within * NANO
        self._loaded_to = int(self._position) - 1
        self._times, self._rows, self._next = self._times[:0], self._rows[:0], 0
        self._setting = self._reason = -1
        self._load()
        if len(self._rows) and self.paused:
            self._show(0)
            self._next = 1

    def step(self) -> int:
        """Show what is due; returns how many ticks that were."""
        self._intake.serve(self._decide, 0)
        now = self._clock.now()
        passed, self._last = now - self._last, now
        if self.paused or self.ended:
            if now - self._shown_at >= KEEP_ALIVE and self._next:
                self.shared.publish()
                self._shown_at = now
            return 0
        wanted = min(self._position + passed * self._speed * NANO, float(self.ticks.end_ns))
        self._load()
        shown = 0
        while self._next < len(self._rows) and self._times[self._next] <= wanted and shown < MOST_AT_ONCE:
            self._show(self._next)
            self._next += 1
            shown += 1
            if self._next == len(self._rows):
                self._load()
        more = self._next < len(self._rows) and self._times[self._next] <= wanted
        self._position = float(self._times[self._next]) if more else wanted  # who cannot keep up plays slower
        if shown:
            self._shown_at = now
        return shown

    def show(self, times: Times, rows: Words) -> None:
        """Show some records now, whatever the clock says."""
        for time_ns, row in zip(times.tolist(), rows, strict=True):
            for place, array in self._recorded:
                array[...] = place.view(row)
            self._show_settings(time_ns)
            self.shared.publish()

    def close(self) -> None:
        """Remove the shared state; may be called twice."""
        self._intake.close()
        self.shared.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _decide(self, command: Command) -> Reason:
        """Who watches may lead the replay; what has been cannot be commanded."""
        if not isinstance(command, Play):
            return Reason.NOT_POSSIBLE
        self.paused = command.paused
        from_start = self.ended and not self.paused  # at the end, there is nothing else to go on with
        if command.position >= 0.0 or from_start:
            self.seek(max(command.position, 0.0))
            self.jumps += 1
        return Reason.ACCEPTED

    def _load(self) -> None:
        """The next part of the recording, once the one before was shown."""
        while self._next >= len(self._rows) and self._loaded_to < self.ticks.end_ns:
            start = self._loaded_to + 1
            self._times, self._rows = self.ticks.read(start, start + PART - 1)
            self._loaded_to, self._next = start + PART - 1, 0

    def _show(self, index: int) -> None:
        self.show(self._times[index : index + 1], self._rows[index : index + 1])

    def _show_settings(self, time_ns: int) -> None:
        """The newest that had been noted then; before the first, the first."""
        reason = int(np.searchsorted(self._reason_times, time_ns, side="right"))
        if reason != self._reason:
            self._reason = reason
            self.shared.write_reason(self._reasons[reason - 1] if reason else "")
        if not len(self._setting_times):
            return
        newest = max(int(np.searchsorted(self._setting_times, time_ns, side="right")) - 1, 0)
        if newest != self._setting:
            self._setting = newest
            for name, values in self._settings.items():
                getattr(self.shared, name)[...] = values[newest]


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
