"""The arm's own log: what it was told, what it did, what it measured and why its state changed. Bounded."""

from __future__ import annotations

import struct
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from sim_devices.arm.machine import ArmState, Floats

MOST_EVENTS = 1000
STATES = tuple(ArmState)
NUMBER = {state: float(place) for place, state in enumerate(STATES)}
PER_JOINT = ("reference", "true", "q", "v", "effort")


class Event(NamedTuple):
    """A change of state, or something else that happened."""

    time: float  # since the arm was made [s]
    before: ArmState
    after: ArmState
    cause: str


class ArmLog:
    """Rings of ticks and of events; the oldest are forgotten."""

    def __init__(self, joints: int, ticks: int) -> None:
        self._joints = joints
        self._rows = np.zeros((ticks, 4 + len(PER_JOINT) * joints + 6))
        self._count = 0
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)

    def put(self, time: float, echo: int, state: ArmState, power: int, values: tuple[Floats, ...]) -> None:
        """One tick; values are those of PER_JOINT, then the wrench."""
        row = self._rows[self._count % len(self._rows)]
        row[:4] = time, echo, NUMBER[state], power
        np.concatenate(values, out=row[4:])
        self._count += 1

    def __len__(self) -> int:
        return min(self._count, len(self._rows))

    @property
    def ticks(self) -> Any:
        """All ticks that are remembered, oldest first: a structured array, a copy.

        Fields: time since the arm was made [s], echo (the setpoint in effect), state (place in ArmState), power
        (0 released, 1 brakes, 2 drives), and per joint reference (what the drives were told), true, q and v as
        measured, effort; wrench.
        """
        rows = self._rows[: self._count]
        if self._count > len(self._rows):
            rows = np.roll(self._rows, -(self._count % len(self._rows)), axis=0)
        kinds: list[Any] = [(name, "f8") for name in ("time", "echo", "state", "power")]
        kinds += [(name, "f8", (self._joints,)) for name in PER_JOINT] + [("wrench", "f8", (6,))]
        return np.ascontiguousarray(rows).copy().view(np.dtype(kinds))[:, 0]

    def to_bytes(self) -> bytes:
        """Everything that is remembered; the same seed and calls give the same bytes."""
        said = [
            struct.pack("<d", event.time) + f"{event.before}>{event.after}:{event.cause}\n".encode()
            for event in self.events
        ]
        return bytes(self.ticks.tobytes()) + b"".join(said)
