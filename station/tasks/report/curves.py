"""`Curves`: what is drawn of a recording, gathered part by part, however long it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.servo.shared.memory import Words
from station.tasks.recording.chunk import Times
from station.tasks.replay.ticks import Ticks

Floats = NDArray[np.float64]

BINS = 1200  # places over the run, each with its lowest and highest
MOST_POINTS = 4000  # of the way
KNOWN_BELOW = 1e3  # ages [s] and distances [m] from this on stand for never and nothing
NAMES = ("arm_apart", "joint_error", "singularity", "obstacle_distance", "slow_down", "hand_age", "measured_age")


class Moment(NamedTuple):
    """The robot at some time."""

    title: str
    time: float  # since the beginning [s]
    q: Floats  # predicted joints [rad | m]


class Curves:
    """Lowest and highest of each number over time, the way of the followed frame, and moments worth a picture."""

    def __init__(self, ticks: Ticks) -> None:
        self.duration = ticks.duration
        self.time: Floats = (np.arange(BINS) + 0.5) * max(self.duration, 1e-9) / BINS  # [s]
        self.low: Floats = np.full((BINS, len(NAMES)), np.inf)
        self.high: Floats = np.full((BINS, len(NAMES)), -np.inf)
        self.ways: dict[str, Floats] = {}  # target, predicted, measured: places [m]
        self.moments: list[Moment] = []
        self._ticks = ticks
        self._gather()
        empty = ~np.isfinite(self.low)
        self.low[empty] = self.high[empty] = np.nan

    def of(self, name: str) -> tuple[Floats, Floats]:
        """Lowest and highest of one of NAMES over time."""
        column = NAMES.index(name)
        return self.low[:, column], self.high[:, column]

    def has(self, name: str) -> bool:
        """Whether anything is known of it."""
        return bool(np.isfinite(self.of(name)[0]).any())

    def _gather(self) -> None:
        ways: dict[str, list[Floats]] = {"target": [], "predicted": [], "measured": []}
        stride = max(1, self._ticks.recording.counts["/status"] // MOST_POINTS)
        first: Moment | None = None
        last: Moment | None = None
        strongest, most = None, 0.0
        for times, rows in self._ticks.parts():
            at = _Columns(self._ticks, rows)
            self._add(times, at)
            for name, places in ways.items():
                found = at[f"{name}_pose"][:, :3, 3]
                if name == "measured":
                    found = np.where(_known(at["measured_age"]) < KNOWN_BELOW, found, np.nan)
                places.append(found[::stride])
            seconds, q = (times - self._ticks.start_ns) * 1e-9, at["predicted_q"]
            first = first or Moment("at the beginning", float(seconds[0]), q[0].copy())
            last = Moment("at the end", float(seconds[-1]), q[-1].copy())
            force = np.nan_to_num(np.linalg.norm(at["wrench"][:, :3], axis=1))
            if force.max() > most:
                row = int(force.argmax())
                most = float(force[row])
                strongest = Moment(f"at the largest force, {most:.2f} N", float(seconds[row]), q[row].copy())
        self.ways = {name: np.concatenate(places) for name, places in ways.items() if places}
        self.moments = [moment for moment in (first, strongest, last) if moment is not None]

    def _add(self, times: Times, at: _Columns) -> None:
        age = _known(at["measured_age"])
        known = age < KNOWN_BELOW
        apart = np.linalg.norm(at["predicted_pose"][:, :3, 3] - at["measured_pose"][:, :3, 3], axis=1)
        sent = _known(at["commanded_age"]) < KNOWN_BELOW
        error = np.abs(at["commanded_q"] - at["measured_q"]).max(axis=1, initial=0.0)
        near = _known(at["obstacle_distance"])
        values = np.column_stack(
            [
                np.where(known[:, 0], apart, np.nan),
                np.where(known[:, 0] & sent[:, 0], error, np.nan),
                at["singularity"],
                np.where(near < KNOWN_BELOW, near, np.nan),
                at["slow_down"],
                np.where(_known(at["hand_age"]) < KNOWN_BELOW, at["hand_age"], np.nan),
                np.where(known, age, np.nan),
            ]
        )
        places = ((times - self._ticks.start_ns) * 1e-9 / max(self.duration, 1e-9) * BINS).astype(np.int64)
        places = np.clip(places, 0, BINS - 1)
        np.fmin.at(self.low, places, np.where(np.isfinite(values), values, np.inf))
        np.fmax.at(self.high, places, np.where(np.isfinite(values), values, -np.inf))


class _Columns:
    """Fields of some records by name, as real numbers."""

    def __init__(self, ticks: Ticks, rows: Words) -> None:
        self._by_name, self._rows = ticks.layout.by_name, rows

    def __getitem__(self, name: str) -> Floats:
        place = self._by_name[name]
        part: Any = np.ascontiguousarray(self._rows[:, place.start : place.end])
        real: Floats = part.astype(np.float64) if place.field.whole else part.view(np.float64)
        return real.reshape(len(self._rows), *place.shape)


def _known(values: Floats) -> Floats:
    """Numbers that are none count as never."""
    return np.where(np.isfinite(values), values, np.inf)
