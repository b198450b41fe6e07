"""`Falcon`: the device as the station sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firmware_bridge.falcon.orders import NO_WORDS, Orders
from firmware_bridge.falcon.running import Runner, run
from firmware_bridge.falcon.session import Session, Wanted
from firmware_bridge.falcon.steps import Report
from firmware_bridge.falcon.tracker import Tracked, Tracker
from firmware_bridge.linked import PAUSE, LinkedDevice
from station.clock import Clock
from station.devices.device import DeviceStatus, Floats, Sample
from station.devices.errors import DeviceError, DeviceMismatchError, DeviceSilentError
from station.devices.falcon import WORDS_PER_NEWTON_METRE, FalconModel, falcon_capabilities

OPENING_TIME = 120.0  # the slowest boot that still succeeds takes less [s]


class Falcon(LinkedDevice):
    """A Novint Falcon on USB.

    All that waits is done by the session, which finds the device again by itself when it is lost. This object takes
    what the session has published and leaves orders for it.
    """

    def __init__(
        self,
        url: str,
        clock: Clock,
        *,
        serial_number: str = "",
        firmware: Path | None = None,
        words_per_newton_metre: float = WORDS_PER_NEWTON_METRE,
        backend: Any = None,
        report: Report | None = None,
    ) -> None:
        super().__init__(url, clock)
        self.capabilities = falcon_capabilities(serial_number)
        self._model = FalconModel(words_per_newton_metre)  # the session's thread has its own
        self._orders = Orders()
        self._tracker = Tracker(FalconModel(words_per_newton_metre))
        wanted = Wanted(url.partition("?")[0], serial_number, firmware, backend)
        self._session = Session(wanted, clock, self._orders, self._tracker, report or (lambda _: None))
        self._runner: Runner | None = None
        self._told: DeviceError | None = None  # the failure that has been reported
        self._taken: Tracked | None = None

    def open(self) -> None:
        """Return at the first sample, or raise the DeviceError that says why there is none."""
        self._connect()
        self._connected = True
        try:
            self._wait_for_sample(self.clock.now() + OPENING_TIME)
        except BaseException:  # also when the person who waits has had enough
            self.close()
            raise
        self.capabilities = falcon_capabilities(self._session.serial_number)

    def _wait_for_sample(self, end: float) -> None:
        while self.newest() is None:
            if self._told is not None:
                raise self._told
            if self._status is DeviceStatus.FAULT:
                raise DeviceMismatchError(self._reason)
            if self.clock.now() >= end:
                raise DeviceSilentError(f"{self.url}: no answer; switch its power supply off and on")
            self.clock.sleep_until(self.clock.now() + PAUSE)

    # Hooks of LinkedDevice -------------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._runner is None:
            self._runner = run(self._session, self.clock)

    def _wake(self) -> None:
        """The session asks by itself."""

    def _receive(self, now: float) -> Sample | None:
        del now
        if self._runner is None:
            return None
        self._runner.step()
        tracked, failure = self._tracker.newest, self._runner.failure
        if self.connections != self._session.connections:
            self.connections = self._session.connections
            self._delay.reset()
        if failure is not None and failure is not self._told:
            self._told, self._taken = failure, tracked  # what came just before it failed is not new any more
            self._lose(str(failure))
            return None
        if tracked is None or tracked is self._taken:
            if self._session.activity and self._status in (DeviceStatus.OPENING, DeviceStatus.LOST):
                self._reason = self._session.activity
            return None
        self._taken = tracked
        if tracked.problem:
            raise DeviceError(f"{self.url}: {tracked.problem}")
        return tracked.sample

    def _send(self, wrench: Floats) -> None:
        words = NO_WORDS
        if self._taken is not None and wrench[:3].any():
            words = self._model.words_for(self._taken.sample.pose[:3, 3].copy(), wrench[:3].copy())
        self._orders.give(words, self.clock.now())
        if self._runner is not None:
            self._runner.nudge()

    def _disconnect(self) -> None:
        if self._runner is not None:
            self._runner.stop()
            self._runner = None

    def _needs_homing(self) -> str:
        return f"{self.url}: {self._taken.to_do}" if self._taken is not None and self._taken.to_do else ""

    # Force -----------------------------------------------------------------------------------------------

    def disable_force(self) -> None:
        """Let no force through any more, also none that was ordered a moment ago."""
        super().disable_force()
        self._orders.clear()

    def _lose(self, reason: str, status: DeviceStatus = DeviceStatus.LOST) -> None:
        super()._lose(reason, status)
        self._orders.clear()
