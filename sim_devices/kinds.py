"""The emulators there are, by name, and how each is made from the options of an address or a command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sim_devices.emulator import Emulator
from sim_devices.ends import End
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.hand import Hand, default_script
from station.clock import Clock
from station.errors import StationError


class EmulatorError(StationError, ValueError):
    """An emulator that cannot be made as asked; one line that says what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What an emulator is to be like."""

    hand: str = "default"  # "default", "none", a script, or @file with one
    faults: str = ""  # a script of faults, or @file
    seed: int = 0
    rate: float = 1000.0  # samples per second that it must be able to give [Hz]

    def __post_init__(self) -> None:
        """Refuse scripts that cannot be read before anything is started."""
        self.person()
        self.script()

    def person(self) -> Hand | None:
        """The hand, if there is one."""
        if self.hand == "none":
            return None
        return Hand(default_script() if self.hand == "default" else _text(self.hand), self.seed)

    def script(self) -> FaultScript:
        """What goes wrong and when."""
        return FaultScript(parse_faults(_text(self.faults)))


def _text(value: str) -> str:
    """The value itself, or the contents of the file after an @."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise EmulatorError(f"{value[1:]} cannot be read: {reason}") from None


def _syntaxer(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.syntaxer.emulator import TICK, SyntaxerEmulator

    tick = min(TICK, 1.0 / wishes.rate)
    return SyntaxerEmulator(end, clock, wishes.script(), wishes.person(), wishes.seed, tick=tick)


def _magellan(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.spacemouse.magellan import MagellanEmulator

    return MagellanEmulator(end, clock=clock, faults=wishes.script(), seed=wishes.seed)


def _spaceball(end: End, clock: Clock, wishes: Wishes) -> Emulator:
    from sim_devices.spacemouse.spaceball import SpaceballEmulator

    return SpaceballEmulator(end, clock=clock, faults=wishes.script(), seed=wishes.seed)


# Emulators at a serial line.
SERIAL: dict[str, Callable[[End, Clock, Wishes], Emulator]] = {
    "syntaxer": _syntaxer,
    "magellan": _magellan,
    "spaceball": _spaceball,
}
