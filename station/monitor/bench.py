"""`Bench`: the names behind the numbers of shared state, from the text that the servo left there at its start.

Nothing here is needed: what the text lacks, or tells in another form, is shown by its number. Keys that are looked at:
robot, led (the frame that the hand leads), file, device, device_model, dead_man, controller, method; joints, each with
id, name, type, low and high [rad or m], speed (its limit) [rad/s or m/s] and active; notes, lines that the operator
should see, such as scheduling that the system refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, NamedTuple

from station.servo.shared import Event
from station.servo.shared.words import DEAD_MAN, naming_button


class BenchJoint(NamedTuple):
    """A joint as people know it."""

    name: str
    low: float  # stops [rad | m]; nan where there is none
    high: float
    prismatic: bool
    active: bool  # False: it only follows the others
    speed: float = math.nan  # its limit [rad/s | m/s]; nan where there is none

    @property
    def limited(self) -> bool:
        """Whether it has two stops, one above the other."""
        return self.high > self.low

    @property
    def unit(self) -> str:
        """In which its place is shown."""
        return " mm" if self.prismatic else "°"

    def shown(self, value: float) -> float:
        """A place [rad | m] in the unit in which it is shown."""
        return 1e3 * value if self.prismatic else math.degrees(value)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What stands on the bench, by name."""

    part: str = ""  # what it is called where there are several
    robot: str = ""
    led: str = ""  # the frame that the hand leads, and why it is this one
    file: str = ""
    device: str = ""
    device_model: str = ""
    dead_man: str | None = DEAD_MAN  # the button that is held to lead, in words; None: the device has none
    controller: str = ""
    method: str = ""  # of stability
    joints: tuple[BenchJoint, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: Mapping[str, Any], joints: int, notes: Sequence[str] = ()) -> Bench:
        """From the servo's text, for a robot with so many joints."""
        listed = _items(text.get("joints"))
        return cls(
            **{
                key: _word(text.get(key))
                for key in ("robot", "led", "file", "device", "device_model", "controller", "method")
            },
            dead_man=None if text.get("dead_man", "") is None else _word(text.get("dead_man")) or cls.dead_man,
            joints=tuple(_joint(listed[i] if i < len(listed) else None, i + 1) for i in range(joints)),
            notes=(*map(str, _items(text.get("notes"))), *notes),
        )

    @property
    def has_controller(self) -> bool:
        """Whether there is an arm side at all."""
        return self.controller not in ("", "none")

    @property
    def title(self) -> str:
        """What to call it."""
        return self.robot or self.file or "the robot"


def event_words(code: int) -> str:
    """What an event of the supervisor means."""
    return Event(code).words if code in Event._value2member_map_ else f"event {code}"


def what_next(code: int, dead_man: str | None = None) -> str:
    """What a person does next after an event, the dead-man by its name if it has one; empty if nothing."""
    return naming_button(Event(code).what_next, dead_man) if code in Event._value2member_map_ else ""


def word_of(words: type[IntEnum], code: int) -> str:
    """The word that a number of shared state stands for; the number itself if it stands for none."""
    try:
        return readable(words(code).name)
    except ValueError:
        return f"{words.__name__} {code}"


def words_of(words: type[IntFlag], bits: int) -> list[str]:
    """The words that bits stand for."""
    return [readable(str(flag.name)) for flag in words if flag.value and bits & flag.value]


def readable(name: str) -> str:
    """A name of the program as people write it: `JOINT_STOP` is "joint stop"."""
    return name.replace("_", " ").lower()


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _joint(told: object, number: int) -> BenchJoint:
    about = told if isinstance(told, Mapping) else {"name": told}
    name = _word(about.get("name")) or f"joint {about.get('id', number)}"
    low, high = _number(about.get("low")), _number(about.get("high"))
    if not (math.isfinite(low) and math.isfinite(high)):
        low = high = math.nan
    speed = _number(about.get("speed"))
    return BenchJoint(
        name,
        low,
        high,
        about.get("type") == "prismatic",
        about.get("active") is not False,
        speed if math.isfinite(speed) and speed > 0.0 else math.nan,
    )
