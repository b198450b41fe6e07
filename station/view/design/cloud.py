"""What was found in a sweep as something to look at, and as a file for other programs."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.atomic import whole_file
from station.view.design.errors import DesignError
from station.view.design.sweep import Reachable
from station.view.geometry.mesh import Mesh

MOST_DRAWN = 8_000  # points
SIZE = 0.13  # of a point over the edge of a cell
# Dark blue over green to yellow: its lightness grows all the way, so it is read without colours too.
RAMP = np.array([(0.27, 0.00, 0.33), (0.23, 0.32, 0.55), (0.13, 0.57, 0.55), (0.37, 0.79, 0.38), (0.99, 0.91, 0.14)])
CORNERS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float64)
FACES = np.array([(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)], np.int64)
KINDS = (".csv", ".ply")


def colours(dexterity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Red, green and blue (n, 3) for dexterities from 0 to 1."""
    place = np.clip(dexterity, 0.0, 1.0)
    anchors = np.linspace(0.0, 1.0, len(RAMP))
    return np.column_stack([np.interp(place, anchors, RAMP[:, part]) for part in range(3)])


def cloud(found: Reachable, cut: int | None = None, at: float = 0.0, least: float = 1e-5) -> Mesh:
    """A small solid for each point, of `least` size [m]; `cut`: only those beyond `at` [m] along axis 0, 1 or 2."""
    points, dexterity = found.points, found.dexterity
    if cut is not None:
        kept = points[:, cut] >= at
        points, dexterity = points[kept], dexterity[kept]
    if len(points) > MOST_DRAWN:
        kept = np.linspace(0, len(points) - 1, MOST_DRAWN).astype(int)
        points, dexterity = points[kept], dexterity[kept]
    count, corners = len(points), len(CORNERS)
    size = max(SIZE * found.cell, least)
    places = points[:, None, :] + size * CORNERS
    faces = FACES[None] + corners * np.arange(count)[:, None, None]
    paint = np.column_stack([colours(dexterity), np.ones(count)])
    return Mesh(
        places.reshape(-1, 3).astype(np.float32),
        np.tile(CORNERS, (count, 1)).astype(np.float32),
        np.repeat(paint, corners, axis=0).astype(np.float32),
        faces.reshape(-1, 3),
    )


def export(found: Reachable, path: Path) -> None:
    """Write all points as CSV or PLY, by the ending of the name; whole or not at all.

    Raises:
        DesignError: for another ending, nothing to write, or a place that cannot be written.
    """
    if path.suffix.lower() not in KINDS:
        raise DesignError(f"{path.name}: points are written as {' or '.join(KINDS)}")
    if not len(found.points):
        raise DesignError("no points to write; start a sweep first")
    text = as_csv(found) if path.suffix.lower() == ".csv" else as_ply(found)
    try:
        with whole_file(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise DesignError(f"{path} cannot be written: {error.strerror or error}") from None


def as_csv(found: Reachable) -> str:
    """A line of names with units, then one line for each point."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["x [m]", "y [m]", "z [m]", "dexterity"])
    for point, dexterity in zip(found.points, found.dexterity, strict=True):
        writer.writerow([*(f"{value:.6f}" for value in point), f"{dexterity:.4f}"])
    return out.getvalue()


def as_ply(found: Reachable) -> str:
    """The same as a point cloud with colours, readable by mesh programs [m]."""
    head = ["ply", "format ascii 1.0", f"element vertex {len(found.points)}"]
    head += [f"property float {name}" for name in "xyz"]
    head += [f"property uchar {name}" for name in ("red", "green", "blue")]
    head += ["property float dexterity", "end_header"]
    paint = np.round(255.0 * colours(found.dexterity)).astype(int)
    rows = [
        f"{x:.6f} {y:.6f} {z:.6f} {red} {green} {blue} {dexterity:.4f}"
        for (x, y, z), (red, green, blue), dexterity in zip(found.points, paint, found.dexterity, strict=True)
    ]
    return "\n".join([*head, *rows]) + "\n"
