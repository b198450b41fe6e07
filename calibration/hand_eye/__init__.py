"""Hand-eye: where a camera sits in the hand, and a target (or a fixed camera) in the robot's base."""

from calibration.hand_eye.linear import HandEye, solve_ax_xb, solve_ax_yb
from calibration.hand_eye.refine import HandEyeModel, HandEyeResult, calibrate_hand_eye

__all__ = ["HandEye", "HandEyeModel", "HandEyeResult", "calibrate_hand_eye", "solve_ax_xb", "solve_ax_yb"]
