"""A wire with faults: frames go in, bytes come out, later, fewer, more, broken or in another order."""

from __future__ import annotations

import heapq
import random

from sim_devices.faults.script import FaultScript


class Wire:
    """One direction of a link. Seeded: the same faults and frames give the same bytes."""

    def __init__(self, faults: FaultScript, seed: int = 0) -> None:
        self._faults = faults
        self._random = random.Random(seed)  # noqa: S311 not for secrets
        self._queue: list[tuple[float, int, bytes]] = []
        self._count = 0
        self._overtaken: bytes | None = None
        self._last = 0.0

    def put(self, frame: bytes, now: float) -> None:
        """Send one frame at `now` [s]."""
        active, chance = self._faults.active, self._random.random
        if active("silence"):
            return
        fault = active("drop")
        if fault and chance() < fault["p"]:
            return
        fault = active("corrupt")
        if fault and frame and chance() < fault["p"]:
            place = self._random.randrange(len(frame))
            frame = frame[:place] + bytes([frame[place] ^ (1 << self._random.randrange(8))]) + frame[place + 1 :]
        fault = active("torn")
        if fault and chance() < fault["p"]:
            frame = frame[: int(len(frame) * fault["keep"])]
        fault = active("garbage")
        if fault and chance() < fault["p"]:
            frame = self._random.randbytes(int(fault["bytes"])) + frame
        self._put_in_order(frame, now)

    def _put_in_order(self, frame: bytes, now: float) -> None:
        fault = self._faults.active("reorder")
        if self._overtaken is not None:
            first, self._overtaken = self._overtaken, None
            self._schedule(frame, now)
            self._schedule(first, now)
        elif fault and self._random.random() < fault["p"]:
            self._overtaken = frame
        else:
            self._schedule(frame, now)

    def _schedule(self, frame: bytes, now: float) -> None:
        delay = self._faults.active("delay")
        jitter = self._faults.active("jitter")
        moment = now + (delay["ms"] / 1000.0 if delay else 0.0)
        if jitter:
            moment += self._random.random() * jitter["ms"] / 1000.0
        # A wire keeps the order of its bytes, whatever the delays; only `reorder` changes it.
        moment = self._last = max(moment, self._last)
        copies = self._faults.active("duplicate")
        for _ in range(2 if copies and self._random.random() < copies["p"] else 1):
            heapq.heappush(self._queue, (moment, self._count, frame))
            self._count += 1

    def take(self, now: float) -> list[bytes]:
        """Frames that have arrived by `now` [s], in order."""
        arrived = []
        while self._queue and self._queue[0][0] <= now:
            arrived.append(heapq.heappop(self._queue)[2])
        return arrived

    def clear(self) -> None:
        """Whatever is on the way is lost."""
        self._queue.clear()
        self._overtaken = None
