"""Packets as they travel, and settings as kernels read them: what other programs and the documentation rely on."""

from __future__ import annotations

import struct
from dataclasses import fields, replace

import pytest

from firmware_bridge.arm.protocol import PACKET
from station.bilateral import (
    PACKET_BYTES,
    Architecture,
    BilateralMethod,
    BilateralSettings,
    LinkArchitecture,
    LinkMethod,
    Packet,
    from_bytes,
    to_bytes,
)
from station.bilateral.packet import PACKET_NUMBERS
from station.bilateral.settings import LinkNumbers, numbers_of

PLACES = {  # of the first number
    "sequence": 0,
    "time": 1,
    "echo": 2,
    "place": 3,
    "speed": 9,
    "force": 15,
    "energy": 21,
    "waves": 22,
    "wave_energy": 28,
}


def test_a_packet_travels_as_29_doubles_in_a_known_order() -> None:
    assert {name: field.offset // 8 for name, field in Packet.fields.items()} == PLACES
    assert PACKET_NUMBERS == PACKET == 29
    packet = Packet(sequence=1.0, time=2.0, echo=3.0, energy=22.0, wave_energy=29.0)
    packet.place[:], packet.speed[:] = range(4, 10), range(10, 16)
    packet.force[:], packet.waves[:] = range(16, 22), range(23, 29)
    data = struct.pack("<29d", *range(1, 30))
    assert to_bytes(packet) == data
    assert len(data) == PACKET_BYTES
    assert from_bytes(data) == packet
    assert packet.numbers.tolist() == list(range(1, 30))


def test_messages_have_the_numbers_of_methods_and_architectures() -> None:
    """As docs/protocol_arm.md says."""
    assert [method.code for method in BilateralMethod] == list(LinkMethod) == [0, 1, 2]
    assert [architecture.code for architecture in Architecture] == list(LinkArchitecture) == [0, 1, 2]


def test_kernels_read_all_settings() -> None:
    names = {field.name for field in fields(BilateralSettings)}
    assert names - set(LinkNumbers.fields) == {"two_port", "turns"}
    assert set(LinkNumbers.fields) - names == {"axes"}
    settings = BilateralSettings(two_port=True, method=BilateralMethod.WAVES, force=7.0, turns=True, active=True)
    numbers = numbers_of(settings)
    assert (numbers.method, numbers.architecture) == (LinkMethod.WAVES, LinkArchitecture.POSITION_FORCE)
    assert (numbers.axes, numbers.active, numbers.force) == (6, True, 7.0)
    assert not numbers_of(replace(settings, method=BilateralMethod.DIRECT, two_port=False)).active


@pytest.mark.parametrize(
    ("architecture", "share", "softest"),
    [
        (Architecture.POSITION_FORCE, 1.0, 200.0),
        (Architecture.POSITION_POSITION, 0.0, 600.0),
        (Architecture.FOUR_CHANNEL, 0.25, 200.0),
    ],
)
def test_an_architecture_says_what_makes_the_force(architecture: Architecture, share: float, softest: float) -> None:
    numbers = numbers_of(BilateralSettings(architecture=architecture, share=0.25))
    assert (numbers.share, numbers.softest) == (share, softest)
