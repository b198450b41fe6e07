"""The end of every command that estimates: the result is written, then told to a person or to a program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from calibration.results import Result, plain, write_result


def finish(
    out: Path,
    result: Result,
    as_json: bool,
    say: Callable[[], object],
    then: Callable[[], object] = lambda: None,
) -> None:
    """Write a result, and do what follows from it once it is safe; `say` tells it to a person."""
    write_result(out, result)
    then()
    if as_json:
        click.echo(json.dumps(plain({"id": result.id, **result.values}), indent=2))
        return
    say()
    click.echo(f"{out}: result {result.id} for {result.subject}")
