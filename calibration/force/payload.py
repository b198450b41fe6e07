"""What an arm holds, from the efforts of its joints while it sways slowly about some poses.

    effort = weight of the arm + weight of the load + friction·direction

Friction holds a joint that stands, and hides part of the load; in slow motion both ways it only changes its sign. The
weight of the arm is that of its MAD file, or better: was measured at the same poses without the load.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.fitting import Fit, FitSettings, fit
from calibration.force.readings import GRAVITY
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Parameter, Rows
from station.kernel.so3 import cross_matrix
from station.mechanism import Mechanism

DOWN = np.array([0.0, 0.0, -GRAVITY])
HEAVIEST = 3.0  # loads, in weights of all that the efforts of the arm could lift


@dataclass(frozen=True, kw_only=True)
class PayloadReadings:
    """Means over slow passes; one row per pose and direction, joints in the order of the arm."""

    joints: Floats  # n × joints [rad | m]
    directions: Floats  # n × joints: 1 upwards, -1 downwards, 0 at rest
    efforts: Floats  # n × joints, of the motors [N·m | N]
    empty: Floats | None = None  # n × joints: the same without the load; None: by the masses of the MAD file
    noise: Floats  # joints: standard deviation of the means [N·m | N]

    def __post_init__(self) -> None:
        n, count = self.joints.shape if self.joints.ndim == 2 else (0, 0)
        if n < 3:
            raise DataError(f"{n} passes; at least 3 are needed, 20 to 40 are usual")
        shapes = {"directions": (n, count), "efforts": (n, count), "empty": (n, count), "noise": (count,)}
        for name, shape in shapes.items():
            values = getattr(self, name)
            if values is None:
                continue
            if values.shape != shape:
                raise DataError(f"{name} have the shape {values.shape}; allowed: {shape}")
            if not np.isfinite(values).all():
                raise DataError(f"{name} of observation {int(np.argwhere(~np.isfinite(values))[0][0])} are not finite")
        if not (self.noise > 0.0).all():
            raise DataError("noise is a positive standard deviation; nothing is measured without")

    def hash(self) -> str:
        """Of everything that was measured."""
        digest = hashlib.sha256()
        for values in (self.joints, self.directions, self.efforts, self.empty, self.noise):
            if values is not None:
                digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()


class Weighing(NamedTuple):
    """What weights do to the joints at some poses."""

    arm: Floats  # n × joints: that hold the arm itself [N·m | N]
    load: Floats  # n × joints × 4: with mass and first moment of a load at the tool


def weighing(mechanism: Mechanism, frame: int | str, joints: Floats) -> Weighing:
    """Efforts that hold an arm, and rates of those that hold a load in a frame; the mechanism is moved."""
    if any(one.holds for one in mechanism.robot.constraints) or mechanism.robot.couplings:
        raise DataError(f"robot {mechanism.robot.name} has loops; its load is measured with a tool sensor")
    masses = [item for item in mechanism.robot.placed() if item.mass and item.id != 0]
    driven = [number for number, joint in enumerate(mechanism.joints) if joint.active]
    arm, load = np.zeros(joints.shape), np.zeros((*joints.shape, 4))
    for row, values in enumerate(joints):
        whole = mechanism.q
        whole[driven] = values
        mechanism.q = whole
        for item in masses:
            assert item.mass is not None
            rates = _rates(mechanism, item.id)[driven]
            arm[row] += item.mass * rates @ np.array([1.0, *(item.com or (0.0, 0.0, 0.0))])
        load[row] = _rates(mechanism, frame)[driven]
    return Weighing(arm, load)


def _rates(mechanism: Mechanism, frame: int | str) -> Floats:
    """Efforts of all joints per mass and first moment in a frame (joints, 4)."""
    jacobian, turn = mechanism.jacobian(frame), mechanism.pose(frame)[:3, :3]
    wrench = np.zeros((6, 4))
    wrench[:3, 0] = DOWN
    wrench[3:, 1:] = -cross_matrix(DOWN) @ turn
    return np.asarray(-jacobian.T @ wrench)


class PayloadModel:
    """Passes, and a load at the tool."""

    def __init__(self, mechanism: Mechanism, frame: int | str, data: PayloadReadings) -> None:
        self.data = data
        weighed = weighing(mechanism, frame, data.joints)
        self._load = weighed.load
        self._arm = weighed.arm if data.empty is None else data.empty
        names = [joint.name or f"joint {joint.id}" for joint in mechanism.joints if joint.active]
        parameters = [Parameter(name="load mass", unit="kg", nominal=0.0, typical=1.0)]
        parameters += [Parameter(name=f"load moment {axis}", unit="kg·m", nominal=0.0, typical=0.1) for axis in "xyz"]
        self._moving = [] if data.empty is not None else list(range(len(names)))  # else friction has gone already
        parameters += [
            Parameter(name=f"friction of {names[place]}", unit="N·m | N", nominal=0.0, typical=5.0, keep=1)
            for place in self._moving
        ]
        self._parameters = tuple(parameters)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Mass and first moment of the load, then friction of the joints."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Passes."""
        return len(self.data.joints)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted efforts against those of the motors."""
        data, load = self.data, self._load[which]
        jacobian = np.zeros((len(which), load.shape[1], len(values)))
        jacobian[:, :, :4] = load
        for number, place in enumerate(self._moving):
            jacobian[:, place, 4 + number] = data.directions[which, place]
        predicted = self._arm[which] + jacobian @ values
        return Rows((predicted - data.efforts[which]) / data.noise, jacobian / data.noise[:, None])


class PayloadResult(NamedTuple):
    """What an arm holds."""

    mass: float  # [kg]
    centre: Floats  # (3,) in the frame of the tool [m]
    mass_deviation: float  # standard deviation [kg]
    centre_deviation: Floats  # (3,) [m]
    judgement: Judgement
    before: Errors  # of efforts, without a load [standard deviations]
    after: Errors  # on passes that were held back
    fit: Fit

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "mass": self.mass,
            "mass_deviation": self.mass_deviation,
            "centre": self.centre.tolist(),
            "centre_deviation": self.centre_deviation.tolist(),
            "judgement": self.judgement.data(),
            "before": self.before._asdict(),
            "after": self.after._asdict(),
        }


def calibrate_payload(
    mechanism: Mechanism, frame: int | str, data: PayloadReadings, fitting: FitSettings | None = None
) -> PayloadResult:
    """Mass and centre of what an arm holds.

    Raises a DataError for poses that do not tell them, a UnitsError for efforts in newton-millimetres, a
    NotExplainedError for efforts that no load explains.
    """
    model = PayloadModel(mechanism, frame, data)
    _check_units(model, mechanism)
    fitted = fit(model, fitting)
    missing = [one for one in fitted.identified.fixed if one.name.startswith("load")]
    if missing:
        raise DataError(f"these poses do not tell all: {missing[0]}; turn the wrist to more orientations")

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.sqrt(np.mean(model.rows(values, which).residuals ** 2, axis=1)))

    mass, moment = float(fitted.values[0]), fitted.values[1:4]
    spread = max(1.0, fitted.noise) ** 2 * fitted.covariance[:4, :4]
    deviation = float(np.sqrt(spread[0, 0]))
    if mass < 3.0 * deviation:
        raise DataError(f"the arm holds nothing that its efforts tell: {mass:.3g} ± {deviation:.2g} kg")
    rate = np.column_stack([-moment / mass**2, np.eye(3) / mass])  # of the centre, with mass and moment
    without = fitted.values.copy()
    without[:4] = 0.0
    return PayloadResult(
        mass,
        np.asarray(moment / mass),
        deviation,
        np.sqrt(np.diag(rate @ spread @ rate.T)),
        judge(model, fitted),
        Errors.of(error(without, fitted.used)),
        Errors.of(cross_validate(model, fitted, error, fitting)),
        fitted,
    )


def _check_units(model: PayloadModel, mechanism: Mechanism) -> None:
    limits = [joint.effort for joint in mechanism.joints if joint.active]
    for place, limit in enumerate(limits):
        largest = float(np.abs(model.data.efforts[:, place]).max())
        if limit and largest > HEAVIEST * limit and largest / 1e3 <= HEAVIEST * limit:
            name = model.parameters[0].name
            raise UnitsError(
                f"joint {place + 1} gives {largest:.4g} N·m, it can give {limit:g}: newton-millimetres given; "
                f"no {name} is told from that"
            )
