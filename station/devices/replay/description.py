"""What a device can do, as text in a recording."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from station.devices.device import Axis, AxisKind, Capabilities
from station.json_reader import parse_json

MOST_BUTTONS = 64
LONGEST_NAME = 200  # characters


def to_text(capabilities: Capabilities) -> str:
    """Capabilities as JSON."""
    return json.dumps(dataclasses.asdict(capabilities))


def from_text(text: str) -> Capabilities:
    """Capabilities from JSON; raises ValueError for anything else."""
    try:
        told = parse_json(text, "a description of a device")
        first, second, third, fourth, fifth, sixth = [_axis(axis) for axis in told["axes"]]
        buttons = tuple(_name(name) for name in told["buttons"])
        capabilities = Capabilities(
            model=_name(told["model"]),
            serial_number=_name(told["serial_number"]),
            axes=(first, second, third, fourth, fifth, sixth),
            buttons=buttons,
            grip=bool(told["grip"]),
            rate=_number(told["rate"]),
            homing=bool(told["homing"]),
            dead_man=_button(told.get("dead_man"), len(buttons)),  # older recordings do not say
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a description of a device ({error})") from None
    if capabilities.rate <= 0.0 or len(buttons) > MOST_BUTTONS:
        raise ValueError("not a description of a device (rate or buttons)")
    return capabilities


def without_force(capabilities: Capabilities) -> Capabilities:
    """The same device as a recording: there is nobody to push, and nobody to home it.

    If a recording kept its actuated axes, the station would render forces into the void and take them for felt.
    """
    first, second, third, fourth, fifth, sixth = (
        dataclasses.replace(axis, force=0.0, peak=0.0, stiffness=0.0) for axis in capabilities.axes
    )
    return dataclasses.replace(capabilities, axes=(first, second, third, fourth, fifth, sixth), homing=False)


def _axis(told: Any) -> Axis:
    numbers = {name: _number(told[name]) for name in ("low", "high", "force", "peak", "stiffness")}
    return Axis(kind=AxisKind(told["kind"]), **numbers)


def _number(told: Any) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not math.isfinite(told):
        raise ValueError(f"{told!r} is not a number")
    return float(told)


def _button(told: Any, count: int) -> int | None:
    if told is None:
        return None
    if type(told) is not int or not 0 <= told < count:
        raise ValueError(f"{told!r} is not the number of a button")
    return told


def _name(told: Any) -> str:
    if not isinstance(told, str) or len(told) > LONGEST_NAME:
        raise ValueError("a name that is none")
    return told
