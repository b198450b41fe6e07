"""A board to print: a chessboard with a marker in every white square (ChArUco), so that a part of it is enough.

It is drawn to scale. Printers are not: a line of 100 mm is on the sheet, to be measured with a ruler, and what the
squares really measure is said when pictures are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.camera.opencv import opencv
from calibration.errors import DataError, ResultFileError, UnitsError
from calibration.parameters import Floats

INCH = 0.0254  # [m]
RULER = 0.1  # [m]
BITS = 5  # of a marker, each way
DICTIONARY = "DICT_5X5_250"
KINDS = (".pdf", ".svg", ".png")


class Sheet(NamedTuple):
    """Paper."""

    width: float = 0.297  # [m]
    height: float = 0.210  # [m]
    dpi: float = 300.0  # of a PNG


@dataclass(frozen=True, kw_only=True)
class Board:
    """How many squares it has, and how large they are."""

    columns: int = 9
    rows: int = 6
    square: float = 0.028  # side [m]
    marker: float = 0.016  # side [m]; well away from the corners, which are looked at closely

    def __post_init__(self) -> None:
        if not (3 <= self.columns <= 20 and 3 <= self.rows <= 20):
            raise DataError(f"a board of {self.columns} by {self.rows} squares; allowed: 3 to 20 each way")
        if self.square > 1.0:
            raise UnitsError(f"squares of {self.square:g} m; millimetres given for metres?")
        if not 0.0 < self.marker < self.square:
            raise DataError("markers must be smaller than squares, and both larger than 0")
        if not np.isclose((self.columns - 1) * (self.rows - 1), self.corners.shape[0]):
            raise DataError("this board has other corners than it should")

    @property
    def opencv(self) -> Any:
        """As OpenCV knows it."""
        cv2 = opencv()
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
        return cv2.aruco.CharucoBoard((self.columns, self.rows), self.square, self.marker, dictionary)

    @property
    def corners(self) -> Floats:
        """Inner corners (n, 3) by their numbers; z is 0 [m]."""
        x, y = np.meshgrid(np.arange(1, self.columns), np.arange(1, self.rows))
        flat = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
        return np.asarray(self.square * flat, dtype=np.float64)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        return self.columns * self.square, self.rows * self.square

    def picture(self, pixels_per_square: int) -> Any:
        """The board alone, upright, in grey."""
        return self.opencv.generateImage((self.columns * pixels_per_square, self.rows * pixels_per_square), None, 0, 1)


def write_board(path: str | Path, board: Board, sheet: Sheet | None = None) -> None:
    """Draw a board to scale as PDF, SVG or PNG; never over a file that is there."""
    import matplotlib as mpl

    path, sheet = Path(path), sheet or Sheet()
    if path.suffix.lower() not in KINDS:
        raise DataError(f"{path}: a board is drawn as {', '.join(KINDS)}")
    if path.exists():
        raise ResultFileError(f"{path}: exists already; give another name")
    width, height = board.size
    if width > sheet.width - 0.01 or height > sheet.height - 0.03:
        raise DataError(
            f"a board of {1e3 * width:.0f} by {1e3 * height:.0f} mm does not fit on a sheet of "
            f"{1e3 * sheet.width:.0f} by {1e3 * sheet.height:.0f} mm"
        )
    with mpl.rc_context({"svg.hashsalt": "board", "font.size": 7.0}):
        figure = _drawn(board, sheet)
        try:
            figure.savefig(path, dpi=sheet.dpi)
        except OSError as error:
            raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None


def _drawn(board: Board, sheet: Sheet) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(sheet.width / INCH, sheet.height / INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, sheet.width)
    axes.set_ylim(sheet.height, 0.0)
    axes.axis("off")
    left, top = (sheet.width - board.size[0]) / 2.0, (sheet.height - 0.02 - board.size[1]) / 2.0
    for x, y, side in _black(board):
        axes.add_patch(Rectangle((left + x, top + y), side, side, facecolor="black", edgecolor="none", linewidth=0.0))
    base = top + board.size[1] + 0.012
    axes.plot([left, left + RULER], [base, base], color="black", linewidth=0.6)
    for end in (left, left + RULER):
        axes.plot([end, end], [base - 0.002, base + 0.002], color="black", linewidth=0.6)
    said = f"this line is 100 mm; {board.columns} × {board.rows} squares of {1e3 * board.square:g} mm"
    axes.text(left + RULER + 0.004, base, said, va="center")
    return figure


def _black(board: Board) -> list[tuple[float, float, float]]:
    """Squares that are black: x and y of the upper left corner, and the side [m]."""
    cv2 = opencv()
    made = board.opencv
    cells = [(row, column) for row in range(board.rows) for column in range(board.columns) if (row + column) % 2 == 0]
    found = [(column * board.square, row * board.square, board.square) for row, column in cells]
    bit = board.marker / (BITS + 2)
    for number, corners in zip(made.getIds().ravel(), made.getObjPoints(), strict=True):
        picture = cv2.aruco.generateImageMarker(made.getDictionary(), int(number), BITS + 2, None, 1)
        x, y = np.asarray(corners)[:, :2].min(axis=0)
        found += [(x + place[1] * bit, y + place[0] * bit, bit) for place in np.argwhere(np.asarray(picture) == 0)]
    return found
