"""An emulated Spaceball 2003 or 4000 FLX: resets, escapes, streams while it is pushed."""

from __future__ import annotations

from firmware_bridge.spacemouse import axes
from firmware_bridge.spacemouse.spaceball_records import Kind, encode, encode_motion
from sim_devices.ends import End
from sim_devices.faults import FaultScript
from sim_devices.spacemouse.hand import CapHand, Motion
from sim_devices.spacemouse.serial_cap import SerialCapEmulator
from station.clock import WALL, Clock

PERIOD = 0.050  # between two records of a ball that is pushed [s]
RESET_TIME = 0.8  # how long a reset takes [s]


class SpaceballEmulator(SerialCapEmulator):
    """A Spaceball at the end of a line; `firmware` decides the model, `flx` whether it sends keys of a 4000 FLX."""

    name = "spaceball"
    byte_time = 10.0 / 9600.0  # start, eight data and one stop bit [s]
    axes = axes.SPACEBALL

    def __init__(
        self,
        end: End | None = None,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        motion: Motion | CapHand | None = None,
        seed: int = 0,
        firmware: str = "2.42",
        flx: bool = False,
    ) -> None:
        self.firmware = firmware
        self.flx = flx
        super().__init__(end, clock, faults, motion, seed)

    def _power_up(self) -> None:
        self.streaming = self.binary = False
        self._buttons = 0
        self._pushed = False
        self._last = float("-inf")  # when motion was told [s]
        self._greet_at = self._now + RESET_TIME  # [s]

    def _obey(self, command: bytes) -> None:
        if self.faults.active("other-device") is not None:
            self._say(b"e1" + command[:2] + b"\r")
        elif command.startswith(b"@"):
            self._power_up()
        elif self._now < self._greet_at:
            pass  # deaf while it resets
        elif command == b"CB":
            self.binary = True
            self._say(b"CB\r")
        elif command == b"MSSV":
            self.streaming = True
            self._say(b"MSSV\r")
        elif command == b"k":
            self._say(self._keys())
        else:
            self._say(b"?" + command[:8] + b"\r")

    def _keys(self) -> bytes:
        bits = self._buttons
        if self.flx:
            high, low = bits >> 7 & 0x1F | 0x20, bits & 0x3F | (bits & 0x40) << 1
            return encode(Kind.MORE_KEYS, bytes((high | 0x40, low | 0x40)))
        high, low = bits >> 4 & 0x07 | (bits & 0x80) >> 3, bits & 0x0F
        return encode(Kind.KEYS, bytes((high | 0x40, low | 0x40)))

    def _speak(self) -> None:
        if self._greet_at <= self._now and self._greet_at >= 0.0:
            self._greet_at = -1.0
            version = b"@2 Firmware version " + self.firmware.encode("ascii") + b" created on 24-Oct-1996.\r"
            self._say(b"\x11@1 Spaceball alive and well after a software reset.\r" + version)
        if self._greet_at >= 0.0:
            return
        buttons = self.hand.buttons(self._now) & (0xFFF if self.flx else 0xFF)
        if buttons != self._buttons:
            self._buttons = buttons
            self._say(self._keys())
        counts = self._counts()
        pushed = any(counts)
        elapsed = self._now - self._last
        if self.streaming and self.binary and elapsed >= PERIOD - 1e-9 and (pushed or self._pushed):
            self._say(encode_motion(counts, min(elapsed, 4.0)))
            self._pushed, self._last = pushed, self._now
