"""What is estimated of a robot: every number with its unit, range and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import check, parameter


@dataclass(frozen=True, kw_only=True)
class GeometrySettings:
    """What is estimated of a robot."""

    stand: bool = True  # where the robot stands for whoever measures
    ratios: bool = False  # gear ratios of the joints
    length_error: float = parameter(1e-3, "typical error of a length", "m", 1e-7, 0.1)
    angle_error: float = parameter(3.5e-3, "typical error of an angle or a zero", "rad", 1e-7, 0.2)
    ratio_error: float = parameter(1e-3, "typical error of a gear ratio", "", 1e-7, 0.1)
    prior: bool = False  # lengths and angles are known to within their typical errors beforehand
    parallel: float = parameter(0.17, "angle between axes that count as parallel", "rad", 0.0, 0.5)

    def __post_init__(self) -> None:
        check(self)
