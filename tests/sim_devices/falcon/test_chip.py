"""The emulated USB serial chip."""

from __future__ import annotations

import pytest

from firmware_bridge.falcon import wire
from sim_devices.falcon.chip import BUFFER, STATUS, FtdiChip


def chip() -> FtdiChip:
    """One in normal mode."""
    made = FtdiChip()
    made.control(wire.BAUD, wire.BAUD_FRAMES)
    made.control(wire.LATENCY, 1)
    made.packet(0.0)
    return made


def test_a_few_bytes_wait_for_the_latency_timer() -> None:
    made = chip()
    made.packet(0.001)
    made.from_board(b"abc")
    assert made.packet(0.0015) is None
    assert made.packet(0.002) == STATUS + b"abc"


def test_without_data_only_status_comes_once_per_period() -> None:
    made = chip()
    assert [made.packet(0.0005 * tick) is not None for tick in range(1, 9)] == [False, True] * 4


def test_a_full_packet_does_not_wait() -> None:
    made = chip()
    made.packet(0.001)
    made.from_board(bytes(range(70)))
    assert made.packet(0.0011) == STATUS + bytes(range(62))
    assert made.packet(0.0012) is None
    assert made.packet(0.0022) == STATUS + bytes(range(62, 70))


def test_the_timer_is_16_ms_until_it_is_set() -> None:
    made = FtdiChip()
    made.packet(1.0)
    assert made.packet(1.015) is None
    assert made.packet(1.016) == STATUS


def test_bytes_take_their_time_on_the_line() -> None:
    made = chip()
    made.from_host(b"x" * 15, 0.0)
    made.from_host(b"y" * 15, 0.0)
    assert made.for_board(0.00009) is None
    first = made.for_board(0.00011)
    assert first is not None
    assert first[0] == pytest.approx(0.0001)
    assert first[1:] == (b"x" * 15, wire.BAUD_FRAMES)
    assert made.for_board(0.00011) is None
    assert made.for_board(0.00021) is not None


def test_purging_drops_what_is_held() -> None:
    made = chip()
    made.from_board(b"abc")
    made.from_host(b"abc", 0.0)
    made.control(wire.RESET, wire.PURGE_RECEIVED)
    made.control(wire.RESET, wire.PURGE_TO_SEND)
    assert made.packet(1.0) == STATUS
    assert made.for_board(1.0) is None


def test_what_does_not_fit_is_lost() -> None:
    made = chip()
    made.from_board(bytes(1000))
    received = b""
    while len(packet := made.packet(1.0) or b"") == wire.PACKET:
        received += packet[2:]
    assert len(received + (made.packet(2.0) or b"")[2:]) == BUFFER


@pytest.mark.parametrize(("value", "high"), [(wire.DTR_HIGH, True), (wire.DTR_LOW, False), (wire.RTS_LOW, False)])
def test_dtr_follows_its_own_requests_only(value: int, high: bool) -> None:
    made = chip()
    assert made.control(wire.MODEM_CONTROL, value)
    assert made.dtr is high


def test_unknown_requests_are_not_known() -> None:
    assert not chip().control(77, 0)
    assert chip().control(wire.LINE_FORMAT, 8)
