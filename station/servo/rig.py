"""What a servo drives: robots, frames that follow hands, devices, mapping and forces; a `Rig` for each part."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from station.applied import Applied, applied_in
from station.bench import Bench
from station.bilateral import Architecture, BilateralMethod, BilateralSettings
from station.bilateral.from_mad import reflection_from, without_reflection
from station.collision import CollisionSettings, Surroundings
from station.controllers import Controller, check_calibrated
from station.controllers.composite import CompositeController
from station.controllers.wrench import WrenchCorrection, sensor_of
from station.devices.device import Device
from station.devices.mapping import Mapping
from station.devices.mapping import settings_from_device as mapping_settings
from station.devices.mapping.from_mad import stop_button
from station.devices.parameter import SettingsError, check, parameter
from station.devices.software.nobody import Nobody
from station.errors import StationError
from station.haptics import HapticRenderer, Method, gains_from_device
from station.haptics import settings_from_device as haptic_settings
from station.haptics.from_mad import Gains
from station.kernel import Floats
from station.mad.checks.names import listed
from station.mad.leading import Lead, frame_text, leads_of, led_frame, movable_frames, place_text
from station.mad.scene import NULL_DEVICE, Axis, Constraint, Robot
from station.mad.scene import Device as SceneDevice
from station.mechanism import Mechanism
from station.mechanism.following import choose
from station.servo.drives import Wired, wired

NO_BUTTON = -1
FIRST = ""  # for the name of a device or robot: the first of the file
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

    id: int  # in the robot
    number: int  # in kernels, of the predicted robot
    measured: int  # in kernels, of the measured robot
    full_rank: int  # of all its rows
    first_rank: int  # of those that are followed first
    levels: tuple[int, ...]  # axes that are followed first, as bits, and those that are as well as the first leave it
    rank: int  # among several hands on one robot: lower ones first
    told: str = ""  # which it is and why, for people
    axes: Floats | None = None  # its own, in the world, as columns; None: the world's
    why: str = ""  # it is this frame
    said: Constraint | None = None  # what ties it to a device


class Rig(NamedTuple):
    """Everything that a part needs, checked and compiled."""

    name: str
    scene: Bench
    robot: Mechanism  # with all that are tied to it
    alone: Mechanism  # without
    joints: range  # of the robot alone, among all of them
    followed: Followed
    device: Device
    leads: bool  # from the start
    settings: SceneDevice  # of the device, as the file has it
    mapping: Mapping
    renderer: HapticRenderer
    gains: Gains
    reflection: BilateralSettings  # of contact at the arm
    surroundings: Surroundings | None  # None: there is no obstacle
    controller: Controller | None  # of the arm; None: the predicted robot alone
    send_every: int  # ticks, it is sent a setpoint
    notes: tuple[str, ...]  # what of its controllers' blocks is not as the file says, a line each
    sensor: WrenchCorrection | None  # of the arm's force sensor; None: its readings are taken as they are
    press: float  # that the tool may press on something [N]
    dead_man: int  # button of the device; -1: none
    stop_button: int  # button of the device that is an emergency stop; -1: none


def put_together(scene: Bench, device: Device, wanted: Wanted, controller: Controller | None = None) -> Rig:
    """One part alone: the first of the scene, or of the robot that is wanted, with this device and this controller.

    Raises a StationError with one line for what cannot be.
    """
    robot = robot_of(scene, wanted.robot)
    leads, _ = leads_of(scene, [robot.name])
    surroundings = around(scene, scene.system(robot.name).mechanism)
    lead, given = leads[0]._replace(at_once=True), {} if controller is None else {robot.name: controller}
    arm = _arm(scene, lead.robot, wanted, given)
    return _rig(scene, lead, (device, arm), wanted, surroundings)


def put_all_together(
    scene: Bench, devices: abc.Mapping[str, Device], wanted: Wanted, controllers: abc.Mapping[str, Controller]
) -> tuple[Rig, ...]:
    """All parts of a scene: devices by the names of the file, controllers by those of their robots.

    Where a robot has several they have names of their own, see `Robot.named_controllers`.
    A hand whose device is not given is nobody's: commands lead its frame. Raises a StationError with one line for
    what cannot be.
    """
    leads, _ = leads_of(scene, [robot.name for robot in robots_of(scene, wanted.robot)])
    if wanted.frame is not None and sum(lead.at_once for lead in leads) > 1:
        names = ", ".join(lead.name for lead in leads if lead.at_once)
        raise RigError(f"--frame is for one hand, and here are several: {names}; tie them to frames in the file")
    rigs: list[Rig] = []
    arms: dict[str, Wired] = {}
    if FIRST in controllers:
        controllers = {leads[0].robot.name: controllers[FIRST], **controllers}
    for lead in leads:
        before = next((rig for rig in rigs if rig.robot is scene.system(lead.robot.name).mechanism), None)
        surroundings = around(scene, scene.system(lead.robot.name).mechanism) if before is None else before.surroundings
        device = devices.get(FIRST) if lead is leads[0] else None
        if lead.device.id != NULL_DEVICE:  # else its name is that of the robot
            device = devices.get(lead.name, device)
        if lead.robot.name not in arms:  # all hands on a robot have the same arm
            arms[lead.robot.name] = _arm(scene, lead.robot, wanted, controllers)
        rigs.append(_rig(scene, lead, (device or Nobody(), arms[lead.robot.name]), wanted, surroundings))
    return tuple(rigs)


def _arm(scene: Bench, robot: Robot, wanted: Wanted, controllers: abc.Mapping[str, Controller]) -> Wired:
    """The arm of a robot, by names of controllers; checked against what the robot was calibrated with."""
    whole = controllers.get(robot.name)
    if whole is not None:
        check_calibrated(robot, whole)
    arm = wired(scene, robot, scene[robot.name], controllers, wanted.rate)
    if arm.controller is not None:
        check_calibrated(robot, arm.controller)
    return arm


def _rig(
    scene: Bench,
    lead: Lead,
    served: tuple[Device, Wired],
    wanted: Wanted,
    surroundings: Surroundings | None,
) -> Rig:
    """One part, checked and compiled."""
    robot, settings, (device, arm) = lead.robot, lead.device, served
    controller = arm.controller
    alone, system = scene[robot.name], scene.system(robot.name)
    system.mechanism.calm_down()
    followed = _follow_device(scene, lead, wanted.frame)
    if wanted.posture is not None:
        _take_posture(alone, robot, wanted.posture)
        if system.mechanism is not alone:
            system.put(robot.name, alone.q)
    with _placed(scene, lead):
        hand = mapping_settings(settings, device.capabilities)
        dead_man, stop = hand.engagement.dead_man, stop_button(settings, device.capabilities)
    # The supervisor watches the dead-man; what it permits, the mapping does at once.
    clutch = VIRTUAL_BUTTON if hand.engagement.clutch is None else hand.engagement.clutch
    hand = replace(hand, engagement=replace(hand.engagement, dead_man=None, clutch=clutch))
    capabilities = replace(device.capabilities, rate=_force_rate(device, wanted.rate))
    with _placed(scene, lead):
        forces = haptic_settings(settings.haptics, capabilities, method=wanted.method)
        gains = gains_from_device(settings.haptics, capabilities, forces.body, forces.stability.method)
    couples = _couples(controller, alone, followed)
    return Rig(
        lead.name,
        scene,
        system.mechanism,
        alone,
        system.joints_of(robot.name),
        followed,
        device,
        lead.at_once,
        settings,
        Mapping(hand),
        HapticRenderer(without_reflection(forces)),
        gains,
        reflection_from(settings.haptics, forces, gains, wanted.bilateral, wanted.architecture, couples),
        surroundings,
        controller,
        arm.send_every,
        arm.notes,
        None if wanted.sensor is None else sensor_of(wanted.sensor, _with_sensor(controller), alone),
        wanted.press,
        NO_BUTTON if dead_man is None else dead_man,
        NO_BUTTON if stop is None else stop,
    )


@contextmanager
def _placed(scene: Bench, lead: Lead) -> Iterator[None]:
    """What a device cannot do of its block in the file is told with its name and place."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(f"{place_text(scene, lead.device.source)}device {lead.name}: {error}") from None


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
    return (*rig.device.calibrations, *applied_in(rig.alone.robot), *sensor)


def _with_sensor(controller: Controller | None) -> Controller | None:
    """Of several controllers of an arm the one whose measurements of the tool count."""
    return controller.at_tool if isinstance(controller, CompositeController) else controller


def _couples(controller: Controller | None, mechanism: Mechanism, followed: Followed) -> bool:
    """Whether an arm runs its end of a bilateral link, of the frame that follows: it knows its last tool only."""
    tools = mechanism.robot.tools
    return controller is not None and controller.capabilities.couples and bool(tools) and tools[-1].id == followed.id


def around(scene: Bench, mechanism: Mechanism) -> Surroundings | None:
    """What is around a robot, other robots too; None if there is nothing that it could meet."""
    others = [system.mechanism for system in scene.systems() if system.mechanism is not mechanism]
    if not (scene.obstacles or mechanism.robot.obstacles or len(scene.robots) > 1):
        return None
    found = Surroundings(scene, mechanism, CollisionSettings(approach_time=APPROACH_TIME), others=others)
    return found if any(not pair.with_itself for pair in found.pairs) else None


def robots_of(scene: Bench, name: str | None) -> list[Robot]:
    """All robots of a scene, or the one of that name and those that are tied to it."""
    if name is None:
        robot_of(scene, name)  # there is one?
        return list(scene.robots)
    names = scene.group(robot_of(scene, name).name)
    return [robot for robot in scene.robots if robot.name in names]


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


def _follow_device(scene: Bench, lead: Lead, name: str | None) -> Followed:
    """The frame that follows a device: as asked, as a constraint says, by name."""
    robot, alone = lead.robot, scene[lead.robot.name]
    if not alone.joints:
        place = place_text(scene, lead.constraint.source) if lead.constraint is not None else ""
        raise RigError(
            f"{place}robot {robot.name} has no joint that moves, so there is nothing to lead; station view shows it"
        )
    if name is not None:
        return follow(scene, robot.name, alone.frame_id(int(name) if name.lstrip("-").isdigit() else name), "as asked")
    if lead.constraint is not None:
        return follow(scene, robot.name, lead.constraint.targets[0].id, "as the file says", lead.constraint)
    led = led_frame(robot)
    assert led is not None  # there is a joint, so something moves
    return follow(scene, robot.name, led.id, led.why)


def follow(
    scene: Bench,
    name: str,
    frame: int,
    why: str = "",
    said: Constraint | None = None,
    ahead: Mechanism | None = None,
) -> Followed:
    """What the kernels must know of a frame of a robot that follows; raises a RigError for one that cannot move.

    `said` is the constraint that ties it to a device, if there is one: its `axes` and `priority` count. `ahead` is the
    mechanism as it will be, see `Mechanism.look_ahead`.
    """
    system, alone = scene.system(name), scene[name]
    axes = sum(1 << list(Axis).index(axis) for axis in said.axes) if said else 0
    tied = system.frame_id(name, frame)
    choice = choose(ahead or system.mechanism, tied, axes, said.first if said else None)
    told = frame_text(alone.robot, frame)
    if choice.rank == 0:
        movable = listed(movable_frames(alone.robot))
        place = place_text(scene, said.source) if said is not None else ""
        raise RigError(f"{place}{told} of robot {name} cannot move; choose with --frame one of: {movable}")
    told += f", {why}" if why else ""
    told += f"; {choice.said}" if choice.said else ""
    number, rank = system.mechanism.frame_number(tied), said.rank if said else 0
    levels = (choice.bits, choice.second_bits) if choice.second_bits else (choice.bits,)
    measured = alone.frame_number(frame)
    return Followed(frame, number, measured, choice.rank, choice.first_rank, levels, rank, told, choice.axes, why, said)


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
