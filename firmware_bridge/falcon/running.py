"""Who runs the session: a thread on wall time, where USB waits; the caller itself on a virtual clock."""

from __future__ import annotations

import threading
from typing import Protocol

from firmware_bridge.falcon.session import Session
from firmware_bridge.falcon.steps import Steps
from station.clock import Clock, VirtualClock
from station.devices.errors import DeviceError

RETRY = 0.25  # time between two sessions [s]
SHORTEST_STEP = 0.0002  # so that a thread whose reads return at once does not take a whole core [s]
LAST_WAIT = 1.0  # for a thread that ends [s]


class Runner(Protocol):
    """Keeps a session going, again and again, until it is stopped."""

    failure: DeviceError | None  # why the last session ended

    def step(self) -> None:
        """Called at every look for a sample."""

    def nudge(self) -> None:
        """Called when there is a new order."""

    def stop(self) -> None:
        """End for good."""


def run(session: Session, clock: Clock) -> Runner:
    """The runner that fits the clock."""
    return InlineRunner(session, clock) if isinstance(clock, VirtualClock) else ThreadRunner(session, clock)


class InlineRunner:
    """Goes on a little whenever it is called; never waits, always the same."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self.failure: DeviceError | None = None
        self._session = session
        self._clock = clock
        self._steps: Steps[None] | None = None
        self._next_try = float("-inf")

    def step(self) -> None:
        """One step of the session, or the start of another when it is time."""
        now = self._clock.now()
        if self._steps is None:
            if now < self._next_try:
                return
            self._steps = self._session.run()
        try:
            next(self._steps)
        except DeviceError as error:
            self.failure, self._steps, self._next_try = error, None, now + RETRY

    def nudge(self) -> None:
        """Send the order now."""
        self._session.ask_now()

    def stop(self) -> None:
        """End; the session says farewell."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
        self._next_try = float("inf")


class ThreadRunner:
    """A thread that does nothing else."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self.failure: DeviceError | None = None
        self._session = session
        self._clock = clock
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="falcon", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.is_set():
            steps = self._session.run()
            try:
                self._go_on(steps)
            except DeviceError as error:
                self.failure = error
            finally:
                steps.close()
            self._end.wait(RETRY)

    def _go_on(self, steps: Steps[None]) -> None:
        while not self._end.is_set():
            begin = self._clock.now()
            next(steps)
            self._clock.sleep_until(begin + SHORTEST_STEP)

    def step(self) -> None:
        """The thread is at it."""

    def nudge(self) -> None:
        """The thread takes the newest order by itself."""

    def stop(self) -> None:
        """End; the session says farewell."""
        self._end.set()
        self._thread.join(LAST_WAIT)
