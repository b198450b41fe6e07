"""`station calibrate board` and `camera`: a board to print, and the lens of a camera from pictures of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from calibration.errors import DataError, PoseError
from calibration.options import POSITIVE, Finite
from calibration.results import Result, Subject
from calibration.saying import as_json, out
from calibration.units import MM
from calibration.writing import finish

BOARD = (
    click.option("--squares", default="9x6", metavar="CxR", help="Columns and rows of the board."),
    click.option(
        "--square", default=28.0, metavar="MM", type=POSITIVE, help="Side of a square, as measured on the paper."
    ),
    click.option("--marker", default=16.0, metavar="MM", type=POSITIVE, help="Side of a marker."),
)


def board_options(command: Any) -> Any:
    """Options that say which board it is."""
    for option in BOARD:
        command = option(command)
    return command


def board_of(options: dict[str, Any]) -> Any:
    """The board that the options say."""
    from calibration.camera import Board

    columns, times, rows = options["squares"].partition("x")
    if not (times and columns.isdecimal() and rows.isdecimal()):
        raise DataError(f"--squares {options['squares']}: give columns and rows, such as 9x6")
    return Board(columns=int(columns), rows=int(rows), square=options["square"] * MM, marker=options["marker"] * MM)


@click.command("board")
@click.argument("path", metavar="OUT.pdf|svg|png", type=click.Path(path_type=Path))
@board_options
@click.option("--sheet", default="297x210", metavar="WxH", help="Of the paper [mm].")
@click.option("--dpi", default=300.0, type=Finite(30.0, 2400.0), help="Of a PNG.")
def board_command(path: Path, sheet: str, dpi: float, **options: Any) -> None:
    """Draw a board to print, to scale; measure the line on the paper with a ruler."""
    from calibration.camera import Sheet, write_board

    try:
        width, height = (float(part) * MM for part in sheet.split("x"))
    except ValueError:
        raise DataError(f"--sheet {sheet}: give width and height, such as 297x210 [mm]") from None
    write_board(path, board_of(options), Sheet(width, height, dpi))
    click.echo(f"{path}: print it at 100 %, glue it on something flat, and measure the line of 100 mm")


@click.command("camera")
@click.argument("pictures", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@out
@click.option("--serial", required=True, help="Serial number of the camera.")
@board_options
@click.option("--noise", default=0.06, metavar="PX", type=POSITIVE, help="Standard deviation of a corner in a picture.")
@as_json
def camera(pictures: tuple[Path, ...], out: Path, serial: str, as_json: bool, **options: Any) -> None:
    """Lens of a camera from PICTURES of a board: files, or folders of them."""
    from calibration.camera import calibrate_camera
    from calibration.camera.intrinsics import views_hash
    from calibration.camera.source import pictures_in

    board = board_of(options)
    views = views_of(pictures_in(list(pictures)), board)
    found = calibrate_camera(views, board, noise=options["noise"])
    result = Result(
        method="camera",
        subject=Subject.device(serial, "camera"),
        values=found.data(),
        data_hash=views_hash(views, board),
    )

    def say() -> None:
        for name, value, spread in zip(found.lens._fields, found.lens, found.deviations, strict=True):
            click.echo(f"{name:4} {value:12.5f} ± {spread:.5f}" if spread > 0.0 else f"{name:4} {value:12.5f}   fixed")
        click.echo(f"corners that were held back: {found.after.rms:.3f} px (rms), {len(views)} pictures")

    finish(out, result, as_json, say)


def views_of(pictures: list[tuple[str, Any]], board: Any) -> list[Any]:
    """Views of all pictures in which the board is seen; the others are named."""
    from calibration.camera import find_board

    views = []
    for number, (name, picture) in enumerate(pictures, 1):
        try:
            views.append(find_board(picture, board, name))
            click.echo(f"{name}: {len(views[-1].numbers)} corners ({number} of {len(pictures)})", err=True)
        except PoseError as error:
            click.echo(f"left out: {error}", err=True)
    return views


COMMANDS = (board_command, camera)
