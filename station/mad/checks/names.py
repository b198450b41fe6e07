"""Names and ids: unique, and told when they are not."""

from __future__ import annotations

from collections.abc import Iterable

from station.mad.reader import Findings
from station.mad.scene import Place

MOST_LISTED = 20


def check_unique(named: Iterable[tuple[str | int, Place]], what: str, findings: Findings) -> None:
    """Every name once."""
    first: dict[str | int, Place] = {}
    for name, place in named:
        if name in first:
            findings.error(place, f"{what} {name} is declared twice; the first is at line {first[name].line}")
        else:
            first[name] = place


def listed(names: Iterable[str | int]) -> str:
    """`0, 1, 2` for messages, cut where nobody would read on."""
    texts = [str(name) for name in names]
    shown = ", ".join(texts[:MOST_LISTED])
    return f"{shown}, … ({len(texts)} in all)" if len(texts) > MOST_LISTED else shown or "none"
