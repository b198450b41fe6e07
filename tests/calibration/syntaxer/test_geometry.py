"""Geometry of the translation stage, and neutral and gains of the rotation stage, from planted data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from calibration import DataError, NotExplainedError, Subject, UnitsError
from calibration.collection import Collection
from calibration.fitting import FitSettings, fit
from calibration.judge import judge
from calibration.parameters import Floats, Rows
from calibration.syntaxer.bar import BarModel
from calibration.syntaxer.delta import COUNT, RATIO, dimensions_of, place_slopes, places_of, turns_of
from calibration.syntaxer.geometry import PlacesModel
from calibration.syntaxer.plan import chooser
from calibration.syntaxer.plate import PlateModel
from calibration.syntaxer.swings import bar_stands, cap_at
from calibration.syntaxer.workspace import place_deviation
from station.devices.syntaxer import Cylinder, SyntaxerModel, geometry_from
from station.kernel.so3 import rotation, rotation_vector
from tests.calibration.syntaxer.planted import (
    NOMINAL,
    PLAN,
    TRUTH,
    Whole,
    assert_as_stated,
    counts_at,
    measured,
    squares,
)

CHOSEN = PLAN[::3]
BAR = 0.2  # [m]
RADII = [f"chain {n} platform radius" for n in (1, 2, 3)]


def told_truth(nominal_platform: bool = True) -> Floats:
    """True dimensions; only base radius less platform radius can be told, and the platform radius stays nominal."""
    true = dimensions_of(TRUTH)
    if nominal_platform:
        true[:, 1] += dimensions_of(NOMINAL)[:, 2] - true[:, 2]
        true[:, 2] = dimensions_of(NOMINAL)[:, 2]
    return true.ravel()


def test_places_are_those_of_the_model_of_the_device() -> None:
    turns = turns_of(TRUTH, counts_at(TRUTH, PLAN, steps=False))
    assert places_of(dimensions_of(TRUTH), turns).positions == pytest.approx(PLAN[:, :3], abs=1e-12)
    model, counts = SyntaxerModel(TRUTH), counts_at(TRUTH, PLAN[:20])
    ours = places_of(dimensions_of(TRUTH), turns_of(TRUTH, counts)).positions
    assert ours == pytest.approx(np.array([model.pose(one)[:3, 3] for one in counts]), abs=1e-12)


def test_slopes_are_those_of_small_differences() -> None:
    dimensions, turns = dimensions_of(TRUTH), turns_of(TRUTH, counts_at(TRUTH, PLAN[:10]))
    slopes = place_slopes(dimensions, turns, places_of(dimensions, turns))
    for number in range(COUNT):
        step = np.zeros(COUNT)
        step[number] = 1e-6
        ends = [places_of((dimensions.ravel() + way * step).reshape(3, -1), turns).positions for way in (1.0, -1.0)]
        assert slopes[:, :, number] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)


def test_a_jig_tells_everything_but_the_platform_radius() -> None:
    model = PlacesModel(NOMINAL, measured(CHOSEN))
    fitted = fit(model)
    assert [one.name for one in fitted.identified.fixed] == RADII
    assert fitted.identified.fixed[0].like == ("chain 1 base radius",)
    assert fitted.values[:COUNT] == pytest.approx(told_truth(), abs=1e-9)


def test_a_tracker_that_stands_anywhere_does_not_tell_where_up_is() -> None:
    stand = rotation(np.array([0.4, -0.3, 2.0]))
    data = measured(CHOSEN)
    seen = data.positions @ stand.T + [1.5, -0.2, 0.6]
    turned = replace(data, positions=seen, stand=True)
    model = PlacesModel(NOMINAL, turned)
    fitted = fit(model)
    assert {one.name for one in fitted.identified.fixed} == {"chain 1 azimuth", *RADII}
    found, true = fitted.values[:COUNT].reshape(3, -1), told_truth().reshape(3, -1)
    true[:, 0] -= true[0, 0] - dimensions_of(NOMINAL)[0, 0]  # the first chain says where up is
    assert found == pytest.approx(true, abs=1e-9)


class Swung(NamedTuple):
    """Swings on a bar at the true device."""

    poses: Floats  # places and rotation vectors (n, 6) [m, rad]
    balls: Whole  # which stand each belongs to (n)
    truth: Floats  # of the parameters that a bar tells, the first chain saying where up is


def swung(per_stand: int, feet: Floats | None = None) -> Swung:
    stands = np.array(bar_stands(NOMINAL, BAR)) if feet is None else feet
    caps = [cap_at(NOMINAL.cylinder, foot, BAR) for foot in stands]
    places = np.concatenate([cap.spiral(2.0, per_stand) for cap in caps if cap is not None])
    true = told_truth().reshape(3, -1)
    shift = true[0, 0] - dimensions_of(NOMINAL)[0, 0]
    true[:, 0] -= shift
    feet = stands @ rotation(np.array([shift, 0.0, 0.0])).T
    poses = np.column_stack([places, np.zeros_like(places)])
    return Swung(poses, np.repeat(np.arange(len(stands)), per_stand), np.concatenate([true.ravel(), feet.ravel()]))


def test_a_bar_closes_a_loop_that_tells_the_same_without_any_instrument() -> None:
    poses, balls, truth = swung(40)
    counts = counts_at(TRUTH, poses, steps=False)
    fitted = fit(BarModel(NOMINAL, counts, balls, BAR, 0.0))
    assert {one.name for one in fitted.identified.fixed} == {"chain 1 azimuth", *RADII}
    assert fitted.values == pytest.approx(truth, abs=1e-9)
    unknown = fit(BarModel(NOMINAL, counts, balls, BAR, 0.0, known=False))
    assert "bar length" in {one.name for one in unknown.identified.fixed}  # nothing tells how large the device is


def test_stands_of_a_bar_are_chosen_to_tell_most() -> None:
    stands = bar_stands(NOMINAL, BAR)
    assert len(set(stands)) == len(stands) == 6

    def spread(feet: Floats | None) -> float:
        """Of the handle all over the workspace, rms [m]."""
        poses, balls, _ = swung(40, feet)
        model = BarModel(NOMINAL, counts_at(NOMINAL, poses, steps=False), balls, BAR, 1e-5)
        fitted = fit(model, FitSettings(weakest=100.0))
        free = fitted.identified.free[:COUNT]
        turns, nominal = turns_of(NOMINAL, counts_at(NOMINAL, PLAN[::5])), dimensions_of(NOMINAL)
        slopes = place_slopes(nominal, turns, places_of(nominal, turns))[:, :, free]
        covariance = fitted.covariance[: free.sum(), : free.sum()]
        return float(np.sqrt(np.einsum("nij,jk,nik->n", slopes, covariance, slopes).mean()))

    angles = np.pi / 3.0 * np.arange(6)
    ring = np.column_stack([np.full(6, 0.38), 0.1 * np.cos(angles), 0.1 * np.sin(angles)])
    assert spread(None) < 0.7 * spread(ring)
    near = Cylinder(radius=0.17, near=0.145, far=0.295)
    assert cap_at(near, np.array([2.0, 0.0, 0.0]), BAR) is None


def test_counts_that_a_bar_allows_are_the_nearest_ones() -> None:
    """Errors of readings are taken off along what the bar does not allow, and are of the size that is stated."""
    poses, balls, truth = swung(40)
    model = BarModel(NOMINAL, counts_at(TRUTH, poses), balls, BAR, 0.0)
    here = model.on_the_bar(truth, np.arange(model.observations))
    feet = truth[COUNT:].reshape(-1, 3)[balls]
    assert np.linalg.norm(here.places.positions - feet, axis=1) == pytest.approx(BAR, abs=1e-9)
    slopes = np.einsum("ni,nij->nj", here.along, here.places.rates) / dimensions_of(TRUTH)[:, 6]
    moved = model.turns - here.turns
    assert np.cross(moved, slopes) == pytest.approx(np.zeros_like(moved), abs=1e-10)  # straight to the bar
    assert np.std(here.off / here.sigma) == pytest.approx(1.0, abs=0.2)


def test_estimates_from_a_bar_scatter_as_stated_with_ordinary_encoders() -> None:
    poses, balls, truth = swung(100)
    drawn = []
    for seed in range(100):
        counts = measured(poses, 1e-5, seed=seed, steps=True).counts
        drawn.append(squares(BarModel(NOMINAL, counts, balls, BAR, 1e-5), truth))
    assert_as_stated(drawn)


def test_estimates_scatter_as_stated() -> None:
    drawn = []
    for seed in range(100):
        data = measured(CHOSEN, 1e-5, 2e-4, seed=seed, steps=True)
        drawn.append(squares(PlacesModel(NOMINAL, data), told_truth()))
    assert_as_stated(drawn)


class RatiosAsSaid:
    """A model without the gear ratios: they are those of the handshake."""

    def __init__(self, model: PlacesModel) -> None:
        self.model = model
        self.parameters = model.parameters
        self.observations = model.observations

    def rows(self, values: Floats, which: Whole) -> Rows:
        """As if nothing depended on them."""
        rows = self.model.rows(values, which)
        ratios = [one.name.endswith("ratio") for one in self.parameters]
        rows.jacobian[:, :, ratios] = 0.0
        return rows


def test_without_gear_ratios_places_are_spoilt() -> None:
    """Left out of the estimate, lengths and zeros make up for a part of them; left out of what is applied, nothing."""
    ratios = zip((1, 2, 3), (1.004, 0.996, 1.002), strict=True)  # as much as the emulator may plant
    truth = geometry_from({f"chains.{n}.ratio": 16.0 * share for n, share in ratios}, TRUTH)
    turns = turns_of(truth, counts_at(truth, PLAN, steps=False))
    model = PlacesModel(NOMINAL, measured(CHOSEN, 1e-5, steps=True, truth=truth))

    def error(values: Floats) -> float:
        said = places_of(values[:COUNT].reshape(3, -1), turns).positions
        return float(np.sqrt(np.mean(np.sum((said - PLAN[:, :3]) ** 2, axis=1))))

    found, without = fit(model), fit(RatiosAsSaid(model))
    assert error(found.values) < 1.5e-5 < 8e-5 < error(without.values)
    assert found.noise < 1.1 < 2.0 < without.noise  # and it shows
    dropped = found.values.copy()
    dropped[RATIO:COUNT:7] = 16.0
    assert error(dropped) > 5e-4


def test_estimates_from_a_tracker_scatter_as_stated() -> None:
    stand, true = rotation(np.array([0.4, -0.3, 2.0])), told_truth().reshape(3, -1)
    true[:, 0] -= true[0, 0] - dimensions_of(NOMINAL)[0, 0]  # the first chain says where up is
    turns, far = turns_of(TRUTH, counts_at(TRUTH, PLAN, steps=False)), []
    drawn, left = [], []
    for seed in range(100):
        data = measured(CHOSEN, 7e-6, seed=seed, steps=True)  # a mean of nine readings
        turned = replace(data, positions=data.positions @ stand.T + [1.5, -0.2, 0.6], stand=True)
        fitted = fit(PlacesModel(NOMINAL, turned))
        rows, free = fitted.jacobian.shape
        left.append((float(np.sum(fitted.residuals[fitted.used] ** 2)), rows - free))
        inner = fitted.identified.free[:COUNT]
        off = (fitted.values[:COUNT] - true.ravel())[inner]
        count = len(off)
        drawn.append((float(off @ np.linalg.solve(fitted.covariance[:count, :count], off)), count))
        said = [places_of(one.reshape(3, -1), turns).positions for one in (fitted.values[:COUNT], true)]
        far.append(float(np.mean(np.sum((said[0] - said[1]) ** 2, axis=1))))
    assert_as_stated(drawn)
    assert_as_stated(left)  # the stated noise has the steps of the encoders in it
    told = place_deviation(NOMINAL, fitted).rms / max(1.0, fitted.noise)
    assert np.sqrt(np.mean(far)) == pytest.approx(told, rel=0.2)  # what is told of the handle all over the workspace


def test_the_places_that_tell_most_come_first(tmp_path: Path) -> None:
    choose = chooser(NOMINAL, PLAN.tolist(), stand=False, noise=1e-5)
    held = Collection(tmp_path / "places.jsonl", Subject.device("SN-1"), PLAN.tolist())
    for _ in range(30):
        number = choose(held, {0, 1})
        assert number is not None
        held.add(number, {})
    first = [one.pose for one in held.observations]
    assert len(set(first)) == 30
    assert not {0, 1} & set(first)

    def largest(poses: Floats) -> float:
        model = PlacesModel(NOMINAL, measured(poses, 1e-5, 0.0))
        return max(one.deviation for one in judge(model, fit(model)).parameters if one.unit == "m")

    assert largest(PLAN[first]) < 0.7 * largest(PLAN[:30])


# The rotation stage ---------------------------------------------------------------------------------------


def plate_truth() -> Floats:
    per_count = [2 * np.pi * strut.drum_radius / (2000 * strut.ratio) for strut in TRUTH.paramat.struts]
    neutral = [-home * step for home, step in zip(TRUTH.home[3:], per_count, strict=True)]
    return np.array([*(strut.drum_radius for strut in TRUTH.paramat.struts), *neutral])


def test_neutral_and_gains_of_the_strings_are_found() -> None:
    model = PlateModel(NOMINAL, measured(CHOSEN))
    fitted = fit(model)
    assert fitted.values == pytest.approx(plate_truth(), abs=1e-9)
    numbers = model.numbers(NOMINAL, fitted.values)
    assert [numbers[f"home.{n}"] for n in (4, 5, 6)] == list(TRUTH.home[3:])


def test_rotations_of_an_instrument_that_is_turned_itself() -> None:
    slip = rotation(np.array([0.004, -0.003, 0.005]))
    data = measured(CHOSEN)
    turned = replace(data, turns=rotation_vector(slip @ rotation(data.turns)), stand=True)
    model = PlateModel(NOMINAL, turned, np.eye(3))
    assert fit(model).values[:6] == pytest.approx(plate_truth(), abs=1e-9)


def test_neutral_and_gains_scatter_as_stated() -> None:
    drawn = []
    for seed in range(100):
        data = measured(CHOSEN, 1e-5, 2e-4, seed=seed, steps=True)
        drawn.append(squares(PlateModel(NOMINAL, data), plate_truth()))
    assert_as_stated(drawn)


# What is refused ------------------------------------------------------------------------------------------


def test_too_few_or_degenerate_places_are_refused_or_named() -> None:
    with pytest.raises(DataError, match="5 places; at least 8 are needed"):
        PlacesModel(NOMINAL, measured(PLAN[:5]))
    with pytest.raises(DataError, match=r"all places lie within 0\.\d mm; measure all over the workspace"):
        PlacesModel(NOMINAL, measured(np.repeat(PLAN[:1], 20, axis=0), 1e-5))
    line = np.zeros((20, 6))
    line[:, 0] = np.linspace(0.15, 0.29, 20)
    fixed = {one.name for one in fit(PlacesModel(NOMINAL, measured(line, 1e-5, steps=True))).identified.fixed}
    # A line tells little; the rest is named, not invented.
    assert {*RADII, "chain 1 azimuth", "chain 2 azimuth", "chain 2 bar"} <= fixed
    flat = PLAN[np.abs(PLAN[:, 0] - 0.22) < 1e-9]
    flat = np.column_stack([flat[:, :3], np.zeros((len(flat), 3))])
    with pytest.raises(DataError, match="the plate was never turned"):
        PlateModel(NOMINAL, measured(flat))


def test_units_that_are_confused_are_recognised() -> None:
    data = measured(CHOSEN)
    with pytest.raises(UnitsError, match="millimetres for metres"):
        replace(data, positions=1e3 * data.positions)
    with pytest.raises(UnitsError, match="metres were taken for millimetres"):
        PlacesModel(NOMINAL, replace(data, positions=1e-3 * data.positions))
    with pytest.raises(UnitsError, match="degrees for radians"):
        replace(data, turns=np.degrees(data.turns))


def test_outliers_are_named_and_do_no_harm() -> None:
    data = measured(CHOSEN, 1e-5, 2e-4, steps=True)
    positions = data.positions.copy()
    positions[[4, 17]] += 0.002  # in the wrong socket
    model = PlacesModel(NOMINAL, replace(data, positions=positions))
    fitted = fit(model)
    assert fitted.outliers == (4, 17)
    assert squares(model, told_truth())[0] < 60.0


def test_another_device_is_not_explained() -> None:
    data = measured(CHOSEN, 1e-5, steps=True)
    random = np.random.default_rng(1)
    with pytest.raises(NotExplainedError):
        fit(
            PlacesModel(
                NOMINAL, replace(data, positions=data.positions + 0.01 * random.standard_normal((len(CHOSEN), 3)))
            )
        )
    with pytest.raises(DataError, match="not finite"):
        replace(data, positions=np.where(data.positions > 0.2, np.nan, data.positions))
