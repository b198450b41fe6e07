"""What all drivers have in common: being there, being lost, coming back, and letting force through or not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ParamSpec

from station.clock import Clock
from station.devices.age import LinkDelay
from station.devices.device import (
    LOST_AFTER,
    NO_WRENCH,
    Capabilities,
    Device,
    DeviceStatus,
    Floats,
    Sample,
    wrench_of,
)
from station.devices.errors import DeviceError, DeviceLostError, DeviceMismatchError, DeviceSilentError
from station.devices.swift import SwiftState

P = ParamSpec("P")
RETRY = 0.25  # time between two attempts to find a lost device again [s]
PAUSE = 0.0005  # time between two looks while a device is being opened [s]


class LinkedDevice(Device):
    """A device at the end of a link that may fail.

    A driver fills in five hooks: `_connect` (open the link, quickly; raise a DeviceError if it cannot), `_wake` (called
    after connecting and every `RETRY` while nothing comes: ask for the handshake or the stream again), `_receive` (all
    that has come in, the newest sample or None), `_send` (a wrench that is finite and allowed), `_disconnect`.
    `_receive` and `_send` raise DeviceLostError when the link has ended, another DeviceError when the device is unfit.
    """

    capabilities: Capabilities
    lost_after = LOST_AFTER  # without a sample; longer for a device that gives few [s]

    def __init__(self, url: str, clock: Clock) -> None:
        self.url = url
        self.clock = clock
        self.connections = 0  # how many times it has been found
        self.force_off = "not enabled yet"  # why no force goes through; empty while it does
        self._status, self._reason = DeviceStatus.OPENING, "not connected yet"
        self._shared = SwiftState()  # with compiled code, for drivers that it can talk to
        self._connected = self._force = False
        self._next_try = float("-inf")  # [s]
        self._delay = LinkDelay()

    # Hooks -----------------------------------------------------------------------------------------------

    @abstractmethod
    def _connect(self) -> None: ...

    @abstractmethod
    def _wake(self) -> None: ...

    @abstractmethod
    def _receive(self, now: float) -> Sample | None: ...

    @abstractmethod
    def _send(self, wrench: Floats) -> None: ...

    @abstractmethod
    def _disconnect(self) -> None: ...

    def _needs_homing(self) -> str:
        """What the person has to do before places mean anything; empty if nothing."""
        return ""

    # The interface ---------------------------------------------------------------------------------------

    @property
    def force_enabled(self) -> bool:
        """Whether forces are let through."""
        return self._force

    @property
    def _force(self) -> bool:
        return self._shared.force

    @_force.setter
    def _force(self, goes: bool) -> None:
        self._shared.force = goes

    def newest(self) -> Sample | None:
        """The newest sample that has not been returned yet, or None."""
        if self._status is DeviceStatus.CLOSED:
            return None
        now = self.clock.now()
        try:
            if not self._connected and not self._try_to_connect(now):
                return None
            sample = self._receive(now)
            if sample is None:
                self._notice_silence(now)
                return None
        except DeviceLostError as error:
            self._lose(str(error))
            self._connected = False
            self._disconnect()
            return None
        except DeviceError as error:
            self._lose(str(error), DeviceStatus.FAULT)
            return None
        return self._accept(sample, now)

    def command(self, wrench: Floats | Sequence[float]) -> None:
        """Push the hand [N, N·m]; zeros go out while force is not enabled or the device is not READY."""
        if not self._connected:
            return
        allowed = self._force and self._status is DeviceStatus.READY
        self._guarded(self._send, wrench_of(wrench) if allowed else NO_WRENCH)

    def _guarded(self, action: Callable[P, None], *values: P.args, **options: P.kwargs) -> None:
        """Do something with the link; what goes wrong becomes a status."""
        try:
            action(*values, **options)
        except DeviceLostError as error:
            self._lose(str(error))
            self._connected = False
            self._disconnect()
        except DeviceError as error:
            self._lose(str(error), DeviceStatus.FAULT)

    def enable_force(self) -> bool:
        """Let forces through from now on, if the device is READY; returns whether it did."""
        self._force = self._status is DeviceStatus.READY and self.capabilities.actuated
        if self._force:
            self.force_off = ""
        return self._force

    def disable_force(self) -> None:
        """Let no force through any more."""
        self._take_force_away("switched off")

    def close(self) -> None:
        """Take the force away and let the device go."""
        if self._status is DeviceStatus.CLOSED:
            return
        self._force = False
        self._shared.as_usual = False
        if self._connected:
            self.command(NO_WRENCH)
        if self._connected:
            self._connected = False
            self._disconnect()
        self._status, self._reason = DeviceStatus.CLOSED, "closed"

    # Being there -----------------------------------------------------------------------------------------

    def wait_until_ready(self, timeout: float) -> None:
        """For opening functions: return at the first sample, or raise the DeviceError that says why there is none."""
        self._connect()  # here a failure is the caller's to see, not something to try again
        self._connected = True
        self._guarded(lambda: self._begin(self.clock.now()))
        end = self.clock.now() + timeout
        while self.newest() is None:
            if self._status is DeviceStatus.FAULT:
                reason = self._reason
                self.close()
                raise DeviceMismatchError(reason)
            if not self._connected:
                reason = self._reason
                self.close()
                raise DeviceLostError(reason)
            if self.clock.now() >= end:
                reason = self._why_silent()
                self.close()
                raise DeviceSilentError(reason)
            self.clock.sleep_until(self.clock.now() + PAUSE)

    def _why_silent(self) -> str:
        """For the person who opened it: nothing came."""
        return f"{self.url}: no answer; is this the right port, and is the device switched on?"

    def _try_to_connect(self, now: float) -> bool:
        if now < self._next_try:
            return False
        self._next_try = now + RETRY
        try:
            self._connect()
        except DeviceError as error:
            self._lose(str(error))
            return False
        self._connected = True
        self._begin(now)
        return True

    def _begin(self, now: float) -> None:
        self.connections += 1
        self._delay.reset()
        self._next_try = now + RETRY
        self._wake()

    def _accept(self, sample: Sample, now: float) -> Sample | None:
        delay = self._delay.of(sample.device_time, sample.arrival)
        if delay > self.lost_after:
            self._lose(f"{self.url}: samples arrive {1000.0 * delay:.0f} ms late")
            return None
        self._shared.heard = now
        homing = self._needs_homing()
        if homing:
            self._status, self._reason = DeviceStatus.HOMING, homing
            self._shared.as_usual = False
            self._take_force_away(homing)
        else:
            self._status, self._reason = DeviceStatus.READY, ""
            self._shared.as_usual = True
        return sample

    def _notice_silence(self, now: float) -> None:
        silent = now - self._shared.heard
        if self._status in (DeviceStatus.READY, DeviceStatus.HOMING) and silent > self.lost_after:
            self._lose(f"{self.url}: no sample for {1000.0 * silent:.0f} ms")
        if silent > self.lost_after and now >= self._next_try:
            self._next_try = now + RETRY
            self._wake()

    def _lose(self, reason: str, status: DeviceStatus = DeviceStatus.LOST) -> None:
        self._status, self._reason = status, reason
        self._shared.as_usual = False
        self._take_force_away(reason)

    def _take_force_away(self, reason: str) -> None:
        if self._force:
            self._force, self.force_off = False, reason
