"""Collect: everything that is measured at a syntaxer, set by set, each in a file of its own that can be gone on with.

stops     arms leant on their stops            places    the handle in a jig, or before a tracker
bar       the handle swung on a bar            motion    arms that drive themselves, with and without a mass
strings   the plate turned by its strings      latency   currents that jump to and fro
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.collection import Collection, Tell, collect
from calibration.errors import DataError
from calibration.instrument import PERSON, Instrument, measured
from calibration.parameters import Floats
from calibration.results import Subject
from calibration.syntaxer.bench import TICK, Bench
from calibration.syntaxer.motion import motion_of
from calibration.syntaxer.person import Fix, HoldAt, LeanOn, LetGo, Person, Seat, Swing, Triple
from calibration.syntaxer.plan import chooser, places
from calibration.syntaxer.stances import stop_place
from calibration.syntaxer.swings import bar_stands
from station.devices.syntaxer import numbers_of
from station.kernel.so3 import nearest_rotation, rotation_vector

REPEATS = 2  # of every stop
HARMONICS = np.array([3.0, 4.0, 5.0])  # of the three arms, per period
STRING_HARMONICS = np.array([1.0, 2.0, 3.0])
SWING = 0.35  # of the arms [rad]
STRING_CURRENT = 0.075  # [A]; with the lever loaded the plate stays clear of its stops
LEAD = 1.0  # before a motion of the arms is recorded [s]
STRING_LEAD = (
    2.5  # the same of the strings: a load on the plate swings for longer, and a period must end as it began [s]
)
READINGS = 9  # of a tracker, of each place: their mean is three times better, and takes less time than another place
AFTERWARDS = 0.05  # that the handle still has to stand still for when it was tracked [s]
LATENCY_CURRENT = 0.08  # of the strings [A]
MOTIONS = [[5.0, 0.0], [10.0, 0.0], [5.0, 0.1]]  # period [s], mass on the handle [kg]
LEVER = Fix(mass=0.05, place=(0.06, 0.06, 0.0), cord=0.04, way=(0.0, 1.0, 0.0), held=(0.10, 0.0, 0.0))
STRINGS = [
    [5.0, 0.0],
    [10.0, 1.0],
]  # period [s], whether the lever is loaded: slowly then, for its inertia is known less
JIG, TRACKER = "jig", "tracker"
SETS = ("stops", "places", "bar", "motion", "strings", "latency")


@dataclass(frozen=True, kw_only=True)
class Table:
    """What is used, and how good it is."""

    by: str = JIG  # on the plate of the device, or TRACKER that stands anywhere and says itself how good it is
    places: int = 80
    noise: float = 1e-5  # standard deviation of the sockets, per axis, and of the bar [m]
    turn_noise: float = 2e-4  # the same for rotations [rad]
    bar: float = 0.2  # length of the bar [m]
    swing: float = 20.0  # time of a swing on it [s]

    def __post_init__(self) -> None:
        if self.by not in (JIG, TRACKER):
            raise DataError(f"places are measured by jig or tracker, not by {self.by!r}")
        if not (0.0 <= self.noise < 0.01 and 0.0 <= self.turn_noise < 0.1):
            raise DataError("noise is a standard deviation in metres, below 10 mm; of turns in radians, below 0.1")


class Collecting:
    """Runs collections at one device into one folder."""

    def __init__(
        self,
        bench: Bench,
        person: Person,
        folder: Path,
        tell: Tell,
        table: Table | None = None,
        instrument: Instrument | None = None,
    ) -> None:
        """Set out to collect.

        Args:
            bench: the device.
            person: who stands at it.
            folder: where each set gets a file.
            tell: progress.
            table: what is used.
            instrument: that measures the handle, if the table says so.
        """
        self.bench, self.person, self.folder, self.tell = bench, person, folder, tell
        self.table, self.instrument = table or Table(), instrument
        self.subject = Subject.device(bench.serial_number, "syntaxer")
        self.nominal = bench.model.geometry

    def run(self, which: tuple[str, ...]) -> None:
        """Collect these sets, or what is missing of them."""
        for name in which:
            if name not in SETS:
                raise DataError(f"there is nothing {name!r} to collect; there is: {', '.join(SETS)}")
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in which:
            getattr(self, f"_{name}")()
        self.person.do(Fix())

    def _collection(self, name: str, plan: list[list[float]], **facts: Any) -> Collection:
        self.tell(f"{name}: {len(plan)} to choose from" if name == "places" else f"{name}: {len(plan)} to measure")
        held = {"set": name, **facts, "numbers": numbers_of(self.nominal)}
        return Collection(self.folder / f"{name}.jsonl", self.subject, plan, held)

    def _stops(self) -> None:
        plan = [[float(arm), float(end), float(n)] for n in range(REPEATS) for arm in range(3) for end in range(2)]
        where = {(arm, end): stop_place(self.nominal, arm, end) for arm in range(3) for end in range(2)}

        def measure(_: int, wanted: list[float]) -> dict[str, Any]:
            place, beyond = where[int(wanted[0]), int(wanted[1])]
            self.person.do(LeanOn(int(wanted[0]), int(wanted[1]), _triple(place), _triple(beyond)))
            return {"arm": int(wanted[0]), "end": int(wanted[1]), "counts": self.bench.still_counts()}

        collect(self._collection("stops", plan), measure, self.tell)

    def _places(self) -> None:
        by = self.table.by
        plan, noise = places(self.nominal), self.table.noise
        told: dict[str, Any] = {"by": by, "noise": noise, "turn_noise": self.table.turn_noise}
        if by == TRACKER:
            about = self._tracker.about
            readings = self._readings
            noise, turn_noise = about.noise / np.sqrt(readings), about.turn_noise / np.sqrt(readings)
            name = f"{about.model} {about.serial_number}"
            told |= {"noise": noise, "turn_noise": turn_noise, "readings": readings, "instrument": name}
        choose = chooser(self.nominal, plan, stand=by == TRACKER, noise=noise)
        held = self._collection("places", plan, **told)
        measure = self._track if by == TRACKER else self._seat
        collect(held, measure, self.tell, wanted=min(self.table.places, len(plan)), choose=choose)

    def _seat(self, number: int, wanted: list[float]) -> dict[str, Any]:
        place, turn = _triple(wanted[:3]), _triple(wanted[3:])
        self.person.do(Seat(f"socket {number + 1}", place, turn))
        return {"counts": self.bench.still_counts(), "position": place, "turn": turn}

    def _track(self, _: int, wanted: list[float]) -> dict[str, Any]:
        self.person.do(HoldAt(_triple(wanted[:3]), _triple(wanted[3:])))
        before = self.bench.still_counts()
        shown = [measured(self._tracker) for _ in range(self._readings)]
        counts = 0.5 * (before + self.bench.still_counts(AFTERWARDS))
        values = {"counts": counts, "position": np.mean([one.position for one in shown], axis=0)}
        turns = [one.rotation for one in shown if one.rotation is not None]
        return {**values, "turn": rotation_vector(nearest_rotation(np.mean(turns, axis=0)))} if turns else values

    @property
    def _readings(self) -> int:
        """Of each place; nobody is asked to type the same place several times."""
        return 1 if self._tracker.about.model == PERSON else READINGS

    @property
    def _tracker(self) -> Instrument:
        if self.instrument is None:
            raise DataError("nothing measures the handle; give an instrument")
        return self.instrument

    def _bar(self) -> None:
        length, seconds = self.table.bar, self.table.swing
        plan = [list(foot) for foot in bar_stands(self.nominal, length)]

        def measure(number: int, foot: list[float]) -> dict[str, Any]:
            self.person.do(Swing(number, _triple(foot), length, seconds))
            return {"ball": number, "counts": self.bench.swung_counts(seconds)}

        held = self._collection("bar", plan, length=length, noise=self.table.noise)
        collect(held, measure, self.tell)

    def _motion(self) -> None:
        middle = self.bench.model.joints_at(self.bench.model.middle).values[:3]

        def measure(_: int, wanted: list[float]) -> dict[str, Any]:
            period, mass = wanted
            pace = 2.0 * np.pi * HARMONICS / period
            self._ready(Fix(mass=mass))
            counts, currents = self.bench.follow(
                lambda t: (middle + SWING * np.sin(pace * t), SWING * pace * np.cos(pace * t)),
                lambda _: np.zeros(3),
                LEAD,
                period,
            )
            return {"mass": mass, **motion_of(counts[:, :3], currents[:, :3], period).data()}

        collect(self._collection("motion", MOTIONS), measure, self.tell)

    def _strings(self) -> None:
        middle = self.bench.model.joints_at(self.bench.model.middle).values[:3]

        def measure(_: int, wanted: list[float]) -> dict[str, Any]:
            period, loaded = wanted
            pace = 2.0 * np.pi * STRING_HARMONICS / period
            load = LEVER if loaded else Fix()
            self._ready(load)
            counts, currents = self.bench.follow(
                lambda _: (middle, np.zeros(3)),
                lambda t: STRING_CURRENT * np.sin(pace * t),
                STRING_LEAD,
                period,
            )
            return {"load": load._asdict(), **motion_of(counts[:, 3:], currents[:, 3:], period).data()}

        collect(self._collection("strings", STRINGS), measure, self.tell)

    def _latency(self) -> None:
        def measure(_: int, wanted: list[float]) -> dict[str, Any]:
            self._ready(Fix())
            return record_latency(self.bench, wanted[0])

        collect(self._collection("latency", [[1.5]]), measure, self.tell)

    def _ready(self, load: Fix) -> None:
        self.person.do(load)
        self.person.do(LetGo())


def record_latency(bench: Bench, seconds: float) -> dict[str, Any]:
    """Let a current of one string jump to and fro, and write down what was sent and what came, with their times."""
    random = np.random.default_rng(17)
    bench.enable()
    sent_at, sent, seen_at, seen = [], [], [], []
    level = 0.0
    try:
        for number in range(round(seconds / TICK)):
            if number % 4 == 0:
                level = LATENCY_CURRENT * float(random.choice([-1.0, 1.0]))
            amperes = np.zeros(6)
            amperes[3] = level
            state = bench.tick(amperes)
            now = bench.clock.now()
            sent_at.append(now)
            sent.append(round(level, 3))
            seen_at.append(now)
            seen.append(state.currents[3])
    finally:
        bench.disable()
    return {"sent_at": sent_at, "sent": sent, "seen_at": seen_at, "seen": seen}


def _triple(values: Floats | list[float]) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z
