"""OpenCV, which finds boards in pictures: an extra, so that a station without a camera does not need it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from calibration.errors import CalibrationError


class OpenCvMissingError(CalibrationError, ImportError):
    """OpenCV is not installed."""


def opencv() -> Any:
    """The module `cv2`; an OpenCvMissingError that says how to get it."""
    try:
        return import_module("cv2")
    except ImportError:
        raise OpenCvMissingError(
            "pictures need OpenCV; install it with: pip install 'haptic-station[camera]'"
        ) from None
