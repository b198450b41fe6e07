"""Settings as the numbers that kernels read."""

from __future__ import annotations

import math

import numpy as np

from station.devices.device import AxisKind
from station.devices.mapping.kernels import layout as at
from station.devices.mapping.kernels.layout import Floats
from station.devices.mapping.regions import Region, Sphere, Triple
from station.devices.mapping.settings import Edge, LockFrame, MappingSettings
from station.mad.scene import ReferenceFrame

_KINDS = {AxisKind.NONE: at.NONE, AxisKind.ABSOLUTE: at.ABSOLUTE, AxisKind.INCREMENTAL: at.INCREMENTAL}
_REFERENCES = {ReferenceFrame.WORLD: at.WORLD, ReferenceFrame.VIEW: at.VIEW, ReferenceFrame.TOOL: at.TOOL}


def packed(settings: MappingSettings) -> Floats:
    """All settings in one array; `kernels/layout.py` says where."""
    numbers = np.zeros(at.SETTINGS_SIZE)

    def put(start: int, *values: float) -> None:
        numbers[start : start + len(values)] = values

    put(at.SEAT, *rotation(settings.seat).ravel())
    put(at.SCALE, *settings.scale)
    put(at.KIND, *(_KINDS[kind] for kind in settings.motion))
    put(at.MIDDLE, *settings.middle)
    put(at.LOW, *settings.low)
    put(at.HIGH, *settings.high)
    put(at.REFERENCE, _REFERENCES[settings.reference])
    put(at.FREE, *(0.0 if locked else 1.0 for locked in settings.locks))
    put(at.LOCKS_IN_TOOL, 1.0 if settings.lock_frame is LockFrame.TOOL else 0.0)
    response, engagement, bubble, guide = settings.response, settings.engagement, settings.bubble, settings.guide
    put(at.RATE, response.straight_rate, response.turning_rate)
    put(at.DEAD_ZONE, response.dead_zone, response.exponent, response.blend, response.feedback)
    put(at.LEAD, response.straight_lead, response.turning_lead)
    put(at.DEAD_MAN, *(-1.0 if button is None else button for button in (engagement.dead_man, engagement.clutch)))
    put(at.HAND_SPEED, engagement.hand_speed, engagement.hand_turn_speed, engagement.refusals)
    put(at.STALE_AFTER, engagement.stale_after, engagement.period)
    put(at.EDGE, *_wall(settings.edge.region, settings.edge))
    if bubble.radius > 0.0:
        ball = Edge(margin=0.0, stiffness=bubble.stiffness, damping=bubble.damping, force=bubble.force)
        put(at.BUBBLE, *_wall(Sphere(centre=bubble.centre, radius=bubble.radius), ball))
        put(at.BUBBLE_RATE, bubble.rate, bubble.speed)
    put(at.GUIDE, *guide.start, guide.stiffness, guide.damping, guide.force, guide.radius, guide.ramp)
    return numbers


def rotation(vector: Triple) -> Floats:
    """3×3 matrix of a rotation vector [rad]."""
    angle = math.sqrt(sum(part * part for part in vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = (part / angle for part in vector)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Floats = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return turned


def _wall(region: Region | None, edge: Edge) -> tuple[float, ...]:
    if region is None:
        return (at.NO_REGION, *(0.0,) * 10)
    axis = getattr(region, "axis", 0)
    halves = region.halves(edge.margin)
    return (region.number, *region.centre, *halves, axis, edge.stiffness, edge.damping, edge.force)
