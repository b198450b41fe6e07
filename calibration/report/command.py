"""`station calibrate report`: one page about a result."""

from __future__ import annotations

from pathlib import Path

import click

from calibration.errors import ResultFileError
from calibration.results import read_results


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The page; else beside RESULT, as .html.")
@click.option("--id", "wanted", help="An earlier result of the file, by its id; else the newest.")
def report(result: Path, out: Path | None, wanted: str | None) -> None:
    """Write a page about RESULT: errors before and after, parameters with uncertainties, what cannot be told."""
    from calibration.report.page import html  # loads matplotlib

    held = read_results(result)
    chosen = next((one for one in held if wanted in (None, one.id)), None)
    if chosen is None:
        raise ResultFileError(f"{result}: no result {wanted}; there are: {', '.join(one.id for one in held) or 'none'}")
    path = out or result.with_suffix(".html")
    try:
        path.write_bytes(html(chosen, [one for one in held if one is not chosen]))
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
    click.echo(f"{path}: {chosen.method}, result {chosen.id}")


COMMANDS = (report,)
