"""A force/torque sensor and its tool, from its own weight in many orientations.

    told = G·(weight of the tool + weight of a known load) + bias - weight that the controller takes away

The weight of one tool tells six times three numbers, so that gains cannot all be told from it: its mass is a scale of
all of them. Known loads at three places that are not in line tell all.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.fitting import Fit, FitSettings, fit, refit
from calibration.force.readings import GRAVITY, NO_LOAD, ForceReadings, Load, rates_of_weight, weights
from calibration.identify import identify
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Parameter, Rows, nominal_of

AXES = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")
ARM = 1.0  # of a torque, in which a gain between force and torque is typical [m]
TYPICAL_GAIN, TYPICAL_CROSS = 0.05, 0.02
FARTHEST = 20.0  # place of a mass that anybody would believe [m]
HEAVIEST = 100.0  # tool that anybody would believe [kg]
SURE = 3.0  # standard deviations of its mass, from which a tool is one
MASS, MOMENT, BIAS, GAIN = 0, slice(1, 4), slice(4, 10), slice(10, 46)


class Gains(StrEnum):
    """Which gains are estimated."""

    NONE = "none"  # those of the factory are right
    DIAGONAL = "diagonal"  # one per axis
    FULL = "full"  # axes that talk into each other


class ForceModel:
    """Readings, and a sensor near its nominal state."""

    def __init__(self, data: ForceReadings, gains: Gains = Gains.NONE) -> None:
        self.data, self.gains = data, gains
        self._masses, self._moments = data.known()
        told = np.array([data.told.mass]), data.told.mass * np.array(data.told.place)
        self._taken = weights(data.down, told[0], told[1])
        # Gains do nothing on a tool that weighs nothing: begin with the tool that gains of 1 would show.
        first = np.array([*told[0], *told[1]]) if gains is Gains.NONE else self._tool_without_gains()
        parameters = [Parameter(name="tool mass", unit="kg", nominal=float(first[0]), typical=0.5)]
        parameters += [
            Parameter(name=f"tool moment {axis}", unit="kg·m", nominal=float(value), typical=0.05)
            for axis, value in zip("xyz", first[1:], strict=True)
        ]
        parameters += [
            Parameter(name=f"bias {axis}", unit="N" if axis[0] == "F" else "N·m", nominal=0.0, typical=size)
            for axis, size in zip(AXES, (5.0,) * 3 + (0.5,) * 3, strict=True)
        ]
        self._estimated = [(row, column) for row in range(6) for column in range(6) if self._takes(row, column)]
        parameters += [self._gain(row, column) for row, column in self._estimated]
        self._parameters = tuple(parameters)

    def _tool_without_gains(self) -> Floats:
        """Mass and first moment by linear least squares."""
        known = weights(self.data.down, self._masses, self._moments)
        right = (self.data.wrenches + self._taken - known) / self.data.noise
        bias = np.broadcast_to(np.eye(6), (len(right), 6, 6))
        left = np.concatenate([rates_of_weight(self.data.down), bias], axis=2) / self.data.noise[:, None]
        return np.asarray(np.linalg.lstsq(left.reshape(-1, 10), right.ravel(), rcond=None)[0][:4])

    def _takes(self, row: int, column: int) -> bool:
        return self.gains is Gains.FULL or (self.gains is Gains.DIAGONAL and row == column)

    def _gain(self, row: int, column: int) -> Parameter:
        if row == column:
            return Parameter(name=f"gain {AXES[row]}", unit="", nominal=1.0, typical=TYPICAL_GAIN, keep=1)
        unit, size = {(0, 1): ("1/m", 1.0 / ARM), (1, 0): ("m", ARM)}.get((row // 3, column // 3), ("", 1.0))
        name = f"gain {AXES[row]} of {AXES[column]}"
        return Parameter(name=name, unit=unit, nominal=0.0, typical=TYPICAL_CROSS * size, keep=2)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Mass, first moment, bias, gains."""
        return self._parameters

    @property
    def said(self) -> Floats:
        """The tool that the controller takes away, no bias, gains of 1: what a reading meant before, gains or not."""
        values = nominal_of(self)
        values[MASS], values[MOMENT] = self.data.told.mass, self.data.told.mass * np.array(self.data.told.place)
        return values

    @property
    def observations(self) -> int:
        """Orientations."""
        return len(self.data.turns)

    def gain(self, values: Floats) -> Floats:
        """The gain matrix (6, 6)."""
        matrix = np.eye(6)
        for (row, column), value in zip(self._estimated, values[10:], strict=True):
            matrix[row, column] = value
        return matrix

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted wrenches against those that were told."""
        down, gain = self.data.down[which], self.gain(values)
        masses, moments = self._masses[which] + values[MASS], self._moments[which] + values[MOMENT]
        true = weights(down, masses, moments)
        predicted = true @ gain.T + values[BIAS] - self._taken[which]
        jacobian = np.zeros((len(which), 6, len(values)))
        jacobian[:, :, :4] = gain @ rates_of_weight(down)
        jacobian[:, :, BIAS] = np.eye(6)
        for number, (row, column) in enumerate(self._estimated):
            jacobian[:, row, 10 + number] = true[:, column]
        noise = self.data.noise
        return Rows((predicted - self.data.wrenches[which]) / noise, jacobian / noise[:, None])


class Correction(NamedTuple):
    """What turns a reading into what acts on the tool from outside."""

    gain: Floats  # (6, 6)
    bias: Floats  # (6,) [N, N·m]
    tool: Load
    told: Load  # the tool that the controller has already taken away

    def external(self, wrench: Floats, turn: Floats) -> Floats:
        """Force and torque on the tool, without its own weight [N, N·m], from a reading and the tool's rotation."""
        down = -GRAVITY * turn[2]
        weight, taken = (weights(down, one.mass, one.mass * np.array(one.place)) for one in (self.tool, self.told))
        return np.asarray(np.linalg.solve(self.gain, wrench + taken - self.bias) - weight, dtype=np.float64)


class ForceResult(NamedTuple):
    """A sensor and its tool as they are."""

    correction: Correction
    mass_deviation: float  # standard deviation [kg]
    centre_deviation: Floats  # (3,) [m]
    judgement: Judgement
    before: Errors  # of forces, as told less the weight that was known [N]
    after: Errors  # of forces on orientations that were held back [N]
    fit: Fit

    def data(self) -> dict[str, Any]:
        """For a file."""
        mass, place = self.correction.tool
        return {
            "mass": mass,
            "mass_deviation": self.mass_deviation,
            "centre": list(place),
            "centre_deviation": self.centre_deviation.tolist(),
            "bias": self.correction.bias.tolist(),
            "gain": self.correction.gain.tolist(),
            "told": {"mass": self.correction.told.mass, "centre": list(self.correction.told.place)},
            "judgement": self.judgement.data(),
            "before": self.before._asdict(),
            "after": self.after._asdict(),
        }


def calibrate_force(data: ForceReadings, gains: Gains = Gains.NONE, fitting: FitSettings | None = None) -> ForceResult:
    """Bias, tool and, with known loads, gains of a sensor.

    Raises a DataError for orientations that do not tell mass and bias, a UnitsError for newton-millimetres and grams,
    a NotExplainedError for readings that no tool explains.
    """
    _check_units(data)
    model = ForceModel(data, gains)
    fitted = fit(model, fitting)
    missing = [one for one in fitted.identified.fixed if not one.name.startswith("gain")]
    if missing:
        raise DataError(f"these orientations do not tell all: {missing[0]}; turn the tool about more axes")

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.rows(values, which).residuals[:, :3], axis=1) * data.force_noise)

    said = model.said
    tool = _tool(fitted)
    if tool.load == NO_LOAD:
        fitted = _without_tool(model, fitted, tool.mass_deviation, fitting)
    return ForceResult(
        Correction(model.gain(fitted.values), fitted.values[BIAS].copy(), tool.load, data.told),
        tool.mass_deviation,
        tool.centre_deviation,
        judge(model, fitted, (model, said)),
        Errors.of(error(said, fitted.used)),
        Errors.of(cross_validate(model, fitted, error, fitting)),
        fitted,
    )


class _Tool(NamedTuple):
    load: Load  # NO_LOAD if it weighs nothing that the sensor tells
    mass_deviation: float  # [kg]
    centre_deviation: Floats  # (3,) [m]


def _tool(fitted: Fit) -> _Tool:
    """The tool by an estimate; a DataError for one that no tool can be."""
    mass, moment = float(fitted.values[MASS]), fitted.values[MOMENT]
    spread = max(1.0, fitted.noise) ** 2 * fitted.covariance[:4, :4]
    deviations = np.sqrt(np.diag(spread))
    told = f"{mass:.4g} ± {deviations[0]:.2g} kg"
    if mass < -SURE * deviations[0]:
        raise DataError(
            f"the tool would weigh {told}: the sensor tells forces with the sign reversed, or its controller takes "
            "away a heavier tool than there is; set that right there, or say with --told what it takes away"
        )
    if mass > SURE * deviations[0]:
        rate = np.column_stack([-moment / mass**2, np.eye(3) / mass])  # of the centre, with mass and moment
        x, y, z = (moment / mass).tolist()
        return _Tool(Load(mass, (x, y, z)), float(deviations[0]), np.sqrt(np.diag(rate @ spread @ rate.T)))
    if (np.abs(moment) > 2.0 * SURE * deviations[1:]).any():
        raise DataError(
            f"a tool of {told} that turns the sensor: its controller takes away the right mass at another centre; "
            "say with --told what it takes away"
        )
    return _Tool(NO_LOAD, float(deviations[0]), np.zeros(3))


def _without_tool(model: ForceModel, fitted: Fit, deviation: float, settings: FitSettings | None) -> Fit:
    """The same estimate for a tool that weighs nothing; what then tells nothing of gains fixes these too."""
    values = fitted.values.copy()
    mass, values[:4] = float(values[MASS]), 0.0
    jacobian = model.rows(values, fitted.used).jacobian.reshape(-1, len(values))
    jacobian[:, :4] = 0.0
    found = identify(model.parameters, jacobian, (settings or FitSettings()).weakest)
    why = f"the sensor tells no tool ({mass:.2g} ± {deviation:.2g} kg)"
    named = tuple(one._replace(because=why) if one.name.startswith("tool") else one for one in found.fixed)
    values[10:][~found.free[10:]] = nominal_of(model)[10:][~found.free[10:]]
    begin = fitted._replace(values=values, identified=found._replace(fixed=named))
    return refit(model, begin, fitted.used, settings)._replace(outliers=fitted.outliers)


def _check_units(data: ForceReadings) -> None:
    """Torques against forces, and known loads against forces: factors of a thousand are named."""
    columns = np.column_stack([data.down, np.ones(len(data.down))])
    slopes = np.linalg.lstsq(columns, data.wrenches, rcond=None)[0][:3]
    force, torque = (float(np.linalg.norm(part)) / np.sqrt(3.0) for part in (slopes[:, :3], slopes[:, 3:]))
    if force > 10.0 * data.force_noise and torque / force > FARTHEST:
        raise UnitsError(f"torques are {torque / force:.3g} m times the forces: newton-millimetres for newton-metres")
    if force > HEAVIEST + max((load.mass for load in data.loads), default=0.0):
        raise UnitsError(f"the tool would weigh {force:.4g} kg, {HEAVIEST:g} at most: millinewtons given for newtons")
    if data.load_of is None or len(set(data.load_of.tolist())) < 2:
        return
    masses, _ = data.known()
    loaded = data.down * masses[:, None]
    share = np.linalg.lstsq(np.column_stack([columns, loaded]), data.wrenches[:, :3], rcond=None)[0][4:]
    scale = float(np.trace(share)) / 3.0
    for factor, words in ((1e3, "kilograms given for grams, or millinewtons"), (1e-3, "grams given for kilograms")):
        if factor / 1.5 < scale < factor * 1.5:
            raise UnitsError(f"known loads weigh {scale:.3g} times what they should: {words}")
