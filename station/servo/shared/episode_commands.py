"""Commands that divide a run into episodes, each with a task in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from station.servo.shared.command import Command, check_choice
from station.servo.shared.errors import CommandError
from station.servo.shared.words import EpisodeStep

TASK_BYTES = 192  # of a task's text, in UTF-8
TASK_NUMBERS = 32
PER_NUMBER = TASK_BYTES // TASK_NUMBERS  # bytes: six are a whole number that a real one holds exactly


@dataclass(frozen=True)
class Episode(Command):
    """Begin an episode, or say how it ended; what is discarded is marked, never deleted."""

    step: EpisodeStep
    kind = 18
    codes = len(EpisodeStep)

    def __post_init__(self) -> None:
        check_choice("episode", self.step, len(EpisodeStep), EpisodeStep)

    @property
    def code(self) -> int:
        """The step."""
        return int(self.step)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a number of EpisodeStep."""
        del numbers
        return cls(EpisodeStep(code))


@dataclass(frozen=True)
class SetTask(Command):
    """What the episodes that begin from now on are about, in words: UTF-8, six bytes in each number."""

    text: str
    kind = 19
    reals = TASK_NUMBERS

    def __post_init__(self) -> None:
        size = len(self.text.encode("utf8", "replace"))
        if size > TASK_BYTES or not (self.text.isprintable() or not self.text):
            raise CommandError(f"a task of {size} bytes: one line of at most {TASK_BYTES} bytes is allowed")

    @property
    def numbers(self) -> tuple[float, ...]:
        """The text, in pieces."""
        packed = self.text.encode("utf8", "replace").ljust(TASK_BYTES, b"\0")
        pieces = (packed[at : at + PER_NUMBER] for at in range(0, TASK_BYTES, PER_NUMBER))
        return tuple(float(int.from_bytes(piece, "little")) for piece in pieces)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From its pieces."""
        del code
        if any(not 0.0 <= number < 2.0 ** (8 * PER_NUMBER) or number != int(number) for number in numbers):
            raise CommandError("a task that is no text")
        packed = b"".join(int(number).to_bytes(PER_NUMBER, "little") for number in numbers)
        return cls(packed.rstrip(b"\0").decode("utf8", "replace"))
