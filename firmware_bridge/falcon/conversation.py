"""Question and answer with running firmware, such that an old answer is never taken for a new one.

Answers carry no number, so it is the asking that must keep order: one question is open at a time. When an answer does
not come in time, when more comes than was asked for, or something else comes, the conversation starts again: everything
in the chip is dropped, then nothing is asked until it has been quiet for a while (longer each time), and answers count
again only after two in a row have come in time. A late answer falls into the quiet, and a link that is always late
never gives two in time.
"""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.falcon.frames import Framer, Reply, Request, decode_reply, encode_request
from firmware_bridge.falcon.ftdi import FtdiLink
from station.clock import Clock
from station.devices.errors import DeviceLostError

IN_TIME = 0.006  # an answer takes one latency period, 1 ms; a loaded computer some more [s]
SHORTEST_QUIET, LONGEST_QUIET = 0.006, 0.25  # [s]
TRUSTED_AFTER = 2  # answers in a row after a failure
END_AFTER = 1.0  # no good answer for so long: look whether the firmware still runs [s]


class Answer(NamedTuple):
    """An answer and when it was asked for and came [s]."""

    number: int  # of the question: a gap is a loss
    asked: float
    arrived: float
    reply: Reply
    trusted: bool  # False for the first after a failure: it could be an old one


class Conversation:
    """Asks and listens; `fails` counts by what went wrong."""

    def __init__(self, link: FtdiLink, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._framer = Framer()
        self._number = 0
        self._asked: float | None = None
        self._quiet, self._quiet_until = SHORTEST_QUIET, 0.0
        self._to_prove = TRUSTED_AFTER - 1
        self._good = clock.now()
        self._trouble = "no answer"
        self.fails = 0

    @property
    def waiting(self) -> bool:
        """Whether a question is open."""
        return self._asked is not None

    def ask(self, request: Request) -> bool:
        """Send a question unless one is open or it has to be quiet; returns whether it was sent."""
        now = self._clock.now()
        if self._asked is not None or now < self._quiet_until:
            return False
        self._framer.reset()
        self._number += 1
        self._asked = now
        if not self._link.write(encode_request(request)):
            self._start_again("the USB chip takes nothing", now)
        return True

    def listen(self) -> Answer | None:
        """The answer to the open question, if it has come; waits for one latency period at most."""
        data = self._link.read()
        now = self._clock.now()
        if self._asked is None:
            if data:
                self._quiet_until = now + self._quiet
                self._trouble = "answers come late"
            self._give_up_after_long(now)
            return None
        frames = self._framer.feed(data)
        if not frames:
            if now - self._asked > IN_TIME:
                self._start_again("broken answers" if self._framer.dropped else "no answer", now)
            return None
        if len(set(frames)) > 1:
            self._start_again("more answers than questions", now)
            return None
        return self._accept(frames[0], self._asked, now)

    def _accept(self, frame: bytes, asked: float, now: float) -> Answer | None:
        self._asked = None
        self._framer.dropped = 0
        reply = decode_reply(frame)
        if reply is None:  # the framer lets nothing else through
            return None
        trusted = self._to_prove == 0
        if trusted:
            self._quiet, self._good = SHORTEST_QUIET, now
        else:
            self._to_prove -= 1
        return Answer(self._number, asked, now, reply, trusted)

    def _start_again(self, trouble: str, now: float) -> None:
        self.fails += 1
        self._trouble = trouble
        self._asked = None
        self._to_prove = TRUSTED_AFTER - 1
        self._framer.reset()
        self._framer.dropped = 0
        self._link.purge()
        self._quiet_until = now + self._quiet
        self._quiet = min(2.0 * self._quiet, LONGEST_QUIET)
        self._give_up_after_long(now)

    def _give_up_after_long(self, now: float) -> None:
        if now - self._good > END_AFTER:
            raise DeviceLostError(f"{self._link.name}: {self._trouble} for {END_AFTER:g} s; is its power supply on?")
