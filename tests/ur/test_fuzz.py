"""Random and mutated packages, programs and lines, thrown at the robot while a station holds it still."""

from __future__ import annotations

import contextlib
import os
import socket
import struct

from firmware_bridge.ur import rtde, script
from firmware_bridge.ur.rtde import Kind
from sim_devices.arm.machine import ArmState
from station.controllers import ControllerStatus
from tests.controllers.mutants import Mutator
from tests.ur.benches import running, ticks

COUNT = int(os.environ.get("FUZZ_MESSAGES", "3000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
PER_TICK = 10

CORPUS = [
    rtde.package(Kind.PROTOCOL_VERSION, b"\0\x02"),
    rtde.package(Kind.PROTOCOL_VERSION, b"\0\x07"),
    rtde.package(Kind.CONTROLLER_VERSION),
    rtde.outputs_request(500.0, ["timestamp", "actual_q", "no_such_thing"]),
    rtde.outputs_request(125.0, ["timestamp", "actual_q"]),
    rtde.inputs_request([script.MODE, *script.TARGET]),  # taken
    rtde.inputs_request(["input_double_register_0", "input_int_register_3"]),
    rtde.package(Kind.DATA, struct.pack(">Bdi", 1, float("nan"), 7)),
    rtde.package(Kind.DATA, struct.pack(">Bdi", 9, 0.5, 7)),
    rtde.package(Kind.START),
    rtde.package(Kind.PAUSE),
    rtde.package(Kind.TEXT, b"hello"),
    rtde.package(0x33, bytes(200)),
]
LINES = [b"robotmode\n", b"safetystatus\n", b"is in remote control\n", b"nonsense\n", bytes(range(256)), b"x" * 5000]


def with_length(data: bytes) -> bytes:
    """A package whose length fits."""
    return struct.pack(">H", min(len(data), 65535)) + data[2:] if len(data) >= 3 else data


class Thrower:
    """Somebody else who is connected, and comes back when hung up on."""

    def __init__(self, host: str, port: int) -> None:
        self._place = (host, port)
        self._socket = socket.create_connection(self._place)

    def throw(self, data: bytes) -> None:
        self._socket.setblocking(False)
        try:
            self._socket.send(data or b"\0")
            with contextlib.suppress(BlockingIOError):
                while self._socket.recv(65536):
                    pass
                raise ConnectionError  # it has hung up
        except BlockingIOError:
            pass
        except OSError:
            self.close()
            self._socket = socket.create_connection(self._place)

    def close(self) -> None:
        self._socket.close()


def test_the_robot_stays_where_it_is_whatever_others_throw_at_it() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        packages, lines = Mutator(CORPUS, SEED, with_length), Mutator(LINES, SEED, lambda data: data)
        hold = tick.engage(controller)
        host = bench.server._host
        throwers = [Thrower(host, 30004), Thrower(host, 29999)]
        for round_ in range(COUNT // PER_TICK):
            for number in range(PER_TICK):
                throwers[number % 5 == 4].throw(lines() if number % 5 == 4 else packages())
            tick.tick(controller, hold)
            assert bench.arm.q.tolist() == hold.tolist(), f"the arm has moved in round {round_}"
            assert bench.arm.state is ArmState.ACTIVE
        for one in throwers:
            one.close()
        assert bench.server.server.refused.total() > COUNT // 50
        assert controller.status is ControllerStatus.ACTIVE


def test_programs_that_are_not_known_do_nothing() -> None:
    with running() as bench:
        good = script.servo_script(script.ScriptSettings(nonce=5)).encode()
        make = Mutator([good, b"def x():\n  movej([1,2,3,4,5,6])\nend\n"], SEED, lambda data: data + b"\nend\n")
        thrower = Thrower(bench.server._host, 30002)
        before = bench.arm.q.copy()
        for _ in range(COUNT // 10):
            thrower.throw(make())
            bench.clock.advance(0.002, 0.002)
        thrower.close()
        assert bench.arm.q.tolist() == before.tolist()
        assert bench.server.unknown_programs > 0


def test_a_station_survives_a_robot_that_talks_nonsense() -> None:
    with running() as bench, bench.connect() as controller:
        tick, make = ticks(bench), Mutator(CORPUS, SEED, with_length)
        hold = tick.engage(controller)
        for _ in range(COUNT // PER_TICK):
            for number in bench.server._rtde.numbers:
                bench.server._rtde.send(number, make())
            tick.tick(controller, hold)
        assert tick.until(
            controller, lambda: controller.status in (ControllerStatus.READY, ControllerStatus.ACTIVE), hold
        )
        tick.engage(controller)
