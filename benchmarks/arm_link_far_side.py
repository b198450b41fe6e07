"""The other side of `arm_link` as a process: an arm without physics behind one of our links, or a bare echo."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import sys
import time

import numpy as np
import zmq

from sim_devices.arm.machine import ArmState, Reading
from sim_devices.arm_links.serving import far_side
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import PtyEnd
from station.controllers.controller import Capabilities, ControlledJoint, Floats

JOINTS = 7
PLACES = {"zeromq": "tcp://127.0.0.1:0", "serial": "serial:", "modbus": "modbus://127.0.0.1:0"}


class BareArm:
    """Does at once what it is told, and watches its setpoints; no physics."""

    def __init__(self) -> None:
        self.capabilities = Capabilities(
            model="bare",
            joints=tuple(ControlledJoint(name=f"joint {i + 1}") for i in range(JOINTS)),
            rate=1000.0,
            watchdog=0.05,
            takes_velocity=True,
            measures_velocity=True,
            measures_effort=True,
            measures_wrench=True,
            emulated=True,
        )
        self.q, self.zeros, self.wrench = np.zeros(JOINTS), np.zeros(JOINTS), np.zeros(6)
        self.state, self.reason, self.echo, self.now, self.fresh = ArmState.READY, "", -1, 0.0, 0.0

    def setpoint(
        self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int, stamp: float | None = None
    ) -> bool:
        """Take it."""
        del v, effort, stamp
        if self.state is not ArmState.ACTIVE:
            return False
        self.q, self.echo, self.fresh = q, sequence, self.now
        return True

    def activate(self) -> bool:
        """Always."""
        self.state, self.fresh = ArmState.ACTIVE, self.now
        return True

    def deactivate(self) -> None:
        """At once."""
        self.state = ArmState.READY

    def stop(self) -> None:
        """At once."""
        self.state = ArmState.STOPPED

    def reset(self) -> bool:
        """Always."""
        self.state = ArmState.READY
        return True

    def release(self) -> None:
        """At once."""
        self.state = ArmState.READY

    def advance(self, now: float) -> None:
        """Watch."""
        self.now = now
        if self.state is ArmState.ACTIVE and now - self.fresh > self.capabilities.watchdog:
            self.state, self.reason = ArmState.READY, "watchdog"

    def reading(self) -> Reading:
        """What it was told."""
        return Reading(self.q, self.zeros, self.zeros, self.wrench, self.state, self.reason, self.echo, self.now)


def ended() -> bool:
    """Whether the other side has closed our input."""
    return bool(select.select([sys.stdin], [], [], 0.0)[0])


def serve(kind: str) -> None:
    """An arm at one of our links."""
    with contextlib.closing(far_side(PLACES[kind], BareArm())) as server:
        print(server.address, flush=True)
        gc.freeze()
        while not ended():
            server.run(0.1)
        if isinstance(server, ZeroMqArm):
            came, passed_over, lost = server.desk.arrivals
            print(came, passed_over, lost, flush=True)


def echo_zeromq(answer: bytes) -> None:
    """A bare PULL and PUB."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
    pull, pub = context.socket(zmq.PULL), context.socket(zmq.PUB)
    for one in (pull, pub):
        one.bind("tcp://127.0.0.1:*")
    print(*(one.getsockopt_string(zmq.LAST_ENDPOINT) for one in (pull, pub)), flush=True)
    while not ended():
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            if pull.poll(10):
                pull.recv()
                pub.send(answer)


def echo_pty(size: int, answer: bytes) -> None:
    """A bare pseudo-terminal: when a setpoint's bytes are in, a measurement's go out."""
    end = PtyEnd("echo")
    print(f"serial:{end.name}", flush=True)
    came = 0
    while not ended():
        until = time.monotonic() + 0.1
        while time.monotonic() < until:
            if select.select([end._master], [], [], 0.01)[0]:
                came += len(os.read(end._master, 65536))
                if came >= size:
                    came = 0
                    end.write(answer)
    end.close()


def main() -> None:
    """By name."""
    kind, size, answer = sys.argv[1], int(sys.argv[2]), bytes([1]) * int(sys.argv[3])
    if kind == "echo-zeromq":
        echo_zeromq(answer)
    elif kind == "echo-pty":
        echo_pty(size + 2, answer + bytes([1, 1]))
    else:
        serve(kind)


if __name__ == "__main__":
    main()
