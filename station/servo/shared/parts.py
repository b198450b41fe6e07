"""Parts of a running servo for those who follow it: all of them at once, each by a name of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from station.servo.shared.reader import StateReader
from station.servo.shared.runtime import parts_of


@contextmanager
def opened_parts(state: Path) -> Iterator[tuple[StateReader, ...]]:
    """Readers of all parts of a servo, in their order; the first is that by which it is known."""
    with ExitStack() as stack:
        yield tuple(stack.enter_context(StateReader(path)) for path in parts_of(state))


def part_names(texts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A name for each part from what the parts say of themselves; no two are the same.

    A part is called by its device. One device that may lead several robots is called by both: `left ur5e`.
    """
    told = [(str(text.get("part") or text.get("robot") or ""), str(text.get("robot") or "")) for text in texts]
    names: list[str] = []
    plain = [name for name, _ in told]
    for number, (name, robot) in enumerate(told, 1):
        full = name if plain.count(name) == 1 else f"{name} {robot}".strip()
        names.append(full if full and full not in names else f"{full} {number}".strip())
    return tuple(names)
