"""What each model can do: joints turn by ±360°; speeds by the data sheets of the e-Series."""

from __future__ import annotations

import math
from collections.abc import Sequence

from firmware_bridge.ur.place import EMULATED
from firmware_bridge.ur.script import ScriptSettings
from firmware_bridge.ur.session import RtdeSession
from station.controllers.controller import Capabilities, ControlledJoint
from station.controllers.errors import ControllerMismatchError

FULL_TURN = 2.0 * math.pi
SPEEDS = {  # of each joint [°/s]
    "UR3": (180, 180, 180, 360, 360, 360),
    "UR5": (180, 180, 180, 180, 180, 180),
    "UR10": (120, 120, 180, 180, 180, 180),
    "UR16": (120, 120, 180, 180, 180, 180),
}
UNKNOWN = (120, 120, 120, 120, 120, 120)
HAIR = 1e-6  # [rad]


def capabilities_of(
    session: RtdeSession, names: Sequence[str], settings: ScriptSettings, model: str = "", serial: str = ""
) -> Capabilities:
    """What a robot is and can do."""
    speeds = SPEEDS.get(model.rstrip("e"), UNKNOWN)
    version = ".".join(str(part) for part in session.version[:3])
    joints = tuple(
        ControlledJoint(name=name, low=-FULL_TURN, high=FULL_TURN, speed=math.radians(speed))
        for name, speed in zip(names, speeds, strict=True)
    )
    return Capabilities(
        model=f"{model or 'Universal Robots'} (PolyScope {version})",
        serial_number=serial,
        joints=joints,
        rate=session.rate,
        watchdog=settings.silence * settings.step,
        measures_velocity=True,
        measures_wrench=True,
        emulated=serial.startswith(EMULATED),
    )


def check_limits(url: str, ours: Sequence[ControlledJoint], scene: Sequence[ControlledJoint]) -> None:
    """A ControllerMismatchError if a joint of the scene goes further than that of the robot."""
    wanted = {joint.name: joint for joint in scene}
    for mine in ours:
        other = wanted.get(mine.name)
        if other is None or mine.low is None or mine.high is None or other.low is None or other.high is None:
            continue
        if other.low < mine.low - HAIR or other.high > mine.high + HAIR:
            raise ControllerMismatchError(
                f"{url}: joint {mine.name!r} goes from {mine.low:.3f} to {mine.high:.3f} rad, in the scene from "
                f"{other.low:.3f} to {other.high:.3f} rad; narrow its stops"
            )
