"""`sim:arm`, `sim:gripper`: emulated, started and ended with who wants them, each in a process of its own.

Arms of robots that are held together share one physics, and so one process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from station.controllers.errors import ControllerAddressError, ControllerSilentError
from station.controllers.registry import parse_controller_address

if TYPE_CHECKING:
    from sim_devices.arm_links.wishes import ArmWishes
    from sim_devices.launch import Launched

SCHEME, PLACE = "sim", "arm"
OPTIONS = {"faults", "seed", "delay", "jitter", "loss", "link", "world", "settings"}


def is_emulated(url: str) -> bool:
    """Whether the address of an arm or a gripper asks for an emulated one."""
    return url.partition(":")[0] == SCHEME


def emulated_arm(url: str, scene: str, robot: str | None = None) -> AbstractContextManager[str]:
    """Start the arm of a scene file; gives the address at which it is to be found."""
    from sim_devices.arm_links.wishes import started

    return started(_wishes(url, scene, robot, OPTIONS))


def launched_arm(url: str, scene: str, robot: str | None = None) -> Launched:
    """The arm of a scene file, which gets ready while others do; `address` waits for it."""
    from sim_devices.arm_links.wishes import launched

    return launched(_wishes(url, scene, robot, OPTIONS))


def launched_arms(urls: Mapping[str, str], scene: str) -> Launched:
    """Arms of a scene file in one physics, by the names of their robots; `addresses_of` finds them when it is ready."""
    from sim_devices.arm_links.wishes import launched_together

    return launched_together([_wishes(url, scene, name, OPTIONS) for name, url in urls.items()])


def addresses_of(names: Sequence[str], told: str) -> dict[str, str]:
    """Where each arm is, by the name of its robot, from what their process told."""
    from sim_devices.arm_links.wishes import addresses_in

    return dict(zip(names, addresses_in(told), strict=True))


def physics_of(file: str, names: Sequence[str]) -> list[list[str]]:
    """Names of robots of a scene file, those that are held together side by side: each group is one process.

    So are several controllers of one robot (`Robot.named_controllers`).
    """
    if len(names) < 2:
        return [list(names)]
    from station import mad
    from station.mad.joined import groups

    scene = mad.load(file)
    held = [
        [name for robot in group for name in (robot, *scene.robot(robot).named_controllers)] for group in groups(scene)
    ]
    found = [[name for name in names if name in group] for group in held]
    others = [[name] for name in names if not any(name in group for group in held)]  # told by who opens them
    return [group for group in [*found, *others] if group]


def launched_device(url: str) -> Launched:
    """The emulator of a device at an address that asks for one, likewise."""
    from sim_devices.launch import launched_at

    return launched_at(url)


def device_beside(url: str, emulator: str) -> str:
    """How the device at `url` is opened when its emulator runs already, at the address `emulator`."""
    from sim_devices.launch import beside

    return beside(url, emulator)


@contextmanager
def emulated_arm_and_tracker(url: str, scene: str, robot: str | None = None) -> Iterator[tuple[str, str]]:
    """Start the arm of a scene file, with a laser tracker beside it if the address has `tracker=FRAME`; two addresses.

    The tracker's is empty if there is none.
    """
    from sim_devices.arm_links.wishes import started

    with started(_wishes(url, scene, robot, OPTIONS | {"tracker"})) as addresses:
        arm, _, tracker = addresses.partition(" ")
        yield arm, tracker


def _wishes(url: str, scene: str, robot: str | None, allowed: set[str]) -> ArmWishes:
    from sim_devices.arm_links.wishes import LOOPBACK, ArmWishes

    address = parse_controller_address(url)
    if address.place != PLACE:
        raise ControllerAddressError(f"{url}: there is no emulated {address.place!r}; write {SCHEME}:{PLACE}")
    address.allow(allowed)
    options = address.options
    return ArmWishes(
        scene=scene,
        robot=robot,
        link=options.get("link", LOOPBACK),
        faults=options.get("faults", ""),
        seed=round(address.number("seed", 0, 0, 2**31)),
        delay=address.number("delay", 0.0, 0.0, 1.0),
        jitter=address.number("jitter", 0.0, 0.0, 1.0),
        loss=address.number("loss", 0.0, 0.0, 1.0),
        world=options.get("world", ""),
        settings=options.get("settings", ""),
        tracker=options.get("tracker", ""),
    )


@contextmanager
def emulated_gripper(url: str) -> Iterator[str]:
    """Start a gripper; gives the address at which it is to be found."""
    with launched_gripper(url) as gripper:
        yield gripper.address()


def launched_gripper(url: str) -> Launched:
    """A gripper, which gets ready while others do."""
    from sim_devices.launch import Launched

    address = parse_controller_address(url)
    address.choice("gripper", address.place, ("gripper",))
    address.allow(())
    return Launched(["--with-parent"], "sim_devices.robotiq", "emulated gripper", ControllerSilentError)
