"""Random and mutated bytes, thrown at servos and at the driver: the arm stays where it is and goes on obeying."""

from __future__ import annotations

import os

import numpy as np
from fastcrc.crc16 import umts as crc16

from firmware_bridge.dynamixel.packets import (
    HEADER,
    Instruction,
    fast_status,
    packet,
    read_request,
    status,
    sync_read_request,
    sync_write_request,
    write_request,
)
from sim_devices.arm.machine import ArmState
from station.controllers import ControllerStatus
from tests.controllers.mutants import Mutator
from tests.dynamixel.benches import running, ticks

COUNT = int(os.environ.get("FUZZ_MESSAGES", "3000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
PER_TICK = 10


def with_length_and_crc(data: bytes) -> bytes:
    """A packet whose length and check fit, whatever else is wrong with it."""
    if len(data) < 10:
        return data
    body = HEADER + data[4:5] + (len(data) - 7).to_bytes(2, "little") + data[7:-2]
    return body + crc16(body).to_bytes(2, "little")


# Servos do what a well-formed write asks, so these are packets for others, and such as do not move: reads, pings, wrong
# places. What they turn into when they are mutated is another matter: that is what the test is about.
CORPUS = [
    packet(200, Instruction.PING),
    read_request(1, 132, 4),
    write_request(201, 116, (512).to_bytes(4, "little")),
    write_request(2, 132, bytes(4)),
    sync_read_request((1, 2, 3, 4), 116, 20, fast=True),
    sync_read_request((1, 2, 3, 4), 64, 35, fast=False),
    sync_write_request(116, 4, [(77, (600).to_bytes(4, "little"))]),
    packet(202, Instruction.REBOOT),
    packet(3, Instruction.BULK_READ, bytes([1, 132, 0, 4, 0])),
    packet(254, Instruction.BULK_WRITE, bytes([99, 64, 0, 1, 0, 1])),
    packet(1, 0x33, b"what?"),
    status(1, 0, bytes(20)),
]


def test_servos_survive_what_is_thrown_at_them() -> None:
    """A mutated packet may well be a good order (a torque off, a reboot): then the station must find that out."""
    with running() as bench, bench.connect() as controller:
        tick, make = ticks(bench), Mutator(CORPUS, SEED, with_length_and_crc)
        hold = tick.engage(controller)
        thrower = controller._bus
        for _ in range(COUNT // PER_TICK):
            for _ in range(PER_TICK):
                assert thrower._port is not None
                thrower._port.write(make())
            tick.tick(controller, hold)
            assert np.isfinite(bench.arm.q).all()
            for joint, value in zip(bench.arm.capabilities.joints, bench.arm.q, strict=True):
                assert joint.low is None or joint.high is None or joint.low <= value <= joint.high
            if controller.status is ControllerStatus.READY:
                tick.engage(controller)
                hold = tick.where(controller)
        assert bench.server.refused.total() > COUNT // 10
        for servo in bench.server.servos:
            servo.reboot(bench.clock.now())
        bench.clock.advance(0.5)
        tick.listen(controller, 1.0)
        assert bench.arm.state is ArmState.READY


def test_a_station_survives_servos_that_talk_nonsense() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        replies = [
            *CORPUS,
            fast_status([(ident, 0, bytes(20)) for ident in (1, 2, 3, 4)], 20, 4),
            fast_status([(1, 0x80, bytes(35))], 35, 4),
        ]
        make = Mutator(replies, SEED, with_length_and_crc)
        hold = tick.engage(controller)
        for _ in range(COUNT // PER_TICK):
            for _ in range(PER_TICK):
                bench.server.end.write(make())
            tick.tick(controller, hold)
        tick.listen(controller, 0.5, hold)
        assert controller.health.refused > 0
        if controller.status is ControllerStatus.FAULT:  # a nonsense answer that said so
            controller.reset()
        assert tick.until(
            controller, lambda: controller.status in (ControllerStatus.READY, ControllerStatus.ACTIVE), hold
        )
        tick.engage(controller)
