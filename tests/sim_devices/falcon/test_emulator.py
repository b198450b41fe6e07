"""The whole emulator through raw pyusb calls, as a program other than our driver would make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import usb.core  # type: ignore[import-untyped]

from firmware_bridge.falcon import wire
from firmware_bridge.falcon.frames import Lamp, Reply, Request, decode_reply, encode_request
from sim_devices.falcon import FalconEmulator
from sim_devices.falcon.board import Mode
from sim_devices.faults import FaultError, FaultScript, parse_faults
from station.clock import VirtualClock
from station.devices.falcon import FalconModel


def running(clock: VirtualClock, faults: str = "", **options: Any) -> tuple[FalconEmulator, Any]:
    """An emulator in normal mode and its pyusb device."""
    script = FaultScript(parse_faults(faults))
    emulator = FalconEmulator(clock, script, 0, **{"homed": True, "firmware_loaded": True, **options})
    device = usb.core.find(idVendor=0x0403, idProduct=0xCB48, backend=emulator.backend)
    for request, value in ((wire.LATENCY, 1), (wire.BAUD, wire.BAUD_FRAMES)):
        device.ctrl_transfer(0x40, request, value, 0, None)
    return emulator, device


def exchange(clock: VirtualClock, device: Any, request: Request | None = None) -> bytes:
    """Ask, wait a millisecond, and take the packet."""
    device.write(0x02, encode_request(request or Request()))
    clock.sleep_until(clock.now() + 0.001)
    return bytes(device.read(0x81, 64))


def test_an_exchange_is_one_frame_each_way_with_two_status_bytes() -> None:
    clock = VirtualClock()
    emulator, device = running(clock)
    emulator.place([0.01, -0.02, 0.005])
    emulator.press(0b0110)
    packet = exchange(clock, device)
    assert len(packet) == 18
    reply = decode_reply(packet[2:])
    assert isinstance(reply, Reply)
    assert (reply.buttons, reply.homed) == (0b0110, 0b111)
    place = FalconModel().position_of_counts(reply.counts)
    assert place is not None
    np.testing.assert_allclose(place, [0.01, -0.02, 0.005], atol=1e-4)


def test_reading_before_the_latency_timer_has_run_out_times_out() -> None:
    clock = VirtualClock()
    _, device = running(clock)
    exchange(clock, device)
    with pytest.raises(usb.core.USBTimeoutError):
        device.read(0x81, 64, 1)


def test_large_reads_take_several_packets() -> None:
    clock = VirtualClock()
    _, device = running(clock)
    for _ in range(8):
        device.write(0x02, encode_request(Request()))
    clock.advance(0.002)
    data = bytes(device.read(0x81, 512))
    assert len(data) == 2 * 64
    assert wire.payload(data) == wire.payload(data)[:16] * 7 + wire.payload(data)[:12]


def test_a_rising_dtr_resets_into_the_boot_loader_and_forgets_the_place() -> None:
    clock = VirtualClock()
    emulator, device = running(clock)
    device.ctrl_transfer(0x40, wire.MODEM_CONTROL, wire.DTR_HIGH, 0, None)
    assert emulator.board.mode is Mode.BOOT
    assert emulator.encoders.homed == 0


def test_lamps_and_words_are_taken() -> None:
    clock = VirtualClock()
    emulator, device = running(clock)
    exchange(clock, device, Request((100, -200, 300), Lamp.BLUE))
    assert emulator.words == (100, -200, 300)
    assert emulator.lamps == Lamp.BLUE


def test_unknown_requests_stall() -> None:
    _, device = running(VirtualClock())
    for call in ((0x40, 99), (0x21, 9)):
        with pytest.raises(usb.core.USBError):
            device.ctrl_transfer(call[0], call[1], 0, 0, None)


def test_the_same_seed_gives_the_same_bytes() -> None:
    def talk() -> list[bytes]:
        clock = VirtualClock()
        _, device = running(clock, "corrupt p=0.3; drop p=0.2; jitter ms=3")
        return [exchange(clock, device) for _ in range(200)]

    assert talk() == talk()


def test_faults_can_depend_on_where_the_grip_is() -> None:
    clock = VirtualClock()
    emulator, device = running(clock, "silence when x > 0.02")
    assert len(exchange(clock, device)) == 18
    emulator.place([0.03, 0.0, 0.0])
    clock.advance(0.001)
    exchange(clock, device)
    assert len(exchange(clock, device)) == 2


def test_signals_have_names_that_are_listed() -> None:
    clock = VirtualClock()
    running(clock)
    with pytest.raises(FaultError, match="uploaded"):
        running(clock, "silence when nonsense > 1")


def test_several_falcons_share_a_bus() -> None:
    clock = VirtualClock()
    emulator, _ = running(clock)
    FalconEmulator(clock, serial_number="B", bus=emulator.bus)
    found = usb.core.find(find_all=True, idVendor=0x0403, backend=emulator.backend)
    assert sorted(device.serial_number for device in found) == ["B", "FALCON-01"]


def test_closed_it_is_gone_from_the_bus() -> None:
    clock = VirtualClock()
    emulator, _ = running(clock)
    emulator.close()
    emulator.close()
    assert usb.core.find(idVendor=0x0403, backend=emulator.backend) is None
