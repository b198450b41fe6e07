"""Estimate and judge: from the sets of a collection to what is written down, one result for each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.collection import Held, read_collection
from calibration.errors import CalibrationError, DataError
from calibration.fitting import fit
from calibration.judge import FOLDS, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Model, nominal_of
from calibration.results import Result, Subject
from calibration.syntaxer.bar import BarModel
from calibration.syntaxer.delta import COUNT
from calibration.syntaxer.geometry import PlacesModel
from calibration.syntaxer.latency import LatencyModel
from calibration.syntaxer.measured import Measured
from calibration.syntaxer.motion import Motion
from calibration.syntaxer.plate import PlateModel
from calibration.syntaxer.tensions import Load, TensionsModel
from calibration.syntaxer.torques import TorquesModel
from calibration.syntaxer.zeros import StopsModel
from calibration.turning import rotation
from station.devices.syntaxer import GeometryError, Syntaxer, geometry_from

CURRENT_NOISE = 0.003  # of a mean over one interval of a motion of the arms [A]
STRING_NOISE = 0.0006  # the same of the strings [A]
SAMPLE_NOISE = 0.0012  # of one measured current of a string [A]
ORDER = ("stops", "bar", "places", "motion", "strings", "latency")  # each with what those before it have found


class Found(NamedTuple):
    """What one set says."""

    method: str
    numbers: dict[str, float | int]  # of the geometry, by name
    judgement: Judgement
    unit: str  # of the errors
    before: Floats  # errors of what was measured, with nominal numbers
    after: Floats  # the same, of held-back data, with numbers that were estimated without them
    more: dict[str, Any]
    data_hash: str

    def result(self, subject: Subject) -> Result:
        """To be written."""
        values = {
            "numbers": self.numbers,
            **self.more,
            "judgement": self.judgement.data(),
            "held_back": {"unit": self.unit, "before": self.before.tolist(), "after": self.after.tolist()},
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
    geometry, found = nominal_geometry(next(iter(held.values()))), []
    for name, one in held.items():
        if not one.observations:
            raise DataError(f"{folder / name}.jsonl: holds no observation")
        try:
            told = METHODS[name](geometry, one)
        except CalibrationError as error:
            raise type(error)(f"{name}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(f"{folder / name}.jsonl: an observation cannot be read ({error!r})") from None
        for each in told:
            geometry = geometry_from(each.numbers, geometry)
        found += told
    return next(iter(held.values())).subject, found


def nominal_geometry(held: Held) -> Syntaxer:
    """What the device said it is when it was measured."""
    try:
        return geometry_from(held.facts["numbers"], Syntaxer())
    except (KeyError, TypeError, GeometryError):
        raise DataError("the collection does not tell the nominal numbers of its device") from None


def estimated(
    method: str,
    model: Model,
    numbers: Callable[[Floats], dict[str, float | int]],
    held: Held,
    *,
    unit: str,
    error: Callable[[Floats, Ints], Floats],
    folds: int = FOLDS,
    more: Callable[[Floats], dict[str, Any]] | None = None,
) -> Found:
    """Fit a model, judge it, and hold data back to see what it is worth."""
    fitted = fit(model)
    free = numbers(fitted.values)
    return Found(
        method,
        free,
        judge(model, fitted),
        unit,
        error(nominal_of(model), fitted.used),
        cross_validate(model, fitted, error, folds=folds),
        more(fitted.values) if more else {},
        _hash(held),
    )


def from_stops(nominal: Syntaxer, held: Held) -> list[Found]:
    """Zeros and ratios."""
    arms = np.array([one.values["arm"] for one in held.observations], dtype=np.int64)
    ends = np.array([one.values["end"] for one in held.observations], dtype=np.int64)
    counts = _column(held, "counts")[np.arange(len(arms)), arms]
    model = StopsModel(nominal, arms, ends, counts)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise[which])

    each = len(arms)  # held back one by one: without any press of a stop, its arm could not be estimated
    name, numbers = "syntaxer zeros by stops", _any(model.numbers)
    return [estimated(name, model, numbers, held, unit="rad", error=error, folds=each)]


def from_places(nominal: Syntaxer, held: Held) -> list[Found]:
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
    model = PlacesModel(nominal, data)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.positions(values, which) - data.positions[which], axis=1))

    found = [estimated("syntaxer geometry", model, _any(model.numbers), held, unit="m", error=error)]
    if not turned:  # the instrument measures positions only
        return found
    stand = None
    if data.stand:
        values = fit(model).values
        stand = rotation(values[COUNT + 3 : COUNT + 6]) @ model.guess[:3, :3]
    plate = PlateModel(nominal, data, stand)

    def length_error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(plate.length_errors(values, which), axis=1))

    name = "syntaxer rotation stage"
    found.append(
        estimated(name, plate, lambda values: plate.numbers(nominal, values), held, unit="m", error=length_error)
    )
    return found


def from_bar(nominal: Syntaxer, held: Held) -> list[Found]:
    """Geometry of the translation stage from closure."""
    swings = [np.array(one.values["counts"], dtype=np.float64).reshape(-1, 6) for one in held.observations]
    balls = np.repeat(np.arange(len(swings)), [len(one) for one in swings])
    length, noise = float(held.facts["length"]), float(held.facts["noise"])
    model = BarModel(nominal, np.concatenate(swings), balls, length, noise)
    error = model.distances
    return [estimated("syntaxer geometry by bar", model, _any(model.numbers), held, unit="m", error=error)]


def from_motion(geometry: Syntaxer, held: Held) -> list[Found]:
    """Motor constants, friction and weight of the arms."""
    motions = [(Motion.read(one.values), float(one.values["mass"])) for one in held.observations]
    model = TorquesModel(geometry, motions, CURRENT_NOISE)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise)

    def more(values: Floats) -> dict[str, Any]:
        return {"dry_friction": values[3:6].tolist(), "inertia": values[12:15].tolist()}

    numbers = _any(model.numbers)
    return [estimated("syntaxer torques", model, numbers, held, unit="A", error=error, more=more)]


def from_strings(geometry: Syntaxer, held: Held) -> list[Found]:
    """Motor constants, springs and friction of the strings."""
    motions = [(Motion.read(one.values), Load(**one.values["load"])) for one in held.observations]
    model = TensionsModel(geometry, motions, STRING_NOISE)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise)

    def more(values: Floats) -> dict[str, Any]:
        return {"dry_friction": values[6:9].tolist(), "damping": values[9:12].tolist()}

    numbers = _any(model.numbers)
    return [estimated("syntaxer strings", model, numbers, held, unit="A", error=error, more=more)]


def from_latency(_: Syntaxer, held: Held) -> list[Found]:
    """Latency from end to end."""
    values = held.observations[-1].values
    sent_at, sent, seen_at, seen = (
        np.array(values[name], dtype=np.float64) for name in ("sent_at", "sent", "seen_at", "seen")
    )
    model = LatencyModel(sent_at, sent, seen_at, seen, SAMPLE_NOISE)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(model.rows(values, which).residuals[:, 0] * model.noise)

    def more(values: Floats) -> dict[str, Any]:
        return {"latency": float(values[0] + values[1])}

    return [estimated("syntaxer latency", model, lambda _: {}, held, unit="A", error=error, more=more)]


METHODS: dict[str, Callable[[Syntaxer, Held], list[Found]]] = {
    "stops": from_stops,
    "places": from_places,
    "bar": from_bar,
    "motion": from_motion,
    "strings": from_strings,
    "latency": from_latency,
}


def _any(numbers: Callable[[Floats], dict[str, float]]) -> Callable[[Floats], dict[str, float | int]]:
    return lambda values: dict(numbers(values))


def _column(held: Held, name: str) -> Floats:
    try:
        return np.array([one.values[name] for one in held.observations], dtype=np.float64)
    except KeyError:
        raise DataError(f"an observation without {name!r}") from None
    except (TypeError, ValueError):
        raise DataError(f"{name!r} of the observations are not numbers of one shape") from None


def _hash(held: Held) -> str:
    return hashlib.sha256(repr([one.values for one in held.observations]).encode()).hexdigest()
