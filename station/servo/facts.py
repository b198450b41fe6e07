"""What a servo says of itself: facts that its readers cannot know from the numbers it shows."""

from __future__ import annotations

from typing import Any

from station.devices.software.nobody import Nobody
from station.mechanism import Mechanism
from station.servo.rig import NO_BUTTON, VIRTUAL_BUTTON, Rig, calibrations_of


def facts_of(rig: Rig, rate: float) -> dict[str, Any]:
    """What readers of the shared state cannot know from its numbers."""
    robot, device, controller = rig.alone, rig.device, rig.controller
    measures = None if controller is None else controller.capabilities.measures_wrench
    return {
        "part": rig.name,
        "robot": robot.robot.name,
        "file": rig.scene.file,
        "joints": joints_text(robot),
        "frame": rig.followed.id,
        "led": rig.followed.told,  # that frame for people, and why it is this one
        "device": device.url,
        "device_model": device.capabilities.model,
        "device_serial_number": device.capabilities.serial_number,
        "buttons": list(device.capabilities.buttons),
        "dead_man": dead_man_of(rig),
        "dead_man_button": rig.dead_man,  # among them; -1: none
        "button_roles": _roles(rig),  # what buttons do already, by number
        "pushes": any(axis.actuated for axis in device.capabilities.axes),  # whether the hand can feel anything
        "grip": device.capabilities.grip,  # whether it tells how far its grip is closed
        "controller": controller.url if controller is not None else None,
        "measures_wrench": measures,  # whether the arm measures the force on its tool; None: there is no arm
        "rate": rate,
        "method": str(rig.renderer.settings.stability.method),
        "calibration": [one.told for one in calibrations_of(rig)],
    }


def about_part(rig: Rig) -> dict[str, Any]:
    """What a person wants to know of a part before a run."""
    return {
        "name": rig.name,
        "robot": rig.alone.robot.name,
        "dead_man": dead_man_of(rig),
        "led": rig.followed.told,
        "stiffness": rig.gains.text,
        "leads": rig.leads,
        "nobody": isinstance(rig.device, Nobody),
    }


def dead_man_of(rig: Rig) -> str | None:
    """The button that is held to lead, as people call it; None: the device has none."""
    return None if rig.dead_man < 0 else rig.device.capabilities.button_words(rig.dead_man)


def _roles(rig: Rig) -> dict[int, str]:
    clutch = rig.mapping.settings.engagement.clutch
    roles = {rig.dead_man: "the dead-man", rig.stop_button: "the emergency stop"}
    if clutch is not None and clutch != VIRTUAL_BUTTON:
        roles[clutch] = "the clutch"
    return {number: role for number, role in roles.items() if number != NO_BUTTON}


def joints_text(robot: Mechanism) -> list[dict[str, Any]]:
    """Names, kinds and ranges of joints, in the order of the file [rad | m]."""
    return [
        {
            "id": joint.id,
            "name": joint.name,
            "type": joint.type.name.lower(),
            "low": joint.limits[0] if joint.limits else None,
            "high": joint.limits[1] if joint.limits else None,
            "speed": joint.speed,
            "active": joint.active,
        }
        for joint in robot.joints
    ]
