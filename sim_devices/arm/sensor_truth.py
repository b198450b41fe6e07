"""A tool and its sensor as they really are: a tool heavier than told, axes of the sensor that talk into each other.

For calibration: what the station knows is the scene, what the physics weighs and the sensor tells is this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.masses import Inertial, together
from sim_devices.arm.settings import ArmSettings

LEVER = 0.1  # between errors of forces and of torques [m]
LOAD_SIZE = 0.05  # radius of the ball that a load is [m]


class TrueSensor(NamedTuple):
    """What is true of a tool sensor; nobody on the station's side may look."""

    gain: Floats  # (6, 6): what it tells of what goes through it
    bias: Floats  # (6,) [N, N·m]
    load: Inertial | None  # what the tool holds, or weighs more than told, about its frame


def true_gain(settings: ArmSettings, seed: int) -> Floats:
    """The gains of a sensor, of that seed: near 1, with a little of every axis in every other."""
    errors = np.random.default_rng([seed, 6]).normal(size=(6, 6)) * settings.wrong_gain
    errors[:3, 3:] /= LEVER
    errors[3:, :3] *= LEVER
    return np.asarray(np.eye(6) + errors)


def unknown_load(settings: ArmSettings, seed: int) -> Inertial | None:
    """What the controller does not know of: the payload, and what the tool weighs more than its file says."""
    parts = [_ball(settings.payload, np.array(settings.payload_at))] if settings.payload > 0.0 else []
    if settings.wrong_tool_mass > 0.0:
        random = np.random.default_rng([seed, 7])
        mass = settings.wrong_tool_mass * (0.5 + float(abs(random.normal())))
        parts.append(_ball(mass, settings.wrong_tool_centre * random.normal(size=3)))
    return together(parts) if parts else None


def _ball(mass: float, place: Floats) -> Inertial:
    return Inertial(mass, place, np.eye(3) * 0.4 * mass * LOAD_SIZE**2)
