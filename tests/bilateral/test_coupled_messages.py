"""Messages between the two ends: what makes no sense is refused and counted, and the arm does not move by it."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

from firmware_bridge.arm.coupled import COUPLED_MEASUREMENT, CoupledCodec
from firmware_bridge.arm.messages import Message, pack, unpack, unpack_welcome
from firmware_bridge.arm.protocol import Refused, Request, Type
from firmware_bridge.arm.stream import StreamCodec
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm_links.coupling import Coupling
from sim_devices.arm_links.desk import Desk
from station.bilateral import HandEnd
from station.controllers.words import ArmWords, HandWords
from tests.controllers.mutants import Mutator
from tests.controllers.talking import PEER, admitted, hello, read, request
from tests.sim_devices.arm.benches import lever


def words(**changes: Any) -> HandWords:
    end = HandEnd()
    end.tick(0.001, np.zeros(6), np.zeros(6))
    return HandWords(1, 1, 1, 0, 1.0, 600.0, 5.0, 2.0 * np.eye(3), end.packet_numbers)._replace(**changes)


class Coupled:
    """An arm that couples, ACTIVE, and the bytes that its commander would send."""

    def __init__(self) -> None:
        self.arm: EmulatedArm = emulated_arm(lever())
        self.arm.advance(0.05)
        self.desk = Desk(self.arm, coupling=Coupling(self.arm))
        self.session = admitted(self.desk)
        self.desk.hear(request(self.session, 1, Request.ACTIVATE), PEER, 0.05)
        self.hold = self.arm.reading().q

    def bytes_of(self, said: HandWords, sequence: int = 1, session: int | None = None) -> bytes:
        plain = self.desk.codec.setpoint(session or self.session, sequence, 1, self.hold, None, None)
        assert plain is not None
        data = self.desk.coupled.setpoint(plain, said)
        assert data is not None
        return data

    def hear(self, data: bytes) -> None:
        assert self.desk.hear(data, PEER, 0.051) == []


def with_number(data: bytes, place: int, value: float, code: str = "<f4") -> bytes:
    """The message with another number, and a check that fits."""
    body = bytearray(data[:-4])
    number = np.array([value], dtype=code).tobytes()
    body[place : place + len(number)] = number
    return bytes(body) + crc32(body).to_bytes(4, "little")


def test_the_handshake_says_that_the_arm_couples() -> None:
    for coupling, couples in ((None, False), (True, True)):
        arm = emulated_arm(lever())
        desk = Desk(arm, coupling=Coupling(arm) if coupling else None)
        (message,) = read(desk.hear(hello(), PEER, 0.0))
        welcome = unpack_welcome(message)
        assert not isinstance(welcome, Refused)
        assert welcome.capabilities.couples is couples


def test_words_come_through_as_they_were() -> None:
    bench = Coupled()
    data = bench.bytes_of(words(epoch=7, stiffness=500.0))
    heard = bench.desk.coupled.hand_words(data)
    assert isinstance(heard, HandWords)
    assert heard[:7] == (1, 7, 1, 0, 1.0, 500.0, 5.0)
    assert (heard.straight == 2.0 * np.eye(3)).all()
    assert (heard.packet == words().packet).all()
    assert isinstance(unpack(data), Message)  # it is a message like all others
    bench.hear(data)
    assert (bench.desk.setpoints, bench.desk.refused.total()) == (1, 0)


def test_what_the_arm_says_comes_through_and_is_refused_if_it_is_no_number() -> None:
    stream, codec = StreamCodec(2), CoupledCodec(2)
    bench = Coupled()
    data = bench.desk.measurement(0.06)
    assert data is not None
    assert codec.is_sound(data, COUPLED_MEASUREMENT)
    assert stream.begun_fields(data) is not None
    said = codec.arm_words(data)
    assert said is not None
    plain = data[: stream.measurement_size - 4] + b"1234"
    told = ArmWords(3, 4, np.array([0.25, -0.5]), np.arange(29.0))
    again = codec.arm_words(codec.measurement(plain, told))
    assert again is not None
    assert again[:2] == (3, 4)
    assert again.held.tolist() == [0.25, -0.5]
    broken = codec.measurement(plain, told._replace(held=np.array([np.nan, 0.0])))
    assert codec.arm_words(broken) is None


PACKET = 29 * 8 + 4  # from the end


@pytest.mark.parametrize(
    ("place", "value", "code", "why"),
    [
        (-PACKET, np.nan, "<f8", Refused.NOT_FINITE),
        (-12, np.inf, "<f8", Refused.NOT_FINITE),
        (-PACKET + 24, 1e12, "<f8", Refused.RANGE),  # a place that no hand can be at
        (-PACKET - 36, np.nan, "<f4", Refused.NOT_FINITE),
        (-PACKET - 36, 0.0, "<f4", Refused.RANGE),  # a mapping that cannot be turned around
        (-PACKET - 36, 1e30, "<f4", Refused.RANGE),
        (-PACKET - 48, -1.0, "<f4", Refused.RANGE),  # a force scale that is none
        (-PACKET - 56, 9, "<u1", Refused.RANGE),  # method
        (-PACKET - 55, 3, "<u1", Refused.RANGE),  # architecture
        (2, 2, "<u1", Refused.VERSION),
        (4, 3, "<u1", Refused.LENGTH),  # joints
        (32, np.nan, "<f8", Refused.NOT_FINITE),  # of the setpoint itself
    ],
)
def test_what_makes_no_sense_is_refused_as_a_whole_and_counted(
    place: int, value: float, code: str, why: Refused
) -> None:
    bench = Coupled()
    data = bench.bytes_of(words())
    bench.hear(with_number(data, place % len(data), value, code))
    assert dict(bench.desk.refused) == {why: 1}
    assert bench.desk.setpoints == 0
    bench.hear(data)
    assert bench.desk.setpoints == 1


def test_waves_of_four_channels_are_refused() -> None:
    bench = Coupled()
    bench.hear(bench.bytes_of(words(method=2, architecture=2)))
    assert dict(bench.desk.refused) == {Refused.RANGE: 1}


def test_torn_broken_replayed_and_foreign_messages_are_refused() -> None:
    bench = Coupled()
    data = bench.bytes_of(words())
    bench.hear(data[:-1])
    bench.hear(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    bench.hear(bench.bytes_of(words(), session=99))
    bench.hear(data)
    bench.hear(data)
    assert dict(bench.desk.refused) == {Refused.CHECK: 2, Refused.SESSION: 1, Refused.REPLAY: 1}
    assert bench.desk.setpoints == 1


def test_an_arm_that_does_not_couple_refuses_the_type() -> None:
    bench = Coupled()
    bench.desk.coupling = None
    bench.hear(bench.bytes_of(words()))
    assert dict(bench.desk.refused) == {Refused.TYPE: 1}


def test_words_that_are_not_finite_are_not_sent() -> None:
    bench = Coupled()
    plain = bench.desk.codec.setpoint(bench.session, 1, 1, bench.hold, None, None)
    assert plain is not None
    packet = words().packet.copy()
    packet[5] = np.nan
    assert bench.desk.coupled.setpoint(plain, words(packet=packet)) is None
    assert bench.desk.coupled.setpoint(plain, words(start=-1)) is None


def test_mutants_leave_the_arm_where_it_is() -> None:
    bench = Coupled()
    foreign = [bench.bytes_of(words(epoch=epoch), epoch, session=99) for epoch in range(1, 5)]
    make = Mutator([*foreign, pack(Message(Type.COUPLED_MEASUREMENT, 2, 0, 1, 1, 1, bytes(100)))], 1)
    now = 0.051
    for number in range(3000):
        bench.desk.hear(make(), PEER, now)
        if number % 10 == 0:
            now += 0.001
            bench.arm.advance(now)
            bench.hear(bench.bytes_of(words(), number + 1))
            assert bench.desk.coupling is not None
            bench.desk.coupling.tick(now)
    assert bench.desk.refused.total() > 1000
    assert bench.desk.setpoints == 300
    assert np.abs(bench.arm.reading().q - bench.hold).max() < 1e-3
