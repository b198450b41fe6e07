"""A picture of a flat texture, as a lens would see it: bent, blurred, with noise.

Every pixel is followed back through the lens to the plane of the texture, at twice the resolution, so that edges
are as soft as those of a real sensor. Pictures are made with OpenCV, an extra of the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.devices.parameter import check, parameter

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8]
FINER = 2  # times the resolution at which pixels are looked up
BACKGROUND = 105.0  # grey around the texture


@dataclass(frozen=True, kw_only=True)
class CameraSettings:
    """What an emulated camera is like; lengths of the lens in pixels."""

    width: int = parameter(704, "of a picture", "px", 64, 8192)
    height: int = parameter(576, "of a picture", "px", 64, 8192)
    fx: float = parameter(760.0, "focal length", "px", 50.0, 20_000.0)
    fy: float = parameter(755.0, "focal length", "px", 50.0, 20_000.0)
    cx: float = parameter(348.0, "centre", "px", -8192.0, 8192.0)
    cy: float = parameter(292.0, "centre", "px", -8192.0, 8192.0)
    k1: float = parameter(-0.20, "radial distortion", "", -1.0, 1.0)
    k2: float = parameter(0.06, "radial distortion", "", -2.0, 2.0)
    p1: float = parameter(0.0008, "tangential distortion", "", -0.1, 0.1)
    p2: float = parameter(-0.0005, "tangential distortion", "", -0.1, 0.1)
    blur: float = parameter(0.6, "of the optics, standard deviation", "px", 0.0, 10.0)
    noise: float = parameter(2.0, "of a pixel, standard deviation of 255", "", 0.0, 100.0)

    def __post_init__(self) -> None:
        check(self)


def pictured(
    texture: Picture, size: tuple[float, float], pose: Floats, settings: CameraSettings, random: np.random.Generator
) -> Picture:
    """A picture in grey.

    Args:
        texture: what is on the plane, x to the right and y down.
        size: width and height of the texture [m].
        pose: where the texture's upper left corner is for the camera (4, 4) [m].
        settings: of the camera.
        random: where noise comes from.
    """
    cv2: Any = import_module("cv2")
    s, rays = settings, _rays(settings)
    # A ray (x, y, 1)·depth meets the plane where R·(X, Y, 0) + t is: one homography back.
    to_plane = np.linalg.inv(np.column_stack([pose[:3, 0], pose[:3, 1], pose[:3, 3]]))
    plane = np.column_stack([rays, np.ones(len(rays))]) @ to_plane.T
    behind = plane[:, 2] <= 0.0
    place = plane[:, :2] / np.where(behind, 1.0, plane[:, 2])[:, None]
    scale = np.array([texture.shape[1] / size[0], texture.shape[0] / size[1]])
    lookup = (place * scale - 0.5).astype(np.float32)
    lookup[behind] = -1e6
    maps = [lookup[:, axis].reshape(s.height * FINER, s.width * FINER) for axis in (0, 1)]
    flat = (cv2.BORDER_CONSTANT, BACKGROUND)
    fine = cv2.remap(texture.astype(np.float32), *maps, cv2.INTER_LINEAR, borderMode=flat[0], borderValue=flat[1])
    coarse = fine.reshape(s.height, FINER, s.width, FINER).mean(axis=(1, 3))
    if s.blur > 0.0:
        coarse = cv2.GaussianBlur(coarse, (0, 0), s.blur)
    noisy = 20.0 + 0.85 * coarse + s.noise * random.normal(size=coarse.shape)
    return np.asarray(np.clip(np.rint(noisy), 0, 255), dtype=np.uint8)


@lru_cache(maxsize=4)
def _rays(settings: CameraSettings) -> Floats:
    """Where the fine pixels look: x and y at a distance of 1."""
    cv2: Any = import_module("cv2")
    s = settings
    u, v = np.meshgrid(*((np.arange(size * FINER) + 0.5) / FINER - 0.5 for size in (s.width, s.height)))
    matrix = np.array([[s.fx, 0.0, s.cx], [0.0, s.fy, s.cy], [0.0, 0.0, 1.0]])
    bent = np.array([s.k1, s.k2, s.p1, s.p2, 0.0])
    pixels = np.column_stack([u.ravel(), v.ravel()])[:, None, :]
    criteria = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 20, 1e-10)
    return np.asarray(cv2.undistortPoints(pixels, matrix, bent, criteria=criteria)).reshape(-1, 2)
