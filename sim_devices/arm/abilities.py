"""What an emulated arm says it is and can do."""

from __future__ import annotations

from sim_devices.arm.body import ArmBody
from sim_devices.arm.drives import Drive
from sim_devices.arm.settings import DEFAULT_RATE, DEFAULT_WATCHDOG, ArmSettings
from station.controllers.controller import Capabilities, ControlledJoint
from station.controllers.order import joint_name
from station.mad.scene import Link, Robot
from station.mad.units import JointType


def capabilities_of(robot: Robot, body: ArmBody, drives: list[Drive], settings: ArmSettings, seed: int) -> Capabilities:
    """From the scene where it says, else from settings and estimates."""
    told = robot.controllers[0] if robot.controllers else None
    rate = settings.rate or (told.rate if told and told.rate else DEFAULT_RATE)
    watchdog = settings.watchdog or (told.watchdog if told and told.watchdog else DEFAULT_WATCHDOG)
    return Capabilities(
        model=f"emulated {robot.name}",
        serial_number=f"SIM-{seed:04d}",
        joints=tuple(_joint(link, drive) for link, drive in zip(body.links, drives, strict=True)),
        rate=rate,
        watchdog=watchdog,
        takes_velocity=True,
        takes_effort=True,
        measures_velocity=True,
        measures_effort=True,
        measures_wrench=body.measures_wrench,
        emulated=True,
    )


def _joint(link: Link, drive: Drive) -> ControlledJoint:
    stops = link.stops
    return ControlledJoint(
        name=joint_name(link.id, link.name),
        prismatic=link.joint is JointType.PRISMATIC,
        low=None if stops is None else stops.lo,
        high=None if stops is None else stops.hi,
        speed=drive.speed,
        acceleration=drive.acceleration,
        jerk=link.jerk,
        effort=drive.effort,
    )
