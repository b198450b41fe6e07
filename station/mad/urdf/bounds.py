"""`<limit>` and `<dynamics>` of a joint: stops, largest speed and effort, friction."""

from __future__ import annotations

import sys
from enum import Enum
from typing import NamedTuple

from station.mad.reader import Findings
from station.mad.scene import Friction, Interval
from station.mad.units import FARTHEST, LARGEST, SMALLEST
from station.mad.urdf import tidy
from station.mad.urdf.attributes import number_of
from station.mad.urdf.elements import Element

ANY_SIZE = sys.float_info.max  # 1e16 or more, for stops and largest speeds, is a custom that means 'none'


class Kind(Enum):
    """The joint types of a URDF that MAD has too; each has at most one degree of freedom."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"

    def stated(self, value: float) -> float:
        """A joint value or speed that the URDF gives [rad | m, or per s]; an angle without its rounding noise."""
        return value if self is Kind.PRISMATIC else tidy.angle(value, tidy.STATED_NOISE)


class Bounds(NamedTuple):
    """What `<limit>` says: stops [rad | m] and the largest speed [… /s], acceleration, jerk and effort [N·m | N]."""

    limits: Interval | None = None
    speed: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    effort: float | None = None


def read_bounds(element: Element, joint: str, kind: Kind, findings: Findings) -> Bounds:
    """What the `<limit>` of a joint says; stops only if a joint of its kind has some that it can come to."""
    limit = element.first("limit")
    has_stops = kind is not Kind.CONTINUOUS
    if limit is None:
        if has_stops:
            findings.warning(element.place, f"joint '{joint}' has no <limit>; it is imported without stops")
        return Bounds()
    limits = _limits(limit, joint, kind, findings) if has_stops else None
    speed, effort = (_largest(limit, name, joint, findings) for name in ("velocity", "effort"))
    # These came with URDF 1.2. MAD has one bound for speeding up and slowing down: the smaller holds for both.
    given = [name for name in ("acceleration", "deceleration", "jerk") if name in limit.attributes]
    found = {name: _largest(limit, name, joint, findings) for name in given}
    changes = [value for name, value in found.items() if name != "jerk" and value is not None]
    speed, acceleration, jerk = (
        value and kind.stated(value) for value in (speed, min(changes, default=None), found.get("jerk"))
    )
    return Bounds(limits, speed or None, acceleration or None, jerk or None, effort)


def _limits(limit: Element, joint: str, kind: Kind, findings: Findings) -> Interval | None:
    lower, upper = (number_of(limit, name, findings, 0.0, largest=ANY_SIZE) for name in ("lower", "upper"))
    if lower is None or upper is None:
        return None
    # A stop that is farther away than anything can be is none; MAD has two stops or none.
    stops = Interval(*(min(max(kind.stated(stop), -FARTHEST), FARTHEST) for stop in (lower, upper)))
    if abs(stops.lo) == abs(stops.hi) == FARTHEST:
        if stops.lo == stops.hi:
            findings.error(limit.place, f"joint '{joint}': no joint comes to its stops {lower:g} … {upper:g}")
        return None
    if lower > upper:
        findings.error(limit.place, f"joint '{joint}': 'lower' {lower:g} is above 'upper' {upper:g}")
    elif stops.lo == stops.hi:  # what exporters write where nobody entered the stops
        findings.warning(
            limit.place, f"joint '{joint}': 'lower' and 'upper' are both {lower:g}; it is imported without stops"
        )
    return stops if stops.lo < stops.hi else None


def _largest(limit: Element, name: str, joint: str, findings: Findings) -> float | None:
    """A bound that is more than 0, or None: absent, 0 and beyond all machines mean that nobody entered it."""
    value = number_of(limit, name, findings, 0.0, largest=ANY_SIZE)
    if value is not None and 0.0 <= value < SMALLEST:
        value = 0.0
        findings.warning(limit.place, f"joint '{joint}' has no '{name}' in <limit>; it is imported without that bound")
    elif value is not None and value < 0.0:
        findings.error(limit.place, f"'{name}' of <limit> must be more than 0, not {value:g}")
    return value if value and value <= LARGEST else None


def read_friction(element: Element, findings: Findings) -> Friction | None:
    """What the `<dynamics>` of a joint says; None where it is nothing or 0."""
    dynamics = element.first("dynamics")
    if dynamics is None:
        return None
    found = []
    for name in ("damping", "friction"):
        value = number_of(dynamics, name, findings, 0.0, largest=LARGEST) or 0.0
        if value < 0.0:
            findings.error(dynamics.place, f"'{name}' of <dynamics> must be at least 0, not {value:g}")
        found.append(value)
    return Friction(*found) if any(found) else None
