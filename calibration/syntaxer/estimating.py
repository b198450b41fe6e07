"""Estimate and judge: from the sets of a collection to what is written down, one result for each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from calibration.collection import Held, read_collection
from calibration.errors import CalibrationError, DataError
from calibration.fitting import Fit, fit
from calibration.judge import FOLDS, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Model, nominal_of
from calibration.results import Result, Subject
from calibration.syntaxer.bar import BarModel
from calibration.syntaxer.bench import TICK
from calibration.syntaxer.currents import CurrentsModel
from calibration.syntaxer.delta import COUNT
from calibration.syntaxer.geometry import PlacesModel
from calibration.syntaxer.latency import LatencyModel
from calibration.syntaxer.measured import Measured
from calibration.syntaxer.motion import INTERVAL, Motion
from calibration.syntaxer.plate import PlateModel
from calibration.syntaxer.tensions import Load, TensionsModel
from calibration.syntaxer.torques import TorquesModel
from calibration.syntaxer.workspace import place_deviation
from calibration.syntaxer.zeros import StopsModel
from station.devices.syntaxer import GeometryError, Syntaxer, geometry_from
from station.kernel.so3 import rotation

CURRENT_NOISE = 0.003  # of a mean over one interval of a motion of the arms [A]
WIRE = 0.001 / np.sqrt(12.0)  # of a current that comes in whole milliamperes [A]
SAMPLE_NOISE = float(np.hypot(0.0012, WIRE))  # of one measured current of a string: its amplifier, and the wire [A]
STRING_NOISE = SAMPLE_NOISE / float(np.sqrt(INTERVAL / TICK))  # of a mean over one interval of a motion of it [A]
ORDER = ("stops", "bar", "places", "motion", "strings", "latency")  # each with what those before it have found
OWN = "the numbers that the device tells itself, and usual ones where it tells none"
EARLIER = "what was found before, for the numbers that the device tells itself cannot be"
NO_DELAY = "currents that are there at once"
Numbers = dict[str, float | int]
AnyModel = TypeVar("AnyModel", bound=Model)


class Known(NamedTuple):
    """A device before a set of measurements is looked at."""

    told: Syntaxer  # by itself, when it was measured
    found: Syntaxer  # with what the sets before have found


class Found(NamedTuple):
    """What one set says."""

    method: str
    numbers: Numbers  # of the geometry, by name
    judgement: Judgement  # changes are told from `against`
    unit: str  # of the errors
    against: str  # what the errors before, and all changes, are of
    before: Floats  # errors of what was measured, with these numbers
    after: Floats  # the same, of held-back data, with numbers that were estimated without them; empty: none can be
    more: dict[str, Any]
    data_hash: str

    def result(self, subject: Subject) -> Result:
        """To be written."""
        held_back = {"unit": self.unit, "before": self.before.tolist(), "after": self.after.tolist()}
        values = {
            "numbers": self.numbers,
            **self.more,
            "against": self.against,
            "judgement": self.judgement.data(),
            **({"held_back": held_back} if len(self.after) else {}),
        }
        return Result(method=self.method, subject=subject, values=values, data_hash=self.data_hash)


def estimate_folder(folder: Path, which: tuple[str, ...] = ORDER) -> tuple[Subject, list[Found]]:
    """Everything that the collections in a folder say, in the order in which they build on each other."""
    files = [(name, folder / f"{name}.jsonl") for name in ORDER if name in which]
    held = {name: read_collection(path) for name, path in files if path.exists()}
    if not held:
        raise DataError(f"{folder}: holds nothing that was collected at a syntaxer")
    subjects = {one.subject.id for one in held.values()}
    if len(subjects) > 1:
        raise DataError(f"{folder}: data of several devices ({', '.join(sorted(subjects))}); keep them apart")
    told = nominal_geometry(next(iter(held.values())))
    geometry, found = told, []
    for name, one in held.items():
        if not one.observations:
            raise DataError(f"{folder / name}.jsonl: holds no observation")
        try:
            says = METHODS[name](Known(told, geometry), one)
        except CalibrationError as error:
            raise type(error)(f"{name}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(f"{folder / name}.jsonl: an observation cannot be read ({error!r})") from None
        for each in says:
            geometry = geometry_from(each.numbers, geometry)
        found += says
    return next(iter(held.values())).subject, found


def nominal_geometry(held: Held) -> Syntaxer:
    """What the device said it is when it was measured."""
    try:
        return geometry_from(held.facts["numbers"], Syntaxer())
    except (KeyError, TypeError, GeometryError):
        raise DataError("the collection does not tell the nominal numbers of its device") from None


def estimated(
    method: str,
    make: Callable[[Syntaxer], AnyModel],
    known: Known,
    held: Held,
    *,
    unit: str,
    error: Callable[[AnyModel, Floats, Ints], Floats],
    numbers: Callable[[AnyModel, Floats], Numbers],
    more: Callable[[Fit], dict[str, Any]] | None = None,
    folds: int = FOLDS,
) -> Found:
    """Fit a model, judge it, and hold data back to see what it is worth.

    Args:
        method: its name.
        make: a model for a device that is said to be like that.
        known: the device; the estimate begins with what was found before, and is told from what it says of itself.
        held: measurements.
        unit: of the errors.
        error: of observations, for a model and values of its parameters.
        numbers: of the geometry, the same.
        more: to be written too.
        folds: parts that are held back in turn; 0: no part can be.
    """
    model = make(known.found)
    fitted = fit(model)
    try:
        other, against = make(known.told), OWN
        said = nominal_of(other)
        judgement, before = judge(model, fitted, (other, said)), error(other, said, fitted.used)
    except DataError:  # so far off that its parts would not fit together at these counts
        against = EARLIER
        judgement, before = judge(model, fitted), error(model, nominal_of(model), fitted.used)

    def own_error(values: Floats, which: Ints) -> Floats:
        return error(model, values, which)

    return Found(
        method,
        numbers(model, fitted.values),
        judgement,
        unit,
        against,
        before,
        cross_validate(model, fitted, own_error, folds=folds) if folds else np.zeros(0),
        more(fitted) if more else {},
        _hash(held),
    )


def from_stops(known: Known, held: Held) -> list[Found]:
    """Zeros and ratios: two numbers of an arm from two stops, so that nothing is left to judge the stops by.

    Pressing again tells how well a press is repeated, but not where the stop is: to hold one of two back would be to
    predict it from its copy.
    """
    arms = np.array([one.values["arm"] for one in held.observations], dtype=np.int64)
    ends = np.array([one.values["end"] for one in held.observations], dtype=np.int64)
    counts = _column(held, "counts")[np.arange(len(arms)), arms]

    def make(geometry: Syntaxer) -> StopsModel:
        return StopsModel(geometry, arms, ends, counts)

    def error(model: StopsModel, values: Floats, which: Ints) -> Floats:
        return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise[which])

    name = "syntaxer zeros by stops"
    found = estimated(name, make, known, held, unit="rad", error=error, numbers=_numbers, folds=0)
    judgement = found.judgement._replace(freedom=0, noise=0.0, chi_square=0.0, chance=1.0)
    return [found._replace(judgement=judgement, more={"repeated_within": make(known.told).repeated_within})]


def from_places(known: Known, held: Held) -> list[Found]:
    """Geometry of the translation stage; neutral and gains of the rotation stage, if it was turned."""
    facts, counts = held.facts, _column(held, "counts")
    turned = any("turn" in one.values for one in held.observations)
    data = Measured(
        counts=counts,
        positions=_column(held, "position"),
        turns=_column(held, "turn") if turned else np.zeros((len(counts), 3)),
        noise=float(facts["noise"]),
        turn_noise=float(facts["turn_noise"]),
        stand=facts["by"] != "jig",
    )

    def make(geometry: Syntaxer) -> PlacesModel:
        return PlacesModel(geometry, data)

    def error(model: PlacesModel, values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.positions(values, which) - data.positions[which], axis=1))

    more = partial(_known_to, known)
    geometry = estimated("syntaxer geometry", make, known, held, unit="m", error=error, numbers=_numbers, more=more)
    if not turned:  # the instrument measures positions only
        return [geometry]
    stand = None
    if data.stand:
        leant = np.array([one.value for one in geometry.judgement.parameters[COUNT + 3 : COUNT + 6]])
        stand = rotation(leant) @ make(known.found).guess[:3, :3]

    def make_plate(device: Syntaxer) -> PlateModel:
        return PlateModel(device, data, stand)

    def length_error(model: PlateModel, values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.length_errors(values, which), axis=1))

    def counted(model: PlateModel, values: Floats) -> Numbers:
        return model.numbers(known.found, values)

    name = "syntaxer rotation stage"
    plate = estimated(name, make_plate, known, held, unit="m", error=length_error, numbers=counted)
    return [geometry, plate]


def from_bar(known: Known, held: Held) -> list[Found]:
    """Geometry of the translation stage from closure."""
    swings = [np.array(one.values["counts"], dtype=np.float64).reshape(-1, 6) for one in held.observations]
    balls = np.repeat(np.arange(len(swings)), [len(one) for one in swings])
    length, noise = float(held.facts["length"]), float(held.facts["noise"])

    def make(geometry: Syntaxer) -> BarModel:
        return BarModel(geometry, np.concatenate(swings), balls, length, noise)

    name, error, more = "syntaxer geometry by bar", BarModel.distances, partial(_known_to, known)
    return [estimated(name, make, known, held, unit="m", error=error, numbers=_numbers, more=more)]


def from_motion(known: Known, held: Held) -> list[Found]:
    """Motor constants, friction and weight of the arms."""
    motions = [(Motion.read(one.values), float(one.values["mass"])) for one in held.observations]

    def make(geometry: Syntaxer) -> TorquesModel:
        return TorquesModel(geometry, motions, CURRENT_NOISE)

    def more(fitted: Fit) -> dict[str, Any]:
        return {"dry_friction": fitted.values[3:6].tolist(), "inertia": fitted.values[12:15].tolist()}

    name = "syntaxer torques"
    return [estimated(name, make, known, held, unit="A", error=_amperes, numbers=_numbers, more=more)]


def from_strings(known: Known, held: Held) -> list[Found]:
    """Motor constants, springs and friction of the strings."""
    motions = [(Motion.read(one.values), Load(**one.values["load"])) for one in held.observations]

    def make(geometry: Syntaxer) -> TensionsModel:
        return TensionsModel(geometry, motions, STRING_NOISE)

    def more(fitted: Fit) -> dict[str, Any]:
        return {"dry_friction": fitted.values[6:9].tolist(), "damping": fitted.values[9:12].tolist()}

    name = "syntaxer strings"
    return [estimated(name, make, known, held, unit="A", error=_amperes, numbers=_numbers, more=more)]


def from_latency(known: Known, held: Held) -> list[Found]:
    """Latency from end to end; the device says nothing of it, so it is told from none."""
    values = held.observations[-1].values
    sent_at, sent, seen_at, seen = (
        np.array(values[name], dtype=np.float64) for name in ("sent_at", "sent", "seen_at", "seen")
    )
    model = LatencyModel(sent_at, sent, seen_at, seen, SAMPLE_NOISE)

    def make(_: Syntaxer) -> LatencyModel:
        return model

    def more(fitted: Fit) -> dict[str, Any]:
        return {"latency": float(fitted.values[0] + fitted.values[1])}

    def nothing(_: LatencyModel, __: Floats) -> Numbers:
        return {}

    name, none = "syntaxer latency", np.zeros(2)
    found = estimated(name, make, known, held, unit="A", error=_amperes, numbers=nothing, more=more)
    judgement = judge(model, fit(model), (model, none))
    before = _amperes(model, none, np.arange(model.observations))
    return [found._replace(against=NO_DELAY, judgement=judgement, before=before)]


METHODS: dict[str, Callable[[Known, Held], list[Found]]] = {
    "stops": from_stops,
    "places": from_places,
    "bar": from_bar,
    "motion": from_motion,
    "strings": from_strings,
    "latency": from_latency,
}


def _numbers(model: StopsModel | PlacesModel | BarModel | TorquesModel | TensionsModel, values: Floats) -> Numbers:
    return dict(model.numbers(values))


def _known_to(known: Known, fitted: Fit) -> dict[str, Any]:
    return {"place_deviation": place_deviation(known.found, fitted)._asdict()}


def _amperes(model: CurrentsModel | LatencyModel, values: Floats, which: Ints) -> Floats:
    return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise)


def _column(held: Held, name: str) -> Floats:
    try:
        return np.array([one.values[name] for one in held.observations], dtype=np.float64)
    except KeyError:
        raise DataError(f"an observation without {name!r}") from None
    except (TypeError, ValueError):
        raise DataError(f"{name!r} of the observations are not numbers of one shape") from None


def _hash(held: Held) -> str:
    return hashlib.sha256(repr([one.values for one in held.observations]).encode()).hexdigest()
