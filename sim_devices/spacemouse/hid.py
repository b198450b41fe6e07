"""Emulated SpaceMice on an emulated USB: SpaceNavigator, Pro, Wireless and whatever else is in the table of models."""

from __future__ import annotations

import threading
from collections import deque

from firmware_bridge.spacemouse import axes
from firmware_bridge.spacemouse.hid_models import CONNEXION, LOGITECH, MODELS, buttons_of
from firmware_bridge.spacemouse.hid_reports import LED, encode_buttons, encode_motion
from sim_devices.emulator import Emulator
from sim_devices.faults import FaultScript, Wire
from sim_devices.spacemouse.hand import CapHand, Motion, hand_of
from sim_devices.usb import INTERRUPT, Bus, Endpoint, Identity, Interface, UsbDevice, no_device, wait_for
from station.clock import WALL, Clock

HID = 3  # interface class
SET_REPORT = 0x09
PERIOD = 0.016  # between two states of a deflected cap [s]
IN = 0x81
IDS = {
    "navigator": (LOGITECH, 0xC626),
    "pro": (LOGITECH, 0xC62B),
    "wireless": (CONNEXION, 0xC62F),
    "compact": (CONNEXION, 0xC635),
    "receiver": (CONNEXION, 0xC652),
}
TOGETHER = {(CONNEXION, product) for product in (0xC62E, 0xC62F, 0xC631, 0xC632, 0xC633, 0xC638, 0xC63A, 0xC652)}


class EmulatedHid(UsbDevice):
    """The USB side: reports that wait to be fetched, and a light."""

    def __init__(self, ids: tuple[int, int], serial: str, clock: Clock) -> None:
        name = MODELS[ids].name if ids in MODELS else "device without a cap"
        endpoint = Endpoint(address=IN, kind=INTERRUPT, size=16, interval=8)
        self.identity = Identity(
            vendor=ids[0],
            product=ids[1],
            manufacturer="3Dconnexion",
            name=name,
            serial_number=serial,
            interfaces=(Interface(endpoints=(endpoint,), class_code=HID),),
        )
        self.light = self._powered = False
        self.reports: deque[bytes] = deque(maxlen=32)  # what a host has not fetched in time is lost
        self._clock = clock
        self._lock = threading.Lock()

    def put(self, report: bytes) -> None:
        """A report for the host."""
        with self._lock:
            self.reports.append(report)

    def plugged(self) -> None:
        """Power comes up, and the operating system takes it, as it takes every HID."""
        self._powered = self.kernel_driver = True

    def unplugged(self) -> None:
        """Power is gone."""
        self._powered = self.light = False
        with self._lock:
            self.reports.clear()

    def control_out(self, request_type: int, request: int, value: int, index: int, data: bytes) -> None:
        """The light is an output report."""
        if request == SET_REPORT and value & 0xFF == LED and len(data) == 2:
            self.light = bool(data[1])
            return
        super().control_out(request_type, request, value, index, data)

    def intr_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        """The next report."""
        del endpoint
        return wait_for(self._clock, self._next, timeout)[:size]

    def _next(self) -> bytes | None:
        if not self._powered:
            raise no_device()  # a read that waits ends at once when the cable is pulled
        with self._lock:
            return self.reports.popleft() if self.reports else None


class SpaceMouseEmulator(Emulator):
    """A cap on an emulated bus, by the name of its kind or by its ids."""

    def __init__(
        self,
        bus: Bus,
        kind: str | tuple[int, int] = "navigator",
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        motion: Motion | CapHand | None = None,
        seed: int = 0,
        serial: str = "",
    ) -> None:
        super().__init__(clock, faults)
        self.bus = bus
        self.ids = IDS[kind] if isinstance(kind, str) else kind
        self.usb = EmulatedHid(self.ids, serial, clock)
        self.hand = hand_of(motion)
        self._serial = serial
        self._wire = Wire(self.faults, seed)
        self._now = 0.0  # [s since the start]
        self._last = float("-inf")  # when motion was told [s]
        self._told: tuple[int, ...] = (0,) * 6
        self._bits = 0
        bus.plug(self.usb)

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"usb:spacemouse?serial={self._serial}" if self._serial else "usb:spacemouse"

    @property
    def signals(self) -> dict[str, float]:
        """Quantities that faults can depend on: t [s] and the six deflections, -1 to 1."""
        shares = self.hand.deflection(self._now)
        return {"t": self._now, **dict(zip(("x", "y", "z", "rx", "ry", "rz"), shares, strict=True))}

    def _step(self, now: float) -> None:
        self._now = now
        if self.faults.active("unplug") is not None:
            self.bus.unplug(self.usb)
            self._wire.clear()
            self._told, self._bits = (0,) * 6, 0
            return
        self.bus.plug(self.usb)
        self._speak()
        for report in self._wire.take(now):
            self.usb.put(report)

    def _speak(self) -> None:
        bits = self._report_bits()
        if bits != self._bits:
            self._bits = bits
            self._wire.put(encode_buttons(bits), self._now)
        counts = axes.USB.counts(self.hand.deflection(self._now))
        if self._now - self._last >= PERIOD - 1e-9 and (any(counts) or any(self._told)):
            self._last, self._told = self._now, counts
            for report in encode_motion(counts, self.ids in TOGETHER):
                self._wire.put(report, self._now)

    def _report_bits(self) -> int:
        """Buttons of the hand, counted without gaps → bits of the report, with the gaps of the model."""
        held = self.hand.buttons(self._now)
        buttons = MODELS[self.ids].buttons if self.ids in MODELS else ()
        return sum(1 << bit for place, (bit, _) in enumerate(buttons) if held >> place & 1)

    @property
    def buttons_shown(self) -> int:
        """What a driver should see of the buttons that are down."""
        return buttons_of(MODELS[self.ids], self._bits)

    def _release(self) -> None:
        self.bus.unplug(self.usb)
