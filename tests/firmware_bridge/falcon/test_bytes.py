"""Whatever bytes come: no exception, no hang, no sample that is not in them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware_bridge.falcon import Falcon, open_falcon
from firmware_bridge.falcon.frames import FRAME, decode_reply
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus, Sample
from station.devices.errors import DeviceError
from station.devices.falcon import FalconModel
from tests.firmware_bridge.falcon.bench import NOTHING, TICK
from tests.firmware_bridge.falcon.scripted import Say, Scripted, reply_at

HERE = (0.01, 0.0, 0.0)
GOOD = reply_at(HERE)


class Talk:
    """A driver on a scripted device that behaves until `say` is changed."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.usb = Scripted(lambda _: [GOOD])
        self.device: Falcon = open_falcon(parse_address("usb:falcon"), self.clock, self.usb.bus.backend)
        self.run(20)
        assert self.device.status is DeviceStatus.READY

    def run(self, ticks: int, say: Say | None = None) -> list[Sample]:
        if say is not None:
            self.usb.say = say
        samples = []
        for _ in range(ticks):
            sample = self.device.newest()
            if sample is not None:
                samples.append(sample)
            self.device.command(NOTHING)
            self.clock.sleep_until(self.clock.now() + TICK)
        return samples

    def status(self) -> DeviceStatus:
        return self.device.status


def test_a_frame_in_any_two_packets_is_put_together() -> None:
    talk = Talk()
    for cut in range(17):

        def two(_: bytes, cut: int = cut) -> list[bytes]:
            return [GOOD[:cut], GOOD[cut:]]

        assert len(talk.run(20, two)) >= 9
    assert talk.status() is DeviceStatus.READY


def test_short_reads_of_14_bytes_make_no_sample() -> None:
    """The bug of libnifalcon's users: with the `>` of the frame before, 14 bytes passed for a frame.

    A driver that keeps its buffer would decode the short ones with an old end and report buttons and homed legs that
    nobody sent.
    """
    talk = Talk()
    short = reply_at((0.04, 0.0, 0.0), buttons=0b1101)[:14]
    assert talk.run(15, lambda _: [short])[1:] == []  # the first is the answer that was on its way
    assert talk.status() is DeviceStatus.READY  # for 20 ms it may be a hiccup
    assert talk.run(30) == []
    assert talk.status() is DeviceStatus.LOST
    samples = talk.run(1000, lambda _: [GOOD])
    assert talk.status() is DeviceStatus.READY
    assert {sample.buttons for sample in samples} == {0}
    assert max(abs(sample.pose[0, 3] - HERE[0]) for sample in samples) < 1e-4


def test_a_torn_frame_before_a_whole_one_is_passed_over() -> None:
    talk = Talk()
    torn = reply_at((0.04, 0.0, 0.0), buttons=0b1101)
    for keep in range(1, 16):

        def both(_: bytes, keep: int = keep) -> list[bytes]:
            return [torn[:keep] + GOOD]

        samples = talk.run(20, both)
        assert len(samples) == 20
        assert {sample.buttons for sample in samples} == {0}


def test_long_packets_are_no_trouble() -> None:
    talk = Talk()
    assert len(talk.run(50, lambda _: [GOOD * 3])) == 50
    assert len(talk.run(50, lambda _: [b"x" * 46 + GOOD])) == 50


def test_two_different_answers_to_one_question_are_both_doubted() -> None:
    talk = Talk()
    other = reply_at((0.0105, 0.0, 0.0))
    assert talk.run(100, lambda _: [GOOD + other])[1:] == []
    assert talk.status() is DeviceStatus.LOST


def test_packets_without_even_status_bytes_are_empty() -> None:
    talk = Talk()
    talk.run(5)
    talk.usb.packets += [b"", b"\x01"]
    talk.run(50)
    assert talk.status() is DeviceStatus.READY


def test_a_device_that_talks_without_being_asked_is_lost_and_found_again() -> None:
    talk = Talk()
    end = talk.clock.now() + 0.5
    detach = talk.clock.attach(lambda now: talk.usb.packets.append(b"\x01\x60" + b"hello") if now < end else None)
    talk.run(500, lambda _: [])
    assert talk.status() is DeviceStatus.LOST
    detach()
    talk.run(2000, lambda _: [GOOD])
    assert talk.status() is DeviceStatus.READY


def mutated(source: random.Random) -> bytes:
    """Something like a frame, or nothing like it."""
    kind = source.randrange(6)
    if kind == 0:
        return source.randbytes(source.randrange(63))
    frame = bytearray(GOOD)
    for _ in range(source.randrange(1, 4)):
        place = source.randrange(len(frame) or 1)
        if kind == 1 and frame:
            frame[place] = source.randrange(256)
        elif kind == 2 and frame:
            del frame[place]
        elif kind == 3:
            frame.insert(place, source.choice(b"<>AP\x00\xff"))
        elif kind == 4:
            frame += frame[: source.randrange(17)]
    return bytes(frame[:62])


@pytest.mark.parametrize("seed", range(8))
def test_thousands_of_wild_answers_raise_nothing_and_give_no_wild_place(seed: int) -> None:
    talk, source, model = Talk(), random.Random(seed), FalconModel()
    said: list[bytes] = []  # by question, everything that was answered

    def wild(_: bytes) -> Iterable[bytes]:
        packets = [mutated(source) for _ in range(source.randrange(3))]
        said.append(b"".join(packets))
        return packets

    talk.run(5, wild)
    for _ in range(3000):
        for sample in talk.run(1, wild):
            if talk.status() is not DeviceStatus.READY:
                continue
            recent = [decode_reply(frame) for answer in said[-4:] for frame in FRAME.findall(answer)]
            places = [model.position_of_counts(reply.counts) for reply in recent if reply is not None]
            assert any(place is not None and np.allclose(place, sample.pose[:3, 3], atol=1e-9) for place in places)
            assert np.isfinite(sample.velocity).all()
    talk.run(3000, lambda _: [GOOD])
    assert talk.status() is DeviceStatus.READY
    assert not talk.device.force_enabled


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.binary(max_size=64), max_size=20))
def test_no_bytes_make_opening_do_anything_but_open_or_refuse(answers: list[bytes]) -> None:
    clock, left = VirtualClock(), list(answers)
    device = Scripted(lambda _: [left.pop(0)] if left else [])
    with contextlib.suppress(DeviceError):  # anything else would fail the test
        open_falcon(parse_address("usb:falcon?firmware=/nonexistent"), clock, device.bus.backend).close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(st.binary(max_size=64), max_size=3), max_size=40))
def test_no_bytes_make_an_open_device_raise(answers: list[list[bytes]]) -> None:
    talk, left = Talk(), list(answers)
    talk.run(len(answers) + 60, lambda _: left.pop(0) if left else [GOOD])
    talk.device.close()
    assert talk.status() is DeviceStatus.CLOSED
