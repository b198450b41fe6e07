"""A table that grows line by line on standard output, with a bar on standard error that says how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Row = TypeVar("Row")


def shown(name: str, head: list[str], rows: Iterable[Row], total: int, told: Callable[[Row], str]) -> list[Row]:
    """Print a Markdown table while its rows are found; returns them. `total` is how many there will be."""
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|", flush=True)
    taken = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(file=sys.stderr)
    with Progress(*columns, TimeRemainingColumn(), console=console, redirect_stdout=False) as bar:
        task = bar.add_task(name, total=total)
        for row in rows:
            taken.append(row)
            print(told(row), flush=True)
            bar.advance(task)
    return taken
