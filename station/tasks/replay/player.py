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
from station.servo.shared.memory import Words
from station.servo.shared.runtime import PART as FURTHER
from station.tasks.recording.chunk import LATEST, Times
from station.tasks.recording.errors import RecordingError
from station.tasks.replay.ticks import PART, Ticks

SPEEDS = (0.01, 100.0)
MOST_AT_ONCE = 2000  # records in one step: readers of the ring must not be overtaken
KEEP_ALIVE = 0.1  # a replay that stands still shows its moment again, so that nobody takes it for dead [s]
NANO = 1e9


class SpeedError(RecordingError):
    """A speed that is not possible."""


class _Shown:
    """One part of a recorded run as shared state of its own."""

    def __init__(self, ticks: Ticks, name: str, folder: Path | None, started: float) -> None:
        self.ticks = ticks
        path, text, joints = ticks.recording.path, ticks.text, ticks.layout.joints
        notes = [*_listed(text.get("notes")), f"replay of {path.name}"]
        told = {"notes": notes, "replay": str(path), "replay_start": started, "replay_seconds": ticks.duration}
        self.writer = StateWriter(joints, {**text, **told}, name, folder)
        self.intake = CommandIntake(joints, name, folder)
        self._setting_times, self._settings = ticks.settings()
        self._reason_times, self._reasons = ticks.reasons()
        self._setting = self._reason = -1
        self.seek(ticks.start_ns)

    @property
    def over(self) -> bool:
        """Whether everything was shown."""
        return self.next >= len(self.rows) and self._loaded_to >= self.ticks.end_ns

    def seek(self, time_ns: int) -> None:
        """Go somewhere else."""
        self.times: Times = np.zeros(0, np.int64)
        self.rows: Words = np.zeros((0, self.ticks.layout.record), np.int64)
        self.next = 0  # row that is shown next
        self._loaded_to = time_ns - 1
        self._setting = self._reason = -1

    def due(self, time_ns: float) -> bool:
        """Whether a record of that time or before waits to be shown."""
        while self.next >= len(self.rows) and self._loaded_to < min(self.ticks.end_ns, time_ns):
            start = self._loaded_to + 1
            self.times, self.rows = self.ticks.read(start, start + PART - 1)
            self._loaded_to, self.next = start + PART - 1, 0
        return self.next < len(self.rows) and bool(self.times[self.next] <= time_ns)

    def show_next(self) -> int:
        """Show the record that waits; returns its time [ns]."""
        time_ns = int(self.times[self.next])
        self.show(time_ns, self.rows[self.next])
        self.next += 1
        return time_ns

    def show(self, time_ns: int, row: Words) -> None:
        """Show a record now."""
        self.writer.take(row)
        self._show_settings(time_ns)
        self.writer.publish()

    def _show_settings(self, time_ns: int) -> None:
        """The newest that had been noted then; before the first, the first."""
        reason = int(np.searchsorted(self._reason_times, time_ns, side="right"))
        if reason != self._reason:
            self._reason = reason
            self.writer.write_reason(self._reasons[reason - 1] if reason else "")
        if not len(self._setting_times):
            return
        newest = max(int(np.searchsorted(self._setting_times, time_ns, side="right")) - 1, 0)
        if newest != self._setting:
            self._setting = newest
            for name, values in self._settings.items():
                self.writer.shared.view(name)[...] = values[newest]

    def close(self) -> None:
        self.intake.close()
        self.writer.close()


class Player:
    """A recorded run as shared state; of several parts as a servo shows them, the first under its own name.

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
        name = name or f"replay-{os.getpid()}"
        first = ticks.read(ticks.start_ns, ticks.start_ns)[1][0]
        started = float(ticks.layout.by_name["time"].view(first)[0])
        self._first = _Shown(ticks, name, folder, started)
        self._parts = [self._first]
        for number, part in enumerate(ticks.further, 1):
            self._parts.append(_Shown(part, f"{name}{FURTHER}{number}", folder, started))
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
        """The shared state, of the first part."""
        return self._first.writer.path

    @property
    def position(self) -> float:
        """Since the beginning of the recording [s]."""
        return (min(self._position, self.ticks.end_ns) - self.ticks.start_ns) / NANO

    @property
    def ended(self) -> bool:
        """Whether everything was shown."""
        return self._first.over

    def seek(self, position: float) -> None:
        """Go somewhere else [s since the beginning]; the tick there is shown at the next step."""
        within = min(max(position, 0.0), self.ticks.duration)
        self._position = self.ticks.start_ns + within * NANO
        for part in self._parts:
            part.seek(int(self._position))
        if self.paused and self._first.due(self.ticks.end_ns):
            self._show()

    def step(self) -> int:
        """Show what is due; returns how many ticks that were."""
        for part in self._parts:
            part.intake.serve(self._decide, 0)
        now = self._clock.now()
        passed, self._last = now - self._last, now
        if self.paused or self.ended:
            if now - self._shown_at >= KEEP_ALIVE and self._first.next:
                for part in self._parts:
                    part.writer.publish()
                self._shown_at = now
            return 0
        wanted = min(self._position + passed * self._speed * NANO, float(self.ticks.end_ns))
        shown = 0
        while shown < MOST_AT_ONCE and self._first.due(wanted):
            self._show()
            shown += 1
        more = self._first.due(wanted)  # who cannot keep up plays slower
        self._position = float(self._first.times[self._first.next]) if more else wanted
        if shown:
            self._shown_at = now
        return shown

    def show(self, times: Times, rows: Words) -> None:
        """Show some records of the first part now, whatever the clock says, with those of the others up to then."""
        for time_ns, row in zip(times.tolist(), rows, strict=True):
            self._first.show(time_ns, row)
            self._follow(time_ns)

    def close(self) -> None:
        """Remove the shared state; may be called twice."""
        for part in self._parts:
            part.close()

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

    def _show(self) -> None:
        """The tick that waits, in all parts."""
        self._follow(self._first.show_next())

    def _follow(self, time_ns: int) -> None:
        """Let further parts show what they have up to a time of the first; at its end, all."""
        until = LATEST if time_ns >= self.ticks.end_ns else time_ns
        for part in self._parts[1:]:
            while part.due(until):
                part.show_next()


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
