"""The arm's link in compiled code: the same bytes and the same books as in Python, and Python sees what is unusual."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from firmware_bridge.arm import native as in_kernels
from firmware_bridge.arm.coupled import CoupledCodec
from firmware_bridge.arm.native import read_measurement, write_setpoint
from firmware_bridge.arm.stream import Measured, StreamCodec
from station.controllers.controller import ControllerStatus
from station.controllers.native import RECEIVE, TRANSMIT, ArmSample, ArmSetpoint, Received, Transmitted
from station.controllers.words import ArmWords, HandWords
from station.kernel import entry
from tests.controllers.benches import Bench, serial, zeromq

JOINTS = (1, 6, 7, 32)
NOW = 12.345678


@entry
def call_receive(place: int, memory: int, sample: ArmSample, now: float) -> int:
    return int(RECEIVE(place, memory, sample, now))


@entry
def call_transmit(place: int, memory: int, setpoint: ArmSetpoint, now: float) -> int:
    return int(TRANSMIT(place, memory, setpoint, now))


def buffer_of(data: bytes) -> np.ndarray:
    buffer = np.zeros(4096, np.uint8)
    buffer[: len(data)] = np.frombuffer(data, np.uint8)
    return buffer


def words_of(random: np.random.Generator) -> HandWords:
    return HandWords(3, 4, 1, 2, 0.5, 200.0, 30.0, random.normal(size=(3, 3)), random.normal(size=29))


def setpoint_of(random: np.random.Generator, joints: int) -> ArmSetpoint:
    return ArmSetpoint(q=random.normal(size=joints), v=random.normal(size=joints), with_velocity=True, sequence=77)


@pytest.mark.parametrize("joints", JOINTS)
@pytest.mark.parametrize("velocity", [True, False])
def test_setpoints_are_the_same_bytes_as_those_of_python(joints: int, velocity: bool) -> None:
    random, codec, out = np.random.default_rng(joints), StreamCodec(joints), np.zeros(4096, np.uint8)
    setpoint = setpoint_of(random, joints)
    setpoint.with_velocity = velocity
    plain = codec.setpoint(99, 77, int(1e9 * NOW), setpoint.q, setpoint.v if velocity else None, None)
    assert plain is not None
    assert out[: write_setpoint(setpoint, 99, NOW, out)].tobytes() == plain
    words = words_of(random)
    for name, value in words._asdict().items():
        setattr(setpoint, name, value)
    setpoint.has_words = True
    size = write_setpoint(setpoint, 99, NOW, out)
    assert out[:size].tobytes() == CoupledCodec(joints).setpoint(plain, words)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_never_written(wrong: float) -> None:
    random, out = np.random.default_rng(0), np.zeros(4096, np.uint8)
    for name in ("q", "v"):
        setpoint = setpoint_of(random, 6)
        getattr(setpoint, name)[3] = wrong
        assert write_setpoint(setpoint, 1, NOW, out) == 0
    setpoint = setpoint_of(random, 6)
    setpoint.has_words, setpoint.packet[28] = True, wrong
    assert write_setpoint(setpoint, 1, NOW, out) == 0
    setpoint.packet[28], setpoint.v[0] = 0.0, 1e39  # fits no float of 32 bits
    assert write_setpoint(setpoint, 1, NOW, out) == 0


@pytest.mark.parametrize("joints", JOINTS)
def test_measurements_are_read_as_by_python(joints: int) -> None:
    random, codec, sample = np.random.default_rng(joints), StreamCodec(joints), ArmSample(n=joints)
    numbers = random.normal(size=joints), random.normal(size=joints), None, random.normal(size=6)
    data = codec.measurement(Measured(5, 6, 7_000_000_000, -1, 8, 9, 1, 2, *numbers))
    assert read_measurement(buffer_of(data), len(data), joints, sample)
    said = codec.read_measurement(data)
    assert said is not None
    np.testing.assert_array_equal(sample.q, said.q)
    np.testing.assert_array_equal(sample.v, said.v)
    np.testing.assert_array_equal(sample.wrench, said.wrench)
    assert (sample.has_velocity, sample.has_effort, sample.has_wrench, sample.has_words) == (True, False, True, False)
    assert (sample.echo, sample.controller_time) == (-1, 7.0)
    coupled = CoupledCodec(joints)
    data = coupled.measurement(data, ArmWords(1, 2, random.normal(size=joints), random.normal(size=29)))
    assert read_measurement(buffer_of(data), len(data), joints, sample)
    words = coupled.arm_words(data)
    assert words is not None
    np.testing.assert_array_equal(sample.held, words.held)
    np.testing.assert_array_equal(sample.packet, words.packet)
    assert (sample.has_words, sample.start, sample.epoch) == (True, 1, 2)


def test_every_flipped_bit_and_every_other_length_is_refused() -> None:
    codec, sample = StreamCodec(2), ArmSample(n=2)
    data = codec.measurement(Measured(5, 6, 7, -1, 8, 9, 1, 2, np.ones(2), None, None, None))
    assert read_measurement(buffer_of(data), len(data), 2, sample)
    for bit in range(8 * len(data)):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        assert not read_measurement(buffer_of(bytes(broken)), len(data), 2, sample)
    for size in range(len(data)):
        assert not read_measurement(buffer_of(data[:size]), size, 2, sample)
    assert not read_measurement(buffer_of(data), len(data), 3, sample)
    assert not read_measurement(buffer_of(data), 5000, 2, sample)


def test_numbers_that_are_not_finite_are_refused() -> None:
    codec, sample = StreamCodec(2), ArmSample(n=2)
    data = codec.measurement(Measured(5, 6, 7, -1, 8, 9, 1, 2, np.array([1.0, np.nan]), None, None, None))
    assert not read_measurement(buffer_of(data), len(data), 2, sample)


class NativeStation:
    """Leads an arm as the tick does: compiled code while all is as usual, else Python."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.controller = bench, bench.connect()
        self.by_native = self.by_python = self.sequence = 0
        joints = len(self.controller.capabilities.joints)
        self.sample = ArmSample(n=joints)
        self.setpoint = ArmSetpoint(n=joints, with_velocity=self.controller.capabilities.takes_velocity)

    def tick(self, q: float | None = None) -> None:
        clock, controller = self.bench.clock, self.controller
        clock.advance(0.001)
        native = controller.native
        answer = Received.LOOK
        if native is not None:
            answer = Received(call_receive(native.receive, native.memory, self.sample, clock.now()))
        if answer is Received.LOOK:
            self.by_python += controller.newest() is not None
        elif answer is Received.FRESH:
            self.by_native += 1
        if native is not None and clock.now() >= native.upkeep_at:
            controller.upkeep()
        if q is not None:
            self.send(q)

    def send(self, q: float) -> bool:
        native, controller = self.controller.native, self.controller
        self.sequence += 1
        joints = len(controller.capabilities.joints)
        if native is None:
            return controller.send(np.full(joints, q), np.zeros(joints), None, self.sequence)
        self.setpoint.q[:], self.setpoint.sequence = q, self.sequence
        sent = call_transmit(native.transmit, native.memory, self.setpoint, self.bench.clock.now())
        return Transmitted(sent) is Transmitted.SENT

    def until(self, status: ControllerStatus, q: float | None = None) -> None:
        for _ in range(500):
            self.tick(q)
            if self.controller.status is status:
                return
        raise AssertionError(f"{self.controller.status}: {self.controller.reason}")


@pytest.fixture
def station() -> Iterator[NativeStation]:
    made = NativeStation(zeromq())
    yield made
    made.controller.close()
    made.bench.server.close()


def test_an_arm_is_led_by_compiled_code_and_its_books_go_on(station: NativeStation) -> None:
    station.until(ControllerStatus.READY)
    station.controller.activate()
    station.until(ControllerStatus.ACTIVE, 0.0)
    before = station.controller.health.received
    for number in range(200):
        station.tick(0.001 * number)
    assert station.by_native > 150
    health = station.controller.health
    assert health.received - before >= 199
    assert (health.lost, health.reordered, health.refused) == (0, 0, 0)
    assert 0.0 < health.round_trip < 0.01
    assert station.sample.echo >= station.sequence - 8
    assert station.sample.sequence > 0
    assert station.bench.clock.now() - station.sample.arrival < 0.005


def test_a_stop_and_its_end_are_seen_by_python(station: NativeStation) -> None:
    station.until(ControllerStatus.READY)
    station.controller.activate()
    station.until(ControllerStatus.ACTIVE, 0.0)
    station.controller.stop()
    assert station.controller.native is None
    assert not station.send(0.0)
    station.until(ControllerStatus.STOPPED)
    for _ in range(20):
        station.tick()
    assert station.controller.status is ControllerStatus.STOPPED
    station.controller.reset()
    station.until(ControllerStatus.READY)


def test_an_arm_that_falls_silent_is_lost_and_one_that_comes_back_holds(station: NativeStation) -> None:
    station.until(ControllerStatus.READY)
    station.controller.activate()
    station.until(ControllerStatus.ACTIVE, 0.0)
    station.bench.server.close()
    station.until(ControllerStatus.LOST, 0.0)
    assert station.controller.native is None
    assert "no measurement for" in station.controller.reason


def test_old_sequences_are_not_sent_by_either_way(station: NativeStation) -> None:
    station.until(ControllerStatus.READY)
    assert station.send(0.0)
    native = station.controller.native
    assert native is not None
    again = call_transmit(native.transmit, native.memory, station.setpoint, 1.0)
    assert again == Transmitted.NOT_SENT
    station.tick()
    joints = len(station.controller.capabilities.joints)
    assert not station.controller.send(np.zeros(joints), None, None, station.sequence)
    assert station.send(0.0)


def test_a_link_without_sockets_has_no_compiled_way() -> None:
    bench = serial()
    with bench.connect() as controller:
        assert controller.native is None
    bench.server.close()


def test_a_pyzmq_that_hides_its_library_has_no_compiled_way(
    station: NativeStation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_kernels, "libzmq", lambda: None)
    station.until(ControllerStatus.READY)
    assert station.controller.native is None
