"""Guides: each kind with what it needs, and with nothing that means something for another kind only."""

from __future__ import annotations

import math

from station.mad.checks.names import check_unique
from station.mad.reader import Findings
from station.mad.scene import Guide, GuideKind, Scene

MOST_GUIDES, MOST_POINTS = 8, 32  # that forces have room for
LEAST_HALF_ANGLE, MOST_HALF_ANGLE = math.radians(1.0), math.radians(85.0)

_STRAIGHT = (GuideKind.LINE, GuideKind.PLANE, GuideKind.AXIS, GuideKind.CONE)
# Which kinds a keyword is for; those without an entry are for all.
FOR: dict[str, tuple[GuideKind, ...]] = {
    "pos": tuple(kind for kind in GuideKind if kind is not GuideKind.CURVE),
    "direction": _STRAIGHT,
    "points": (GuideKind.CURVE,),
    "half_angle": (GuideKind.CONE,),
    "size": (GuideKind.ZONE,),
    "torque": (GuideKind.AXIS,),
    "tool": (GuideKind.AXIS,),
}
NEEDED = ("pos", "direction", "points")


def check_guides(scene: Scene, findings: Findings) -> None:
    """Names once, not too many, and each as its kind is."""
    check_unique([(guide.name, guide.source.place) for guide in scene.guides], "guide", findings)
    for guide in scene.guides[MOST_GUIDES:]:
        findings.error(guide.source.place, f"guide {guide.name} is one too many; at most {MOST_GUIDES} are allowed")
    for guide in scene.guides:
        _check_keywords(guide, findings)
        _check_shape(guide, findings)


def _check_keywords(guide: Guide, findings: Findings) -> None:
    kind = guide.type.value
    for keyword, kinds in FOR.items():
        given = getattr(guide, keyword) not in (None, ())
        if given and guide.type not in kinds:
            allowed = ", ".join(each.value for each in kinds)
            findings.error(guide.source.of(keyword), f"'{keyword}' is for {allowed}; guide {guide.name} is a {kind}")
        elif not given and guide.type in kinds and keyword in NEEDED:
            findings.error(guide.source.place, f"guide {guide.name} is a {kind} and needs '{keyword}'")


def _check_shape(guide: Guide, findings: Findings) -> None:
    for keyword in ("direction", "tool"):
        vector = getattr(guide, keyword)
        if vector is not None and math.hypot(*vector) < 1e-6:
            findings.error(guide.source.of(keyword), f"'{keyword}' has no length; any vector but zero is allowed")
    if guide.half_angle is not None and not LEAST_HALF_ANGLE <= guide.half_angle <= MOST_HALF_ANGLE:
        findings.error(guide.source.of("half_angle"), "'half_angle' is from 1 to 85 degrees")
    if guide.points and (len(guide.points) % 3 or not 6 <= len(guide.points) <= 3 * MOST_POINTS):
        text = f"'points' takes 2 to {MOST_POINTS} points, x y z of each; here are {len(guide.points)} numbers"
        findings.error(guide.source.of("points"), text)
