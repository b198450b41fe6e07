"""`station calibrate report`: one page about the results of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from calibration.errors import ResultFileError
from calibration.results import Result, read_results
from station.atomic import whole_file

PAGE = b"<!doctype html>"  # how every page begins


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The page; else beside RESULT, as .html.")
@click.option("--id", "wanted", help="One result of the file, by its id; else the newest of each kind.")
def report(result: Path, out: Path | None, wanted: str | None) -> None:
    """Write a page about RESULT: errors before and after, parameters with uncertainties, what cannot be told."""
    from calibration.report.page import html  # loads matplotlib

    held = read_results(result)
    chosen = [one for one in held if one.id == wanted] if wanted else newest_of_each(held)
    if not chosen:
        ids = ", ".join(one.id for one in held) or "none"
        raise ResultFileError(f"{result}: no result {wanted or 'at all'}; there are: {ids}")
    path = out or result.with_name(f"{result.stem}{f'-{wanted}' if wanted else ''}.html")
    check_page(path)
    page = html(chosen, [one for one in held if one not in chosen])
    try:
        with whole_file(path) as file:
            file.write(page)
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
    for one in chosen:
        click.echo(f"{path}: {one.method}, result {one.id}")


def newest_of_each(held: Sequence[Result]) -> list[Result]:
    """The newest result of each method and arm, newest first."""
    found: dict[tuple[str, str], Result] = {}
    for one in held:
        found.setdefault((one.method, str(one.values.get("serial_number") or "")), one)
    return list(found.values())


def check_page(path: Path) -> None:
    """Only a page may be replaced by a page: results and measurements are not to be lost by a slip of the pen."""
    try:
        begin = path.read_bytes()[: len(PAGE)] if path.exists() else PAGE
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
    if begin.lower() != PAGE:
        raise ResultFileError(f"{path}: exists and is not a page; name another file with --out")


COMMANDS = (report,)
