"""What can be shown at the places it belongs to: `QUANTITIES` by name.

A quantity answers with its values and their places, or with a line that says why it cannot be known. Nothing that is
not known is ever drawn as zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from station.view.augment.distances import obstacle_spots
from station.view.augment.reading import NEVER, Floats, Reading
from station.view.augment.spots import Spots, at_joints
from station.view.errors import ViewRequestError

SPEED = ("rad/s", "m/s")
EFFORT = ("N·m", "N")
VALUE = ("rad", "m")
USUAL_SPEED = (2.0, 0.5)  # full where the file has no limit [rad/s, m/s]
USUAL_EFFORT = (20.0, 100.0)  # the same [N·m, N]
USUAL_ERROR = (0.05, 0.02)  # full tracking error [rad, m]
MARGIN = 0.15  # of its range: how far from a stop a joint begins to be near it
COLD, HOT = 30.0, 80.0  # no share and full share of a temperature [°C]

Answer = Spots | str  # values with places, or why they cannot be known


class Quantity(NamedTuple):
    """Something that can be shown."""

    name: str
    words: str
    read: Callable[[Reading, float | None], Answer]  # `full` overrides what counts as full, in the quantity's unit


def _fulls(reading: Reading, limits: list[float | None], usual: tuple[float, float], full: float | None) -> Floats:
    """What counts as full for each joint: as asked, else its limit, else what is usual."""
    if full is not None:
        return np.full(len(reading.joints), full)
    ordinary = np.where(reading.turning, usual[0], usual[1])
    return np.array([limit or usual for limit, usual in zip(limits, ordinary, strict=True)])


def _speed(reading: Reading, full: float | None) -> Answer:
    if reading.snapshot is None:
        return reading.unmeasured
    fulls = _fulls(reading, [link.speed for link in reading.joints], USUAL_SPEED, full)
    if reading.unmeasured:  # the predicted robot obeys at once: its speed is known, and stands at it
        return at_joints(reading, _known(reading.snapshot.predicted_v), fulls, SPEED)
    return at_joints(reading, _known(reading.snapshot.measured_v), fulls, SPEED, measured=True)


def _effort(reading: Reading, full: float | None) -> Answer:
    values = reading.told.get("effort")
    if values is None and reading.snapshot is not None and not reading.unmeasured:
        values = _known(reading.snapshot.measured_effort)
    if values is None or not np.isfinite(values).any():
        return "no effort is measured"
    fulls = _fulls(reading, [link.effort for link in reading.joints], USUAL_EFFORT, full)
    return at_joints(reading, values, fulls, EFFORT, measured=True)


def _load(reading: Reading, full: float | None) -> Answer:
    """What each joint must hold of the force at the tool: the transposed Jacobian times the wrench."""
    if reading.snapshot is None or reading.unmeasured:
        return reading.unmeasured
    if reading.text.get("measures_wrench") is False:
        return "no force is measured at the tool"
    if any(constraint.holds for constraint in reading.robot.robot.constraints):
        return "in a robot with loops, the force at the tool does not say what one joint holds"
    wrench = _known(reading.snapshot.measured_wrench)
    if not np.isfinite(wrench).all():
        return "no force is measured at the tool"
    jacobian = reading.mechanism.jacobian_at(reading.frame, reading.snapshot.measured_q)
    fulls = _fulls(reading, [link.effort for link in reading.joints], USUAL_EFFORT, full)
    return at_joints(reading, -jacobian.T @ wrench, fulls, EFFORT, measured=True)


def _temperature(reading: Reading, full: float | None) -> Answer:
    values = reading.told.get("temperature")
    if values is None and reading.snapshot is not None and not reading.unmeasured:
        values = _known(reading.snapshot.measured_temperature)
    if values is None or not np.isfinite(values).any():
        return "no temperature is measured"
    shares = (values - COLD) / ((full or HOT) - COLD)
    return at_joints(reading, values, 1.0, ("°C", "°C"), measured=True, shares=shares)


def _tracking(reading: Reading, full: float | None) -> Answer:
    if reading.snapshot is None or reading.unmeasured:
        return reading.unmeasured
    if not float(reading.snapshot.commanded_age[0]) < NEVER:
        return "nothing has been commanded yet"
    error = _known(reading.snapshot.commanded_q) - _known(reading.snapshot.measured_q)
    fulls = _fulls(reading, [None] * len(reading.joints), USUAL_ERROR, full)
    return at_joints(reading, error, fulls, VALUE, measured=True)


def stop_gaps(reading: Reading) -> tuple[Floats, Floats]:
    """Signed way of each joint to its nearest stop [rad | m], positive to the upper one; and how near that is, 0 to 1.

    NaN where a joint has no stops.
    """
    low, high = reading.robot.stops.T
    below, above = reading.robot.q - low, high - reading.robot.q
    upper = above <= below
    margin = np.maximum(MARGIN * (high - low), 1e-9)
    near = np.clip(1.0 - np.where(upper, above, below) / margin, 0.0, 1.0)
    return np.where(upper, above, -below), near


def _nearness(reading: Reading, full: float | None) -> Answer:
    gaps, near = stop_gaps(reading)
    if full is not None:
        near = np.clip(1.0 - np.abs(gaps) / full, 0.0, 1.0)
    if not np.isfinite(gaps).any():
        return "no joint of this robot has a stop"
    return at_joints(reading, gaps, 1.0, VALUE, shares=near)


def _known(values: Floats) -> Floats:
    """Values as they are, NaN where they are not finite."""
    numbers = np.array(values, np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("speed", "joint speed", _speed),
        Quantity("effort", "joint effort", _effort),
        Quantity("load", "part of the force at the tool that a joint holds", _load),
        Quantity("nearness", "way to the nearest stop", _nearness),
        Quantity("temperature", "temperature", _temperature),
        Quantity("tracking", "tracking error", _tracking),
        Quantity("obstacle", "distance to the nearest obstacle", obstacle_spots),
    )
}
TOLD = ("effort", "temperature")  # quantities that only somebody else can know


def quantity_named(name: str) -> Quantity:
    """The quantity of that name; raises ViewRequestError that lists them."""
    if name not in QUANTITIES:
        raise ViewRequestError(f"no quantity '{name}'; there are: {', '.join(QUANTITIES)}")
    return QUANTITIES[name]
