"""A geometry as named numbers and back: what a device tells in its handshake, and what a calibration changes.

Names go down the parts, counted from 1: `chains.1.arm`, `paramat.struts.3.anchor.2`, `motor.torque_constant`. SI units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from station.devices.syntaxer.checks import GeometryError
from station.devices.syntaxer.geometry import Syntaxer

DEFAULT = Syntaxer()


def numbers_of(geometry: Syntaxer) -> dict[str, float | int]:
    """All numbers of a geometry by name."""
    return dict(_walk(geometry, ""))


def geometry_from(numbers: Mapping[str, float | int], base: Syntaxer = DEFAULT) -> Syntaxer:
    """`base` with some numbers changed; raises GeometryError for a name that is not there or a value that cannot be."""
    known = numbers_of(base)
    for name, value in numbers.items():
        if name not in known:
            near = [other for other in known if other.rpartition(".")[2] == name.rpartition(".")[2]]
            hint = f"did you mean {near[0]}?" if near else f"names are such as {', '.join(list(known)[1:5])}"
            raise GeometryError(f"syntaxer geometry: there is no number {name!r}; {hint}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GeometryError(f"syntaxer geometry: {name} is a number, not {value!r}")
        if isinstance(known[name], int) and value != _whole(value):
            raise GeometryError(f"syntaxer geometry: {name} is a whole number, not {value!r}")
    changed: Syntaxer = _rebuilt(base, "", {**known, **numbers})
    return changed


def _whole(value: float) -> int | None:
    """The nearest whole number, if there is one."""
    return round(value) if abs(value) < 1e18 else None


def _walk(part: Any, name: str) -> Iterator[tuple[str, float | int]]:
    if is_dataclass(part):
        for item in fields(part):
            yield from _walk(getattr(part, item.name), f"{name}.{item.name}" if name else item.name)
    elif isinstance(part, tuple):
        for number, item in enumerate(part, start=1):
            yield from _walk(item, f"{name}.{number}")
    else:
        yield name, part


def _rebuilt(part: Any, name: str, numbers: Mapping[str, float | int]) -> Any:
    if is_dataclass(part):
        below = f"{name}." if name else ""
        values = {item.name: _rebuilt(getattr(part, item.name), below + item.name, numbers) for item in fields(part)}
        return part.__class__(**values)
    if isinstance(part, tuple):
        return tuple(_rebuilt(item, f"{name}.{number}", numbers) for number, item in enumerate(part, start=1))
    return type(part)(numbers[name])
