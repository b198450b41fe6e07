"""Which emulated arm is wanted, and how it is started from another process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import station
from sim_devices.launch import Launched
from station.controllers.errors import ControllerSilentError
from station.devices.parameter import SettingsError

if TYPE_CHECKING:
    from sim_devices.arm.settings import ArmSettings

LOOPBACK = "tcp://127.0.0.1:0"
AND = "--and"  # on a command line, between what is said of one arm and of the next
BETWEEN = "\t"  # of what one arm says and the next


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
        from sim_devices.arm.settings import ArmSettings  # loads the physics: only for who makes the arm

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
        return cast("ArmSettings", made)

    def words(self) -> list[str]:
        """As a command line."""
        words = [self.scene, "--link", self.link, "--faults", self.faults, "--seed", str(self.seed)]
        words += ["--delay", str(self.delay), "--jitter", str(self.jitter), "--loss", str(self.loss)]
        words += ["--world", self.world, "--settings", self.settings, "--tracker", self.tracker]
        return words if self.robot is None else [*words, "--robot", self.robot]


def launched(wishes: ArmWishes, extra: Sequence[str] = ()) -> Launched:
    """An arm that gets ready in a process of its own."""
    words = [*wishes.words(), *extra, "--with-parent"]
    return Launched(words, "sim_devices.arm_links", "the emulated arm", ControllerSilentError)


def launched_together(wishes: Sequence[ArmWishes]) -> Launched:
    """Arms of one scene that get ready in one process, with one physics; `addresses_in` takes their addresses apart."""
    words = [*wishes[0].words(), "--with-parent"]
    for one in wishes[1:]:
        words += [AND, *one.words()[1:]]  # the scene is said once
    return Launched(words, "sim_devices.arm_links", "the emulated arms", ControllerSilentError)


def addresses_in(line: str) -> list[str]:
    """What each arm of a process says when it is ready: its address, and behind a space that of its tracker, if any."""
    return line.split(BETWEEN)


@contextlib.contextmanager
def started_together(wishes: Sequence[ArmWishes]) -> Iterator[list[str]]:
    """The same for arms of one scene in one process; their addresses, in order."""
    with launched_together(wishes) as arms:
        yield addresses_in(arms.address())


@contextlib.contextmanager
def started(wishes: ArmWishes, extra: Sequence[str] = ()) -> Iterator[str]:
    """Start an arm in a process of its own, hand out its address, and end it afterwards."""
    with launched(wishes, extra) as arm:
        yield arm.address()
