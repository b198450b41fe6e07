"""Devices and controllers: declared once, and each joint driven by one controller at most."""

from __future__ import annotations

from station.mad.checks.names import check_unique, listed
from station.mad.leading import name_of
from station.mad.reader import Findings
from station.mad.scene import NULL_DEVICE, Robot, Scene

WIDEST_DEADZONE = 0.9
LEAST_CURVE, MOST_CURVE = 0.2, 5.0


def check_devices(scene: Scene, findings: Findings) -> None:
    """Ids are unique; numbers are within their meaning."""
    check_unique([(device.id, device.source.place) for device in scene.devices], "sensor", findings)
    _check_names(scene, findings)
    for device in scene.devices:
        if device.id == NULL_DEVICE:
            findings.error(device.source.place, "device 0 is 'none' in every list; number devices from 1")
        if device.deadzone is not None and device.deadzone > WIDEST_DEADZONE:
            text = f"'deadzone' is a part of the travel and is at most {WIDEST_DEADZONE:g}"
            findings.error(device.source.of("deadzone"), text)
        if device.curve is not None and not LEAST_CURVE <= device.curve <= MOST_CURVE:
            text = f"'curve' is an exponent from {LEAST_CURVE:g} to {MOST_CURVE:g}"
            findings.error(device.source.of("curve"), text)
        for one, other in (("deadman", "clutch"), ("deadman", "estop"), ("estop", "clutch")):
            if getattr(device, one) is not None and getattr(device, one) == getattr(device, other):
                findings.error(device.source.of(other), f"'{one}' and '{other}' cannot be the same button")


def _check_names(scene: Scene, findings: Findings) -> None:
    """Runs know devices by their names, and those that have none by their numbers."""
    named = [device for device in scene.devices if name_of(device) != str(device.id)]
    numbered = {str(device.id): device for device in scene.devices if name_of(device) == str(device.id)}
    check_unique([(name_of(device), device.source.of("name")) for device in named], "a device named", findings)
    for device in named:
        other = numbered.get(name_of(device))
        if other is not None:
            text = f"a device named {name_of(device)} would be taken for device {other.id} of line "
            findings.error(device.source.of("name"), f"{text}{other.source.place.line}; choose another name")


def check_controllers(robot: Robot, findings: Findings) -> None:
    """Every joint that a controller names exists, is active, and has no second controller; names are unique."""
    active, driven = robot.active, dict[int, str]()
    numbers = {str(nth) for nth in range(1, len(robot.controllers) + 1)}
    for nth, controller in enumerate(robot.controllers, start=1):
        if controller.name in numbers - {str(nth)}:
            text = f"a controller named '{controller.name}' would be taken for another one; give it another name"
            findings.error(controller.source.of("name"), text)
    named = [(one.name, one.source.of("name")) for one in robot.controllers if one.name]
    check_unique(named, "a controller named", findings)
    for controller in robot.controllers:
        place = controller.source.of("joints")
        if not active and not controller.joints:
            findings.error(controller.source.place, f"robot {robot.name} has no joint that a controller can drive")
        for link in controller.joints or active:
            if link not in active:
                findings.error(
                    place, f"link {link} has no joint that a controller can drive; there are: {listed(active)}"
                )
            elif link in driven:
                findings.error(place, f"link {link} is driven by {driven[link]} already")
            else:
                driven[link] = controller.address
    missing = [link for link in active if link not in driven]
    if robot.controllers and missing:
        text = f"no controller drives the joints of links {listed(missing)}: no run can be led with these"
        findings.warning(robot.controllers[-1].source.of("joints"), text)
