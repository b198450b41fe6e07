"""`station calibrate board` and `camera`: a board to print, and the lens of a camera from pictures of it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibration.collection import read_collection
from calibration.errors import DataError, PoseError, WrongDeviceError
from calibration.options import POSITIVE, Finite
from calibration.results import Result, Subject
from calibration.saying import as_json, out, progress, tell
from calibration.units import MM
from calibration.writing import finish
from station.address_option import ADDRESS

if TYPE_CHECKING:
    from calibration.camera import Board, CameraResult
    from calibration.camera.collecting import Holder
    from calibration.camera.wishes import Wish

COVERED = 0.6  # share of the picture below which corners are missing where a lens bends most
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
@click.argument("pictures", nargs=-1, required=True, type=click.Path(path_type=Path))
@out
@click.option("--serial", required=True, help="Serial number of the camera.")
@click.option(
    "--picture",
    "url",
    metavar="URL",
    type=ADDRESS,
    help="Take pictures first, of this camera: PICTURES is the collection they go to. sim:camera emulates one.",
)
@click.option("--count", default=15, type=click.IntRange(4, 200), help="Pictures to take.")
@board_options
@click.option("--noise", default=0.06, metavar="PX", type=POSITIVE, help="Standard deviation of a corner in a picture.")
@as_json
def camera(
    pictures: tuple[Path, ...], out: Path, serial: str, url: str | None, count: int, as_json: bool, **options: Any
) -> None:
    """Lens of a camera from PICTURES of a board: files, folders of them, or a collection.

    With --picture you are told how to hold the board, and pictures are taken when it is held so. Ctrl-C stops; the same
    command goes on.
    """
    from calibration.camera import calibrate_camera
    from calibration.camera.intrinsics import views_hash

    board, subject = board_of(options), Subject.device(serial, "camera")
    if url is not None:
        _collect(pictures, subject, url, board, count)
    views = views_of(_named(pictures, subject, board), board)
    found = calibrate_camera(views, board, noise=options["noise"])
    values = {**found.data(), "pictures": [view.name for view in views]}
    result = Result(method="camera", subject=subject, values=values, data_hash=views_hash(views, board))
    finish(out, result, as_json, lambda: _say(found, len(views)))


def _say(found: CameraResult, count: int) -> None:
    for name, value, spread in zip(found.lens._fields, found.lens, found.deviations, strict=True):
        click.echo(f"{name:4} {value:12.5f} ± {spread:.5f}" if spread > 0.0 else f"{name:4} {value:12.5f}   fixed")
    tell(found.judgement._replace(parameters=(), outliers=()))  # lenses have no nominal values; corners have names
    for name, corners in found.outliers.items():
        click.echo(f"left out as outliers: corners {', '.join(map(str, corners))} of {name}")
    click.echo(f"corners that were held back: {found.after.rms:.3f} px (rms), {count} pictures")
    edges = "" if found.covered >= COVERED else "; bring the board to the edges and corners, too"
    click.echo(f"corners were seen in {100.0 * found.covered:.0f} % of the picture{edges}")


def _collect(pictures: tuple[Path, ...], subject: Subject, url: str, board: Board, count: int) -> None:
    from calibration.camera.collecting import Watched, collect_views
    from calibration.camera.emulated import SCHEME, emulated_camera
    from calibration.camera.source import KINDS, without_password

    if len(pictures) != 1 or pictures[0].is_dir() or pictures[0].suffix.lower() in KINDS:
        raise click.UsageError("with --picture name one collection that the pictures go to, such as views.jsonl")
    progress("left and right are those of the picture: to the right is to your left if you face the camera")
    with ExitStack() as stack:
        holder: Holder = Somebody()
        address = url
        if url.startswith(SCHEME):
            address, holder = stack.enter_context(emulated_camera(url, board))
            progress(f"{url}: an emulated camera; somebody emulated holds the board")
        watched = Watched(address, subject, board, without_password(url))
        collect_views(pictures[0], watched, holder, count=count, tell=progress)


class Somebody:
    """A person, who has read how to hold the board."""

    def hold(self, wish: Wish) -> None:
        """Nothing to do: pictures are taken until it is held so."""


def _named(paths: tuple[Path, ...], subject: Subject, board: Board) -> list[tuple[str, Any]]:
    """Names and pictures of files, of folders, or of a collection, which must be of this camera and this board."""
    from calibration.camera.source import KINDS, pictures_in

    if len(paths) != 1 or paths[0].is_dir() or paths[0].suffix.lower() in KINDS:
        return pictures_in(list(paths))
    path = paths[0]
    held = read_collection(path)
    if (held.subject.kind, held.subject.id) != (subject.kind, subject.id):
        raise WrongDeviceError(f"{path}: is of {held.subject}, not of {subject}; a camera keeps its own numbers")
    begun, meant = held.facts.get("board"), asdict(board)
    if begun is not None and begun != meant:
        told = ", ".join(f"{name} {value:g}" for name, value in begun.items())
        raise DataError(f"{path}: was begun with another board ({told}; m); say the same --squares, --square, --marker")
    files = [path.parent / str(one.values.get("picture", "")) for one in held.observations]
    if not files:
        raise DataError(f"{path}: holds no picture; take some with --picture URL")
    return pictures_in(files)


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
