"""An arm led along short, slow paths for a measurement, and listened to while it stands.

Long ways between poses are those of `station.run.park`, which looks for what is in the way; this is for what comes at a
pose: standing, swaying about it, feeling for a surface.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.parameters import Floats
from station.clock import WALL, Clock, Exchange
from station.controllers import Controller, ControllerStatus, Measurement
from station.run.park import setpoint_numbers

ANSWER_WITHIN = 3.0  # for the arm to measure, or to follow [s]
REASON_WITHIN = 0.2  # an arm tells why it has stopped a little later than that it has [s]
PATIENCE = 0.3  # with an arm that stands and is silent: one that must be asked is so until it is asked again [s]
UNFIT = (ControllerStatus.FAULT, ControllerStatus.STOPPED, ControllerStatus.CLOSED)

Path = Callable[[float], Floats]  # joint values [rad | m] of a time since the beginning [s]


class SensorLostError(CalibrationError, ConnectionError):
    """What measures has gone, or the arm follows no more; what was measured before is kept."""


class Sent(NamedTuple):
    """A setpoint that went out."""

    time: float  # by the station's clock, before it went [s]
    q: Floats  # [rad | m]


class Led(NamedTuple):
    """What was sent on a path, and what was heard meanwhile."""

    sent: list[Sent]
    heard: list[Measurement]
    exchanged: list[Exchange]  # by which clocks can be compared


class Leader:
    """Leads an arm; every method raises a SensorLostError if the arm is lost, stopped or in fault."""

    def __init__(self, controller: Controller, clock: Clock = WALL, *, sweep: float = 0.0, looks: int = 1) -> None:
        """Lead an arm.

        Args:
            controller: the arm.
            clock: whose time counts.
            sweep: share by which setpoints come slower than the arm takes them, so that they meet its ticks early and
                late by turns.
            looks: at what has come in, between two setpoints.
        """
        self.controller, self._clock, self._looks = controller, clock, looks
        self.period = (1.0 + sweep) / min(controller.capabilities.rate, 1000.0)
        self._due = clock.now()
        self._silent = float("inf")  # since when [s]

    def swept(self, sweep: float, looks: int) -> Leader:
        """Another one for the same arm, see `__init__`."""
        return Leader(self.controller, self._clock, sweep=sweep, looks=looks)

    def where(self) -> Measurement:
        """The next measurement."""
        end = self._clock.now() + ANSWER_WITHIN
        while (said := self._hear()) is None:
            if self._clock.now() >= end:
                raise SensorLostError(f"{self.controller.url}: the arm does not answer: {self.controller.reason}")
        return said

    def listen(self, seconds: float) -> list[Measurement]:
        """All measurements of so long [s], while nothing is sent."""
        end = self._clock.now() + seconds
        heard = []
        while self._clock.now() < end:
            said = self._hear()
            heard += [] if said is None else [said]
        if not heard:
            raise SensorLostError(f"{self.controller.url}: nothing was measured for {seconds:.1f} s")
        return heard

    @contextlib.contextmanager
    def following(self) -> Iterator[Floats]:
        """Have the arm follow from where it stands, which is handed out; afterwards it holds by itself."""
        here = self.where().q
        self.controller.activate()
        end = self._clock.now() + ANSWER_WITHIN
        while not self._follows():
            if self._clock.now() >= end:
                why = self.controller.answer or self.controller.reason or "no reason given"
                raise SensorLostError(f"{self.controller.url}: the arm does not start to follow: {why}")
            self._send(here)
            for _ in range(self._looks):
                self._hear()
        try:
            yield here
        finally:
            self.controller.deactivate()
            end = self._clock.now() + ANSWER_WITHIN
            while self._follows() and self._clock.now() < end:
                self.controller.newest()
                self._pause()

    def lead(self, path: Path, seconds: float, until: Callable[[Measurement], bool] | None = None) -> Led:
        """Along a path for so long [s], or until a measurement says so; only while `following`."""
        begin = self._clock.now()
        led = Led([], [], [])
        while (passed := self._clock.now() - begin) <= seconds:
            led.sent.append(self._send(path(passed)))
            heard = [said for said in (self._hear() for _ in range(self._looks)) if said is not None]
            if not self._follows():
                raise self._lost("the arm follows no more")
            led.heard.extend(heard)
            exchange = self.controller.exchange
            if exchange is not None and (not led.exchanged or exchange != led.exchanged[-1]):
                led.exchanged.append(exchange)
            if until is not None and any(map(until, heard)):
                break
        return led

    def _send(self, q: Floats) -> Sent:
        now = self._clock.now()
        self.controller.send(q, None, None, next(setpoint_numbers))
        return Sent(now, np.array(q))

    def _hear(self) -> Measurement | None:
        """What has come in, if anything; its arrival is stamped after it was read, so that it can only seem later."""
        self._pause()
        said, status, now = self.controller.newest(), self.controller.status, self._clock.now()
        self._silent = min(self._silent, now) if status is ControllerStatus.LOST else float("inf")
        if status in UNFIT or now - self._silent > PATIENCE:
            raise self._lost(f"the arm is {status}")
        return said._replace(arrival=now) if said is not None and np.isfinite(said.q).all() else None

    def _follows(self) -> bool:
        return self.controller.status is ControllerStatus.ACTIVE

    def _lost(self, what: str) -> SensorLostError:
        end = self._clock.now() + REASON_WITHIN
        while self._clock.now() < end:
            self.controller.newest()
            self._pause()
        why = self.controller.reason.removeprefix(f"{self.controller.url}: ") or "no reason given"
        return SensorLostError(f"{self.controller.url}: {what}: {why}")

    def _pause(self) -> None:
        self._due = max(self._due + self.period / self._looks, self._clock.now())
        self._clock.sleep_until(self._due)


def eased(share: float) -> float:
    """From 0 to 1 with rest at both ends, for a share of the time from 0 to 1."""
    share = min(max(share, 0.0), 1.0)
    return share * share * share * (10.0 - 15.0 * share + 6.0 * share * share)
