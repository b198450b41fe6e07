"""Which parameters the data can tell, and which cannot be told apart from others and are therefore fixed.

Columns of the Jacobian are taken one after the other, those to be kept first. What a column adds to those before it,
in standard deviations of the noise per typical error, is one over the standard deviation that the parameter would have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.parameters import Flags, Floats, Parameter

REPEATED = 1e-9  # a column whose new part is smaller than this share of it says nothing new
NAMED = 0.02  # a share of another parameter that is worth naming
MOST_NAMED = 5


class Fixed(NamedTuple):
    """A parameter that keeps its nominal value, and why."""

    name: str
    like: tuple[str, ...]  # parameters it cannot be told apart from; empty: it does nothing at all in these data
    because: str = ""  # another reason than these

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"

    @property
    def reason(self) -> str:
        """Why, for a person."""
        if self.because or not self.like:
            return self.because or "without effect in these data"
        return f"cannot be told apart from {', '.join(self.like)}"


class Identified(NamedTuple):
    """What the data can tell."""

    free: Flags  # per parameter
    fixed: tuple[Fixed, ...]
    singular_values: Floats  # of the free columns, each scaled to length 1, largest first

    @property
    def condition(self) -> float:
        """Largest over smallest singular value."""
        if not len(self.singular_values):
            return float("inf")
        return float(self.singular_values[0] / self.singular_values[-1])


def identify(parameters: tuple[Parameter, ...], jacobian: Floats, weakest: float) -> Identified:
    """Tell free parameters from fixed ones.

    Args:
        parameters: one per column.
        jacobian: rows × parameters, in standard deviations of the noise.
        weakest: largest standard deviation worth estimating, in typical errors of the parameter.
    """
    typical = np.array([parameter.typical for parameter in parameters])
    scaled = jacobian * typical
    small = np.asarray(np.linalg.qr(scaled, mode="r"), dtype=np.float64)  # the same lengths and angles, fewer rows
    order = sorted(range(len(parameters)), key=lambda number: parameters[number].keep)
    basis = np.zeros((small.shape[0], 0))
    taken: list[int] = []
    dropped: list[int] = []
    for number in order:
        column = small[:, number]
        new = column - basis @ (basis.T @ column)
        new -= basis @ (basis.T @ new)  # once more: rounding of the first time
        size, whole = float(np.linalg.norm(new)), float(np.linalg.norm(column))
        if size <= REPEATED * whole or size * weakest < 1.0:
            dropped.append(number)
            continue
        basis = np.column_stack([basis, new / size])
        taken.append(number)
    _drop_weak(parameters, small, taken, dropped, weakest)
    free = np.zeros(len(parameters), dtype=bool)
    free[taken] = True
    kept = small[:, free]
    lengths = np.linalg.norm(kept, axis=0)
    values = np.linalg.svd(kept / lengths, compute_uv=False) if taken else np.zeros(0)
    return Identified(free, tuple(_why(parameters, small, taken, number) for number in sorted(dropped)), values)


def _drop_weak(
    parameters: tuple[Parameter, ...], columns: Floats, taken: list[int], dropped: list[int], weakest: float
) -> None:
    """Fix those that came to be told too poorly by what was taken after them, the least wanted first."""
    while taken:
        root = np.linalg.qr(columns[:, taken], mode="r")
        spread = np.linalg.norm(np.linalg.inv(root), axis=1)  # standard deviations in typical errors
        weak = [(parameters[taken[place]].keep, spread[place], place) for place in np.flatnonzero(spread > weakest)]
        if not weak:
            return
        dropped.append(taken.pop(max(weak)[2]))


def _why(parameters: tuple[Parameter, ...], columns: Floats, taken: list[int], number: int) -> Fixed:
    name, column = parameters[number].name, columns[:, number]
    size = float(np.linalg.norm(column))
    if size == 0.0 or not taken:
        return Fixed(name, ())
    shares, *_ = np.linalg.lstsq(columns[:, taken], column, rcond=1e-12)
    effects = np.abs(shares) * np.linalg.norm(columns[:, taken], axis=0)
    strongest = [place for place in np.argsort(-effects)[:MOST_NAMED] if effects[place] > NAMED * size]
    return Fixed(name, tuple(parameters[taken[place]].name for place in strongest))
