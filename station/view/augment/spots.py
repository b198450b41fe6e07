"""`Spots`: a quantity at the places that it belongs to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.augment.reading import Reading

Floats = NDArray[np.float64]


class Spots(NamedTuple):
    """Values with places; NaN where the value is not known."""

    ids: tuple[int, ...]  # the link or frame each belongs to
    names: tuple[str, ...]  # of the places, for texts
    places: Floats  # (n, 3) [m]
    directions: Floats  # (n, 3), of length 1: where a positive value points
    radii: Floats  # (n,) of what is there [m]
    values: Floats  # (n,)
    shares: Floats  # (n,) of what counts as full, 0 to 1, NaN where the value is
    units: tuple[str, ...]

    @property
    def largest(self) -> int | None:
        """Number of the spot with the largest share; None if nothing is known or all are zero."""
        if not np.isfinite(self.shares).any() or not np.nanmax(self.shares) > 0.0:
            return None
        return int(np.nanargmax(self.shares))


def at_joints(
    reading: Reading,
    values: ArrayLike,
    full: ArrayLike,
    units: tuple[str, str],
    *,
    measured: bool = False,
    shares: ArrayLike | None = None,
) -> Spots:
    """One value per joint, at its joint.

    Args:
        reading: the robot.
        values: in the order of joint values; NaN where not known.
        full: what counts as full, one or one per joint.
        units: of joints that turn, of joints that slide.
        measured: whether they belong to the measured robot, if that is seen.
        shares: of what is full, if not the size of the value over `full`.
    """
    numbers = np.asarray(values, np.float64)
    robot, joints = reading.robot, reading.joints
    ghost = measured and reading.on_measured
    poses = np.array([robot.pose(link.id, ghost) for link in joints]).reshape(-1, 4, 4)
    shapes = [robot.body.joints[link.id] for link in joints]
    centres = np.array([shape.centre for shape in shapes])
    part = np.abs(numbers) / np.asarray(full, np.float64) if shares is None else np.asarray(shares, np.float64)
    return Spots(
        tuple(link.id for link in joints),
        tuple(f"joint {link.id}" for link in joints),
        poses[:, :3, 3] + centres[:, None] * poses[:, :3, 2],
        poses[:, :3, 2],
        np.array([shape.radius for shape in shapes]),
        numbers,
        np.clip(part, 0.0, 1.0),
        tuple(units[0] if turns else units[1] for turns in reading.turning),
    )
