"""A Force Dimension device as the station sees it: `forcedimension:` or `forcedimension:?serial=1234`.

A call of the SDK takes as long as a transfer over USB, so on wall time a thread makes them, about a thousand times a
second, and the servo never waits. A wrench that is older than 20 ms is not sent any more: zeros are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

import numpy as np

from firmware_bridge.force_dimension.library import Library, load_library
from firmware_bridge.force_dimension.link import ForceDimensionLink, Reading
from firmware_bridge.force_dimension.models import OMEGA, capabilities_of
from firmware_bridge.linked import LinkedDevice
from firmware_bridge.spacemouse.finder import Opener
from station.clock import Clock, VirtualClock
from station.devices.address import Address
from station.devices.device import LOST_AFTER, NO_WRENCH, Device, DeviceStatus, Floats, Sample
from station.devices.errors import AddressError, DeviceError, DeviceLostError, DeviceNotFoundError
from station.devices.registry import Found

PAUSE = 0.0005  # the thread's rest between two exchanges [s]
LOOK = 0.100  # between two looks at the device's health [s]
OPENING = 2.0  # [s]
HOMING = "move the handle gently to its three ends, or run the maker's HapticInit, until it knows where it is"


class ForceDimension(LinkedDevice):
    """A Force Dimension device."""

    def __init__(self, url: str, clock: Clock, serial: int | None, load: Callable[[], Library] = load_library) -> None:
        super().__init__(url, clock)
        self.capabilities = capabilities_of(OMEGA, "")
        self._serial = serial
        self._load = load
        self._link: ForceDimensionLink | None = None
        self._opener = Opener(self._open_link, in_background=not isinstance(clock, VirtualClock))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._reset()

    def _reset(self) -> None:
        self._wrench: Floats = NO_WRENCH
        self._wrench_time = self._looked = float("-inf")  # [s]
        self._reading: tuple[float, Reading] | None = None
        self._error: DeviceError | None = None
        self._allowed = self._homed = False
        self._force_off = ""
        self._count = 0

    @property
    def saturated(self) -> int:
        """How many times the motors could not give what was asked."""
        return self._link.saturated if self._link is not None else 0

    @property
    def has_watchdog(self) -> bool:
        """Whether the device itself takes forces away when it hears nothing."""
        return self._link is not None and self._link.has_watchdog

    # Hooks of LinkedDevice -----------------------------------------------------------------------------------

    def _open_link(self) -> ForceDimensionLink:
        return ForceDimensionLink(self._load(), self.url, self._serial)

    def _connect(self) -> None:
        self._reset()
        self._link = self._opener.open()
        if self._link is None:
            raise DeviceNotFoundError(self._reason)  # it is being looked for
        self.capabilities = capabilities_of(self._link.model, self._link.serial_number)
        if not isinstance(self.clock, VirtualClock):
            self._stop.clear()
            self._thread = threading.Thread(target=self._exchange_for_ever, name="force dimension", daemon=True)
            self._thread.start()

    def _wake(self) -> None:
        """Nothing: it needs no waking."""

    def _needs_homing(self) -> str:
        return "" if self._homed else HOMING

    def _receive(self, now: float) -> Sample | None:
        if self._thread is None:
            self._exchange(now)
        with self._lock:
            reading, self._reading = self._reading, None
            error, force_off, self._force_off = self._error, self._force_off, ""
        if error is not None:
            raise error
        if force_off and self._force:
            self._lose(force_off, DeviceStatus.FAULT)
            return None
        if reading is None:
            return None
        self._count += 1
        arrival, told = reading
        return Sample(told.pose, told.velocity, told.buttons, told.grip, arrival, arrival, self._count)

    def _send(self, wrench: Floats) -> None:
        with self._lock:
            self._wrench, self._wrench_time = np.array(wrench), self.clock.now()

    def _disconnect(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(0.5)
            self._thread = None
        if self._link is not None:
            self._link.close()
            self._link = None

    def close(self) -> None:
        """Take the force away, let it go, and look for it no more."""
        self._opener.close()
        super().close()

    # The exchange --------------------------------------------------------------------------------------------

    def _exchange_for_ever(self) -> None:
        while not self._stop.is_set() and self._error is None:
            self._exchange(self.clock.now())
            time.sleep(PAUSE)

    def _exchange(self, now: float) -> None:
        link = self._link
        if link is None:
            return
        with self._lock:
            fresh = now - self._wrench_time <= LOST_AFTER
            wrench = self._wrench if fresh and self._force else NO_WRENCH
        try:
            self._follow_permission(link)
            reading = link.exchange(wrench)
            if now - self._looked >= LOOK:
                self._looked = now
                self._look(link)
        except DeviceError as error:
            with self._lock:
                self._error = error
            return
        if reading is not None:
            with self._lock:
                self._reading = (now, reading)

    def _follow_permission(self, link: ForceDimensionLink) -> None:
        if self._allowed != self._force:
            self._allowed = self._force
            link.enable_force(self._allowed)
            self._looked = self.clock.now()  # give it time to obey before asking whether it has

    def _look(self, link: ForceDimensionLink) -> None:
        health = link.health()
        if health.fault:
            raise DeviceLostError(health.fault)
        with self._lock:
            self._homed = health.homed
            self._force_off = health.force_off if self._allowed else ""


class ForceDimensionScheme:
    """The scheme `forcedimension:`."""

    def __init__(self, load: Callable[[], Library] = load_library) -> None:
        self._load = load

    def open(self, address: Address, clock: Clock) -> Device:
        """Open `forcedimension:` or `forcedimension:?serial=1234`."""
        address.allow(("serial",))
        text = address.options.get("serial")
        if text is not None and not text.isdecimal():
            raise AddressError(f"{address.url}: a serial number is a number, not {text!r}")
        device = ForceDimension(address.url, clock, None if text is None else int(text), self._load)
        device.wait_until_ready(OPENING)
        return device

    def find(self) -> Iterable[Found]:
        """How many are plugged in; they are not opened, so they cannot say more."""
        try:
            count = self._load().dhd.getDeviceCount()
        except DeviceNotFoundError:
            return []
        detail = "" if count == 1 else f"{count} of them; the address needs ?serial="
        return [Found("forcedimension:", "Force Dimension device", detail, False)] if count > 0 else []


SCHEME = ForceDimensionScheme()
