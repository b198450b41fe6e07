"""Sizes of the Falcon and what it can do, with the names of Stamper's thesis, and where the station's frame lies in it.

The thesis (and libnifalcon) has x to the operator's right, y up, z from the base to the operator, origin in the base.
The station's device frame has x to the operator, y to the operator's right, z up, origin in the middle of the travel:

    station x = thesis z − 0.125 m        station y = thesis x        station z = thesis y
"""

from __future__ import annotations

import math

from station.devices.device import Axis, AxisKind, Capabilities

THIGH = 0.060  # a: driven arm [m]
SHIN = 0.1025  # b: parallelogram [m]
WRIST = 0.01443  # c: platform centre to the shin's joint, in the plane of the leg [m]
KNEE = 0.01125  # d and e: offsets at both ends of the shin [m]
SIDE = -0.025  # f: platform centre to the shin's joint, across the plane of the leg [m]
SHOULDER = 0.0400  # r: base centre to the thigh's axis [m]
SHOULDER_SIDE = -0.02309  # s: the same, across [m]
LEG_ANGLES = (math.radians(90.0 + 15.0), math.radians(-30.0 + 15.0), math.radians(-150.0 + 15.0))  # [rad]

COUNTS_PER_TURN = 4 * 320  # of the encoder, which sits on the motor's shaft
SHAFT, DRUM = 0.01425, 0.110  # the shaft's cable drives the drum of the thigh: diameters [m]
COUNT = 2.0 * math.pi / COUNTS_PER_TURN * SHAFT / DRUM  # turn of a thigh per count [rad]
ANGLE_AT_ZERO = math.radians(35.0)  # of a thigh, at count 0 [rad]

CENTRE = 0.125  # station origin along thesis z: half-way between 0.075 and 0.175 [m]
TRAVEL = 0.050  # from the centre to the end of travel along each axis [m]
REACH = 0.055  # every place within this distance of the centre has leg angles [m]
FARTHEST = 0.090  # the grip is never farther from the centre than this [m]
LOWEST_COUNT, HIGHEST_COUNT = -3300, 2100  # of any leg: thighs between −85° and 111°, more than the device can do

MAX_FORCE = 8.0  # more than this is not asked of it [N]
LARGEST_WORD = 4096  # of a motor
WORDS_PER_NEWTON_METRE = 10000.0  # libnifalcon's number; nobody has published a measured one: calibrate


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
