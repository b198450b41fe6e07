"""Guides that a MAD file lays into the world: `guide NAME { type line … }`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from station.devices.parameter import SettingsError
from station.haptics.guides import (
    AxisGuide,
    ConeGuide,
    CurveGuide,
    Guide,
    LineGuide,
    PlaneGuide,
    PointGuide,
    Triple,
    Zone,
)
from station.mad.scene import Guide as SceneGuide
from station.mad.scene import GuideKind, Scene, Vector

KINDS: dict[GuideKind, Callable[..., Guide]] = {
    GuideKind.POINT: PointGuide,
    GuideKind.LINE: LineGuide,
    GuideKind.PLANE: PlaneGuide,
    GuideKind.AXIS: AxisGuide,
    GuideKind.CURVE: CurveGuide,
    GuideKind.CONE: ConeGuide,
    GuideKind.ZONE: Zone,
}


def guides_from_scene(scene: Scene) -> dict[str, Guide]:
    """All guides of a scene by name, in its order; places and directions are those of the world.

    Raises SettingsError with one line that says where in the file what is wrong.
    """
    found = {}
    for said in scene.guides:
        try:
            found[said.name] = KINDS[said.type](**_numbers(said))
        except SettingsError as error:
            place = said.source.place
            where = f"{scene.file or scene.name}:{place.line}:{place.column}"
            raise SettingsError(f"{where}: guide {said.name}: {error}") from None
    return found


def _numbers(said: SceneGuide) -> dict[str, Any]:
    """What the file says, by the names that guides have for it; the rest keeps its default."""
    given: dict[str, Any] = {
        "stiffness": said.stiffness,
        "damping": said.damping,
        "radius": said.radius,
        "force": said.force,
        "point": said.pos and tuple(said.pos),
        "direction": said.direction and tuple(said.direction),
        "half_angle": said.half_angle,
        "size": said.size,
        "turn_stiffness": said.torque,
        "tool": said.tool and _unit(said.tool),
        "points": _triples(said.points) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _unit(vector: Vector) -> Triple:
    length = math.hypot(*vector)
    return vector.x / length, vector.y / length, vector.z / length


def _triples(numbers: tuple[float, ...]) -> tuple[Triple, ...]:
    """Three by three."""
    return tuple((numbers[i], numbers[i + 1], numbers[i + 2]) for i in range(0, len(numbers) - 2, 3))
