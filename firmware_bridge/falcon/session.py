"""One connection to a Falcon from finding it to losing it, as a procedure that never blocks."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, NamedTuple

from firmware_bridge.falcon.boot import Boot, answers_frames
from firmware_bridge.falcon.conversation import Conversation
from firmware_bridge.falcon.finding import choose, open_link
from firmware_bridge.falcon.firmware_file import read_firmware
from firmware_bridge.falcon.frames import Lamp, Request, encode_request
from firmware_bridge.falcon.ftdi import FtdiLink
from firmware_bridge.falcon.orders import NO_WORDS, Orders
from firmware_bridge.falcon.steps import Report, Steps
from firmware_bridge.falcon.tracker import Tracker
from station.clock import Clock
from station.devices.errors import DeviceLostError


class Wanted(NamedTuple):
    """Which Falcon, and what it needs."""

    name: str  # for messages
    serial_number: str  # empty: the only one
    firmware: Path | None  # image to wake it with
    backend: Any  # of pyusb; None for the system's


class Session:
    """Find, open, wake and talk to a Falcon; `run` can be started again when it has ended."""

    def __init__(self, wanted: Wanted, clock: Clock, orders: Orders, tracker: Tracker, report: Report) -> None:
        self._wanted = wanted
        self._clock = clock
        self._orders = orders
        self._tracker = tracker
        self._report = report
        self._conversation: Conversation | None = None
        self.serial_number = wanted.serial_number
        self.connections = 0  # how many times it came as far as talking
        self.activity = ""  # what is being done, for people

    def run(self) -> Steps[None]:
        """Live until the device is gone or unfit, which raises a DeviceError."""
        falcon = choose(self.serial_number, self._wanted.backend)
        link = open_link(falcon, self._wanted.name)
        self.serial_number = falcon.serial_number  # whoever comes back must be the same
        try:
            yield
            yield from self._wake(link)
            self._conversation = Conversation(link, self._clock)
            self._tracker.begin()
            self.connections += 1
            self._tell("")
            while True:
                self._exchange(self._conversation)
                yield
        finally:
            self._conversation, self.activity = None, ""
            _say_farewell(link)

    def _wake(self, link: FtdiLink) -> Steps[None]:
        if (yield from answers_frames(link, self._clock)):
            return
        image = read_firmware(self._wanted.firmware, link.name)
        yield from Boot(link, self._clock, image, self._tell).run()

    def _exchange(self, conversation: Conversation) -> None:
        self._ask(conversation)
        answer = conversation.listen()
        if answer is not None:
            self._tracker.take(answer)
        if not self._orders.fresh(self._clock.now()):  # nobody gives commands, so none is worth waiting for
            self._ask(conversation)

    def _ask(self, conversation: Conversation) -> None:
        conversation.ask(self._orders.request(self._clock.now(), homed=self._tracker.homed))

    def ask_now(self) -> None:
        """Send the newest order if no question is open; a link that fails here fails again in `run`."""
        if self._conversation is not None:
            with contextlib.suppress(DeviceLostError):
                self._ask(self._conversation)

    def _tell(self, activity: str) -> None:
        self.activity = activity
        if activity:
            self._report(activity)


def _say_farewell(link: FtdiLink) -> None:
    """Take the force away and the lamps, if it still hears."""
    with contextlib.suppress(DeviceLostError):
        link.write(encode_request(Request(NO_WORDS, Lamp.NONE)))
    link.close()
