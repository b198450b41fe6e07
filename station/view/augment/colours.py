"""Colours that tell how much."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.geometry.mesh import Colour
from station.view.theme import Theme


def ramp(theme: Theme, shares: ArrayLike) -> NDArray[np.float32]:
    """Colours (n, 4) of shares 0 to 1: little, half, full; a share that is not known is that of an empty gauge."""
    parts = np.atleast_1d(np.asarray(shares, np.float64))
    anchors = np.array(theme.ramp)
    known = np.nan_to_num(np.clip(parts, 0.0, 1.0))
    colours = np.column_stack([np.interp(known, (0.0, 0.5, 1.0), anchors[:, k]) for k in range(4)])
    colours[~np.isfinite(parts)] = theme.track
    return colours.astype(np.float32)


def ramp_colour(theme: Theme, share: float, opacity: float = 1.0) -> Colour:
    """The same of one share, with an opacity of its own."""
    red, green, blue, _ = (float(part) for part in ramp(theme, share)[0])
    return red, green, blue, opacity
