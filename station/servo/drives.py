"""From controllers that were opened to the arm of a robot: who drives which joints, and how often.

A robot whose file has several `controller` blocks is driven by all of them together (`CompositeController`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from station.bench import Bench
from station.controllers import Controller, ControllerError, scene_joints
from station.controllers.composite import CompositeController, Share
from station.controllers.errors import ControllerMismatchError
from station.controllers.registry import fitted
from station.errors import StationError
from station.mad.leading import led_frame, place_text
from station.mad.scene import BASE_ID, Place, Robot
from station.mad.scene import Controller as Block
from station.mechanism import Mechanism

SUFFIXES = {2: "nd", 3: "rd"}
SAME = 0.01  # share by which two times or rates may differ and still be the same
SETPOINTS_WITHIN = 2.0  # that come while an arm waits for one before it stops: one may be lost


class WiringError(StationError, ValueError):
    """Controllers that do not fit a robot; one line with the place in the file."""


class Wired(NamedTuple):
    """The arm of a robot."""

    controller: Controller | None  # with the driven joints of the robot, in their order; None: there is none
    send_every: int = 1  # ticks
    notes: tuple[str, ...] = ()  # what of the file is not as it says, a line each


def wired(
    scene: Bench, robot: Robot, mechanism: Mechanism, controllers: Mapping[str, Controller], rate: float
) -> Wired:
    """The arm of a robot; a StationError for what does not fit.

    Args:
        scene: that the robot is of.
        robot: as the file has it.
        mechanism: the same, alone.
        controllers: that were opened, by names of robots, or as `Robot.named_controllers` has them.
        rate: ticks per second [Hz].
    """
    named, file, joints = robot.named_controllers, scene.file or scene.name, scene_joints(mechanism.joints)
    whole = controllers.get(robot.name)
    if whole is not None or not any(name in controllers for name in named):
        if whole is None:
            return Wired(None)
        block = robot.controllers[0] if len(named) == 1 else None
        paced = Wired(None) if block is None else _paced(file, block, whole, rate)
        try:
            return paced._replace(controller=fitted(whole, joints))
        except ControllerMismatchError as error:
            source = (robot.controllers[0] if robot.controllers else robot).source
            raise ControllerMismatchError(f"{place_text(scene, source)}robot {robot.name}: {error}") from None
    check_driven(robot, file)
    places = {link: nth for nth, link in enumerate(joint.id for joint in mechanism.joints if joint.active)}
    shares, notes = [], list[str]()
    for name, block in named.items():
        if name not in controllers:
            raise WiringError(told(file, block.source.place, f"controller {name} is not there: its joints stand still"))
        try:
            order = [places[link] for link in block.joints]
            controller = fitted(controllers[name], [joints[place] for place in order])
        except ControllerError as error:
            raise type(error)(told(file, block.source.of("joints"), f"controller {name}: {error}")) from None
        paced = _paced(file, block, controller, rate)
        shares.append(Share(name, controller, tuple(order), paced.send_every))
        notes += paced.notes
    return Wired(CompositeController(shares, _at_tool(robot)), 1, tuple(notes))


def _at_tool(robot: Robot) -> int:
    """Which of its controllers moves the tool of a robot last, or what a hand would lead; the last if none does."""
    found, frame = len(robot.controllers) - 1, led_frame(robot)
    items, at = {item.id: item for item in robot.placed()}, BASE_ID if frame is None else frame.id
    while at in items:
        drives = [nth for nth, one in enumerate(robot.controllers) if at in one.joints]
        if drives:
            return drives[0]
        at = items[at].pred
    return found


def check_driven(robot: Robot, file: str) -> None:
    """Refuse controllers that leave a joint to nobody: a WiringError."""
    missing = [
        link for link in robot.active if not any(link in (one.joints or robot.active) for one in robot.controllers)
    ]
    if robot.controllers and missing:
        links = ", ".join(map(str, missing))
        place = robot.controllers[-1].source.of("joints")
        raise WiringError(
            told(file, place, f"robot {robot.name}: no controller drives the joints of links {links}; list them here")
        )


def _paced(file: str, block: Block, controller: Controller, rate: float) -> Wired:
    """How often a controller is sent setpoints, and what it cannot have of the rate and watchdog of its block."""
    able, every, notes = controller.capabilities, 1, []
    if block.rate is not None:
        every = max(math.ceil(rate / block.rate * (1.0 - 1e-9)), 1)
        if abs(rate / every - block.rate) > SAME * block.rate:
            text = f"rate {block.rate:g}: setpoints are sent {rate / every:g} times per second, in every"
            notes.append(told(file, block.source.of("rate"), f"{text} {_nth(every)}tick of {rate:g}"))
        if SETPOINTS_WITHIN * every / rate > able.watchdog:
            text = f"rate {block.rate:g} is too slow for an arm that stops by itself after {able.watchdog:g} s"
            least = SETPOINTS_WITHIN / able.watchdog
            raise WiringError(told(file, block.source.of("rate"), f"{text} without a setpoint; at least {least:g}"))
    if block.watchdog is not None and abs(able.watchdog - block.watchdog) > SAME * block.watchdog:
        text = f"watchdog {block.watchdog:g} is not what the arm has: it stops by itself after {able.watchdog:g} s"
        notes.append(told(file, block.source.of("watchdog"), text))
    return Wired(None, every, tuple(notes))


def _nth(number: int) -> str:
    return "" if number == 1 else f"{number}{SUFFIXES.get(number, 'th')} "


def told(file: str, place: Place, text: str) -> str:
    """A line about a place of a file."""
    return f"{file}:{place.line}:{place.column}: {text}" if place.line else f"{file}: {text}"


def watchdogs(robots: Sequence[Robot]) -> dict[str, float]:
    """What is asked of controllers, by their names [s]."""
    found = {name: block.watchdog for robot in robots for name, block in robot.named_controllers.items()}
    return {name: value for name, value in found.items() if value is not None}
