"""What the Falcon can do, for the station to know beforehand."""

from __future__ import annotations

from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.falcon.geometry import MAX_FORCE, TRAVEL

BUTTONS = ("right", "forward", "centre", "left")  # in the order of their bits

# In the worst place and direction within 40 mm of the centre, with the largest motor words and the default scale.
EVERYWHERE_FORCE = 4.8  # [N]
STIFFNESS = 3000.0  # what CHAI3D renders with it at 1 kHz [N/m]
RATE = 1000.0  # one exchange per period of the USB chip's latency timer [Hz]


def falcon_capabilities(serial_number: str = "") -> Capabilities:
    """Three axes that point and push, four buttons; it has to be homed by hand."""
    along = Axis(
        kind=AxisKind.ABSOLUTE,
        low=-TRAVEL,
        high=TRAVEL,
        force=EVERYWHERE_FORCE,
        peak=MAX_FORCE,
        stiffness=STIFFNESS,
    )
    none = Axis()
    return Capabilities(
        model="Novint Falcon",
        serial_number=serial_number,
        axes=(along, along, along, none, none, none),
        buttons=BUTTONS,
        rate=RATE,
        homing=True,
        dead_man=BUTTONS.index("centre"),  # the large one, under the thumb
    )
