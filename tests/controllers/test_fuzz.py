"""Random and mutated messages on every link leave the arm still and both sides healthy.

3,000 each by default; more with FUZZ_MESSAGES=100000. A station commands all the while and holds the arm in place.
Mutants are made of messages that were good once or elsewhere: of an observer, of a session that is over, of another
arm. What is as good as new, with the right session and a fitting check, is not a fault but a command.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import zmq
from fastcrc.crc16 import modbus as crc16

from firmware_bridge.arm.chunks import stuffed
from firmware_bridge.arm.messages import PAYLOAD, Message, pack
from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.modbus.framing import (
    RtuFraming,
    TcpFraming,
    exchange_request,
    read_request,
    write_request,
)
from firmware_bridge.arm.modbus.registers import Command, MapCodec
from firmware_bridge.arm.protocol import Refused, Request, Role, Type
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.contract import ControllerContract
from sim_devices.arm_links.desk import Desk
from sim_devices.arm_links.modbus import ModbusArm
from sim_devices.arm_links.register_map import RegisterMap
from sim_devices.arm_links.serial_line import SerialArm
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from station.controllers import Controller, ControllerStatus
from tests.controllers.benches import BENCHES, Bench
from tests.controllers.double import DoubleArm
from tests.controllers.mutants import Mutator
from tests.controllers.talking import admitted, hello, request, said, setpoint

COUNT = int(os.environ.get("FUZZ_MESSAGES", "3000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
PER_TICK = 10
THERE = [0.5, 0.3, 0.2, 0.1]


class Ticking(ControllerContract):
    """The helpers of the contract, without its tests."""


@contextlib.contextmanager
def engaged(name: str) -> Iterator[tuple[Bench, Controller, Ticking]]:
    """A bench whose arm is held in place by a station."""
    bench = BENCHES[name]()
    ticks = Ticking()
    ticks.clock = bench.clock
    with contextlib.closing(bench.server), bench.connect() as controller:
        yield bench, controller, ticks


def bombard(
    bench: Bench, controller: Controller, ticks: Ticking, throw: Callable[[bytes], object], make: Mutator
) -> None:
    """Throw all messages while the station holds the arm; afterwards everything is as it was."""
    hold = ticks.engage(controller)
    for _ in range(COUNT // PER_TICK):
        for _ in range(PER_TICK):
            throw(make())
        ticks.tick(controller, hold)
        assert bench.arm.q.tolist() == hold.tolist(), "the arm has moved"
        if bench.arm.state is not ArmState.ACTIVE:  # a stop that came through, or time that a good message lost
            assert ticks.until(controller, lambda: controller.status.value == bench.arm.state.value, hold)
            ticks.engage(controller)
    assert ticks.until(controller, lambda: controller.status.value == bench.arm.state.value, hold)
    hold = ticks.engage(controller)
    moved = hold + np.array([0.1, 0.0, 0.0, 0.0])
    ticks.listen(controller, 0.2, moved)
    assert np.allclose(bench.arm.q, moved), "the arm obeys no longer"


def hear_all(desk: Desk) -> None:
    """However much is said: what is behind the bound on it is tested here, and the bound in test_floods.py."""
    for allowance in (desk.each, desk.strangers):
        allowance.rate = allowance.burst = 1e9


def corpus(arm: DoubleArm, foreign: int) -> list[bytes]:
    """Messages of all kinds: of a session that is not this arm's, and of one that only observes."""
    other = Desk(DoubleArm(), boot=5)
    old = admitted(other)
    measured = other.measurement(0.0)
    assert measured is not None
    found = [hello(Role.OBSERVE), hello(Role.OBSERVE, nonce=99), measured]
    for session in (old, foreign):
        found += [request(session, number, wanted) for number, wanted in enumerate(Request, start=1)]
        found += [setpoint(other, session, number, THERE) for number in range(1, 6)]
        found += [said(Type.HEARTBEAT, session, 3), said(Type.BYE, old, 1)]
    found += [pack(Message(kind, 0, 0, old, 1, 1, bytes(PAYLOAD[kind].size))) for kind in (Type.ACK, Type.EVENT)]
    del arm
    return found


def test_zeromq() -> None:
    with engaged("zeromq") as (bench, controller, ticks):
        server = bench.server
        assert isinstance(server, ZeroMqArm)
        hear_all(server.desk)
        observer = admitted(server.desk, Role.OBSERVE, "watcher", nonce=77)
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        sockets = [context.socket(kind) for kind in (zmq.DEALER, zmq.PUSH, zmq.DEALER)]
        for one, name in zip(sockets, ("", "-setpoints", "-stop"), strict=True):
            one.linger = 0
            one.connect(server.address + name)
        turn = iter(range(10**9))

        def throw(data: bytes) -> None:
            number = next(turn)
            parts = [data] if number % 7 else [data, b"and", b"more"]
            with contextlib.suppress(zmq.Again):
                sockets[number % 3].send_multipart(parts if number % 3 != 1 else parts[:1], zmq.NOBLOCK)

        bombard(bench, controller, ticks, throw, Mutator(corpus(bench.arm, observer), SEED))
        assert server.desk.refused.total() > COUNT // 4
        assert len(server.desk.seats.sessions) <= 32
        for one in sockets:
            one.close()


def test_serial() -> None:
    with engaged("serial") as (bench, controller, ticks):
        server = bench.server
        assert isinstance(server, SerialArm)
        hear_all(server.desk)
        link = controller._link  # type: ignore[attr-defined]
        make = Mutator(corpus(bench.arm, 1), SEED)
        turn = iter(range(10**9))

        def throw(data: bytes) -> None:
            link._port.write(data + b"\0" if next(turn) % 3 else stuffed(data))

        bombard(bench, controller, ticks, throw, make)
        assert server.desk.refused.total() > COUNT // 4


def block(token: int, heartbeat: int, request: int, number: int, given: int) -> bytes:
    numbers = (500_000, 0, 200_000, 0, *[0] * 8)
    return MapCodec(4).pack_command(Command(1, heartbeat, token, request, number, heartbeat, given, numbers))


def modbus_corpus() -> list[bytes]:
    codec, found = (
        MapCodec(4),
        [read_request(0, 40), read_request(256, 39), read_request(512, 120), bytes([7]), bytes([43])],
    )
    for number in range(1, 6):
        data = block(77, number, number, number, 8)
        found.append(write_request(registers.COMMAND_AT, data))
        found.append(exchange_request(0, codec.state_words, registers.COMMAND_AT, data))
    return [*found, bytes([5, 0, 3, 0xFF, 0]), bytes([15, 0, 0, 0, 1, 1, 0]), bytes([16, 4, 0, 0, 1, 2, 0, 1])]


def with_check(pdu: bytes) -> bytes:
    """A write whose check fits, if it is long enough to have one."""
    return pdu[:-2] + crc16(pdu[6:-2]).to_bytes(2, "big") if len(pdu) > 40 else pdu


def test_modbus_tcp() -> None:
    with engaged("modbus-tcp") as (bench, controller, ticks):
        server, framing = bench.server, TcpFraming()
        assert isinstance(server, ModbusArm)
        place = ("127.0.0.1", int(server.address.rpartition(":")[2]))
        connections = [socket.create_connection(place)]
        turn = iter(range(10**9))

        def throw(data: bytes) -> None:
            number = next(turn)
            frame = framing.frame(data[:250], 1, number & 0xFFFF) if number % 4 else data
            try:
                connections[0].setblocking(False)
                connections[0].send(frame or b"\0")
                while connections[0].recv(65536):
                    pass
                raise ConnectionError  # it has hung up
            except BlockingIOError:
                pass
            except OSError:
                connections[0].close()
                connections[0] = socket.create_connection(place)

        bombard(bench, controller, ticks, throw, Mutator(modbus_corpus(), SEED, with_check))
        connections[0].close()
        assert server.map.refused.total() > COUNT // 10


def test_modbus_serial() -> None:
    with engaged("modbus-serial") as (bench, controller, ticks):
        server, framing = bench.server, RtuFraming(1)
        assert isinstance(server, ModbusArm)
        line = controller._line  # type: ignore[attr-defined]
        turn = iter(range(10**9))

        def throw(data: bytes) -> None:
            if line._port is not None:
                line._port.write(framing.frame(data[:250], 1, 0) if next(turn) % 4 else data[:300])
            bench.clock.advance(0.001)  # on a bus one speaks after the other

        bombard(bench, controller, ticks, throw, Mutator(modbus_corpus(), SEED, with_check))
        assert server.map.refused.total() > 0


def seated(arm: DoubleArm, now: float) -> RegisterMap:
    """Registers of an arm that a station has just taken its seat at."""
    table = RegisterMap(arm)
    command = MapCodec(4).pack_command(Command(1, 1, 77, 1, 1, 0, 0, (0,) * 12))
    assert table.write(registers.COMMAND_AT, command, now) is None
    return table


def test_mutants_of_the_seated_station_over_modbus_move_no_joint_faster_than_it_may() -> None:
    """With its token and a fitting check they are commands; what each may change is bounded."""
    arm, chance = DoubleArm(), random.Random(SEED)
    table, speeds = seated(arm, 0.0), np.array([joint.speed or np.inf for joint in arm.capabilities.joints])
    sequence, taken_at, last, moved, refused = 0, 0.0, arm.q.copy(), 0, 0
    for number in range(2, COUNT):
        now, sequence = 0.001 * number, sequence + 1
        if sequence == 2**32:  # mutants have driven it to its end: a new session counts anew
            refused += table.refused[Refused.RANGE]
            table, sequence, taken_at = seated(arm, now), 1, now
        numbers = (*np.round(1e6 * last).astype(int).tolist(), *[0] * 8)
        data = bytearray(MapCodec(4).pack_command(Command(1, number & 0xFFFF, 77, 0, 1, sequence, 8, numbers)))
        if number % 2:
            for _ in range(chance.randint(1, 3)):  # in its sequence, in what is given, in its positions
                data[chance.randrange(12, 36)] ^= 1 << chance.randrange(8)
            data[-2:] = crc16(bytes(data[:-2])).to_bytes(2, "big")
        before = table.setpoints
        table.write(registers.COMMAND_AT, bytes(data), now)
        arm.state = ArmState.ACTIVE  # whatever it was told
        if table.setpoints > before:
            assert (np.abs(arm.q - last) <= 1.2 * speeds * (now - taken_at + 0.0005) + 1e-9).all(), number
            moved += bool((arm.q != last).any())
            taken_at, last, sequence = now, arm.q.copy(), table._last_setpoint
    assert moved > COUNT // 50
    assert refused + table.refused[Refused.RANGE] > COUNT // 50


@pytest.mark.parametrize("name", ["serial", "modbus-serial"])
def test_a_station_survives_an_arm_that_talks_nonsense(name: str) -> None:
    with engaged(name) as (bench, controller, ticks):
        end = bench.server.end  # type: ignore[attr-defined]
        assert isinstance(end, SocketEnd)
        good = [*corpus(bench.arm, 1), *modbus_corpus()]
        make = Mutator(good, SEED)
        hold = ticks.engage(controller)
        for _ in range(COUNT // PER_TICK):
            for _ in range(PER_TICK):
                data = make()
                end.write(stuffed(data) if name == "serial" else RtuFraming(1).frame(data[:250], 1, 0))
            ticks.tick(controller, hold)
        assert ticks.until(
            controller, lambda: controller.status is ControllerStatus.READY or bench.arm.state is ArmState.ACTIVE, hold
        )
        ticks.listen(controller, 1.0, hold)
        ticks.engage(controller)
        assert controller.health.refused > 0


def test_bytes_that_are_not_even_zeromq_reach_nobody() -> None:
    chance = Mutator([b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL"], SEED)
    arm = DoubleArm()
    with contextlib.closing(ZeroMqArm(arm)) as server:
        place = ("127.0.0.1", int(server.address.rpartition(":")[2]))
        for _ in range(50):
            with socket.create_connection(place) as connection:
                connection.send(chance() or b"\0")
            server.run(0.001)
        assert not server.desk.seats.sessions  # what looks like the first version of ZeroMQ's protocol gets no further
        assert arm.log == []
