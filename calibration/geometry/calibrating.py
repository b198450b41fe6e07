"""Robot geometry from beginning to end: measurements in, a judged estimate and a corrected robot out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.fitting import Fit, FitSettings, fit
from calibration.geometry.corrected import corrected_robot
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel
from calibration.geometry.settings import GeometrySettings
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, nominal_of
from calibration.turning import aligned
from station.mad.scene import Robot


class GeometryResult(NamedTuple):
    """A robot as it is."""

    robot: Robot  # corrected
    judgement: Judgement
    before: Errors  # of the tool on held-back poses, nominal robot laid over the measurements as well as it goes [m]
    after: Errors  # of the tool on held-back poses [m]
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
            "stand": self.stand.tolist(),
            "zeros": {str(name): value for name, value in self.zeros.items()},
            "ratios": {str(name): value for name, value in self.ratios.items()},
        }


def calibrate_geometry(
    robot: Robot,
    frame: int | str,
    data: ToolMeasurements,
    settings: GeometrySettings | None = None,
    fitting: FitSettings | None = None,
    *,
    validate: bool = True,
) -> GeometryResult:
    """Estimate a robot's geometry from measurements of one of its frames.

    Args:
        robot: nominal.
        frame: the frame that was measured, by id or name.
        data: measurements.
        settings: what to estimate.
        fitting: how.
        validate: hold parts of the data back in turn; without, errors are those of the data that were fitted.
    """
    model = GeometryModel(robot, frame, data, settings)
    fitted = fit(model, fitting)

    def error(values: Floats, which: Ints) -> Floats:
        away = model.poses(values, which)[:, :3, 3] - data.positions[which]
        return np.asarray(np.linalg.norm(away, axis=1))

    after = cross_validate(model, fitted, error, fitting) if validate else error(fitted.values, fitted.used)
    dimensions, ratios = model.split(fitted.values)
    return GeometryResult(
        corrected_robot(model.tree, dimensions),
        judge(model, fitted),
        Errors.of(_before(model, fitted.used)),
        Errors.of(after),
        model.stand_pose(fitted.values),
        model.zeros(fitted.values),
        ratios,
        fitted,
    )


def _before(model: GeometryModel, used: Ints) -> Floats:
    """What the nominal robot is wrong by, at its best place."""
    positions = model.poses(nominal_of(model), used)[:, :3, 3]
    measured = model.data.positions[used]
    pose = aligned(positions, measured)[0] if model.settings.stand else np.eye(4)
    return np.asarray(np.linalg.norm(positions @ pose[:3, :3].T + pose[:3, 3] - measured, axis=1))
