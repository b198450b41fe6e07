"""The scene: everything that a MAD file describes, typed, frozen, in SI units.

One class per block, one field per keyword; the `entry(…)` of a field is its definition for reader, writer and manual
(see schema.py). `source` is where the block stood in the file and takes no part in comparisons.

values.py   numbers, words and references that keywords are given
solids.py   shapes and obstacles            bodies.py   base, links, frames, tools, cameras
robot.py    a robot and its constraints     device.py   what a hand moves
haptics.py  how it pushes                   guides.py   what the hand is led to
calibrated.py  which calibration            scene.py    all of it
"""

from station.mad.scene.bodies import Base, Body, Camera, Frame, Gripper, Link, MobileBase, Tool
from station.mad.scene.calibrated import Calibrated
from station.mad.scene.device import Bubble, Device, DeviceEdge, DeviceMotion
from station.mad.scene.guides import Guide, GuideKind
from station.mad.scene.haptics import (
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
    ClosureKind,
    Colour,
    DriveKind,
    Friction,
    Inertia,
    Interval,
    Item,
    JointValue,
    MotionKind,
    Parameters,
    Pixels,
    Place,
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
    "Camera",
    "ClosureKind",
    "Colour",
    "Constraint",
    "Controller",
    "Coupling",
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
    "MobileBase",
    "MotionKind",
    "Obstacle",
    "Parameters",
    "Pixels",
    "Place",
    "Posture",
    "ReferenceFrame",
    "Robot",
    "Round",
    "Scene",
    "Shape",
    "Source",
    "StabilityMethod",
    "Target",
    "Tool",
    "Twist",
    "Vector",
]
