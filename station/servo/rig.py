"""What a servo drives: a robot of a scene, the frame that follows the hand, the device, mapping and forces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from station.applied import Applied, applied_in
from station.bench import Bench
from station.bilateral import Architecture, BilateralMethod, BilateralSettings
from station.bilateral.from_mad import reflection_from, without_reflection
from station.collision import CollisionSettings, Surroundings
from station.controllers import Controller, check_calibrated, scene_joints
from station.controllers.registry import fitted
from station.controllers.wrench import WrenchCorrection, sensor_of
from station.devices.device import Device
from station.devices.mapping import Mapping
from station.devices.mapping import settings_from_device as mapping_settings
from station.devices.mapping.from_mad import stop_button
from station.devices.parameter import check, parameter
from station.errors import StationError
from station.haptics import HapticRenderer, Method, gains_from_device
from station.haptics import settings_from_device as haptic_settings
from station.haptics.from_mad import Gains
from station.mad.checks.names import listed
from station.mad.leading import frame_text, led_frame, movable_frames
from station.mad.scene import Axis, Robot
from station.mad.scene import Device as SceneDevice
from station.mechanism import Mechanism

NO_BUTTON = -1
APPROACH_TIME = 0.12  # [s]: 250 mm/s, the speed of hand guiding in ISO 10218, at 30 mm from an obstacle; slower nearer
LEAST_RATE = 50.0  # of a device that pushes the hand [Hz]: below it no spring worth feeling is passive
VIRTUAL_BUTTON = 31  # stands for the clutch of devices that have none; pressed by command


class RigError(StationError, ValueError):
    """A bench that cannot be put together; one line that says what is missing and what there is."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to take of a scene; None: what the file says, or the first there is."""

    robot: str | None = None
    frame: str | None = None  # link, frame or tool, by id or name
    posture: str | None = None  # to start from
    method: Method | None = None  # of stability
    bilateral: BilateralMethod | None = None  # of the link to the arm
    architecture: Architecture | None = None  # of that link
    sensor: str | None = None  # file with a calibration of the arm's force sensor
    press: float = parameter(140.0, "force on the tool beyond which the arm presses no further", "N", 1.0, 1e5)
    rate: float = parameter(1000.0, "ticks per second", "Hz", 50.0, 8000.0)

    def __post_init__(self) -> None:
        check(self)


class Followed(NamedTuple):
    """The frame that follows the hand."""

    id: int
    number: int  # in kernels
    axes: int  # bits of those that count
    first_rank: int  # of the rows that are followed first
    full_rank: int  # of all rows
    place_first: bool  # place before orientation: the robot cannot have both
    told: str = ""  # which it is and why, for people


class Rig(NamedTuple):
    """Everything that a tick needs, checked and compiled."""

    scene: Bench
    robot: Mechanism
    followed: Followed
    device: Device
    settings: SceneDevice  # of the device, as the file has it
    mapping: Mapping
    renderer: HapticRenderer
    gains: Gains
    reflection: BilateralSettings  # of contact at the arm
    surroundings: Surroundings | None  # None: there is no obstacle
    controller: Controller | None  # of the arm; None: the predicted robot alone
    sensor: WrenchCorrection | None  # of the arm's force sensor; None: its readings are taken as they are
    press: float  # that the tool may press on something [N]
    dead_man: int  # button of the device; -1: none
    stop_button: int  # button of the device that is an emergency stop; -1: none


def put_together(scene: Bench, device: Device, wanted: Wanted, controller: Controller | None = None) -> Rig:
    """Choose robot and frame, set up mapping and forces; raises a StationError with one line."""
    robot = robot_of(scene, wanted.robot)
    if controller is not None:
        check_calibrated(robot, controller)
    settings = device_of(scene, robot)
    mechanism = scene[robot.name]
    frame, axes, why = _frame(mechanism, settings, wanted.frame)
    followed = follow(mechanism, (frame, axes), why)
    if wanted.posture is not None:
        _take_posture(mechanism, robot, wanted.posture)
    hand = mapping_settings(settings, device.capabilities)
    dead_man, stop = hand.engagement.dead_man, stop_button(settings, device.capabilities)
    # The supervisor watches the dead-man; what it permits, the mapping does at once.
    clutch = VIRTUAL_BUTTON if hand.engagement.clutch is None else hand.engagement.clutch
    hand = replace(hand, engagement=replace(hand.engagement, dead_man=None, clutch=clutch))
    capabilities = replace(device.capabilities, rate=_force_rate(device, wanted.rate))
    forces = haptic_settings(settings.haptics, capabilities, method=wanted.method)
    gains = gains_from_device(settings.haptics, capabilities, forces.body, forces.stability.method)
    return Rig(
        scene,
        mechanism,
        followed,
        device,
        settings,
        Mapping(hand),
        HapticRenderer(without_reflection(forces)),
        gains,
        reflection_from(
            settings.haptics,
            forces,
            gains,
            wanted.bilateral,
            wanted.architecture,
            _couples(controller, mechanism, followed),
        ),
        around(scene, mechanism),
        None if controller is None else fitted(controller, scene_joints(mechanism.joints)),
        None if wanted.sensor is None else sensor_of(wanted.sensor, controller, mechanism),
        wanted.press,
        NO_BUTTON if dead_man is None else dead_man,
        NO_BUTTON if stop is None else stop,
    )


def _force_rate(device: Device, ticks: float) -> float:
    """How often forces change [Hz]: with samples or with ticks, whichever are fewer; ticks if nothing can push."""
    samples, model = device.capabilities.rate, device.capabilities.model
    if not device.capabilities.actuated:
        return ticks
    if samples < LEAST_RATE:
        raise RigError(
            f"{model} gives {samples:g} samples per second; a device that pushes gives {LEAST_RATE:g} or more"
        )
    return min(samples, ticks)


def calibrations_of(rig: Rig) -> tuple[Applied, ...]:
    """All calibrations that are in use: of the device, of the robot as its file has it, of the arm's force sensor."""
    sensor = () if rig.sensor is None else (rig.sensor.applied,)
    return (*rig.device.calibrations, *applied_in(rig.robot.robot), *sensor)


def _couples(controller: Controller | None, mechanism: Mechanism, followed: Followed) -> bool:
    """Whether an arm runs its end of a bilateral link, of the frame that follows: it knows its last tool only."""
    tools = mechanism.robot.tools
    return controller is not None and controller.capabilities.couples and bool(tools) and tools[-1].id == followed.id


def around(scene: Bench, mechanism: Mechanism) -> Surroundings | None:
    """What is around a robot, if the scene has obstacles at all."""
    if not (scene.obstacles or mechanism.robot.obstacles):
        return None
    return Surroundings(scene, mechanism, CollisionSettings(approach_time=APPROACH_TIME))


def robot_of(scene: Bench, name: str | None) -> Robot:
    """The robot of that name, or the first."""
    if not scene.robots:
        raise RigError(f"{scene.file or scene.name}: no robot in this scene")
    if name is None:
        return scene.robots[0]
    for robot in scene.robots:
        if robot.name == name:
            return robot
    raise RigError(f"no robot {name!r}; there are: {', '.join(robot.name for robot in scene.robots)}")


def device_of(scene: Bench, robot: Robot) -> SceneDevice:
    """The device of a scene that leads a robot; a plain one if the file names none."""
    ids = [number for constraint in robot.constraints for number in constraint.devices if number]
    for number in ids:
        for device in scene.devices:
            if device.id == number:
                return device
    return scene.devices[0] if scene.devices else SceneDevice(id=1)


def _frame(mechanism: Mechanism, device: SceneDevice, name: str | None) -> tuple[int, tuple[Axis, ...], str]:
    """The frame that follows, the axes that count, and why it is this one: as asked, as a constraint says, by name."""
    robot = mechanism.robot
    if not mechanism.joints:
        raise RigError(
            f"robot {robot.name} has no joint that moves, so there is nothing to lead; station view shows it"
        )
    if name is not None:
        return mechanism.frame_id(int(name) if name.lstrip("-").isdigit() else name), (), "as asked"
    for constraint in robot.constraints:
        if not constraint.closes_loop and device.id in constraint.devices:
            return constraint.targets[0].id, constraint.axes, "as the file says"
    led = led_frame(robot)
    assert led is not None  # there is a joint, so something moves
    return led.id, (), led.why


def follow(mechanism: Mechanism, target: tuple[int, tuple[Axis, ...]], why: str = "") -> Followed:
    """What the kernels must know of a frame that follows; raises a RigError for one that cannot move."""
    frame, axes = target
    names = list(Axis)
    bits = sum(1 << names.index(axis) for axis in axes) if axes else 0b111111
    number, full, straight = mechanism.frame_number(frame), mechanism.rank(frame), mechanism.rank(frame, "x y z")
    told = frame_text(mechanism.robot, frame)
    if full == 0:
        movable = listed(movable_frames(mechanism.robot))
        raise RigError(f"{told} of robot {mechanism.robot.name} cannot move; choose with --frame one of: {movable}")
    place_first = full < 6 and bits == 0b111111
    told += f", {why}" if why else ""
    return Followed(frame, number, bits, straight if place_first else full, full, place_first, told)


def _take_posture(mechanism: Mechanism, robot: Robot, name: str) -> None:
    for posture in robot.postures:
        if posture.name == name:
            q = mechanism.q
            for joint in posture.joints:
                q[mechanism.joint_number(joint.link)] = joint.value
            mechanism.q = np.asarray(q)
            return
    known = ", ".join(posture.name for posture in robot.postures) or "none"
    raise RigError(f"robot {robot.name} has no posture {name!r}; there are: {known}")
