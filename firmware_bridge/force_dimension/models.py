"""What each Force Dimension device can do: the SDK tells only its number, so a table tells the rest."""

from __future__ import annotations

import math
from enum import Enum
from typing import NamedTuple

from station.devices.device import Axis, AxisKind, Capabilities

RATE = 4000.0  # what the SDK reaches at best [Hz]
GRIP_OPEN = math.radians(30.0)  # gripper angle when it is open [rad]


class Wrist(Enum):
    """What turns with the hand."""

    NONE = "none"
    PASSIVE = "passive"  # measured
    ACTIVE = "active"  # measured and driven


class Model(NamedTuple):
    """One kind of device."""

    name: str
    radius: float  # of the workspace [m]
    force: float  # [N]
    stiffness: float  # [N/m]
    wrist: Wrist = Wrist.NONE
    torque: float = 0.0  # [N·m]
    gripper: bool = False
    force_button: bool = False  # whether a button on the device also has to allow force
    buttons: tuple[str, ...] = ("main",)


TURN = tuple(math.radians(angle) / 2.0 for angle in (240.0, 140.0, 180.0))  # about the three wrist axes [rad]
OMEGA = Model("omega.3", 0.075, 12.0, 5000.0)
SIGMA = Model("sigma.7", 0.075, 12.0, 4000.0, Wrist.ACTIVE, 0.2, True)
LAMBDA = Model("lambda.7", 0.1125, 12.0, 8000.0, Wrist.ACTIVE, 0.2, True)

MODELS: dict[int, Model] = {
    63: Model("delta.3", 0.15, 20.0, 5000.0, force_button=True),
    33: OMEGA,
    34: OMEGA._replace(name="omega.6 right", wrist=Wrist.PASSIVE),
    36: OMEGA._replace(name="omega.6 left", wrist=Wrist.PASSIVE),
    35: OMEGA._replace(name="omega.7 right", wrist=Wrist.PASSIVE, gripper=True),
    37: OMEGA._replace(name="omega.7 left", wrist=Wrist.PASSIVE, gripper=True),
    206: SIGMA._replace(name="sigma.3", wrist=Wrist.NONE, torque=0.0, gripper=False),
    104: SIGMA._replace(name="sigma.7 right"),
    105: SIGMA._replace(name="sigma.7 left"),
    203: LAMBDA._replace(name="lambda.3", wrist=Wrist.NONE, torque=0.0, gripper=False),
    108: LAMBDA._replace(name="lambda.7 right"),
    109: LAMBDA._replace(name="lambda.7 left"),
    60: Model("Novint Falcon", 0.04, 8.0, 3000.0, buttons=("centre", "left", "up", "right")),
}


def capabilities_of(model: Model, serial_number: str) -> Capabilities:
    """What the station needs to know: x to the operator, y right, z up, from the centre of the workspace."""
    slide = Axis(
        kind=AxisKind.ABSOLUTE,
        low=-model.radius,
        high=model.radius,
        force=model.force,
        peak=model.force,
        stiffness=model.stiffness,
    )
    return Capabilities(
        model=f"Force Dimension {model.name}" if model.name[0].islower() else model.name,
        serial_number=serial_number,
        axes=(slide, slide, slide, _turn(model, 0), _turn(model, 1), _turn(model, 2)),
        buttons=model.buttons,
        grip=model.gripper,
        rate=RATE,
        homing=True,
        dead_man=0,  # the button of the handle; a Falcon's centre
    )


def _turn(model: Model, axis: int) -> Axis:
    if model.wrist is Wrist.NONE:
        return Axis()
    return Axis(kind=AxisKind.ABSOLUTE, low=-TURN[axis], high=TURN[axis], force=model.torque, peak=model.torque)
