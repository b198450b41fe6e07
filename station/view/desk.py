"""`OrderDesk`: how a window gives orders to the station that it follows, and learns what became of them.

Nothing here waits: an order is handed over at once, and its answer is looked for by a timer.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from PySide6 import QtCore

from station.errors import StationError
from station.servo.shared import Command, CommandClient, EmergencyStop
from station.view.follow import Follower
from station.view.moment import Link, Moment

LOOK = 15  # between two looks for answers [ms]
PATIENCE = 1.0  # until an order counts as not answered [s]
WATCHING = "this window only watches; orders are given at the station itself"
REPLAYED = "this is a replay: what has been cannot be stopped or commanded"


class Pending(NamedTuple):
    """An order that has no answer yet."""

    number: int
    name: str
    until: float  # [s]
    again: bool = False  # it was said before: that it is done once more is no news


class OrderDesk(QtCore.QObject):
    """One for each window. `answered` tells what became of an order, in words, and whether it was done.

    `refused` gives the name of one that was not.

    Args:
        follower: knows the station.
        parent: what it lives as long as.
    """

    answered = QtCore.Signal(str, bool)
    refused = QtCore.Signal(str)

    def __init__(self, follower: Follower, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._follower = follower
        self._client: CommandClient | None = None
        self._path: Path | None = None
        self._pending: list[Pending] = []
        self._timer = QtCore.QTimer(self)
        self._timer.timeout.connect(self._look)
        follower.listeners.append(self._keep_open)
        follower.leaving.append(self.close)

    @property
    def has_dead_man(self) -> bool:
        """Whether the device of the station has a dead-man button of its own."""
        return int(self._follower.moment.text.get("dead_man_button", 0)) >= 0

    @property
    def unreachable(self) -> str:
        """Why no order of a person would be obeyed, emergency stops included; empty while a station listens."""
        follower = self._follower
        if follower.moment.text.get("replay") and follower.link is not Link.NONE:
            return REPLAYED
        return "" if follower.source.commands is not None else self._nobody()

    def order(self, command: Command, name: str, again: bool = False) -> bool:
        """Hand an order over; returns whether it went out. `answered` follows; if given `again` only when refused."""
        try:
            client = self._opened()
            if client is None:
                self.answered.emit(f"{name}: {self._nobody()}", False)
                return False
            number = client.send(command)
        except StationError as error:  # the station ended, or too many are not answered
            self.answered.emit(f"{name}: {error}", False)
            return False
        self._pending.append(Pending(number, name, time.monotonic() + PATIENCE, again))
        self._timer.start(LOOK)
        return True

    def stop(self) -> bool:
        """Emergency stop: nothing else is waited for."""
        return self.order(EmergencyStop(), "emergency stop")

    def close(self) -> None:
        """Give the place at the station back; may be called twice."""
        self._timer.stop()
        self._pending.clear()
        if self._client is not None:
            self._client.close()
        self._client = None

    def _nobody(self) -> str:
        """Why there is nobody to give orders to."""
        return WATCHING if self._follower.link in (Link.FOLLOWING, Link.SILENT) else "no station runs"

    def _keep_open(self, _moment: Moment) -> None:
        """Have the way to the station open before it is needed: an emergency stop must not wait for that."""
        try:
            self._opened()
        except StationError:
            return  # told when an order is given

    def _opened(self) -> CommandClient | None:
        path = self._follower.source.commands
        if path != self._path or (self._client is not None and not self._client.alive):
            self.close()
        if self._client is None and path is not None:
            self._client = CommandClient(path)
        self._path = path
        return self._client

    def _look(self) -> None:
        now, waiting = time.monotonic(), []
        for order in self._pending:
            answer = self._client.acknowledgement(order.number) if self._client is not None else None
            if answer is not None:
                if not (answer.accepted and order.again):
                    self.answered.emit(answer.told(order.name), answer.accepted)
                if not answer.accepted:
                    self.refused.emit(order.name)
            elif now > order.until:
                self.answered.emit(f"{order.name}: no answer within {PATIENCE:g} s", False)
                self.refused.emit(order.name)
            else:
                waiting.append(order)
        self._pending = waiting
        if not waiting:
            self._timer.stop()


def desk_of(window: QtCore.QObject, follower: Follower) -> OrderDesk:
    """The desk of a window, made when it is first asked for."""
    found = window.findChild(OrderDesk)
    return found if isinstance(found, OrderDesk) else OrderDesk(follower, window)
