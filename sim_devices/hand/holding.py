"""Moves that change how the hand holds, as data: grip, tremor, buttons."""

from __future__ import annotations

from dataclasses import dataclass

from sim_devices.hand.paths import Move, need


@dataclass(frozen=True)
class Tremor(Move):
    """From now on the hand trembles at 8 to 12 Hz, by so much if it held nothing [m]."""

    size: float

    def __post_init__(self) -> None:
        need(self, 0.0 <= self.size <= 0.01, "from 0 to 10 mm")


@dataclass(frozen=True)
class Tighten(Move):
    """Grip, 0 loose to 1 tight, within a time [s]; also looser."""

    grip: float
    seconds: float = 0.2

    def __post_init__(self) -> None:
        need(self, 0.0 <= self.grip <= 1.0 and self.seconds > 0.0, "a grip from 0 to 1, in a time above 0 s")

    @property
    def takes(self) -> float:
        """As said [s]."""
        return self.seconds


@dataclass(frozen=True)
class Strength(Move):
    """From now on muscles give no more than this [N]: what is in the way is leant on gently."""

    force: float

    def __post_init__(self) -> None:
        need(self, self.force > 0.0, "a force above 0 N")


@dataclass(frozen=True)
class Press(Move):
    """A button, until it is released."""

    button: str


@dataclass(frozen=True)
class Release(Move):
    """A button."""

    button: str


@dataclass(frozen=True)
class Watch(Move):
    """From now on look at the light while a button is held; if it goes dark, go back there and press again."""

    button: str


@dataclass(frozen=True)
class LetGo(Move):
    """Take the hand off handle and buttons."""


@dataclass(frozen=True)
class Grasp(Move):
    """Take hold of the handle, wherever it is then."""


@dataclass(frozen=True)
class Again(Move):
    """Begin again; the last of a script."""
