"""`Moment`: all that the view knows of a running station at one instant, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.servo.shared import Snapshot
from station.servo.shared.memory import Words

NOBODY = "none:"  # address of the device of robots that nobody leads
NEVER = 1e6  # age from which on something was never there [s]; as the servo writes it


class Link(StrEnum):
    """How it is between the view and the station."""

    NONE = "no station runs"
    FOLLOWING = "following"
    WAITING = "the station has not ticked yet"
    SILENT = "no data come from the station; this is its last state"
    ENDED = "the station has ended; this is its last state"


def no_records() -> Words:
    """No rows."""
    return np.empty((0, 0), np.int64)


@dataclass(frozen=True)
class Moment:
    """What came since the last look. Frozen: panels may keep it."""

    snapshot: Snapshot | None = None  # newest; None before the first tick
    records: Words = field(default_factory=no_records)  # a row for every tick since the last moment, oldest first
    silence: float = float("inf")  # since the station published last [s]
    link: Link = Link.NONE
    text: Mapping[str, Any] = field(default_factory=dict)  # what the station told of itself at its start
    fresh: bool = False  # whether the snapshot is another than that of the last moment
    lost: int = 0  # ticks missing before the first row
    joints: int = 0  # of the station's robot; 0: there is no station
    epoch: int = 0  # when the station started [ns since 1970]: tells one from the next

    @property
    def name(self) -> str:
        """Of the hand that leads, or of the robot that nobody does."""
        return str(self.text.get("part") or self.text.get("robot") or "")

    @property
    def nobody(self) -> bool:
        """Whether there is no hand: commands lead."""
        return self.text.get("device") == NOBODY

    @property
    def armless(self) -> bool:
        """Whether the station says that there is no arm behind the robot."""
        return "controller" in self.text and self.text["controller"] is None

    @property
    def leads(self) -> bool:
        """Whether a device leads this frame; not while it leads another, and not where there is none."""
        return self.snapshot is not None and bool(self.snapshot.leads[0]) and not self.nobody

    def recorded(self, name: str) -> NDArray[Any]:
        """A field in every row: (rows, *shape of the field)."""
        if self.snapshot is None or not len(self.records):
            return np.empty(0)
        place = self.snapshot.layout.by_name[name]
        part = np.ascontiguousarray(self.records[:, place.start : place.end])
        return (part if place.field.whole else part.view(np.float64)).reshape(-1, *place.shape)
