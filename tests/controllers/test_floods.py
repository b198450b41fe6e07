"""Floods: whoever says too much is not heard, and takes neither setpoints nor stops from anybody else.

All on the virtual clock: what is asserted is how much is heard before a stop is, and how much of a flood is answered.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest
import zmq

from firmware_bridge.arm.messages import Message, unpack
from firmware_bridge.arm.modbus.framing import TcpFraming, coil_request, read_request
from firmware_bridge.arm.modbus.registers import STOP_COIL
from firmware_bridge.arm.protocol import Refused, Request, Role, Type
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.allowance import MOST_KNOWN, Allowance
from sim_devices.arm_links.desk import EACH_BURST, EACH_RATE, STRANGERS_BURST, STRANGERS_RATE, Desk
from sim_devices.arm_links.emulator import LOOK_FOR_STOPS
from sim_devices.arm_links.modbus_ends import MOST_AT_ONCE, ModbusTcpArm
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from tests.controllers.benches import BENCHES
from tests.controllers.double import DoubleArm
from tests.controllers.talking import PEER, admitted, hello, request, said
from tests.controllers.test_fuzz import engaged

STOP = said(Type.STOP, 0, 1)
TICK = 0.001  # [s]
PER_TICK = 65  # of a flood of 65,000 a second


def test_an_allowance_is_so_many_a_second_and_some_at_once() -> None:
    allowance = Allowance(rate=100.0, burst=5.0)
    assert sum(allowance.grants("a", 0.0) for _ in range(100)) == 5
    assert allowance.grants("b", 0.0)  # each has its own
    assert sum(allowance.grants("a", 0.001 * number) for number in range(1, 1001)) == 100
    assert sum(allowance.grants("a", 100.0) for _ in range(100)) == 5
    for number in range(1000):
        allowance.grants(number, 200.0)
    assert len(allowance._left) <= MOST_KNOWN


@contextlib.contextmanager
def callers(server: ZeroMqArm, *names: str) -> Iterator[list[zmq.Socket[bytes]]]:
    """Sockets of somebody else, to the ways of these names."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
    sockets = [context.socket(zmq.PUSH if name == "-setpoints" else zmq.DEALER) for name in names]
    for one, name in zip(sockets, names, strict=True):
        one.linger, one.sndhwm, one.rcvhwm = 0, 10_000, 10_000
        one.connect(server.address + name)
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()


def shout(caller: zmq.Socket[bytes], messages: list[bytes]) -> None:
    for data in messages:
        with contextlib.suppress(zmq.Again):
            caller.send(data, zmq.NOBLOCK)


@pytest.mark.parametrize("way", ["", "-setpoints", "-stop"])
@pytest.mark.parametrize("what", ["hello", "rubbish", "heartbeat"])
def test_a_flood_keeps_neither_setpoints_nor_the_stop_of_the_station_waiting(way: str, what: str) -> None:
    with engaged("zeromq") as (bench, controller, ticks):
        server = bench.server
        assert isinstance(server, ZeroMqArm)
        hold = ticks.engage(controller)
        watcher = admitted(server.desk, Role.OBSERVE, "watcher", nonce=5, now=bench.clock.now())
        begun, admissions = bench.clock.now(), server.desk._counter
        with callers(server, way) as (caller,):
            for number in range(300):
                first = PER_TICK * number + 100
                if what == "hello":
                    flood = [hello(Role.OBSERVE, nonce=first + place) for place in range(PER_TICK)]
                elif what == "heartbeat":
                    flood = [said(Type.HEARTBEAT, first + place, 1) for place in range(PER_TICK)]
                else:
                    flood = [bytes([place]) * 84 for place in range(PER_TICK)]
                shout(caller, flood)
                ticks.tick(controller, hold)
                assert bench.arm.state is ArmState.ACTIVE
            shout(caller, flood)
            controller.stop()
            bench.clock.advance(TICK)
            assert bench.arm.state is ArmState.STOPPED, "in the very next step of the arm"
            assert ticks.until(controller, lambda: controller.status is ControllerStatus.STOPPED, None)
        lasted = bench.clock.now() - begun
        heartbeats = 2.0 * (20.0 * lasted + 10.0)  # of the station itself
        assert server.desk._counter - admissions < STRANGERS_BURST + STRANGERS_RATE * lasted + heartbeats
        assert watcher in server.desk.seats.sessions  # nobody was pushed out
        refused = server.desk.refused
        assert refused[Refused.FLOOD] + refused[Refused.FOREIGN] > 10_000


def test_a_stop_behind_a_flood_on_the_same_way_is_heard_in_the_next_step() -> None:
    bench = BENCHES["zeromq"]()
    server = bench.server
    assert isinstance(server, ZeroMqArm)
    with contextlib.closing(server), callers(server, "") as (caller,):
        shout(caller, [*(hello(Role.OBSERVE, nonce=number + 1) for number in range(200)), STOP])
        bench.clock.advance(TICK)
        assert bench.arm.log == ["stop"]


def test_a_stop_that_comes_while_a_flood_is_heard_waits_for_a_few_messages_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = BENCHES["zeromq"]()
    server, heard = bench.server, 0
    assert isinstance(server, ZeroMqArm)
    with contextlib.closing(server), callers(server, "-setpoints", "-stop") as (setpoints, stop):
        hear = server.desk.hear

        def counted(data: bytes, peer: object, now: float) -> list[tuple[object, bytes]]:
            nonlocal heard
            if heard == 0:
                stop.send(STOP)  # just after the arm has looked for one
            heard += bench.arm.state is not ArmState.STOPPED
            return hear(data, peer, now)

        monkeypatch.setattr(server.desk, "hear", counted)
        shout(setpoints, [b"rubbish"] * 200)
        bench.clock.advance(TICK)
        assert bench.arm.state is ArmState.STOPPED
        assert heard <= LOOK_FOR_STOPS + 1


def test_stops_by_the_thousand_stop_the_arm_and_are_answered_a_few_times() -> None:
    arm = DoubleArm()
    desk = Desk(arm)
    session = admitted(desk)
    answers = [answer for _ in range(5000) for answer in desk.hear(STOP, "stranger", 0.0)]
    assert arm.state is ArmState.STOPPED
    assert arm.log.count("stop") == 5000
    assert 1 <= len(answers) <= EACH_BURST
    (_, data), *_ = desk.hear(request(session, 1, Request.RESET), PEER, 0.0)  # who has a session is heard all the same
    message = unpack(data)
    assert isinstance(message, Message)
    assert message.type == Type.ACK
    assert arm.log[-1] == "reset"


def test_a_session_that_says_too_much_is_heard_as_much_as_is_allowed() -> None:
    desk = Desk(DoubleArm())
    session, other = admitted(desk), admitted(desk, Role.OBSERVE, "other", nonce=8)
    answered = sum(len(desk.hear(said(Type.HEARTBEAT, session, n), PEER, 1e-4 * n)) for n in range(1, 10_001))
    assert EACH_RATE * 0.99 <= answered <= EACH_RATE + EACH_BURST
    assert desk.refused[Refused.FLOOD] == 10_000 - answered
    assert len(desk.hear(said(Type.HEARTBEAT, other, 1), "other", 1.0)) == 1


def test_a_peer_that_says_hello_again_and_again_has_one_seat() -> None:
    desk = Desk(DoubleArm())
    commander = admitted(desk)
    for number in range(100):
        admitted(desk, Role.OBSERVE, "watcher", nonce=100 + number, now=0.1 * number)
    assert len(desk.seats.sessions) == 2
    assert desk.seats.commander is not None
    assert desk.seats.commander.number == commander


def test_over_modbus_a_flood_of_reads_keeps_no_stop_waiting() -> None:
    clock, arm, framing = VirtualClock(), DoubleArm(), TcpFraming()
    with contextlib.closing(ModbusTcpArm(arm, clock=clock)) as server:
        place = ("127.0.0.1", int(server.address.rpartition(":")[2]))
        reads = b"".join(framing.frame(read_request(0, 4), 1, number) for number in range(300))
        stop = framing.frame(coil_request(STOP_COIL), 1, 1)
        answers = 0
        with socket.create_connection(place) as shouter, socket.create_connection(place) as other:
            shouter.sendall(reads)
            clock.advance(TICK)
            clock.advance(TICK)
            shouter.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                answers = len(shouter.recv(65536)) // (9 + 8)
            assert 0 < answers <= 2 * MOST_AT_ONCE
            other.sendall(stop)
            clock.advance(TICK)
            assert arm.log == ["stop"]
            arm.reset()
            shouter.setblocking(True)
            shouter.sendall(stop)  # behind its own flood
            for _ in range(300 // MOST_AT_ONCE):
                clock.advance(TICK)
            assert arm.log == ["stop", "reset", "stop"]
            assert server.map.refused.total() == 0  # who waits for answers gets them all, in time
