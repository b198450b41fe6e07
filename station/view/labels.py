"""What is written into a picture about its robots: names, ages, and what is emulated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import BASE_ID
from station.view.drawing.label import Label
from station.view.robot import DrawnRobot, followed
from station.view.theme import Theme


def robot_labels(robot: DrawnRobot, theme: Theme) -> Iterator[Label]:
    """Name of a robot at its base, and at its tool how old the measurement is, and which ghost is which."""
    emulated = " (emulated)" if robot.emulated else ""
    text = f"{robot.name}{emulated}{age_words(robot.predicted.age, robot.predicted.stale)}"
    colour = theme.stale if robot.predicted.stale else theme.text
    yield Label(text, _place(robot.pose(BASE_ID)), (*colour[:3], 1.0), theme.text_back, (14.0, 14.0))
    if robot.measured.shown:
        place = _place(robot.pose((followed(robot.robot) or [BASE_ID])[0], measured=True))
        paint = theme.stale if robot.measured.stale else theme.measured_trail
        text = f"measured{age_words(robot.measured.age, robot.measured.stale)}"
        yield Label(text, place, (*paint[:3], 1.0), theme.text_back, (14.0, -14.0))
    if robot.commanded.shown:
        row = robot.row((followed(robot.robot) or [BASE_ID])[0])
        place = _place(robot.commanded.poses[row])
        yield Label("commanded", place, theme.commanded_trail, theme.text_back, (14.0, 14.0))


def age_words(age: float | None, stale: bool) -> str:
    """An age [s] to be added to a name; nothing if it is not known."""
    if age is None:
        return ""
    if not np.isfinite(age):
        return ", nothing came yet"
    text = f"{1000.0 * age:.0f} ms" if age < 1.0 else f"{age:.1f} s"
    return f", STALE {text}" if stale else f", {text}"


def _place(pose: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in pose[:3, 3])
    return x, y, z
