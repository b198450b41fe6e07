"""`Firmware`: the device's own C code inside this process, one call per step of whatever time the caller keeps."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.firmware.build import build_library
from firmware_bridge.syntaxer.frames import Frame
from firmware_bridge.syntaxer.messages import Identity, pack, unpack
from firmware_bridge.syntaxer.protocol import MOTORS, PAYLOAD_MAX, VERSION, MessageType

TX_SIZE = 4096  # most bytes that one step can send: more than the firmware ever keeps


class PlantIo(ctypes.Structure):
    """What the board feels and does; the same as `struct fw_plant_io` of host/library.h."""

    _fields_ = (
        ("counts", ctypes.c_int32 * MOTORS),
        ("currents", ctypes.c_int16 * MOTORS),
        ("temperature", ctypes.c_int16),
        ("supply", ctypes.c_uint16),
        ("grip", ctypes.c_uint16),
        ("given", ctypes.c_int16 * MOTORS),
        ("buttons", ctypes.c_uint8),
        ("brake", ctypes.c_uint8),
        ("led", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 3),
    )


class Outputs(NamedTuple):
    """What the firmware does to the board."""

    currents: NDArray[np.float64]  # for the six motors [A]
    brake: bool  # windings are shorted
    led: int  # bits red, green, blue


@cache
def load() -> ctypes.CDLL:
    """The library, compiled if need be."""
    library = ctypes.CDLL(str(build_library()))
    library.fw_host_size.restype = ctypes.c_size_t
    library.fw_host_new.restype = None
    library.fw_host_new.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p]
    library.fw_host_sense.restype = None
    library.fw_host_sense.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.fw_host_step.restype = ctypes.c_size_t
    library.fw_host_step.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_size_t,
    ]
    library.fw_host_identity.restype = None
    library.fw_host_identity.argtypes = [ctypes.c_char_p]
    return library


def built_in_identity() -> Identity:
    """What the firmware says it is unless told otherwise."""
    payload = ctypes.create_string_buffer(PAYLOAD_MAX)
    load().fw_host_identity(payload)
    identity = unpack(Frame(VERSION, MessageType.IDENTITY, 0, 0, payload.raw))
    assert isinstance(identity, Identity)
    return identity


class Firmware:
    """One device. Set the inputs, call `step` at least as often as the rate of STATE frames, read the outputs.

    Time is what the caller says, so equal calls give equal bytes. A gap of more than the watchdog's time between two
    steps trips the watchdog, even if commands come with the second: a real device would have seen them missing.
    """

    def __init__(self, identity: Identity | None = None, now_us: int = 0) -> None:
        self._library = load()
        self._step = self._library.fw_host_step
        self.io = PlantIo(temperature=2500, supply=24000)
        self.counts: NDArray[np.int32] = np.ctypeslib.as_array(self.io.counts)  # write into these [counts]
        self.given: NDArray[np.int16] = np.ctypeslib.as_array(self.io.given)  # currents for the motors [mA]
        self.measured: NDArray[np.int16] = np.ctypeslib.as_array(self.io.currents)  # or `sense` sets them [mA]
        self._sensed = np.zeros(2 * MOTORS + 4)
        self._sensed_address = self._sensed.ctypes.data
        self._io_address = ctypes.addressof(self.io)
        self._tx = ctypes.create_string_buffer(TX_SIZE)
        self._tx_address = ctypes.addressof(self._tx)
        self._memory = (ctypes.c_uint64 * (self._library.fw_host_size() // 8 + 1))()
        self._handle = ctypes.addressof(self._memory)
        self.identity = built_in_identity() if identity is None else identity
        self.boot(now_us)

    def boot(self, now_us: int) -> None:
        """Start from nothing, as after a power cut."""
        payload = pack(self.identity).payload
        self._library.fw_host_new(self._handle, self._io_address, now_us & 0xFFFFFFFF, payload)
        self.io.given = (ctypes.c_int16 * MOTORS)()
        self.io.brake = 0
        self.io.led = 0

    def sense(
        self,
        counts: Sequence[int] | NDArray[np.int64],
        currents: Sequence[float] | NDArray[np.float64] = (0.0,) * MOTORS,
        temperature: float = 25.0,
        supply: float = 24.0,
        buttons: int = 0,
        grip: float = 0.0,
    ) -> None:
        """Set all inputs: counts wrap; measured currents [A], temperature [°C], supply [V], grip 0 to 1.

        Values that the converters could not give are cut to their range; what is not a number is 0.
        """
        sensed = self._sensed
        sensed[:MOTORS] = counts
        sensed[MOTORS : 2 * MOTORS] = currents
        sensed[2 * MOTORS :] = temperature, supply, grip, buttons
        self._library.fw_host_sense(self._io_address, self._sensed_address)

    def step(self, now_us: int, rx: bytes = b"") -> bytes:
        """Run the main loop at a time [µs] with bytes from the host; returns bytes for the host."""
        length = self._step(self._handle, self._io_address, now_us & 0xFFFFFFFF, rx, len(rx), self._tx_address, TX_SIZE)
        return ctypes.string_at(self._tx_address, length)

    @property
    def outputs(self) -> Outputs:
        """What the last step decided."""
        return Outputs(self.given / 1000.0, bool(self.io.brake), self.io.led)
