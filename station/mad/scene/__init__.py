"""The scene: everything that a MAD file describes, typed, frozen, in SI units.

One class per block, one field per keyword; the `entry(…)` of a field is its definition for reader, writer and manual
(see schema.py). `source` is where the block stood in the file and takes no part in comparisons.

values.py   numbers, words and references that keywords are given
solids.py   shapes and obstacles            bodies.py   base, links, frames, tools, cameras
robot.py    a robot and its constraints     device.py   what a hand moves
ties.py     what holds robots together
haptics.py  how it pushes                   guides.py   what the hand is led to
calibrated.py  which calibration            scene.py    all of it
"""

from station.mad.scene.bodies import Base, Body, Camera, Frame, Gripper, Link, MobileBase, Tool
from station.mad.scene.calibrated import Calibrated
from station.mad.scene.device import Bubble, Device, DeviceEdge, DeviceMotion
from station.mad.scene.guides import Guide, GuideKind
from station.mad.scene.haptics import (
    Crossing,
    HapticBilateral,
    HapticBody,
    Haptics,
    HapticStability,
    LinkArchitecture,
    LinkMethod,
    StabilityMethod,
)
from station.mad.scene.robot import Constraint, Controller, Coupling, Posture, Robot
from station.mad.scene.scene import Scene
from station.mad.scene.solids import Obstacle, Shape
from station.mad.scene.ties import Mount, Tie
from station.mad.scene.values import (
    ANGLES,
    BASE_ID,
    JOINT_INTERVAL,
    NOWHERE,
    NULL_DEVICE,
    ORIGIN,
    UNTURNED,
    VECTOR,
    Angles,
    Auto,
    Axis,
    CamPoint,
    ClosureKind,
    Colour,
    DriveKind,
    Friction,
    Inertia,
    Interval,
    Item,
    JointValue,
    Loss,
    MotionKind,
    Parameters,
    Pixels,
    Place,
    Priority,
    ReferenceFrame,
    Round,
    Source,
    Target,
    Twist,
    Vector,
)

__all__ = [
    "ANGLES",
    "BASE_ID",
    "JOINT_INTERVAL",
    "NOWHERE",
    "NULL_DEVICE",
    "ORIGIN",
    "UNTURNED",
    "VECTOR",
    "Angles",
    "Auto",
    "Axis",
    "Base",
    "Body",
    "Bubble",
    "Calibrated",
    "CamPoint",
    "Camera",
    "ClosureKind",
    "Colour",
    "Constraint",
    "Controller",
    "Coupling",
    "Crossing",
    "Device",
    "DeviceEdge",
    "DeviceMotion",
    "DriveKind",
    "Frame",
    "Friction",
    "Gripper",
    "Guide",
    "GuideKind",
    "HapticBilateral",
    "HapticBody",
    "HapticStability",
    "Haptics",
    "Inertia",
    "Interval",
    "Item",
    "JointValue",
    "Link",
    "LinkArchitecture",
    "LinkMethod",
    "Loss",
    "MobileBase",
    "MotionKind",
    "Mount",
    "Obstacle",
    "Parameters",
    "Pixels",
    "Place",
    "Posture",
    "Priority",
    "ReferenceFrame",
    "Robot",
    "Round",
    "Scene",
    "Shape",
    "Source",
    "StabilityMethod",
    "Target",
    "Tie",
    "Tool",
    "Twist",
    "Vector",
]
