"""`OrderDesk`: how a window gives orders to the station that it follows, and learns what became of them.

Nothing here waits: an order is handed over at once, and its answer is looked for by a timer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6 import QtCore

from station.errors import StationError
from station.servo.shared import Command, CommandClient, EmergencyStop, Hold
from station.view.follow import FollowedPart, Follower
from station.view.moment import Link, Moment

LOOK = 15  # between two looks for answers [ms]
PATIENCE = 1.0  # until an order counts as not answered [s]
WATCHING = "this window only watches; orders are given at the station itself"
REPLAYED = "this is a replay: what has been cannot be stopped or commanded"


class Pending(NamedTuple):
    """An order that has no answer yet."""

    number: int
    name: str
    told: str  # the same with the part that it is for, if there are several
    until: float  # [s]
    client: CommandClient  # to whom it was given
    again: bool = False  # it was said before: that it is done once more is no news
    done: str = ""  # what is told when it was done


class OrderDesk(QtCore.QObject):
    """One for each window. `answered` tells what became of an order, in words, and whether it was done.

    `refused` gives the name of one that was not. Orders are for the chosen part of a station, if it has several;
    the emergency stop is everybody's whoever hears it, and holding is for all.

    Args:
        follower: knows the station.
        parent: what it lives as long as.
    """

    answered = QtCore.Signal(str, bool)
    refused = QtCore.Signal(str)

    def __init__(self, follower: Follower, parent: QtCore.QObject) -> None:
        super().__init__(parent)
        self._follower = follower
        self._clients: dict[Path, CommandClient] = {}
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

    def order(
        self, command: Command, name: str, again: bool = False, part: FollowedPart | None = None, done: str = ""
    ) -> bool:
        """Hand an order over; returns whether it went out. `answered` follows; if given `again` only when refused.

        It is for the chosen part, if no other is given; of several the answer says whose it is. `done` is told when it
        was done, if that is worth more than a word.
        """
        part = part or self._follower.chosen
        told = f"{part.who}: {name}" if part.who else name
        try:
            client = self._opened(part)
            if client is None:
                self.answered.emit(f"{told}: {self._nobody()}", False)
                return False
            number = client.send(command)
        except StationError as error:  # the station ended, or too many are not answered
            self.answered.emit(f"{told}: {error}", False)
            return False
        self._pending.append(Pending(number, name, told, time.monotonic() + PATIENCE, client, again, done))
        self._timer.start(LOOK)
        return True

    def hold(self) -> None:
        """Every part of the station stops where it is; whose order is refused is told."""
        parts = self._follower.parts
        for part in parts:
            self.order(Hold(), "hold", again=len(parts) > 1, part=part)
        if len(parts) > 1 and not self.unreachable:
            self.answered.emit(f"hold: all {len(parts)} are told", True)

    def before_choosing(self, act: Callable[[], object]) -> None:
        """Let something be done before orders are for another part."""
        self._follower.choosing.append(act)

    def stop(self) -> bool:
        """Emergency stop: nothing else is waited for."""
        return self.order(EmergencyStop(), "emergency stop")

    def close(self) -> None:
        """Give the place at the station back; may be called twice."""
        self._timer.stop()
        self._pending.clear()
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _nobody(self) -> str:
        """Why there is nobody to give orders to."""
        return WATCHING if self._follower.link in (Link.FOLLOWING, Link.SILENT) else "no station runs"

    def _keep_open(self, _moment: Moment) -> None:
        """Have the way to the station open before it is needed: an emergency stop must not wait for that."""
        paths = {part.source.commands for part in self._follower.parts}
        for path, client in list(self._clients.items()):
            if path not in paths or not client.alive:
                self._forget(path)
        try:
            for part in self._follower.parts:
                self._opened(part)
        except StationError:
            return  # told when an order is given

    def _forget(self, path: Path) -> None:
        client = self._clients.pop(path)
        self._pending = [order for order in self._pending if order.client is not client]
        client.close()

    def _opened(self, part: FollowedPart) -> CommandClient | None:
        path = part.source.commands
        if path is None:
            return None
        if path in self._clients and not self._clients[path].alive:
            self._forget(path)
        if path not in self._clients:
            self._clients[path] = CommandClient(path)
        return self._clients[path]

    def _look(self) -> None:
        now, waiting = time.monotonic(), []
        for order in self._pending:
            answer = order.client.acknowledgement(order.number)
            if answer is not None:
                if not (answer.accepted and order.again):
                    told = order.done if answer.accepted and order.done else answer.told(order.told)
                    self.answered.emit(told, answer.accepted)
                if not answer.accepted:
                    self.refused.emit(order.name)
            elif now > order.until:
                self.answered.emit(f"{order.told}: no answer within {PATIENCE:g} s", False)
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
