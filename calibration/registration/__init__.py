"""Registration: where a work-piece is, from points that were touched on it, so that rehearsed tasks move with it."""

from calibration.registration.features import Feature, Kind, Piece, read_piece
from calibration.registration.frames import write_frames
from calibration.registration.model import RegistrationModel, Touches
from calibration.registration.register import RegistrationResult, register

__all__ = [
    "Feature",
    "Kind",
    "Piece",
    "RegistrationModel",
    "RegistrationResult",
    "Touches",
    "read_piece",
    "register",
    "write_frames",
]
