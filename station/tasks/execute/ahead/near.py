"""`NearEnd`: at the station. Sends the task and orders until they are confirmed; shows what comes back.

What is shown as *predicted* is where the arm must be now, by the clock and by what was ordered; what is *measured* is
as old as the link is long.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.clock import WALL, Clock
from station.tasks.execute.ahead.links import Link
from station.tasks.execute.ahead.messages import MOST_PIECES, PIECE, Told, packed, told, unpacked
from station.tasks.execute.words import ExecuteError, State
from station.tasks.task import TaskFileError, load
from station.tasks.task.model import Floats

AT_ONCE = 16  # pieces in one tick
BEAT_EVERY = 0.05  # [s]
ANEW_AFTER = 5.0  # without a word, after which the clock of the arm may have begun anew [s]
AGAIN_AFTER = 0.1  # an order that is not confirmed, and longer on a long link [s]


class Shown(NamedTuple):
    """What the station shows of a task that runs elsewhere."""

    state: State | None  # None: nothing heard yet
    reason: str
    place: float  # of the task, as it was told last [s]
    predicted_place: float  # as it must be now [s]
    predicted: Floats | None  # driven joints there [rad | m]
    measured: Floats | None  # driven joints as they were told last
    delay: float  # there and back [s]; not a number: not known
    silent: float  # since the last word [s]
    override: float  # share of the speed that is set there


class NearEnd:
    """One tick after the other; on any clock."""

    def __init__(self, link: Link, path: str | Path, clock: Clock = WALL) -> None:
        self._link, self._clock = link, clock
        try:
            self._data = Path(path).read_bytes()
        except OSError as error:
            raise TaskFileError(f"{path}: cannot be read: {error}") from None
        self.task = load(path).task
        self._session = secrets.token_hex(8)
        self._file = hashlib.sha256(self._data).hexdigest()
        self._count = max(math.ceil(len(self._data) / PIECE), 1)
        if self._count > MOST_PIECES:
            most = MOST_PIECES * PIECE / 1e6
            raise TaskFileError(f"{path}: {len(self._data) / 1e6:.0f} MB; allowed to be sent ahead: {most:.0f} MB")
        self._unsent = list(range(self._count))
        self._orders: list[tuple[str, float]] = []
        self._confirmed, self._sent_at, self._first_sent = 0, -math.inf, -math.inf
        self._asked_again, self._beat = -math.inf, -math.inf
        self._told = Told()
        self.refused = 0  # messages that made no sense
        self._heard, self.delay = -math.inf, math.nan
        self.forgotten = False  # the arm's end was started anew, and knows nothing of this
        self.answers: list[tuple[str, str]] = []  # what became of each order; empty text: it was done
        self.news: deque[tuple[str, str]] = deque(maxlen=100)  # the same, to be taken by who tells it

    def order(self, word: str, value: float = 0.0) -> int:
        """Ask for something: prepare, start, pause, resume, step, back, speed, abort, release, stop; its number."""
        if not math.isfinite(value):
            raise ExecuteError(f"{word} {value}; allowed: a finite number")
        self._orders.append((word, value))
        return len(self._orders)

    @property
    def waiting(self) -> int:
        """Orders that have not been confirmed."""
        return len(self._orders) - self._confirmed

    @property
    def obeyed(self) -> bool:
        """Whether the arm's end listens to this station, as far as is known."""
        return self._told.session == self._session

    @property
    def arrived(self) -> bool:
        """Whether the whole task is there."""
        return self.obeyed and self._told.file == self._file and self._told.left == 0

    def tick(self) -> None:
        """Hear, and send what is due; does not wait."""
        now = self._clock.now()
        for data in self._link.receive():
            message = unpacked(data)
            try:
                if message is None:
                    raise ValueError
                self._hear(told(message), now)
            except ValueError:
                self.refused += 1
        self._send_pieces(now)
        self._send_order(now)
        if now - self._beat >= BEAT_EVERY:
            self._beat = now
            self._say("beat", {})

    def _hear(self, said: Told, now: float) -> None:
        if said.clock < self._told.clock and now - self._heard < ANEW_AFTER:
            return  # overtaken by a newer one
        self._told, self._heard = said, now
        if not self.obeyed:
            return
        self.forgotten = self.forgotten or said.order < self._confirmed
        while self._confirmed < min(said.order, len(self._orders)):
            word = self._orders[self._confirmed][0]
            self._confirmed += 1
            answer = (word, said.answer)
            self.answers.append(answer)
            self.news.append(answer)
            self.delay = now - self._first_sent
            self._sent_at = self._first_sent = -math.inf

    def _send_pieces(self, now: float) -> None:
        if not self._unsent and not self.arrived and now - self._asked_again > max(0.1, 1.2 * self._patience):
            self._asked_again = now  # what should have arrived by now and has not
            known = self.obeyed and self._told.file == self._file
            self._unsent = (
                [one for one in self._told.missing if one < self._count] if known else list(range(self._count))
            )
        for number in self._unsent[:AT_ONCE]:
            body = self._data[number * PIECE : (number + 1) * PIECE]
            self._say("piece", {"file": self._file, "number": number, "count": self._count}, body)
            self._asked_again = now
        del self._unsent[:AT_ONCE]

    @property
    def _patience(self) -> float:
        return self.delay if math.isfinite(self.delay) else 0.5

    def _send_order(self, now: float) -> None:
        if self._confirmed < len(self._orders) and now - self._sent_at >= AGAIN_AFTER:
            word, value = self._orders[self._confirmed]
            if word == "prepare" and not self.arrived:
                return
            if not math.isfinite(self._first_sent):
                self._first_sent = now
            self._sent_at = now
            self._say("order", {"number": self._confirmed + 1, "word": word, "value": value})

    def _say(self, kind: str, facts: dict[str, Any], body: bytes = b"") -> None:
        self._link.send(packed(kind, {"session": self._session, **facts}, body))

    @property
    def shown(self) -> Shown:
        """As of now."""
        silent = self._clock.now() - self._heard
        progress = self._told.progress
        if progress is None or not self.obeyed:
            return Shown(None, "", 0.0, 0.0, None, None, self.delay, silent, 1.0)
        place, rate = progress.place, progress.rate
        one_way = 0.5 * self.delay if math.isfinite(self.delay) else 0.0
        ahead = min(max(place + rate * (silent + one_way), 0.0), self.task.duration)
        q = self.task.q[self.task.sample_at(ahead)]
        measured = progress.measured if len(progress.measured) == len(q) else None
        return Shown(
            progress.state, progress.reason, place, ahead, np.array(q), measured, self.delay, silent, progress.override
        )
