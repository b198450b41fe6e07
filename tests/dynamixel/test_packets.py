"""Bytes of protocol 2.0: known packets, stuffing, noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.dynamixel.packets import (
    BROADCAST,
    HEADER,
    Instruction,
    Packet,
    PacketReader,
    fast_shares,
    fast_status,
    packet,
    read_request,
    status,
    sync_read_request,
    sync_write_request,
    write_request,
)

KNOWN = [  # those of ROBOTIS's manual
    (packet(1, Instruction.PING), "FF FF FD 00 01 03 00 01 19 4E"),
    (status(1, 0, bytes.fromhex("060426")), "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D"),
    (packet(BROADCAST, Instruction.PING), "FF FF FD 00 FE 03 00 01 31 42"),
    (read_request(1, 132, 4), "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"),
    (write_request(1, 116, (512).to_bytes(4, "little")), "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89"),
    (status(1, 0), "FF FF FD 00 01 04 00 55 00 A1 0C"),
    (sync_read_request((1, 2), 132, 4, fast=False), "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA"),
    (
        sync_write_request(116, 4, [(1, (150).to_bytes(4, "little")), (2, (170).to_bytes(4, "little"))]),
        "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
    ),
]


@pytest.mark.parametrize(("made", "known"), KNOWN)
def test_packets_are_those_of_the_manual(made: bytes, known: str) -> None:
    assert made == bytes.fromhex(known)


@given(
    st.integers(0, 252), st.binary(max_size=200) | st.lists(st.sampled_from([0xFF, 0xFD, 0]), max_size=60).map(bytes)
)
def test_what_is_stuffed_comes_out_as_it_was(ident: int, body: bytes) -> None:
    data = packet(ident, Instruction.WRITE, body)
    assert HEADER not in data[7:-2]
    assert PacketReader().feed(data) == [Packet(ident, Instruction.WRITE, body)]


@given(st.lists(st.binary(max_size=30), max_size=5), st.integers(1, 7))
def test_packets_are_found_however_they_are_cut(bodies: list[bytes], chunk: int) -> None:
    data = b"".join(packet(3, Instruction.WRITE, body) for body in bodies)
    reader = PacketReader()
    found = [one for at in range(0, len(data), chunk) for one in reader.feed(data[at : at + chunk])]
    assert [one.body for one in found] == bodies
    assert reader.bad == 0


@given(st.binary(max_size=40))
def test_a_packet_is_found_behind_noise(noise: bytes) -> None:
    reader, good = PacketReader(), packet(7, Instruction.READ, b"abcd")
    found = reader.feed(noise + good)
    for _ in range(40):  # noise may look like a header with a length: what follows it is looked at once that is over
        found += reader.feed(bytes(64))
    assert found[-1] == Packet(7, Instruction.READ, b"abcd")


def test_a_wrong_crc_is_counted_and_the_next_packet_is_read() -> None:
    reader, data = PacketReader(), bytearray(packet(1, Instruction.PING))
    data[-1] ^= 1
    assert reader.feed(bytes(data) + packet(2, Instruction.PING)) == [Packet(2, Instruction.PING, b"")]
    assert reader.bad > 0


def test_a_fast_answer_is_taken_apart_and_not_unstuffed() -> None:
    tricky = bytes.fromhex("FFFFFDFD")
    data = fast_status([(3, 0, tricky), (7, 0x80, b"wxyz")], 4, 2)
    (found,) = PacketReader().feed(data)
    shares = fast_shares(found.body, 4)
    assert shares is not None
    assert shares[3].data == tricky
    assert shares[7] == (0x80, b"wxyz")
    assert fast_shares(found.body, 5) is None


def test_a_fast_answer_that_breaks_off_is_no_packet() -> None:
    assert PacketReader().feed(fast_status([(3, 0, b"abcd")], 4, 2)) == []
