"""Planted truth and what would be measured of it, without a device: for many repetitions in no time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from calibration.fitting import fit
from calibration.parameters import Floats, Model
from calibration.syntaxer.measured import Measured
from calibration.syntaxer.plan import places
from sim_devices.syntaxer.wrong import planted
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.rotation import turned_by
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey

NOMINAL = Syntaxer()
TRUTH = planted(NOMINAL, 3).geometry
PLAN = np.array(places(NOMINAL))
Whole = NDArray[np.int64]


def counts_at(truth: Syntaxer, poses: Floats, *, steps: bool = True) -> Floats:
    """What six encoders show at places and rotation vectors (n, 6); whole counts, or as they would be without steps."""
    parts = parts_of(truth)
    angles = survey(parts, poses[:, :3]).angles
    lengths = np.array([turned_by(parts, pose[3:]).lengths for pose in poses])
    arms = (angles - parts.chains.zero) / parts.chains.angle_per_count
    strings = (lengths - parts.struts.neutral) / parts.struts.length_per_count
    counts = np.concatenate([arms, strings], axis=1) + parts.home
    return np.asarray(np.rint(counts) if steps else counts)


def measured(
    poses: Floats,
    noise: float = 0.0,
    turn_noise: float = 0.0,
    *,
    seed: int = 0,
    steps: bool = False,
    truth: Syntaxer = TRUTH,
    **changed: Any,
) -> Measured:
    """Places in a jig whose sockets are off by `noise` [m] and `turn_noise` [rad]."""
    random = np.random.default_rng([21, seed])
    real = poses + np.repeat([noise, turn_noise], 3) * random.standard_normal(poses.shape)
    values: dict[str, Any] = {
        "counts": counts_at(truth, real, steps=steps),
        "positions": poses[:, :3],
        "turns": poses[:, 3:],
        "noise": noise,
        "turn_noise": turn_noise,
        "stand": False,
    }
    return Measured(**{**values, **changed})


def squares(model: Model, truth: Floats) -> tuple[float, int]:
    """How far an estimate is from the truth, squared, in its stated standard deviations; and of how many numbers."""
    fitted = fit(model)
    off = (fitted.values - truth)[fitted.identified.free]
    return float(off @ np.linalg.solve(fitted.covariance, off)), len(off)


def assert_as_stated(drawn: list[tuple[float, int]]) -> None:
    """Many estimates scatter as their standard deviations say: a sum of squares that chance explains."""
    total, freedom = sum(one[0] for one in drawn), sum(one[1] for one in drawn)
    assert chi2.ppf(1e-4, freedom) < total < chi2.ppf(1.0 - 1e-4, freedom), (total, freedom)
