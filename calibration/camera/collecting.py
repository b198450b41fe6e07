"""Collect for a lens: somebody holds a board before a camera as is told, and pictures that tell enough are kept.

Nobody has to press a key: pictures are taken all the time, and one counts when the board stands still in it, is not
where it was before, and tells at least half of what was asked for. So words need not be followed to the degree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import View, board_pose, find_board, read_picture
from calibration.camera.opencv import opencv
from calibration.camera.source import Taken, take
from calibration.camera.wishes import Wish, wish_of, wishes
from calibration.camera.worth import Worth
from calibration.collection import Collection, Tell, collect
from calibration.errors import DataError, PoseError, ResultFileError, WrongDeviceError
from calibration.results import Subject
from station.clock import WALL, Clock

PATIENCE = 45.0  # with somebody who holds the board otherwise than was asked, before something else is asked [s]
BETWEEN = 0.3  # two pictures [s]
REMIND = 5.0  # between two hints [s]
STILL = 0.5  # that corners may move between two pictures, root mean square [px]
ELSEWHERE = 0.02  # that corners must be away from where they were in every other picture, in widths of a picture
ENOUGH = 0.5  # of what was asked for, in what it would tell


class Holder(Protocol):
    """Whoever holds the board."""

    def hold(self, wish: Wish) -> None:
        """Be told how; a person takes some time to do it."""


class Watched(NamedTuple):
    """A camera that is looked at."""

    url: str  # of its picture
    subject: Subject  # the camera, by its serial number
    board: Board  # that is held before it
    told: str = ""  # address as the collection keeps it

    def picture(self, size: tuple[int, int] | None = None) -> Taken:
        """The picture of this moment; a WrongDeviceError if it is of another camera, or of another size."""
        taken = take(self.url)
        if taken.serial_number and taken.serial_number != self.subject.id:
            raise WrongDeviceError(f"{self.told}: is serial number {taken.serial_number}, not {self.subject.id}")
        if size is not None and size_of(taken.picture) != size:
            was, now = ("×".join(map(str, one)) for one in (size, size_of(taken.picture)))
            raise WrongDeviceError(f"{self.told}: pictures are {now} now, they were {was}; set it as it was")
        return taken


def collect_views(
    path: Path, camera: Watched, holder: Holder, *, count: int, tell: Tell, clock: Clock = WALL
) -> Collection:
    """Take pictures until there are as many as wanted; what is there already counts.

    Args:
        path: file of the collection; pictures go beside it.
        camera: that is calibrated.
        holder: of the board.
        count: pictures.
        tell: progress.
        clock: whose time counts.
    """
    size = size_of(camera.picture().picture)
    plan = wishes()
    facts = {"picture": camera.told, "size": list(size), "board": asdict(camera.board)}
    collection = Collection(path, camera.subject, [list(wish) for wish in plan], facts)
    if collection.observations:
        tell(f"{path}: goes on, {len(collection.observations)} pictures were taken before")
    views = [_view_of(path, one.values, camera.board) for one in collection.observations]

    def worth() -> Worth:
        return Worth(plan, views, camera.board, size)

    def choose(held: Collection, left_out: set[int]) -> int | None:
        return worth().best([*(one.pose for one in held.observations), *left_out])

    def measure(number: int, _: list[float]) -> dict[str, Any]:
        tell(f"hold the board {plan[number]}")
        holder.hold(plan[number])
        taken, view = _wait(camera, size, clock, tell, lambda seen: _objection(worth(), views, seen, number))
        name = _keep(path, number, taken.picture)
        views.append(view._replace(name=name))
        return {"picture": name, "corners": len(view.numbers)}

    collect(collection, measure, tell, wanted=count, choose=choose)
    return collection


def _wait(
    camera: Watched, size: tuple[int, int], clock: Clock, tell: Tell, objection: Callable[[View], str]
) -> tuple[Taken, View]:
    """The first picture in which the board stands still and to which there is no objection."""
    begin = clock.now()
    before: View | None = None
    why, reminded = "the board is not seen", begin
    while clock.now() - begin < PATIENCE:
        taken = camera.picture(size)
        try:
            view = find_board(taken.picture, camera.board, "picture")
            why = "hold it still" if before is None or moved(before, view) > STILL else objection(view)
            if not why:
                return taken, view
            before = view
        except PoseError:
            before, why = None, "the board is not seen, or too little of it"
        if clock.now() - reminded >= REMIND:
            reminded = clock.now()
            tell(f"  {why}")
        clock.sleep_until(clock.now() + BETWEEN)
    raise PoseError(f"not seen like that for {PATIENCE:g} s: {why}")


def _objection(worth: Worth, views: list[View], seen: View, wish: int) -> str:
    """What there is to say against a view; nothing if it is worth having."""
    nearest = min((moved(one, seen) for one in views), default=np.inf)
    if nearest < ELSEWHERE * seen.size[0]:
        return "the board is where it was in another picture"
    if (share := worth.share(seen, wish)) >= ENOUGH:
        return ""
    board = worth.board
    held = wish_of(board_pose(seen, board, worth.lens), board, worth.lens, seen.size)
    return f"this tells {100.0 * share:.0f} % of what was asked for; it is {held}"


def moved(one: View, other: View) -> float:
    """How far corners that both have seen are apart, root mean square [px]; infinite if there are none."""
    _, a, b = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if not len(a):
        return float("inf")
    return float(np.sqrt(np.mean(np.sum((one.pixels[a] - other.pixels[b]) ** 2, axis=1))))


def size_of(picture: Any) -> tuple[int, int]:
    """Width and height [px]."""
    height, width = np.asarray(picture).shape
    return int(width), int(height)


def _view_of(path: Path, values: dict[str, Any], board: Board) -> View:
    try:
        name = str(values["picture"])
        return find_board(read_picture(path.parent / name), board, name)
    except KeyError:
        raise DataError(f"{path}: an observation without 'picture'") from None


def _keep(path: Path, number: int, picture: Any) -> str:
    """Write a picture beside the collection, never over one that is there; its name."""
    _, data = opencv().imencode(".png", picture)
    for more in ("", *(f"-{again}" for again in range(2, 100))):
        file = path.with_name(f"{path.stem}-{number:03d}{more}.png")
        try:
            with file.open("xb") as out:
                out.write(bytes(data))
            return file.name
        except FileExistsError:
            continue
        except OSError as error:
            raise ResultFileError(f"{file}: cannot be written: {error.strerror or error}") from None
    raise ResultFileError(f"{path}: pictures of that name are there already; give another name")
