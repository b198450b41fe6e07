"""What a finding about the machine is: a value, a verdict, and what to change. For `station doctor`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Verdict(StrEnum):
    """Whether something is fit for a servo."""

    GOOD = "good"
    FAIR = "fair"  # works, with more lateness than need be
    POOR = "poor"  # expect missed ticks
    UNKNOWN = "unknown"  # the system does not tell


class Fact(NamedTuple):
    """One finding."""

    name: str
    value: str
    verdict: Verdict
    advice: str = ""  # what to change; empty if nothing

    def __str__(self) -> str:
        return f"{self.name}: {self.value} ({self.verdict.value})" + (f"; {self.advice}" if self.advice else "")


def unknown(name: str, why: str = "the system does not tell") -> Fact:
    """Nothing could be found out."""
    return Fact(name, why, Verdict.UNKNOWN)


def text_of(path: Path) -> str | None:
    """What a small file of the system says, without blanks around; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number_of(path: Path) -> int | None:
    """The whole number in a file of the system; None if there is none."""
    text = text_of(path)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None
