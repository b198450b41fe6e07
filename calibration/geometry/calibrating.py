"""Robot geometry from beginning to end: measurements in, a judged estimate and a corrected robot out."""

from __future__ import annotations

from typing import Any, NamedTuple

from calibration.fitting import Fit, FitSettings, fit
from calibration.geometry.corrected import corrected_robot
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel
from calibration.geometry.settings import GeometrySettings
from calibration.geometry.subject import geometry_text
from calibration.geometry.touched import TouchMeasurements
from calibration.geometry.touching import TouchModel
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats
from station.mad.scene import Robot


class GeometryResult(NamedTuple):
    """A robot as it is."""

    robot: Robot  # corrected
    judgement: Judgement
    before: Errors  # of the tool on held-back poses, nominal robot laid over the measurements as well as it goes [m]
    after: Errors  # of the tool on held-back poses [m]
    held_back: tuple[Floats, Floats]  # the same one by one, before and after [m]
    stand: Floats  # where the robot's world is for whoever measured (4, 4) [m]
    zeros: dict[int, float]  # of encoders, by link: add to what the encoder tells, after its ratio [rad | m]
    ratios: dict[int, float]  # of gears, by link
    fit: Fit

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "judgement": self.judgement.data(),
            "before": self.before._asdict(),
            "after": self.after._asdict(),
            "held_back": {"unit": "m", "before": self.held_back[0].tolist(), "after": self.held_back[1].tolist()},
            "stand": self.stand.tolist(),
            "zeros": {str(name): value for name, value in self.zeros.items()},
            "ratios": {str(name): value for name, value in self.ratios.items()},
            "mad": geometry_text(self.robot),
        }


def calibrate_geometry(
    robot: Robot,
    frame: int | str,
    data: ToolMeasurements | TouchMeasurements,
    settings: GeometrySettings | None = None,
    fitting: FitSettings | None = None,
    *,
    validate: bool = True,
) -> GeometryResult:
    """Estimate a robot's geometry from measurements of one of its frames, or from what that frame touched.

    Args:
        robot: nominal.
        frame: the frame that was measured, by id or name.
        data: measurements.
        settings: what to estimate.
        fitting: how.
        validate: hold parts of the data back in turn; without, errors are those of the data that were fitted.
    """
    if isinstance(data, TouchMeasurements):
        model: GeometryModel = TouchModel(robot, frame, data, settings)
    else:
        model = GeometryModel(robot, frame, data, settings)
    fitted = fit(model, fitting)
    after = cross_validate(model, fitted, model.errors, fitting) if validate else None
    before = model.nominal_errors(fitted.used)
    after = model.errors(fitted.values, fitted.used) if after is None else after
    dimensions, ratios = model.split(fitted.values)
    return GeometryResult(
        corrected_robot(model.tree, dimensions, ratios),
        judge(model, fitted),
        Errors.of(before),
        Errors.of(after),
        (before, after),
        model.stand_pose(fitted.values),
        model.zeros(fitted.values),
        ratios,
        fitted,
    )
