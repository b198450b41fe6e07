"""`sim:arm`, `sim:gripper`: an emulated arm or gripper, started and ended with a run, in a process of its own."""

from __future__ import annotations

from contextlib import AbstractContextManager

from station.controllers.errors import ControllerSilentError
from station.controllers.registry import parse_controller_address
from station.servo.job import Job

SCHEME, PLACE = "sim", "arm"
OPTIONS = {"faults", "seed", "delay", "jitter", "loss", "link", "world", "settings"}


def is_emulated(url: str) -> bool:
    """Whether a controller's address asks for an emulated arm."""
    return url.partition(":")[0] == SCHEME


def emulated_gripper(url: str) -> AbstractContextManager[str]:
    """Start a gripper; gives the address at which it is to be found."""
    from sim_devices.process import announced

    address = parse_controller_address(url)
    address.choice("gripper", address.place, ("gripper",))
    address.allow(())
    return announced(["--with-parent"], "sim_devices.robotiq", "emulated gripper", ControllerSilentError)


def emulated_arm(job: Job) -> AbstractContextManager[str]:
    """Start the arm of a job; gives the address at which it is to be found."""
    from sim_devices.arm_links.process import LOOPBACK, ArmWishes, started  # loads the physics: only for who wants it

    address = parse_controller_address(job.controller)
    address.choice("arm", address.place, (PLACE,))
    address.allow(OPTIONS)
    options = address.options
    wishes = ArmWishes(
        scene=job.file,
        robot=job.wanted.robot,
        link=options.get("link", LOOPBACK),
        faults=options.get("faults", ""),
        seed=round(address.number("seed", 0, 0, 2**31)),
        delay=address.number("delay", 0.0, 0.0, 1.0),
        jitter=address.number("jitter", 0.0, 0.0, 1.0),
        loss=address.number("loss", 0.0, 0.0, 1.0),
        world=options.get("world", ""),
        settings=options.get("settings", ""),
    )
    return started(wishes)
