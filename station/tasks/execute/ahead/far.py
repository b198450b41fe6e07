"""`FarEnd`: beside the arm. Keeps the task that was sent ahead, and leads the arm along it on its own clock."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from itertools import islice
from typing import Any

from station.clock import WALL, Clock
from station.errors import StationError
from station.private import OwnFolder
from station.tasks.execute.ahead.links import Link
from station.tasks.execute.ahead.messages import MOST_MISSING, Ordered, Piece, packed, said, session_of, unpacked
from station.tasks.execute.orders import Order, obey
from station.tasks.execute.player import Player
from station.tasks.execute.words import State
from station.tasks.task import TaskFile, load

TELL_EVERY = 0.05  # [s]
ANOTHER_AFTER = 0.5  # without a word of one station, another is heard; longer while a task is under way [s]

MakePlayer = Callable[[TaskFile], Player]


class FarEnd:
    """One tick after the other: hear, lead the arm, tell. What is said wrongly is answered, and changes nothing.

    It obeys one station at a time. Another one is heard only once that one is not heard any more.

    Args:
        link: to the station.
        make_player: from a task to a player for the arm here; raises a StationError with one line.
        clock: of the arm.
        link_limit: without a word of the station for so long, the arm acts by itself [s].
    """

    def __init__(self, link: Link, make_player: MakePlayer, clock: Clock = WALL, link_limit: float = 1.0) -> None:
        self._link, self._make, self._clock, self._limit = link, make_player, clock, link_limit
        self.player: Player | None = None
        self._file, self._pieces, self._count = "", {}, 0  # type: tuple[str, dict[int, bytes], int]
        self._session, self._order, self._answer = "", 0, ""
        self._heard, self._told = math.nan, -math.inf
        self.alone = False  # nobody is heard
        self.refused = 0  # messages that made no sense, or were of a station that does not lead

    def tick(self) -> None:
        """One period of the arm, or a little while if there is no task yet."""
        now = self._clock.now()
        for data in self._link.receive():
            if not self._hear(data, now):
                self.refused += 1
        self._miss(now)
        if now - self._told >= TELL_EVERY:
            self._told = now
            self._tell()
        if self.player is not None and self.player.state is not State.READY:
            self.player.tick()
        else:
            self._clock.sleep_until(now + 0.001)

    @property
    def _under_way(self) -> bool:
        """Whether the arm is being led."""
        return self.player is not None and self.player.state is not State.READY and not self.player.state.over

    def _obeys(self, session: str, now: float) -> bool:
        """Whether a station is the one that counts, or becomes so."""
        if session == self._session:
            return True
        taken = not self.alone if self._under_way else now - self._heard < ANOTHER_AFTER
        if not session or taken:
            return False
        self._session, self._order, self._answer = session, 0, ""
        if self.player is not None and self._under_way:
            self.player.abort("its station is gone, and another one has come")
        return True

    def _miss(self, now: float) -> None:
        if self.player is not None and not self.alone and now - self._heard > self._limit:
            self.alone = True
            self.player.link_lost()

    def _hear(self, data: bytes, now: float) -> bool:
        """Take what came in; False: it makes no sense, or is of a station that does not lead."""
        message = unpacked(data)
        try:
            if message is None:
                return False
            session, what = session_of(message), said(message)
        except ValueError:  # of another program, or broken in a way that the checksum does not show
            return False
        if not self._obeys(session, now):
            return False
        self._heard, self.alone = now, False
        if isinstance(what, Piece):
            return self._take_piece(what)
        if what is not None:
            self._take_order(what)
        return True

    def _take_order(self, order: Ordered) -> None:
        leaves = self.player is not None and self.player.state is State.LEAVING
        if order.number != self._order + 1 or (leaves and order.word != "stop"):
            return  # it was said before, or will be said again: first the arm comes to rest
        self._order += 1
        self._answer = self._obey(order.word, order.value)

    def _take_piece(self, piece: Piece) -> bool:
        if self._under_way:
            return True  # it came late
        if piece.file != self._file:
            self._file, self._pieces, self._count = piece.file, {}, piece.total
        if piece.total != self._count:
            return False
        self._pieces[piece.number] = piece.body
        return True

    @property
    def missing(self) -> list[int]:
        """The first pieces of the task that have not arrived."""
        return list(islice((number for number in range(self._count) if number not in self._pieces), MOST_MISSING))

    @property
    def left(self) -> int:
        """How many have not arrived."""
        return self._count - len(self._pieces)

    def _obey(self, word: str, value: float) -> str:
        """Do what was asked; why not, if not."""
        try:
            if word == "prepare":
                return self._prepare()
            if self.player is None:
                return "there is no task here yet"
            obey(self.player, Order(word, value))
        except (StationError, OSError, ValueError) as error:  # a task from elsewhere may be wrong in any way
            return str(error).replace("\n", " ") or type(error).__name__
        return ""

    def _prepare(self) -> str:
        if not self._count or self.left:
            return f"{self.left} of {self._count} pieces of the task have not arrived"
        if self.player is not None and self._under_way:
            return f"a task is {self.player.state}; abort it first"
        data = b"".join(self._pieces[number] for number in range(self._count))
        if hashlib.sha256(data).hexdigest() != self._file:
            self._pieces.clear()
            return "the task arrived broken; it is asked for again"
        with OwnFolder("task") as folder:
            path = folder / "task.mcap"
            path.write_bytes(data)
            self.player = self._make(load(path))
        return ""

    def _tell(self) -> None:
        facts: dict[str, Any] = {
            "session": self._session,
            "order": self._order,
            "answer": self._answer,
            "clock": self._clock.now(),
            "file": self._file,
            "missing": self.missing,
            "left": self.left,
        }
        if self.player is not None:
            facts["progress"] = {**self.player.progress.data, "rate": self.player.walker.rate}
        self._link.send(packed("state", facts))
