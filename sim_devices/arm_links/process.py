"""An emulated arm as a process of its own: how it is run; see wishes.py for how it is started from another one."""

from __future__ import annotations

import contextlib
import select
import signal
import sys
import threading
from collections.abc import Callable

from sim_devices.arm import ArmFaultScript, NetworkSettings, emulated_arm
from sim_devices.arm_links.serving import far_side, station_address
from sim_devices.arm_links.wishes import LOOPBACK as LOOPBACK
from sim_devices.arm_links.wishes import ArmWishes as ArmWishes
from sim_devices.arm_links.wishes import started as started
from sim_devices.instrument import parse_tracker
from sim_devices.process import keep_time, telling
from sim_devices.running import noted
from sim_devices.scripts import script_text
from station.clock import WALL
from station.compiled import compiling_told

WARM_UP = 0.05  # [s]
FUNCTIONS, COMPILING = 80, 15.0  # that are compiled on a new machine; how long that takes [s]
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]


def serve(
    wishes: ArmWishes, announce: Callable[[str], object], seconds: float = float("inf"), with_parent: bool = False
) -> None:
    """Be an arm until told to end: by a signal, by time, or (`with_parent`) when standard input closes.

    The address is announced; if a tracker stands beside it, the tracker's follows after a space.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    # What can be wrong is looked at before physics are built from the scene, which takes seconds.
    faults, settings = ArmFaultScript(script_text(wishes.faults)), wishes.arm_settings()
    network = NetworkSettings(delay=wishes.delay, jitter=wishes.jitter, loss=wishes.loss)
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as compiling:
        compiling.enter_context(compiling_told(telling(announce, with_parent), FUNCTIONS, COMPILING))
        machine = emulated_arm(wishes.surroundings(), wishes.robot, settings, faults=faults, seed=wishes.seed)
        between = network if network != NetworkSettings() else None
        server = stack.enter_context(contextlib.closing(far_side(wishes.link, machine, WALL, network=between)))
        address = station_address(wishes.link, server.address)
        stack.enter_context(noted("arm", address))
        tracker = parse_tracker(machine, wishes.tracker, wishes.seed) if wishes.tracker else None
        if tracker is not None:
            stack.enter_context(contextlib.closing(tracker))
            server.beside.append(tracker.step)
        server.run(WARM_UP)  # whatever is compiled or loaded at the first step: before anybody waits for an answer
        compiling.close()
        keep_time()
        announce(address if tracker is None else f"{address} {tracker.address}")
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            server.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break
