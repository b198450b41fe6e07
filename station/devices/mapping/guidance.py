"""What a person is told on the way to engaging: homing, back to the start, dead-man."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from station.devices.device import DeviceStatus
from station.devices.mapping.mapping import Mapping, Mode
from station.devices.mapping.packing import rotation

SMALLEST = 0.001  # a way shorter than this is not told [m]


class Stage(StrEnum):
    """How far the person has come."""

    DEVICE = "device"  # the device is not ready; its own reason says what to do
    HOMING = "homing"  # the device must be moved to its ends by hand; it cannot push
    TO_START = "to start"  # the hand is led to the start
    ENGAGE = "engage"  # only the person's buttons are missing
    FORBIDDEN = "forbidden"  # the station does not permit it
    DONE = "done"  # the hand moves the robot


class Guidance(NamedTuple):
    """What to do next."""

    stage: Stage
    text: str  # one line for the person
    distance: float = 0.0  # from the start [m], while on the way to it


def guidance(mapping: Mapping, status: DeviceStatus, reason: str = "") -> Guidance:
    """What the person is to do next; for the view, not for every tick."""
    if status is DeviceStatus.HOMING:
        return Guidance(Stage.HOMING, reason or "move the handle gently to all its ends and back to the middle")
    if status is not DeviceStatus.READY:
        return Guidance(Stage.DEVICE, reason or f"the device is {status.value}")
    if mapping.mode is Mode.GUIDING:
        way = np.array(mapping.settings.guide.start) - mapping.hand
        return Guidance(
            Stage.TO_START, f"bring the handle to the start: {_told(mapping, way)}", float(np.hypot.reduce(way))
        )
    texts = {
        Mode.NO_SAMPLE: (Stage.DEVICE, "waiting for the device"),
        Mode.NOT_PERMITTED: (Stage.FORBIDDEN, "the station does not let the hand move the robot now"),
        Mode.RELEASE_FIRST: (Stage.ENGAGE, "let go of the dead-man button, then hold it to move the robot"),
        Mode.WAITING: (Stage.ENGAGE, "hold the dead-man button to move the robot"),
        Mode.CLUTCHED: (Stage.ENGAGE, "the hand moves alone; let go of the clutch to move the robot"),
        Mode.ENGAGED: (Stage.DONE, "the hand moves the robot"),
    }
    return Guidance(*texts[mapping.mode])


def _told(mapping: Mapping, way: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """A way as the person sees it, longest part first."""
    right, away, up = rotation(mapping.settings.seat) @ way
    parts = [(right, "right", "left"), (away, "away from you", "towards you"), (up, "up", "down")]
    parts = sorted((part for part in parts if abs(part[0]) >= SMALLEST), key=lambda part: -abs(part[0]))
    words = [f"{1000.0 * abs(length):.0f} mm {one if length > 0.0 else other}" for length, one, other in parts]
    return ", ".join(words) or "you are there"
