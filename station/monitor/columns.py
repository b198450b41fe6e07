"""Fields of many records at once, and the curves that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.servo.pacing import Measure
from station.servo.shared import Cause
from station.servo.shared.memory import Layout, Words

Floats = NDArray[np.float64]

ABSURD = 1e30


def clean(values: Floats) -> Floats:
    """The same, with nan for what is no measurement: infinite, or so large that its square would be."""
    return np.where(np.abs(values) < ABSURD, values, np.nan)


class Columns:
    """Records of the ring by field: `columns.predicted_q` has one row for each; nan for what is no measurement."""

    def __init__(self, layout: Layout, rows: Words) -> None:
        self.layout, self.rows = layout, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getattr__(self, name: str) -> Any:
        place = self.layout.by_name.get(name) if not name.startswith("_") else None
        if place is None or place.end > self.layout.record:
            raise AttributeError(f"no field {name!r} in records")
        part = self.rows[:, place.start : place.end]
        numbers = part if place.field.whole else clean(part.view(np.float64))
        values = numbers[:, 0] if place.shape == (1,) else numbers.reshape(len(self.rows), *place.shape)
        setattr(self, name, values)
        return values


def position(pose: Floats) -> Floats:
    """Of 4×4 poses [m]; nan for those that nobody has filled."""
    known = np.any(pose[:, :3, :3] != 0.0, axis=(1, 2))
    return np.where(known[:, None], pose[:, :3, 3], np.nan)


def tracking_error(target: Floats, reached: Floats) -> Floats:
    """How far 4×4 poses are apart [m, rad], one row each; nan where one is not known."""
    apart = np.linalg.norm(position(target) - position(reached), axis=1)
    trace = np.einsum("nij,nij->n", target[:, :3, :3], reached[:, :3, :3])
    angle = np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))
    return np.column_stack([apart, np.where(np.isnan(apart), np.nan, angle)])


def force(wrench: Floats) -> Floats:
    """Size of the force in wrenches [N]; the last axis holds force, then torque."""
    return np.asarray(np.linalg.norm(wrench[..., :3], axis=-1))


def torque(wrench: Floats) -> Floats:
    """Size of the torque in wrenches [N·m]."""
    return np.asarray(np.linalg.norm(wrench[..., 3:], axis=-1))


class Curve(NamedTuple):
    """Something that is kept over the whole run."""

    width: int | None  # how many numbers; None: one for each joint
    values: Callable[[Columns], Floats]


CURVES: Mapping[str, Curve] = {
    "target": Curve(3, lambda at: position(at.target_pose)),  # [m]
    "predicted": Curve(3, lambda at: position(at.predicted_pose)),  # [m]
    "error": Curve(2, lambda at: tracking_error(at.target_pose, at.predicted_pose)),  # [m, rad]
    "joints": Curve(None, lambda at: at.predicted_q),  # [rad | m]
    "joint_acting": Curve(None, lambda at: at.joint_acting),
    "force": Curve(1, lambda at: force(at.wrench)),  # [N]
    "torque": Curve(1, lambda at: torque(at.wrench)),  # [N·m]
    "force_parts": Curve(len(Cause), lambda at: force(at.wrench_parts)),  # [N]
    "torque_parts": Curve(len(Cause), lambda at: torque(at.wrench_parts)),  # [N·m]
    "energy": Curve(1, lambda at: at.energy_rendered),  # [J]
    "energy_dissipated": Curve(1, lambda at: at.energy_dissipated),  # [J]
    "energy_potential": Curve(1, lambda at: at.energy_potential),  # [J]
    "energy_lowest": Curve(1, lambda at: at.energy_lowest),  # [J]
    "energy_parts": Curve(len(Cause), lambda at: at.energy_parts),  # [J]
    "spent": Curve(len(Measure), lambda at: at.spent),  # [s]
}


def places(joints: int) -> dict[str, slice]:
    """Which columns of `values` belong to which curve."""
    found, start = {}, 0
    for name, curve in CURVES.items():
        found[name] = slice(start, start + (joints if curve.width is None else curve.width))
        start = found[name].stop
    return found


def values(at: Columns) -> Floats:
    """All curves of some records side by side."""
    parts = [np.asarray(curve.values(at), np.float64).reshape(len(at), -1) for curve in CURVES.values()]
    return np.concatenate(parts, axis=1)
