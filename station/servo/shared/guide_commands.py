"""Commands that lay guides and zones, and take them away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from station.haptics.guides import GUIDE_WORDS, MOST_POINTS, LaidGuide, Shape
from station.haptics.state import MOST_GUIDES
from station.servo.shared.command import Command, check_choice, check_range
from station.servo.shared.errors import CommandError

GUIDE_NUMBERS = LaidGuide.place_of("points")  # of a guide without the points of a curve
LAYABLE = tuple(shape for shape in Shape if shape is not Shape.NONE)
SHAPE, COUNT = LaidGuide.place_of("shape"), LaidGuide.place_of("count")


@dataclass(frozen=True)
class LayGuide(Command):
    """Lay a guide or zone of the world in one of eight places; what was there fades out first."""

    place: int
    row: tuple[float, ...]  # `Guide.row()` of `station.haptics`; without a curve the first 19 are enough
    kind = 14
    codes = MOST_GUIDES
    reals = GUIDE_WORDS

    def __post_init__(self) -> None:
        check_choice("place of a guide", self.place, MOST_GUIDES)
        if len(self.row) not in (GUIDE_NUMBERS, GUIDE_WORDS):
            raise CommandError(f"{len(self.row)} numbers: a guide has {GUIDE_NUMBERS}, with a curve {GUIDE_WORDS}")
        for value in self.row:
            check_range("number of a guide", value, -1e5, 1e5)
        if self.row[SHAPE] not in LAYABLE:
            raise CommandError(
                f"guide of kind {self.row[SHAPE]:g}: point, line, plane, axis, curve, cone, zone are allowed"
            )
        # Kernels go by this number: one too large would lead them out of their memory.
        points = self.row[COUNT]
        right = points in range(2, MOST_POINTS + 1) if self.row[SHAPE] == Shape.CURVE else points == 0.0
        if not right or 3 * points > len(self.row) - GUIDE_NUMBERS:
            raise CommandError(f"{points:g} points of a guide: a curve has 2 to {MOST_POINTS}, all others none")

    @property
    def code(self) -> int:
        """The place."""
        return self.place

    @property
    def numbers(self) -> tuple[float, ...]:
        """The guide, with room for the points of a curve."""
        return self.row + (0.0,) * (GUIDE_WORDS - len(self.row))

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a place and a guide."""
        return cls(code, tuple(numbers if numbers[SHAPE] == Shape.CURVE else numbers[:GUIDE_NUMBERS]))


@dataclass(frozen=True)
class RemoveGuide(Command):
    """Let a guide fade out."""

    place: int
    kind = 15
    codes = MOST_GUIDES

    def __post_init__(self) -> None:
        check_choice("place of a guide", self.place, MOST_GUIDES)

    @property
    def code(self) -> int:
        """The place."""
        return self.place

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a place."""
        del numbers
        return cls(code)
