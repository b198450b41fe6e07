"""An emulated arm as a process of its own: how it is run, and how it is started from another one."""

from __future__ import annotations

import contextlib
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import station
from sim_devices.arm import NetworkSettings, emulated_arm
from sim_devices.arm_links.serving import far_side
from sim_devices.process import keep_time
from sim_devices.running import noted
from station.clock import WALL
from station.controllers.errors import ControllerSilentError

LOOPBACK = "tcp://127.0.0.1:0"
WARM_UP = 0.05  # [s]
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]
START_TIMEOUT = 120.0  # the first start on a machine compiles [s]


class ArmWishes(NamedTuple):
    """Which arm, at which link, and what goes wrong."""

    scene: str  # MAD file
    robot: str | None = None  # the first one of the scene if None
    link: str = LOOPBACK
    faults: str = ""
    seed: int = 0
    delay: float = 0.0  # of the network, each way [s]
    jitter: float = 0.0  # [s]
    loss: float = 0.0  # chance

    def words(self) -> list[str]:
        """As a command line."""
        words = [self.scene, "--link", self.link, "--faults", self.faults, "--seed", str(self.seed)]
        words += ["--delay", str(self.delay), "--jitter", str(self.jitter), "--loss", str(self.loss)]
        return words if self.robot is None else [*words, "--robot", self.robot]


def serve(
    wishes: ArmWishes, announce: Callable[[str], object], seconds: float = float("inf"), with_parent: bool = False
) -> None:
    """Be an arm until told to end: by a signal, by time, or (`with_parent`) when standard input closes."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    machine = emulated_arm(station.load(wishes.scene), wishes.robot, faults=wishes.faults, seed=wishes.seed)
    network = NetworkSettings(delay=wishes.delay, jitter=wishes.jitter, loss=wishes.loss)
    between = network if network != NetworkSettings() else None
    server = far_side(wishes.link, machine, WALL, network=between)
    with contextlib.closing(server), noted("arm", server.address):
        server.run(WARM_UP)  # whatever is compiled or loaded at the first step: before anybody waits for an answer
        keep_time()
        announce(server.address)
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            server.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break


@contextlib.contextmanager
def started(wishes: ArmWishes, extra: Sequence[str] = ()) -> Iterator[str]:
    """Start an arm in a process of its own, hand out its address, and end it afterwards."""
    process = subprocess.Popen(  # noqa: S603 our own program
        [sys.executable, "-m", "sim_devices.arm_links", *wishes.words(), *extra, "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        ready = select.select([process.stdout], [], [], START_TIMEOUT)[0]
        address = process.stdout.readline().strip() if ready else ""
        if not address:
            process.kill()
            words = process.stderr.read().strip().splitlines()
            raise ControllerSilentError(f"the emulated arm did not start: {words[-1] if words else 'no reason given'}")
        yield address
    finally:
        process.stdin.close()  # it ends by itself …
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:  # … or else
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()
