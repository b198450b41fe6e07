"""SpaceMouse on USB: `usb:spacemouse`, or `usb:spacemouse?serial=…` or `?port=1-2` if there are several."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge.spacemouse.axes import USB, NativeAxes
from firmware_bridge.spacemouse.cap import CapDevice, Patience
from firmware_bridge.spacemouse.finder import Opener
from firmware_bridge.spacemouse.hid_link import HidLink, Plugged, plugged_in, refused
from firmware_bridge.spacemouse.hid_models import Model, buttons_of
from firmware_bridge.spacemouse.hid_reports import parse
from firmware_bridge.spacemouse.magellan import axes_of
from station.clock import Clock, VirtualClock
from station.devices.address import Address
from station.devices.device import Device
from station.devices.errors import AddressError, DeviceLostError, DeviceNotFoundError
from station.devices.registry import Found
from station.devices.software.deflection import cap_capabilities

RATE = 60.0  # states per second of a deflected cap [Hz]
PATIENCE = Patience(deflected=0.100)  # at rest only unplugging shows, and that at once
OPENING = 0.5  # [s]
OPTIONS = ("serial", "port", "led", "full", "full_turn")


class SpaceMouse(CapDevice):
    """A SpaceMouse on USB."""

    waits_for_motion = True  # it cannot be asked, so only a report shows that it lives

    def __init__(
        self,
        url: str,
        clock: Clock,
        which: dict[str, str],
        backend: object = None,
        axes: NativeAxes = USB,
        led: bool = True,
    ) -> None:
        self._which = which  # serial number or port
        self._backend = backend
        self._led = led
        self._link: HidLink | None = None
        self._opener = Opener(self._open_link, in_background=not isinstance(clock, VirtualClock))
        self._model = Model("SpaceMouse", ())
        self.refused = 0  # reports that made no sense
        super().__init__(url, clock, cap_capabilities("SpaceMouse", (), RATE), axes, PATIENCE)

    def _open_link(self) -> HidLink:
        plugged = choose(self.url, plugged_in(self._backend), self._which, self._backend)
        link = HidLink(plugged, self.url, self.clock)
        link.light(self._led)
        return link

    def _connect(self) -> None:
        self._link = self._opener.open()
        if self._link is None:
            raise DeviceNotFoundError(self._reason)  # it is being looked for
        plugged = self._link.plugged
        self._model = plugged.model
        names = [name for _, name in plugged.model.buttons]
        self.capabilities = cap_capabilities(
            plugged.model.name, names, RATE, plugged.serial_number, plugged.model.dead_man
        )
        self._forget()
        self._mute = False

    def _disconnect(self) -> None:
        if self._link is not None:
            self._link.light(False)
            self._link.close()
            self._link = None
        self._forget()

    def close(self) -> None:
        """Let it go, and look for it no more."""
        self._opener.close()
        super().close()

    def _start_anew(self, now: float) -> None:
        """Nothing: the next report tells where the cap is."""

    def _hear(self, now: float) -> bool:
        del now  # reports bring the time of their arrival
        if self._link is None:
            raise DeviceLostError(f"{self.url}: not connected")
        for arrival, data in self._link.take():
            report = parse(data)
            if report is None:
                self.refused += 1
                continue
            self._note_life(arrival)
            if report.counts:
                self._note_motion(report.counts, arrival, report.first)
            if report.buttons is not None:
                self._note_buttons(buttons_of(self._model, report.buttons), arrival)
        return True


def choose(url: str, candidates: Sequence[Plugged], which: dict[str, str], backend: object = None) -> Plugged:
    """The one that is meant; an error lists all that there are."""
    if not candidates:
        why = "; ".join(refused(backend)) or "is it plugged in?"
        raise DeviceNotFoundError(f"{url}: no SpaceMouse on USB: {why}")
    fitting = [
        one
        for one in candidates
        if which.get("serial", one.serial_number) == one.serial_number and which.get("port", one.port) == one.port
    ]
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(f"{url_of(one)} ({one.model.name})" for one in candidates)
    if fitting:
        raise AddressError(f"{url}: there are several; write one of: {listed}")
    raise DeviceNotFoundError(f"{url}: not plugged in; there are: {listed}")


def url_of(plugged: Plugged) -> str:
    """Address of exactly this one: by its serial number, or if it has none by the place it is plugged in at."""
    serial = plugged.serial_number
    return f"usb:spacemouse?serial={serial}" if serial else f"usb:spacemouse?port={plugged.port}"


def find_spacemice(backend: object = None) -> list[Found]:
    """All that are plugged in."""
    return [
        Found(url_of(one), one.model.name, one.serial_number or f"at {one.port}, no serial number", False)
        for one in plugged_in(backend)
    ]


def open_spacemouse(address: Address, clock: Clock, backend: object = None) -> Device:
    """Open `usb:spacemouse?serial=…`."""
    address.allow(OPTIONS)
    which: dict[str, str] = {name: address.options[name] for name in ("serial", "port") if name in address.options}
    led = address.choice("led", "on", ("on", "off")) == "on"
    device = SpaceMouse(address.url, clock, which, backend, axes_of(address, USB), led)
    device.wait_until_ready(OPENING)
    return device
