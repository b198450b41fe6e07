"""`EventLog`: what happened at a station, in words: bounded, and found in the records of every tick."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.atomic import whole_file
from station.servo.shared import Acting, ControllerCode, DeviceCode, Event, ServoState
from station.servo.shared.signs import Signs
from station.view.errors import ViewRequestError
from station.view.moment import Link, Moment

if TYPE_CHECKING:
    from station.view.follow import FollowedPart

MOST = 2000  # entries that are kept
QUIET = 0.5  # a limit that acts again within this time goes on acting [s]
STOPS = {-1: "lower stop", 1: "upper stop", 2: "speed"}


class Kind(StrEnum):
    """What an entry is about."""

    STATE = "state"  # of the supervisor
    LIMIT = "limit"  # that holds something back
    ARM = "arm"  # signs of its force sensor
    LINK = "link"  # to device, arm or station
    ORDER = "order"  # given in this window


class Entry(NamedTuple):
    """One thing that happened."""

    wall: float  # when, since 1970 [s]
    kind: Kind
    text: str

    def __str__(self) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(self.wall))
        return f"{clock}.{int(1000 * (self.wall % 1.0)):03d}  {self.kind:<5}  {self.text}"


@dataclass
class Watched:
    """What is known of one part of a station, to notice what changes."""

    epoch: int = 0
    last: dict[str, int] = field(default_factory=dict)  # newest value of what is watched
    acting: dict[Acting, tuple[float, float]] = field(default_factory=dict)  # began, last seen [s, since 1970]
    signs: Signs = field(default_factory=Signs)
    told_lost: float = 0.0  # when samples that never came were told [s, since 1970]


class EventLog:
    """Keeps the newest entries; of several parts each with its name.

    Args:
        most: how many.
    """

    def __init__(self, most: int = MOST) -> None:
        self.entries: deque[Entry] = deque(maxlen=most)
        self.count = 0  # entries ever, also those that are gone
        self.last_fault: Entry | None = None
        self._parts: dict[str, Watched] = {}  # by name; empty where there is one
        self._part, self._who = Watched(), ""  # the one whose moment is looked at
        self._link = Link.NONE
        self._now = 0.0  # time of the newest tick [s, since 1970]

    def add(self, kind: Kind, text: str, wall: float | None = None) -> Entry:
        """Something happened, now (by the clock of the station, if there is one) or at a time [s, since 1970]."""
        whose = f"{self._who}: " if self._who else ""
        entry = Entry((self._now or time.time()) if wall is None else wall, kind, whose + text)
        self.entries.append(entry)
        self.count += 1
        return entry

    def take_part(self, part: FollowedPart) -> None:
        """What happened in the newest ticks of a part of a station."""
        self._who = part.who
        try:
            self.take(part.moment)
        finally:
            self._who = ""

    def take(self, moment: Moment) -> None:
        """What happened in the ticks of a moment."""
        self._part = self._parts.setdefault(self._who, Watched())
        if moment.epoch != self._part.epoch:
            self._part = self._parts[self._who] = Watched(moment.epoch)
        if moment.link is not self._link:
            self._link = moment.link
            self._now = 0.0 if moment.link is not Link.FOLLOWING else self._now  # its clock stands still
            self.add(Kind.LINK, f"view: {moment.link}")
        if moment.lost:
            self.add(Kind.LINK, f"view: {moment.lost} ticks passed unseen")
        if moment.snapshot is None or not moment.fresh or not len(moment.records):
            return
        wall = moment.recorded("wall_time")[:, 0]
        self._now = float(wall[-1])
        before = self.count
        for name in ("state", "device_status", "controller_status"):
            self._changes(name, moment, wall)
        self._samples(moment, wall)
        self._limits(moment, wall)
        self._sensor(moment, wall)
        self._sort(self.count - before)

    def save(self, path: Path) -> None:
        """Write all entries to a file, oldest first; raises ViewRequestError if that cannot be."""
        lines = (
            [f"# {self.count - len(self.entries)} earlier entries are gone"] if self.count > len(self.entries) else []
        )
        try:
            with whole_file(path) as file:
                file.write(("\n".join([*lines, *map(str, self.entries)]) + "\n").encode())
        except OSError as error:
            raise ViewRequestError(f"{path}: the log cannot be written there ({error.strerror})") from None

    def _sort(self, newest: int) -> None:
        """Put the newest entries into the order in which they happened."""
        newest = min(newest, len(self.entries))
        self.entries.extend(sorted((self.entries.pop() for _ in range(newest)), key=lambda entry: entry.wall))

    def _changes(self, name: str, moment: Moment, wall: NDArray[np.float64]) -> None:
        """Every tick in which a number is another than before."""
        numbers = moment.recorded(name)[:, 0]
        before = self._part.last.get(name)
        places = 1 + np.flatnonzero(np.diff(numbers))
        if before is None or numbers[0] != before:
            places = np.concatenate([[0], places])
        self._part.last[name] = int(numbers[-1])
        for place in places:
            self._tell(name, int(numbers[place]), int(place), moment, float(wall[place]))

    def _tell(self, name: str, number: int, row: int, moment: Moment, wall: float) -> None:
        if name == "state":
            cause = _named(Event, int(moment.recorded("cause")[row, 0]))
            words = cause.words if isinstance(cause, Event) else cause
            entry = self.add(Kind.STATE, f"{_words(ServoState, number)}: {words}", wall)
            if number == ServoState.FAULT:
                self.last_fault = entry
            return
        kind: type[IntEnum] = DeviceCode if name == "device_status" else ControllerCode
        bad = number in ((3, 4) if kind is DeviceCode else (4, 5, 6))
        reason = moment.snapshot.reason_text if bad and moment.snapshot is not None else ""
        who = "device" if kind is DeviceCode else "arm"
        self.add(Kind.LINK, f"{who} {_words(kind, number)}" + (f": {reason}" if reason else ""), wall)

    def _samples(self, moment: Moment, wall: NDArray[np.float64]) -> None:
        """Samples that never came: once in a second at most."""
        lost = int(moment.recorded("hand_lost")[-1, 0])
        before = self._part.last.setdefault("hand_lost", lost)
        if lost > before and wall[-1] - self._part.told_lost > 1.0:
            self.add(Kind.LINK, f"device: {lost - before} samples never came, {lost} in all", float(wall[-1]))
            self._part.last["hand_lost"], self._part.told_lost = lost, float(wall[-1])

    def _limits(self, moment: Moment, wall: NDArray[np.float64]) -> None:
        """Limits that begin to act, and for how long they did."""
        numbers, now = moment.recorded("acting")[:, 0], float(wall[-1])
        for limit in Acting:
            if not limit:
                continue
            places = np.flatnonzero(numbers & limit.value)
            began, last = self._part.acting.get(limit, (0.0, -QUIET))
            if limit in self._part.acting and not len(places) and now - last > QUIET:
                del self._part.acting[limit]
                self.add(Kind.LIMIT, f"{_name(limit)}: over after {last - began:.2f} s", now)
            if len(places):
                first = float(wall[places[0]])
                if limit not in self._part.acting:
                    began = first
                    self.add(Kind.LIMIT, f"{_name(limit)}{_who(limit, moment, int(places[0]))}", first)
                self._part.acting[limit] = (began, float(wall[places[-1]]))

    def _sensor(self, moment: Moment, wall: NDArray[np.float64]) -> None:
        """Signs of the arm's force sensor; what is found out later stands where it was found out."""
        if moment.armless:
            return
        self._part.signs.add(moment.recorded("reflection_status")[:, 0], wall)
        for change in self._part.signs.changes():
            self.add(Kind.ARM, change.told, max(change.time, float(wall[0])))


def _who(limit: Acting, moment: Moment, row: int) -> str:
    """Which joints, if it is about joints."""
    if limit not in (Acting.JOINT_STOP, Acting.JOINT_SPEED):
        return ""
    speed = limit is Acting.JOINT_SPEED
    acting = moment.recorded("joint_acting")[row]
    names = [
        f"{joint_name(moment.text, number)} {STOPS.get(int(value), '')}".strip()
        for number, value in enumerate(acting)
        if value and (int(value) == 2) == speed
    ]
    return ": " + ", ".join(names) if names else ""


def joint_name(text: Mapping[str, Any], number: int) -> str:
    """Of a joint by its place, as the station tells it."""
    joints = text.get("joints") or []
    joint = joints[number] if number < len(joints) else {}
    return str(joint.get("name") or f"joint {joint.get('id', number + 1)}")


def _named(kind: type[IntEnum], number: int) -> IntEnum | str:
    try:
        return kind(number)
    except ValueError:
        return f"unknown ({number})"


def _words(kind: type[IntEnum], number: int) -> str:
    found = _named(kind, number)
    return found if isinstance(found, str) else found.name.lower().replace("_", " ")


def _name(limit: Acting) -> str:
    return str(limit.name).lower().replace("_", " ")
