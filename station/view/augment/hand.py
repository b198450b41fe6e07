"""The hand in the robot's world: where it wants the tool, which way its axes point, and how far its device can go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from station.devices.falcon.geometry import TRAVEL
from station.devices.syntaxer.geometry import Syntaxer
from station.mad.placement import from_angles
from station.mad.scene import Robot, Scene
from station.servo.shared import ReferenceFrame
from station.view.augment.additions import Additions, line_strip
from station.view.augment.marks import ball
from station.view.augment.reading import Floats, Reading
from station.view.camera import Camera

# From the axes of all devices (x to the operator, y right, z up) to those of the seat (x right, y away, z up).
SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
SYNTAXER, FALCON = "syntaxer", "Novint Falcon"  # models as the devices name them
CURSOR = 0.45  # radius of the cursor over that of the thickest link
AROUND = 49  # places of a circle


def hand_place(reading: Reading) -> Floats | None:
    """Where the hand wants the followed frame [m]; None if nobody knows."""
    pose = reading.pose_in("target_pose")
    return None if pose is None else pose[:3, 3]


def seat_of(scene: Scene, robot: Robot, address: str | None) -> Floats:
    """Rotation from device axes to the seat's: of the device at that address that may lead it, else the first."""
    ids = [name for item in robot.constraints if not item.closes_loop for name in item.devices]
    found = [device for device in scene.devices if device.id in ids]
    named = [device for device in found if device.address == address]
    device = next(iter(named or found), None)
    return SEAT if device is None else np.asarray(SEAT @ from_angles(device.seat))


def world_from_device(reading: Reading, camera: Camera) -> Floats:
    """Rotation from the axes of the device to those of the world, as the hand moves the tool now."""
    if reading.snapshot is None:
        return reading.seat
    reference = int(reading.snapshot.reference_frame[0])
    if reference == ReferenceFrame.VIEW:
        right, up, back = camera.axes().T
        return np.column_stack([right, -back, up]) @ reading.seat
    pose = reading.pose_in("predicted_pose")
    if reference == ReferenceFrame.TOOL and pose is not None:
        return np.asarray(pose[:3, :3] @ reading.seat)
    return reading.seat


def cursor(reading: Reading) -> Additions:
    """A ball where the hand wants the tool, and a line to where the tool is."""
    place = hand_place(reading)
    if place is None:
        return Additions()
    theme = reading.theme
    tether = line_strip(np.array([reading.tool[:3, 3], place]), theme.hand, 2.0)
    return Additions(mesh=ball(place, CURSOR * reading.robot.body.size, theme.hand), lines=(tether,))


def device_workspace(reading: Reading, camera: Camera) -> Additions:
    """Where the hand can bring the tool without the clutch: the travel of the device, scaled and turned into the world.

    Nothing is drawn of a device whose travel nobody knows.
    """
    travel, place = travel_of(reading.text), hand_place(reading)
    hand = reading.pose_in("hand_pose")
    if reading.snapshot is None or travel is None or place is None or hand is None:
        return Additions()
    scale = float(reading.snapshot.scale[0])
    if not math.isfinite(scale):
        return Additions()
    turn = world_from_device(reading, camera)
    outlines = outline_of(travel, reading.text.get("device_model") == SYNTAXER)
    faint = (*reading.theme.hand[:3], 0.6)
    lines = [line_strip(place + scale * (points - hand[:3, 3]) @ turn.T, faint) for points in outlines]
    return Additions(lines=tuple(lines))


def travel_of(text: Mapping[str, Any]) -> Floats | None:
    """Lowest and highest place (3, 2) of the straight axes [m]: as the station tells (`travel`), or by the model.

    Raises:
        ValueError: what the station tells is no travel.
    """
    if "travel" in text:
        told = np.array(text["travel"], np.float64)[:3]
        if told.shape != (3, 2) or not np.isfinite(told).all():
            raise ValueError("the station tells no lowest and highest place for each axis")
        return told
    if text.get("device_model") == SYNTAXER:
        cylinder = Syntaxer().cylinder
        across = (-cylinder.radius, cylinder.radius)
        return np.array([(cylinder.near, cylinder.far), across, across])
    return np.array([(-TRAVEL, TRAVEL)] * 3) if text.get("device_model") == FALCON else None


def outline_of(travel: Floats, cylinder: bool) -> list[Floats]:
    """Lines around the travel (3, 2) of a device [m]: a box, or the cylinder within it along its shortest axis."""
    low, high = travel.T
    if not cylinder:
        corner = [np.array([low, high])[[a, b, c], [0, 1, 2]] for a, b, c in _BOX]
        return [np.array(corner)]
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    along = int(np.argmin(half))
    across = [k for k in range(3) if k != along]
    radius, turn = float(half[across].min()), np.linspace(0.0, 2.0 * math.pi, AROUND)
    rings = []
    for side in (-1.0, 1.0):
        ring = np.tile(middle, (AROUND, 1))
        ring[:, across[0]] += radius * np.cos(turn)
        ring[:, across[1]] += radius * np.sin(turn)
        ring[:, along] += side * half[along]
        rings.append(ring)
    posts = [np.array([rings[0][k], rings[1][k]]) for k in range(0, AROUND - 1, (AROUND - 1) // 4)]
    return [*rings, *posts]


_BOX = (  # a walk along all edges of a box
    *((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 1)),
    *((1, 0, 1), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 1, 0)),
)
