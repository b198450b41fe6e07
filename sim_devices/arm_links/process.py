"""An emulated arm as a process of its own: how it is run, and how it is started from another one."""

from __future__ import annotations

import contextlib
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, cast

import station
from sim_devices.arm import ArmFaultScript, ArmSettings, NetworkSettings, emulated_arm
from sim_devices.arm_links.serving import far_side, station_address
from sim_devices.instrument import parse_tracker
from sim_devices.process import announced, keep_time
from sim_devices.running import noted
from sim_devices.scripts import script_text
from station.clock import WALL
from station.controllers.errors import ControllerSilentError
from station.devices.parameter import SettingsError

LOOPBACK = "tcp://127.0.0.1:0"
WARM_UP = 0.05  # [s]
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]


class ArmWishes(NamedTuple):
    """Which arm, at which link, and what goes wrong."""

    scene: str  # MAD file
    robot: str | None = None  # the first one of the scene if None
    link: str = LOOPBACK
    faults: str = ""  # a script, or @FILE with one
    seed: int = 0
    delay: float = 0.0  # of the network, each way [s]
    jitter: float = 0.0  # [s]
    loss: float = 0.0  # chance
    world: str = ""  # MAD file with obstacles around the arm besides those of the scene
    settings: str = ""  # of the arm, as in ArmSettings: name=value, by commas
    tracker: str = ""  # a frame that a laser tracker beside it sees, and what that is like: flange,noise=0.0001

    def surroundings(self) -> station.Scene:
        """The scene as the arm finds it."""
        scene = station.load(self.scene)
        return replace(scene, obstacles=scene.obstacles + station.load(self.world).obstacles) if self.world else scene

    def arm_settings(self) -> ArmSettings:
        """What the arm is like."""
        known = [field.name for field in fields(ArmSettings) if isinstance(field.default, float)]
        made: Any = ArmSettings()
        for name, equals, value in (pair.partition("=") for pair in self.settings.split(",") if pair):
            if name not in known or not equals:
                raise SettingsError(f"{name}: no number of an emulated arm; there are: {', '.join(known)}")
            try:
                made = replace(made, **{name: float(value)})
            except ValueError as error:
                wrong = error if isinstance(error, SettingsError) else f"{name} is {value!r}; allowed: a number"
                raise SettingsError(str(wrong)) from None
        return cast(ArmSettings, made)

    def words(self) -> list[str]:
        """As a command line."""
        words = [self.scene, "--link", self.link, "--faults", self.faults, "--seed", str(self.seed)]
        words += ["--delay", str(self.delay), "--jitter", str(self.jitter), "--loss", str(self.loss)]
        words += ["--world", self.world, "--settings", self.settings, "--tracker", self.tracker]
        return words if self.robot is None else [*words, "--robot", self.robot]


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
    machine = emulated_arm(wishes.surroundings(), wishes.robot, settings, faults=faults, seed=wishes.seed)
    between = network if network != NetworkSettings() else None
    server = far_side(wishes.link, machine, WALL, network=between)
    address = station_address(wishes.link, server.address)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.closing(server))
        stack.enter_context(noted("arm", address))
        tracker = parse_tracker(machine, wishes.tracker, wishes.seed) if wishes.tracker else None
        if tracker is not None:
            stack.enter_context(contextlib.closing(tracker))
            server.beside.append(tracker.step)
        server.run(WARM_UP)  # whatever is compiled or loaded at the first step: before anybody waits for an answer
        keep_time()
        announce(address if tracker is None else f"{address} {tracker.address}")
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            server.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break


@contextlib.contextmanager
def started(wishes: ArmWishes, extra: Sequence[str] = ()) -> Iterator[str]:
    """Start an arm in a process of its own, hand out its address, and end it afterwards."""
    words = [*wishes.words(), *extra, "--with-parent"]
    with announced(words, "sim_devices.arm_links", "the emulated arm", ControllerSilentError) as address:
        yield address
