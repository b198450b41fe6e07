"""A device that a window holds: whatever it was told counts only as long as the window shows that it lives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from station.clock import Clock
from station.devices.address import Address
from station.devices.device import DeviceStatus, Floats, PassiveDevice, Sample
from station.devices.errors import AddressError, DeviceBusyError
from station.devices.registry import Found
from station.devices.software.deflection import FULL, cap_capabilities, pose_of

HELD_FOR = 0.1  # a window that has not refreshed its device for so long counts as dead: its dead-man is let go [s]
RATE = 60.0  # a window's frames [Hz]
DEAD_MAN = "dead-man"


class HeldDevice(PassiveDevice):
    """Deflections and buttons that a window holds; any thread may hold them, one reads them."""

    def __init__(self, url: str, clock: Clock, model: str, buttons: Sequence[str]) -> None:
        self.url = url
        self.clock = clock
        self.capabilities = cap_capabilities(model, buttons, RATE)
        self._lock = threading.RLock()
        self._status, self._reason = DeviceStatus.OPENING, f"{url}: no window shows it yet"
        self._refreshed = float("-inf")  # [s]
        self._values = np.zeros(6)  # deflections, -1 to 1
        self._pressed: set[str] = set()
        self._sequence = 0
        self._close_also: Callable[[], None] = lambda: None

    # For the window ------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """The window lives: what it has set holds for another HELD_FOR. Call it once per frame."""
        with self._lock:
            now = self.clock.now()
            if now - self._refreshed > HELD_FOR:
                self._let_go()  # it was dead for a while: nothing from before counts
            self._refreshed = now

    def hold(self, shares: Sequence[float], buttons: int) -> None:
        """All at once: six deflections, -1 to 1, and buttons as bits; it lives, and holds no more than this."""
        with self._lock:
            self.refresh()
            self._values[:] = np.nan_to_num(np.asarray(shares, np.float64), posinf=0.0, neginf=0.0)
            self._pressed = {name for bit, name in enumerate(self.capabilities.buttons) if buttons >> bit & 1}

    def press(self, button: str) -> None:
        """A button is down; it is refreshed with all else. Raises AddressError for a name that is not there."""
        with self._lock:
            self._check(button)
            self.refresh()
            self._pressed.add(button)

    def release(self, button: str) -> None:
        """A button is up."""
        with self._lock:
            self._check(button)
            self._pressed.discard(button)
            self.refresh()

    def release_all(self) -> None:
        """Everything is let go of, at once."""
        with self._lock:
            self._let_go()

    def _check(self, button: str) -> None:
        if button not in self.capabilities.buttons:
            known = ", ".join(self.capabilities.buttons)
            raise AddressError(f"{self.url}: no button {button!r}; there are: {known}")

    def held(self) -> tuple[Floats, frozenset[str]]:
        """What is held now: six deflections, -1 to 1, and buttons; nothing if the window has not refreshed it."""
        with self._lock:
            now = self.clock.now()
            if now - self._refreshed > HELD_FOR:
                self._let_go()
            return np.clip(self._shares(now), -1.0, 1.0), frozenset(self._pressed)

    # For kinds of it -----------------------------------------------------------------------------------------

    def _shares(self, now: float) -> Floats:
        """Six deflections at `now` [s]."""
        del now
        return self._values

    def _let_go(self) -> None:
        """Nothing is held any more."""
        self._values[:] = 0.0
        self._pressed.clear()

    # For the station -----------------------------------------------------------------------------------------

    def newest(self) -> Sample | None:
        """What is held now; None, and nothing is held any more, if the window has not shown that it lives."""
        with self._lock:
            if self._status is DeviceStatus.CLOSED:
                return None
            now = self.clock.now()
            silent = now - self._refreshed
            if silent > HELD_FOR:
                self._let_go()
                if self._refreshed > float("-inf"):  # there was a window
                    self._status = DeviceStatus.LOST
                    self._reason = f"{self.url}: its window has been still for {1000.0 * silent:.0f} ms; has it closed?"
                return None
            self._status, self._reason = DeviceStatus.READY, ""
            self._sequence += 1
            shares, pressed = self.held()
            pose = pose_of(FULL * shares)
            buttons = sum(1 << bit for bit, name in enumerate(self.capabilities.buttons) if name in pressed)
            return Sample(pose, np.zeros(6), buttons, 0.0, now, now, self._sequence)

    def close(self) -> None:
        """Let everything go; windows that still hold it do no harm."""
        with self._lock:
            self._let_go()
            if self._status is not DeviceStatus.CLOSED:
                self._status, self._reason = DeviceStatus.CLOSED, "closed"
                self._close_also()


Kind = TypeVar("Kind", bound=HeldDevice)


class HeldScheme(Generic[Kind]):
    """Opens devices of one kind and lets a window of the same process find them by name."""

    def __init__(self, scheme: str, title: str, make: Callable[[Address, Clock], Kind]) -> None:
        self._scheme = scheme
        self._title = title
        self._make = make
        self._open: dict[str, Kind] = {}

    def open(self, address: Address, clock: Clock) -> Kind:
        """Open `scheme:` or `scheme:name`."""
        name = address.place or "main"
        if name in self._open:
            raise DeviceBusyError(f"{address.url}: already open; give this one a name: {self._scheme}:other")
        device = self.made(address, clock)
        self._open[name] = device
        device._close_also = lambda: self._forget(name)
        return device

    def made(self, address: Address, clock: Clock) -> Kind:
        """One that nobody else finds."""
        return self._make(address, clock)

    def _forget(self, name: str) -> None:
        self._open.pop(name, None)

    def get(self, name: str = "main") -> Kind | None:
        """The device that is open under this name, for a window; None if there is none."""
        return self._open.get(name)

    def find(self) -> Iterable[Found]:
        """It is always there."""
        return [Found(f"{self._scheme}:", self._title, "held by a window", False)]
