"""Forces as arrows with their sizes: at the tool as measured, at the hand by cause."""

from __future__ import annotations

import math

import numpy as np

from station.servo.shared import Cause
from station.view.augment.additions import Additions, spot
from station.view.augment.hand import hand_place, world_from_device
from station.view.augment.reading import Floats, Reading
from station.view.camera import Camera
from station.view.drawing.arrows import Arrow
from station.view.drawing.label import Label
from station.view.geometry.mesh import Colour

FORCE_LENGTH = 0.01  # length of an arrow at the tool over the reach of the robot, per newton
HAND_LENGTH = 0.03  # the same at the hand: hands feel less than tools
LONGEST = 0.5  # of an arrow, over the reach
SLIM = 0.12  # radius of a short arrow at most, over its length
LEAST_FORCE = 0.2  # that is worth an arrow [N]


def strength_of(force: Floats) -> float:
    """Size of a force [N]; 0 if it is too small to be shown or no number."""
    size = float(np.linalg.norm(force))
    return size if LEAST_FORCE <= size < math.inf else 0.0


def tool_force(reading: Reading) -> Additions:
    """The force on the tool as an arrow that pushes at it, with its size."""
    pose = reading.pose_in("measured_pose")
    if reading.snapshot is None or pose is None:
        return Additions()
    force: Floats = reading.snapshot.measured_wrench[:3]
    strength = strength_of(force)
    if not strength:
        return Additions()
    tip = pose[:3, 3]
    return _arrow(reading, tip - _vector(reading, force, FORCE_LENGTH), force, FORCE_LENGTH, reading.theme.force, "")


def hand_forces(reading: Reading, camera: Camera) -> Additions:
    """The forces on the hand at its cursor, an arrow for each cause, in the axes of the world."""
    place = hand_place(reading)
    if reading.snapshot is None or place is None:
        return Additions()
    turn = world_from_device(reading, camera)
    arrows: list[Arrow] = []
    labels: list[Label] = []
    for cause in Cause:
        if cause is Cause.LIMITS and not reading.pushes:
            continue  # it takes all away; what would be felt is what there is to see
        felt = reading.snapshot.wrench_parts[cause, :3]
        if strength_of(felt):
            force = turn @ felt
            colour = reading.theme.causes[cause]
            part = _arrow(reading, place, force, HAND_LENGTH, colour, f"{cause.name.lower()} ")
            arrows += part.arrows
            labels += part.labels
    return Additions(arrows=tuple(arrows), labels=tuple(labels))


def _vector(reading: Reading, force: Floats, length: float) -> Floats:
    strength = float(np.linalg.norm(force))
    return np.asarray(min(length * strength, LONGEST) * reading.robot.body.reach * force / strength)


def _arrow(reading: Reading, start: Floats, force: Floats, length: float, colour: Colour, words: str) -> Additions:
    """With its size: at its tip at the hand; at the tool beside its middle, as a long one leaves the picture."""
    vector = _vector(reading, force, length)
    thick = (0.35 if not words else 0.2) * reading.robot.body.size
    arrow = Arrow(start, vector, colour, min(thick, SLIM * float(np.linalg.norm(vector))))
    beside = start + (1.0 if words else 0.5) * vector
    text = f"{words}{float(np.linalg.norm(force)):.1f} N"
    label = Label(text, spot(beside), colour, reading.theme.text_back, (8.0 if words else 20.0, 0.0))
    return Additions(arrows=(arrow,), labels=(label,))
