"""The arm's own log: what came in, what it did and measured, and why its state changed. Bounded."""

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
        self._told = np.zeros((ticks, 4 + joints))
        self._heard = 0
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)

    def put(self, time: float, echo: int, state: ArmState, power: int, values: tuple[Floats, ...]) -> None:
        """One tick; values are those of PER_JOINT, then the wrench."""
        row = self._rows[self._count % len(self._rows)]
        row[:4] = time, echo, NUMBER[state], power
        np.concatenate(values, out=row[4:])
        self._count += 1

    def hear(self, time: float, stamp: float, sequence: int, activation: int, q: Floats) -> None:
        """A setpoint as it came, whether it is taken or not."""
        row = self._told[self._heard % len(self._told)]
        row[:4] = time, stamp, sequence, activation
        row[4:] = q
        self._heard += 1

    def __len__(self) -> int:
        return min(self._count, len(self._rows))

    @property
    def ticks(self) -> Any:
        """All ticks that are remembered, oldest first: a structured array, a copy.

        Fields: time since the arm was made [s], echo (the setpoint in effect), state (place in ArmState), power
        (0 released, 1 brakes, 2 drives), and per joint reference (what the drives were told), true, q and v as
        measured, effort; wrench.
        """
        kinds: list[Any] = [(name, "f8") for name in ("time", "echo", "state", "power")]
        kinds += [(name, "f8", (self._joints,)) for name in PER_JOINT] + [("wrench", "f8", (6,))]
        return _oldest_first(self._rows, self._count, kinds)

    @property
    def setpoints(self) -> Any:
        """All setpoints that are remembered as they came while it followed, oldest first: a structured array, a copy.

        Fields: time of arrival since the arm was made [s], stamp (when the sender made it [s, its clock]; not a number:
        the link carries none), sequence, activation (how often it was activated until then), q as it counts [rad | m].
        """
        kinds: list[Any] = [(name, "f8") for name in ("time", "stamp", "sequence", "activation")]
        return _oldest_first(self._told, self._heard, [*kinds, ("q", "f8", (self._joints,))])

    def to_bytes(self) -> bytes:
        """Everything that is remembered; the same seed and calls give the same bytes."""
        said = [
            struct.pack("<d", event.time) + f"{event.before}>{event.after}:{event.cause}\n".encode()
            for event in self.events
        ]
        return bytes(self.ticks.tobytes()) + bytes(self.setpoints.tobytes()) + b"".join(said)


def _oldest_first(ring: Floats, count: int, kinds: list[Any]) -> Any:
    """The rows of a ring into which so many were put, as a structured array."""
    rows = ring[:count] if count <= len(ring) else np.roll(ring, -(count % len(ring)), axis=0)
    return np.ascontiguousarray(rows).copy().view(np.dtype(kinds))[:, 0]
