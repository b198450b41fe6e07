"""An emulated gripper as a process of its own: how it is run."""

from __future__ import annotations

import contextlib
import select
import signal
import sys
import threading
from collections.abc import Callable

from sim_devices.ends import PtyEnd
from sim_devices.process import keep_time
from sim_devices.robotiq.emulator import RobotiqEmulator
from sim_devices.running import noted
from station.clock import WALL

LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]
THING = 165.0  # position at which fingers that close meet something: 30 mm thick on a 2F-85


def serve(
    announce: Callable[[str], object],
    seconds: float = float("inf"),
    with_parent: bool = False,
    thing: float | None = THING,
) -> None:
    """Be a gripper until told to end: by a signal, by time, or (`with_parent`) when standard input closes.

    `thing` is the position (0 to 255) at which fingers that close meet something; None: nothing is there.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with contextlib.closing(RobotiqEmulator(PtyEnd("gripper"))) as emulator, noted("gripper", emulator.address):
        emulator.fingers.thing = thing
        keep_time()
        announce(emulator.address)
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            emulator.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break
