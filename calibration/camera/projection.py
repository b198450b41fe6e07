"""From places before a camera to pixels, with the usual lens model (k1 k2 p1 p2 k3), and how pixels change."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.parameters import Floats

NAMES = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")


class Lens(NamedTuple):
    """A camera: focal lengths and centre [px], radial (k) and tangential (p) distortion."""

    fx: float
    fy: float
    cx: float
    cy: float
    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    @property
    def matrix(self) -> Floats:
        """3×3, as OpenCV takes it."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    @property
    def distortion(self) -> Floats:
        """Five numbers, as OpenCV takes them."""
        return np.array(self[4:])

    @classmethod
    def of(cls, numbers: Any) -> Lens:
        """From nine numbers."""
        return cls(*(float(number) for number in numbers))


class Projected(NamedTuple):
    """Pixels of points, and how they change."""

    pixels: Floats  # n × 2 [px]
    by_place: Floats  # n × 2 × 3, with the place before the camera [px/m]
    by_lens: Floats  # n × 2 × 9, with the numbers of the lens


def project(points: Floats, lens: Lens) -> Projected:
    """Pixels of points before a camera (n, 3): z forward, x to the right, y down [m]."""
    depth = points[:, 2]
    a, b = points[:, 0] / depth, points[:, 1] / depth
    r = a * a + b * b
    radial = 1.0 + r * (lens.k1 + r * (lens.k2 + r * lens.k3))
    slope = lens.k1 + r * (2.0 * lens.k2 + 3.0 * r * lens.k3)  # of radial, with r
    x = a * radial + 2.0 * lens.p1 * a * b + lens.p2 * (r + 2.0 * a * a)
    y = b * radial + lens.p1 * (r + 2.0 * b * b) + 2.0 * lens.p2 * a * b
    n = len(points)
    bent = np.empty((n, 2, 2))  # of x and y, with a and b
    bent[:, 0, 0] = radial + 2.0 * a * a * slope + 2.0 * lens.p1 * b + 6.0 * lens.p2 * a
    bent[:, 0, 1] = bent[:, 1, 0] = 2.0 * a * b * slope + 2.0 * lens.p1 * a + 2.0 * lens.p2 * b
    bent[:, 1, 1] = radial + 2.0 * b * b * slope + 6.0 * lens.p1 * b + 2.0 * lens.p2 * a
    flat = np.zeros((n, 2, 3))
    flat[:, 0, 0] = flat[:, 1, 1] = 1.0 / depth
    flat[:, 0, 2], flat[:, 1, 2] = -a / depth, -b / depth
    focal = np.array([lens.fx, lens.fy])
    by_lens = np.zeros((n, 2, 9))
    by_lens[:, 0, 0], by_lens[:, 1, 1] = x, y
    by_lens[:, 0, 2] = by_lens[:, 1, 3] = 1.0
    powers = np.column_stack([r, r * r, r * r * r])
    for axis, along in ((0, a), (1, b)):
        by_lens[:, axis, [4, 5, 8]] = focal[axis] * along[:, None] * powers
    by_lens[:, 0, 6], by_lens[:, 1, 6] = lens.fx * 2.0 * a * b, lens.fy * (r + 2.0 * b * b)
    by_lens[:, 0, 7], by_lens[:, 1, 7] = lens.fx * (r + 2.0 * a * a), lens.fy * 2.0 * a * b
    pixels = np.column_stack([lens.fx * x + lens.cx, lens.fy * y + lens.cy])
    return Projected(pixels, focal[:, None] * (bent @ flat), by_lens)
