"""The C codec and the Python codec say the same, both ways, on 100,000 random frames."""

from __future__ import annotations

import ctypes
import random

import pytest

from firmware_bridge.firmware.library import load
from firmware_bridge.syntaxer.frames import Decoder, Frame, encode
from firmware_bridge.syntaxer.messages import Command, Error, State, pack, unpack
from firmware_bridge.syntaxer.protocol import MOTORS, PAYLOAD_MAX, PAYLOAD_SIZE, VERSION, WIRE_MAX, MessageType
from tests.firmware.compiling import needs_compiler

pytestmark = needs_compiler

GOOD = 1  # FW_FRAME_GOOD


class CFrame(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint8),
        ("type", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("time_us", ctypes.c_uint32),
        ("length", ctypes.c_uint16),
        ("payload", ctypes.c_uint8 * PAYLOAD_MAX),
    )


class CState(ctypes.Structure):
    _fields_ = (
        ("command_sequence", ctypes.c_uint16),
        ("command_age", ctypes.c_uint16),
        ("status", ctypes.c_uint16),
        ("watchdog", ctypes.c_uint8),
        ("error", ctypes.c_uint8),
        ("refused", ctypes.c_uint8),
        ("buttons", ctypes.c_uint8),
        ("grip", ctypes.c_uint16),
        ("temperature", ctypes.c_int16),
        ("supply", ctypes.c_uint8),
        ("counts", ctypes.c_int32 * MOTORS),
        ("currents", ctypes.c_int16 * MOTORS),
    )


class CCommand(ctypes.Structure):
    _fields_ = (
        ("enable", ctypes.c_bool),
        ("led", ctypes.c_uint8),
        ("heartbeat", ctypes.c_uint16),
        ("currents", ctypes.c_int16 * MOTORS),
    )


class CError(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint8),
        ("type", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("detail", ctypes.c_int32),
    )


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    found = load()
    found.fw_frame_encode.restype = ctypes.c_size_t
    found.fw_frame_encode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    found.fw_frame_decode.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    found.fw_unpack_command.restype = ctypes.c_bool
    return found


def random_payload(rng: random.Random, size: int) -> bytes:
    """Bytes of every kind: any, mostly zeros, none but zeros, no zeros."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(rng.choice((0, 0, 0, 1, 255)) for _ in range(size))
    return bytes(size) if kind == 2 else b"\xa5" * size


def random_frame(rng: random.Random) -> Frame:
    """Mostly frames of this version; the others are HELLOs of a later one, which may have any length."""
    header = rng.randrange(1 << 16), rng.randrange(1 << 32)
    if rng.randrange(8) == 0:
        return Frame(
            rng.randrange(2, 256), MessageType.HELLO, *header, random_payload(rng, rng.randrange(PAYLOAD_MAX + 1))
        )
    kind = rng.choice(list(MessageType))
    return Frame(VERSION, kind, *header, random_payload(rng, PAYLOAD_SIZE[kind]))


def test_100000_random_frames_pass_both_ways(library: ctypes.CDLL) -> None:
    rng = random.Random(20)
    decoder = Decoder()
    there, wire = CFrame(), ctypes.create_string_buffer(WIRE_MAX)
    for _ in range(100_000):
        frame = random_frame(rng)
        sent = encode(frame)
        assert library.fw_frame_decode(sent[:-1], len(sent) - 1, ctypes.byref(there)) == GOOD
        assert (there.version, there.type, there.sequence, there.time_us) == frame[:4]
        assert ctypes.string_at(there.payload, there.length) == frame.payload
        length = library.fw_frame_encode(ctypes.byref(there), wire, WIRE_MAX)
        assert wire.raw[:length] == sent
        assert decoder.feed(wire.raw[:length]) == [frame]
    assert decoder.counters.bad == 0


def carry(frame: Frame) -> CFrame:
    """The frame on the C side."""
    there = CFrame(frame.version, frame.type, frame.sequence, frame.time_us, len(frame.payload))
    ctypes.memmove(there.payload, frame.payload, len(frame.payload))
    return there


def test_states_mean_the_same_on_both_sides(library: ctypes.CDLL) -> None:
    rng = random.Random(21)
    for _ in range(5_000):
        frame = Frame(VERSION, MessageType.STATE, 1, 2, random_payload(rng, PAYLOAD_SIZE[MessageType.STATE]))
        here, there = unpack(frame), CState()
        library.fw_unpack_state(ctypes.byref(carry(frame)), ctypes.byref(there))
        assert isinstance(here, State)
        names = ("command_sequence", "command_age", "status", "watchdog", "error", "refused", "buttons")
        assert [getattr(here, name) for name in names] == [getattr(there, name) for name in names]
        scaled = (there.grip / 65535, there.temperature / 100, there.supply / 4)
        assert (here.grip, here.temperature, here.supply) == scaled
        assert here.counts == tuple(there.counts)
        assert here.currents == tuple(current / 1000 for current in there.currents)


def test_commands_and_errors_mean_the_same_on_both_sides(library: ctypes.CDLL) -> None:
    rng = random.Random(22)
    for _ in range(5_000):
        currents = tuple(rng.uniform(-40.0, 40.0) for _ in range(MOTORS))
        command = Command(currents, bool(rng.randrange(2)), rng.randrange(8), rng.randrange(1 << 16))
        there = CCommand()
        assert library.fw_unpack_command(ctypes.byref(carry(pack(command))), ctypes.byref(there))
        assert (there.enable, there.led, there.heartbeat) == command[1:]
        cut = [max(-32.767, min(32.767, current)) for current in currents]
        assert [current / 1000 for current in there.currents] == pytest.approx(cut, abs=0.0005001)
        error = Error(
            rng.randrange(256), rng.randrange(256), rng.randrange(1 << 16), rng.randrange(-(1 << 31), 1 << 31)
        )
        said = CError()
        library.fw_unpack_error(ctypes.byref(carry(pack(error))), ctypes.byref(said))
        assert (said.code, said.type, said.sequence, said.detail) == error
