"""A network between station and arm: delay, jitter, loss and bandwidth, seeded, on anybody's clock.

One object is one direction. It holds messages back, loses, doubles, swaps and breaks them; what is in them it does not
know. A message is bytes, or a tuple of them (a message of several parts).
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from sim_devices.arm.errors import ArmError
from sim_devices.faults import FaultScript
from station.devices.parameter import SettingsError, check, parameter

Message = TypeVar("Message", bytes, tuple[bytes, ...])

LONGEST_QUEUE = 1.0  # that a slow link keeps messages waiting; more are lost [s]
LONGEST_WAIT = 0.1  # for a next message that overtakes this one [s]


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """How a direction of a link behaves when nothing is wrong with it."""

    delay: float = parameter(0.0, "every message takes this long", "s", 0.0, 1.0)
    jitter: float = parameter(0.0, "and a random time up to this", "s", 0.0, 1.0)
    loss: float = parameter(0.0, "chance that a message is lost", "", 0.0, 1.0)
    duplicate: float = parameter(0.0, "chance that a message comes twice", "", 0.0, 1.0)
    reorder: float = parameter(0.0, "chance that a message is overtaken by the next", "", 0.0, 1.0)
    corrupt: float = parameter(0.0, "chance that a bit of a message is turned", "", 0.0, 1.0)
    bandwidth: float = parameter(1e9, "of the link", "bit/s", 1e3, 1e12)
    in_order: bool = parameter(True, "keeps the order whatever the delays, as TCP does")

    def __post_init__(self) -> None:
        try:
            check(self)
        except SettingsError as error:
            raise ArmError(f"network: {error}") from None


class Traffic(NamedTuple):
    """What became of messages, counted."""

    sent: int
    arrived: int
    lost: int
    doubled: int
    swapped: int
    broken: int


class Network(Generic[Message]):
    """One direction: `send(now, message)`, and `due(now)` gives what has arrived."""

    def __init__(
        self, settings: NetworkSettings | None = None, seed: int = 0, faults: FaultScript | None = None
    ) -> None:
        self.settings = NetworkSettings() if settings is None else settings
        self._faults = FaultScript() if faults is None else faults
        self._random = random.Random(seed)  # noqa: S311 not for secrets
        self._queue: list[tuple[float, int, Message]] = []
        self._count = 0
        self._overtaken: Message | None = None
        self._overtaken_at = 0.0
        self._free_at = -math.inf  # when the link has sent what it has [s]
        self._last = -math.inf
        self._traffic = [0] * 6

    @property
    def traffic(self) -> Traffic:
        """So far."""
        return Traffic(*self._traffic)

    @property
    def waiting(self) -> int:
        """Messages on the way."""
        return len(self._queue) + (self._overtaken is not None)

    def send(self, now: float, message: Message) -> None:
        """Put a message on its way at `now` [s]."""
        self._traffic[0] += 1
        if self._faults.active("silence") or self._chance("loss", "drop"):
            self._traffic[2] += 1
            return
        if self._chance("corrupt", "corrupt"):
            message = self._broken(message)
        left = max(now, self._free_at) + 8.0 * _size(message) / self.settings.bandwidth
        if left - now > LONGEST_QUEUE:
            self._traffic[2] += 1
            return
        self._free_at = left
        if self._overtaken is not None:
            first, self._overtaken = self._overtaken, None
            self._schedule(now, left, message)
            self._schedule(now, left, first)
        elif self._chance("reorder", "reorder"):
            self._overtaken, self._overtaken_at = message, now
            self._traffic[4] += 1
        else:
            self._schedule(now, left, message)

    def due(self, now: float) -> list[Message]:
        """Messages that have arrived by `now` [s], in the order of arrival."""
        if self._overtaken is not None and now - self._overtaken_at > LONGEST_WAIT:
            first, self._overtaken = self._overtaken, None
            self._schedule(now, now, first)
        arrived = []
        while self._queue and self._queue[0][0] <= now:
            arrived.append(heapq.heappop(self._queue)[2])
        self._traffic[1] += len(arrived)
        return arrived

    def clear(self) -> None:
        """Whatever is on the way is lost."""
        self._traffic[2] += self.waiting
        self._queue.clear()
        self._overtaken = None

    def _chance(self, setting: str, kind: str) -> bool:
        fault = self._faults.active(kind)
        likely = max(float(getattr(self.settings, setting)), fault["p"] if fault else 0.0)
        return likely > 0.0 and self._random.random() < likely

    def _schedule(self, now: float, left: float, message: Message) -> None:
        delay, jitter = self._faults.active("delay"), self._faults.active("jitter")
        moment = left + self.settings.delay + (delay["ms"] / 1000.0 if delay else 0.0)
        random_time = self.settings.jitter + (jitter["ms"] / 1000.0 if jitter else 0.0)
        if random_time > 0.0:
            moment += self._random.random() * random_time
        moment = self._held_back(now, moment)
        if self.settings.in_order:
            moment = self._last = max(moment, self._last)
        twice = self._chance("duplicate", "duplicate")
        self._traffic[3] += twice
        for _ in range(1 + twice):
            heapq.heappush(self._queue, (moment, self._count, message))
            self._count += 1

    def _held_back(self, now: float, moment: float) -> float:
        """While a burst gathers nothing arrives; then everything does."""
        fault = self._faults.active("burst")
        if fault is None:
            return moment
        period, length = max(fault["every"], 1.0) / 1000.0, fault["ms"] / 1000.0
        begun = math.floor((now - fault.start) / period) * period + fault.start
        return max(moment, begun + length) if now < begun + length else moment

    def _broken(self, message: Message) -> Message:
        self._traffic[5] += 1
        if isinstance(message, tuple):
            parts = list(message)
            parts[-1] = self._turn_a_bit(parts[-1])
            return tuple(parts)
        return self._turn_a_bit(message)

    def _turn_a_bit(self, data: bytes) -> bytes:
        if not data:
            return data
        place = self._random.randrange(len(data))
        return data[:place] + bytes([data[place] ^ (1 << self._random.randrange(8))]) + data[place + 1 :]


def _size(message: bytes | tuple[bytes, ...]) -> int:
    return sum(map(len, message)) if isinstance(message, tuple) else len(message)
