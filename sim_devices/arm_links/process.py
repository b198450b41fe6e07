"""Emulated arms as a process of their own: how they are run; see wishes.py for how it is started from another one."""

from __future__ import annotations

import contextlib
import select
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import station
from sim_devices.arm import ArmError, ArmFaultScript, ArmSettings, EmulatedArm, NetworkSettings, World
from sim_devices.arm.shares import with_shares
from sim_devices.arm_links.emulator import run_together
from sim_devices.arm_links.serving import far_side, station_address
from sim_devices.arm_links.wishes import BETWEEN
from sim_devices.arm_links.wishes import LOOPBACK as LOOPBACK
from sim_devices.arm_links.wishes import ArmWishes as ArmWishes
from sim_devices.arm_links.wishes import started as started
from sim_devices.arm_links.wishes import started_together as started_together
from sim_devices.instrument import parse_tracker
from sim_devices.process import keep_time, telling
from sim_devices.running import noted
from sim_devices.scripts import script_text
from station.clock import WALL
from station.kernel.build import progress

WARM_UP = 0.05  # [s]
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]


def serve(
    wishes: ArmWishes, announce: Callable[[str], object], seconds: float = float("inf"), with_parent: bool = False
) -> None:
    """Be an arm until told to end: by a signal, by time, or (`with_parent`) when standard input closes.

    The address is announced; if a tracker stands beside it, the tracker's follows after a space.
    """
    serve_together((wishes,), announce, seconds, with_parent)


def serve_together(
    wishes: Sequence[ArmWishes],
    announce: Callable[[str], object],
    seconds: float = float("inf"),
    with_parent: bool = False,
) -> None:
    """Be several arms of one scene, in one physics, each at its link with what goes wrong there.

    What each of them would announce is announced at once, with tabs between.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    # What can be wrong is looked at before physics are built from the scene, which takes seconds.
    checked = [(ArmFaultScript(script_text(one.faults)), one.arm_settings(), _network(one)) for one in wishes]
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as compiling:
        compiling.enter_context(progress(telling(announce, with_parent)))
        arms = _arms(wishes, [faults for faults, _, _ in checked], [settings for _, settings, _ in checked])
        servers, said = [], []
        for one, arm, (_, _, between) in zip(wishes, arms, checked, strict=True):
            server = stack.enter_context(contextlib.closing(far_side(one.link, arm, WALL, network=between)))
            servers.append(server)
            said.append(station_address(one.link, server.address))
            stack.enter_context(noted("arm", said[-1]))
            tracker = parse_tracker(arm, one.tracker, one.seed) if one.tracker else None
            if tracker is not None:
                stack.enter_context(contextlib.closing(tracker))
                server.beside.append(tracker.step)
                said[-1] += f" {tracker.address}"
        run_together(servers, WARM_UP)  # what is compiled or loaded at the first step: before anybody waits
        compiling.close()
        keep_time()
        announce(BETWEEN.join(said))
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            run_together(servers, min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break


def _network(wishes: ArmWishes) -> NetworkSettings | None:
    """What lies before an arm; None: nothing worth the name."""
    network = NetworkSettings(delay=wishes.delay, jitter=wishes.jitter, loss=wishes.loss)
    return network if network != NetworkSettings() else None


def _arms(
    wishes: Sequence[ArmWishes], faults: Sequence[ArmFaultScript], settings: Sequence[ArmSettings]
) -> list[EmulatedArm]:
    """The arms that are wanted, in one world; its obstacles are those that any of them is to meet."""
    scene = station.load(wishes[0].scene)
    if not scene.robots:
        raise ArmError("this scene has no robot; an emulated arm needs one")
    names = [one.robot or scene.robots[0].name for one in wishes]
    scene = with_shares(scene, names)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArmError(f"robot {twice} cannot be two arms; name another robot of the scene")
    around = dict.fromkeys(one.world for one in wishes if one.world)
    obstacles = tuple(solid for file in around for solid in station.load(file).obstacles)
    world = World(
        replace(scene, obstacles=scene.obstacles + obstacles),
        dict(zip(names, settings, strict=True)),
        robots=names,
        faults=dict(zip(names, faults, strict=True)),
        seed={name: one.seed for name, one in zip(names, wishes, strict=True)},
    )
    return [world.arms[name] for name in names]
