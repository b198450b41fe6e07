"""Cameras: a printed board, pictures of it, and what they tell of lens, picture and place. Needs the extra `camera`."""

from calibration.camera.board import Board, Sheet, write_board
from calibration.camera.collecting import Watched, collect_views
from calibration.camera.detecting import View, find_board
from calibration.camera.intrinsics import CameraModel, CameraResult, calibrate_camera
from calibration.camera.projection import Lens, project

__all__ = [
    "Board",
    "CameraModel",
    "CameraResult",
    "Lens",
    "Sheet",
    "View",
    "Watched",
    "calibrate_camera",
    "collect_views",
    "find_board",
    "project",
    "write_board",
]
