"""Joints by name: what the scene calls a joint and what the controller calls it must be the same joint.

Order is a matter of each side; names and kinds must agree. A controller whose joints come in another order, or that
counts something else than the joint moves by (`gear` in the scene), is wrapped: setpoints, measurements and limits are
in the order and in the joint values of the scene. No other part of the station knows of gears.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from station.clock import Exchange
from station.controllers.controller import (
    AND,
    ControlledJoint,
    Controller,
    ControllerStatus,
    Floats,
    LinkHealth,
    Measurement,
)
from station.controllers.errors import ControllerMismatchError
from station.controllers.words import ArmWords, HandWords
from station.mad.units import JointType

if TYPE_CHECKING:
    from station.mad.scene import Robot
    from station.mechanism.results import Joint

EMULATED = "SIM-"  # begin of the serial numbers of emulators


def joint_name(number: int, name: str | None) -> str:
    """What a joint of a scene is called on every link: its name, or its number if it has none."""
    return name or f"joint {number}"


def scene_joints(joints: Iterable[Joint]) -> tuple[ControlledJoint, ...]:
    """The driven joints of a mechanism, in the order of the file: `scene_joints(mechanism.joints)`."""
    return tuple(
        ControlledJoint(
            name=joint_name(joint.id, joint.name),
            prismatic=joint.type is JointType.PRISMATIC,
            low=joint.limits[0] if joint.limits else None,
            high=joint.limits[1] if joint.limits else None,
            speed=joint.speed,
            acceleration=joint.acceleration,
            effort=joint.effort,
            gear=joint.gear,
        )
        for joint in joints
        if joint.active
    )


def places_of(url: str, theirs: Sequence[ControlledJoint], ours: Sequence[ControlledJoint]) -> list[int]:
    """Where each of our joints stands among theirs; a ControllerMismatchError if the two are not the same set."""
    places = {joint.name: place for place, joint in enumerate(theirs)}
    if len(places) != len(theirs):
        raise ControllerMismatchError(
            f"{url}: the controller has two joints of one name: {_names(theirs)}; rename one there"
        )
    missing = [joint for joint in ours if joint.name not in places]
    extra = [joint for joint in theirs if joint.name not in {other.name for other in ours}]
    if missing or extra:
        raise ControllerMismatchError(
            f"{url}: the joints are not those of the scene: the scene has {_names(ours)}, "
            f"the controller has {_names(theirs)}; name the joints in the file as the controller does, or open "
            "another arm"
        )
    for joint in ours:
        other = theirs[places[joint.name]]
        if other.prismatic != joint.prismatic:
            raise ControllerMismatchError(
                f"{url}: joint {joint.name!r} {_kind(joint)} in the scene and {_kind(other)} in the controller; "
                "give it the right type in the file, or open another arm"
            )
    return [places[joint.name] for joint in ours]


def check_calibrated(robot: Robot, controller: Controller) -> None:
    """Refuse an arm whose dimensions are not those that the robot was corrected with: a ControllerMismatchError.

    An emulated arm may stand in for a real one, but not for another emulated one.
    """
    meant = robot.calibrated.serial if robot.calibrated is not None else None
    able = controller.capabilities
    fits = meant in able.serial_number.split(AND)  # of several controllers one is enough
    if meant is None or fits or (able.emulated and not meant.startswith(EMULATED)):
        return
    found = able.serial_number or "none that it tells"
    raise ControllerMismatchError(
        f"{controller.url}: robot {robot.name} was calibrated for the arm with serial number {meant}, this one has "
        f"{found}; use the nominal file, or calibrate this arm"
    )


def _names(joints: Iterable[ControlledJoint]) -> str:
    return ", ".join(joint.name for joint in joints) or "none"


def _kind(joint: ControlledJoint) -> str:
    return "slides [m]" if joint.prismatic else "turns [rad]"


def through_gear(joint: ControlledJoint, gear: float) -> ControlledJoint:
    """A joint as its controller tells it, behind a gear: positions and speeds are multiplied, efforts divided."""
    if gear == 1.0:
        return joint

    def times(value: float | None) -> float | None:
        return None if value is None else gear * value

    return replace(
        joint,
        low=times(joint.low),
        high=times(joint.high),
        speed=times(joint.speed),
        acceleration=times(joint.acceleration),
        jerk=times(joint.jerk),
        effort=None if joint.effort is None else joint.effort / gear,
    )


def in_order_of(controller: Controller, joints: Sequence[ControlledJoint]) -> Controller:
    """The controller with its joints in the order given, through their gears; it is closed if its joints are others."""
    try:
        places = places_of(controller.url, controller.capabilities.joints, joints)
    except ControllerMismatchError:
        controller.close()
        raise
    theirs = controller.capabilities.joints
    # One that is seen through gears already has them in its joints, and is not geared twice.
    gears = [joint.gear / theirs[place].gear for joint, place in zip(joints, places, strict=True)]
    if places == list(range(len(places))) and all(gear == 1.0 for gear in gears):
        return controller
    return SceneController(controller, places, gears)


class SceneController(Controller):
    """A controller seen in another order of joints, and through their gears."""

    def __init__(self, controller: Controller, places: Sequence[int], gears: Sequence[float]) -> None:
        """Wrap a driver.

        Args:
            controller: the driver, in the arm's own order.
            places: of our joints among the driver's.
            gears: how far each of our joints moves per unit that the driver counts.
        """
        self.url = controller.url
        self.controller = controller
        self._from = np.array(places)  # ours[i] = theirs[from[i]]
        self._to = np.argsort(self._from)  # theirs[i] = ours[to[i]]
        self._gears = np.array(gears)
        able = controller.capabilities
        joints = ((able.joints[place], gear) for place, gear in zip(places, gears, strict=True))
        seen = (replace(through_gear(joint, gear), gear=gear * joint.gear) for joint, gear in joints)
        self.capabilities = replace(able, joints=tuple(seen))

    @property
    def status(self) -> ControllerStatus:
        """Of the driver."""
        return self.controller.status

    @property
    def partly_active(self) -> bool:
        """Of the driver."""
        return self.controller.partly_active

    @property
    def reason(self) -> str:
        """Of the driver."""
        return self.controller.reason

    @property
    def lost_after(self) -> float:  # type: ignore[override]  # a plain attribute of drivers
        """Of the driver."""
        return self.controller.lost_after

    @property
    def answer(self) -> str:  # type: ignore[override]  # a plain attribute of drivers
        """Of the driver."""
        return self.controller.answer

    @property
    def health(self) -> LinkHealth:
        """Of the driver."""
        return self.controller.health

    @property
    def exchange(self) -> Exchange | None:
        """Of the driver."""
        return self.controller.exchange

    @property
    def temperatures(self) -> Floats | None:
        """Of the driver, in our order."""
        found = self.controller.temperatures
        return None if found is None else found[self._from]

    def newest(self) -> Measurement | None:
        """Of the driver, in our order and joint values."""
        said = self.controller.newest()
        if said is None:
            return None
        order, gears = self._from, self._gears
        v = None if said.v is None else gears * said.v[order]
        effort = None if said.effort is None else said.effort[order] / gears
        return said._replace(q=gears * said.q[order], v=v, effort=effort)

    def send(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        """To the driver, in its order and as it counts."""
        order, gears = self._to, self._gears
        if len(q) != len(order):
            return False
        v = None if v is None else (v / gears)[order]
        effort = None if effort is None else (effort * gears)[order]
        return self.controller.send((q / gears)[order], v, effort, sequence)

    def couple(self, words: HandWords | None) -> None:
        """To the driver: places and forces of the hand have no order of joints."""
        self.controller.couple(words)

    def tare(self) -> bool:
        """To the driver."""
        return self.controller.tare()

    @property
    def coupled(self) -> ArmWords | None:  # type: ignore[override]  # a plain attribute of drivers
        """Of the driver, in our order and joint values."""
        said = self.controller.coupled
        return None if said is None else said._replace(held=self._gears * said.held[self._from])

    def activate(self) -> None:
        """To the driver."""
        self.controller.activate()

    def deactivate(self) -> None:
        """To the driver."""
        self.controller.deactivate()

    def stop(self) -> None:
        """To the driver."""
        self.controller.stop()

    def reset(self) -> None:
        """To the driver."""
        self.controller.reset()

    def release(self) -> None:
        """To the driver."""
        self.controller.release()

    def close(self) -> None:
        """Of the driver."""
        self.controller.close()
