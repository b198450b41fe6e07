"""What any command to the servo is, and the checks that commands make of themselves."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar, Self, cast

from station.servo.shared.errors import CommandError


class Command(ABC):
    """Anything that can be asked. On the way it is a kind, one whole number and some real ones."""

    kind: ClassVar[int]
    codes: ClassVar[int] = 1  # the whole number is from 0 up to, not including, this
    reals: ClassVar[int | str] = 0  # how many real numbers; "n": one for each joint

    @property
    def code(self) -> int:
        """The whole number."""
        return 0

    @property
    def numbers(self) -> tuple[float, ...]:
        """The real numbers."""
        return ()

    @classmethod
    @abstractmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """The command of these numbers."""


class PlainCommand(Command):
    """A command that is only a word."""

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """The command itself."""
        del code, numbers
        return cls()


class ChoiceCommand(Command):
    """A command that is one choice: a member of an enum, or a whole number from 0 on. Its only field has it."""

    what: ClassVar[str]  # what is chosen, for people
    choices: ClassVar[type[IntEnum] | None] = None  # None: any number below `codes`

    def __post_init__(self) -> None:
        check_choice(self.what, self._choice, self.codes, self.choices)

    @property
    def _choice(self) -> int:
        (choice,) = vars(self).values()
        return cast(int, choice)

    @property
    def code(self) -> int:
        """The choice."""
        return int(self._choice)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From the number of a choice."""
        del numbers
        return cls(code if cls.choices is None else cls.choices(code))  # type: ignore[call-arg]


def check_choice(what: str, value: int, count: int, names: type[IntEnum] | None = None) -> None:
    """Raise CommandError unless `value` is a whole number from 0 up to, not including, `count`."""
    if not (type(value) is int or isinstance(value, IntEnum)) or not 0 <= value < count:
        allowed = ", ".join(names.__members__) if names else f"0 to {count - 1}"
        raise CommandError(f"{what} {value!r}: {allowed} are allowed")


def check_range(what: str, value: float, low: float, high: float) -> None:
    """Raise CommandError unless `value` is a number from `low` to `high`."""
    if not (math.isfinite(value) and low <= value <= high):
        raise CommandError(f"{what} {value:g}: from {low:g} to {high:g} is allowed")
