"""Geometry of the translation stage, and neutral and gains of the rotation stage, from planted data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration import DataError, NotExplainedError, Subject, UnitsError
from calibration.collection import Collection
from calibration.fitting import fit
from calibration.judge import judge
from calibration.parameters import Floats
from calibration.syntaxer.bar import BarModel
from calibration.syntaxer.delta import COUNT, dimensions_of, place_slopes, places_of, turns_of
from calibration.syntaxer.geometry import PlacesModel
from calibration.syntaxer.plan import chooser
from calibration.syntaxer.plate import PlateModel
from calibration.syntaxer.stances import BALLS, bar_places
from calibration.turning import rotation, rotation_vector
from station.devices.syntaxer import SyntaxerModel, geometry_from
from tests.calibration.syntaxer.planted import NOMINAL, PLAN, TRUTH, assert_as_stated, counts_at, measured, squares

CHOSEN = PLAN[::3]
FINE = {"motor.counts": 20_000}  # encoders with smaller steps
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


def test_a_bar_closes_a_loop_that_tells_the_same_without_any_instrument() -> None:
    bar = np.array(bar_places(SyntaxerModel(NOMINAL), 0.3))
    poses = np.column_stack([bar[:, 1:], np.zeros((len(bar), 3))])
    counts, balls = counts_at(TRUTH, poses, steps=False), bar[:, 0].astype(np.int64)
    fitted = fit(BarModel(NOMINAL, counts, balls, 0.3, 0.0))
    assert {one.name for one in fitted.identified.fixed} == {"chain 1 azimuth", *RADII}
    true = told_truth().reshape(3, -1)
    shift = true[0, 0] - dimensions_of(NOMINAL)[0, 0]
    true[:, 0] -= shift
    assert fitted.values[:COUNT] == pytest.approx(true.ravel(), abs=1e-9)
    feet = np.array(BALLS) @ rotation(np.array([shift, 0.0, 0.0])).T
    assert fitted.values[COUNT:].reshape(3, 3) == pytest.approx(feet, abs=1e-8)
    unknown = fit(BarModel(NOMINAL, counts, balls, 0.3, 0.0, known=False))
    assert "bar length" in {one.name for one in unknown.identified.fixed}  # nothing tells how large the device is


def test_estimates_scatter_as_stated() -> None:
    drawn = []
    for seed in range(100):
        data = measured(CHOSEN, 1e-5, 2e-4, seed=seed, steps=True)
        drawn.append(squares(PlacesModel(NOMINAL, data), told_truth()))
    assert_as_stated(drawn)


def test_estimates_from_a_tracker_and_from_a_bar_scatter_as_stated() -> None:
    stand, true = rotation(np.array([0.4, -0.3, 2.0])), told_truth().reshape(3, -1)
    shift = true[0, 0] - dimensions_of(NOMINAL)[0, 0]
    true[:, 0] -= shift  # the first chain says where up is
    up = rotation(np.array([shift, 0.0, 0.0]))
    bar = np.array(bar_places(SyntaxerModel(NOMINAL), 0.3))
    poses, balls = np.column_stack([bar[:, 1:], np.zeros((len(bar), 3))]), bar[:, 0].astype(np.int64)
    feet = (np.array(BALLS) @ up.T).ravel()
    by_tracker, by_bar = [], []
    for seed in range(100):
        data = measured(CHOSEN, 2e-5, seed=seed, steps=True)
        turned = replace(data, positions=data.positions @ stand.T + [1.5, -0.2, 0.6], stand=True)
        model = PlacesModel(NOMINAL, turned)
        fitted = fit(model)
        inner = fitted.identified.free[:COUNT]
        off = (fitted.values[:COUNT] - true.ravel())[inner]
        count = len(off)
        by_tracker.append((float(off @ np.linalg.solve(fitted.covariance[:count, :count], off)), count))
        # With coarser encoders errors along what a bar hardly tells grow so large that they are not linear any more.
        counts = measured(poses, 1e-6, seed=seed, steps=True, truth=geometry_from(FINE, TRUTH)).counts
        bars = BarModel(geometry_from(FINE, NOMINAL), counts, balls, 0.3, 1e-6)
        by_bar.append(squares(bars, np.concatenate([true.ravel(), feet])))
    assert_as_stated(by_tracker)
    assert_as_stated(by_bar)


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
