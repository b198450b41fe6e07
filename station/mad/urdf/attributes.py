"""Attributes of XML elements as names and numbers; what is wrong with them is noted, not raised."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from station.errors import MOST_SHOWN
from station.mad.checks.names import listed
from station.mad.placement import Pose, from_position
from station.mad.reader import Findings
from station.mad.scene import ORIGIN, UNTURNED, Angles, Vector
from station.mad.units import FARTHEST
from station.mad.urdf import tidy
from station.mad.urdf.elements import Element

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
MOST_COMPARED = 1000  # names among which the nearest is looked for: a huge file must not take minutes


class Origin(NamedTuple):
    """Where something is in its parent: translation by `pos` [m], then Rz(c)·Ry(b)·Rx(a) [rad]."""

    pos: Vector = ORIGIN
    ori: Angles = UNTURNED

    @property
    def pose(self) -> Pose:
        """As a 4×4 array [m]."""
        return from_position(self.pos, self.ori)


def text_of(element: Element, name: str, findings: Findings) -> str | None:
    """An attribute that must be there; None after noting that it is not."""
    value = element.attributes.get(name, "").strip()
    if not value:
        findings.error(element.place, f"<{element.tag}> needs the attribute '{name}'")
    return value or None


def number_of(
    element: Element, name: str, findings: Findings, default: float | None = None, *, largest: float = FARTHEST
) -> float | None:
    """One number; `default` where the attribute is absent, None after noting that it is wrong or has no default."""
    given = None if default is None else (default,)
    found = numbers_of(element, name, 1, findings, given, largest=largest)
    return found[0] if found else None


def numbers_of(
    element: Element,
    name: str,
    count: int,
    findings: Findings,
    default: tuple[float, ...] | None = None,
    *,
    largest: float = FARTHEST,
) -> tuple[float, ...] | None:
    """`count` numbers separated by spaces, none beyond `largest` [SI], as `number_of`."""
    if name not in element.attributes and default is not None:
        return default
    text = text_of(element, name, findings)
    if text is None:
        return None
    words, where = text.split(), f"'{name}' of <{element.tag}>"
    if len(words) != count:
        takes = "1 number" if count == 1 else f"{count} numbers"
        findings.error(element.place, f"{where} takes {takes}, not {len(words)}: '{text[:40]}'")
        return None
    for word in words:
        if (why := _unusable(word, largest)) is not None:
            findings.error(element.place, f"{where}: '{word[:40]}' is {why}")
            return None
    return tuple(float(word) + 0.0 for word in words)  # + 0.0: no -0.0


def _unusable(word: str, largest: float) -> str | None:
    if not NUMBER.fullmatch(word):
        unbounded = word.lstrip("+-").lower() in ("nan", "inf", "infinity")
        return "not a finite number" if unbounded else "not a number"
    if not math.isfinite(float(word)):
        return "not a finite number"
    return f"too large; allowed: up to {largest:g}" if abs(float(word)) > largest else None


def origin_of(element: Element, findings: Findings) -> Origin:
    """The `<origin>` of an element; the parent's own origin where there is none."""
    origin = element.first("origin")
    if origin is None:
        return Origin()
    pos = numbers_of(origin, "xyz", 3, findings, ORIGIN) or ORIGIN
    if "quat_xyzw" in origin.attributes:
        return Origin(tidy.stated_lengths(pos), _ori_from_quaternion(origin, findings))
    ori = numbers_of(origin, "rpy", 3, findings, UNTURNED) or UNTURNED
    return Origin(tidy.stated_lengths(pos), tidy.stated_angles(ori))


def _ori_from_quaternion(origin: Element, findings: Findings) -> Angles:
    """`quat_xyzw` came with URDF 1.1, in place of `rpy`."""
    quaternion = numbers_of(origin, "quat_xyzw", 4, findings)
    if "rpy" in origin.attributes:
        findings.error(origin.place, "<origin> has both 'rpy' and 'quat_xyzw'; keep one")
    if quaternion is None:
        return UNTURNED
    size = math.hypot(*quaternion)
    if size == 0.0:
        findings.error(origin.place, "'quat_xyzw' of <origin> is zero; it has no direction")
        return UNTURNED
    x, y, z, w = (part / size for part in quaternion)
    turned = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return tidy.angles_of(np.array(turned))


def nearest(given: str, names: Iterable[str], findings: Findings) -> str:
    """'; did you mean …' where a name is near, and the names there are; nothing where nobody would read it."""
    if len(findings.problems) > MOST_SHOWN:
        return ""
    names = list(names)
    near = get_close_matches(given, names[:MOST_COMPARED], n=1)
    return "; " + (f"did you mean '{near[0]}'? " if near else "") + f"there are: {listed(names)}"
