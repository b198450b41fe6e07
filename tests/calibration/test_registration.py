"""Work-pieces: their place is found from touches of every kind of feature, and tasks take it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from calibration import DataError, NotExplainedError, ResultFileError, UnitsError
from calibration.fitting import fit
from calibration.hand_eye.refine import small_pose
from calibration.registration import (
    Feature,
    Kind,
    Piece,
    RegistrationModel,
    Touches,
    read_piece,
    register,
    write_frames,
)
from station.applied import Applied
from station.kernel.so3 import rotation_vector
from station.tasks.task import read_calibration
from tests.calibration.planted import Floats

TRUE = small_pose(np.array([0.45, -0.10, 0.12, 0.3, -0.2, 2.0]))
NEAR = small_pose(np.array([0.40, 0.0, 0.10, 0.0, 0.0, 1.8]))
TIP = 0.005
CLASSIC = ["top"] * 3 + ["front"] * 2 + ["left"]  # 3-2-1


def feature(name: str, kind: Kind, place: tuple[float, float, float], **more: object) -> Feature:
    return Feature(name=name, kind=kind, place=place, **more)  # type: ignore[arg-type]


FEATURES = (
    feature("top", Kind.PLANE, (0.0, 0.0, 0.04)),
    feature("front", Kind.PLANE, (0.0, -0.06, 0.0), direction=(0.0, -1.0, 0.0)),
    feature("left", Kind.PLANE, (-0.1, 0.0, 0.0), direction=(-1.0, 0.0, 0.0)),
    feature("hole", Kind.CYLINDER, (0.05, 0.02, 0.0), radius=0.015, inside=True),
    feature("pin", Kind.CYLINDER, (-0.06, 0.03, 0.0), direction=(1.0, 0.0, 0.0), radius=0.004),
    feature("ball", Kind.SPHERE, (0.08, -0.03, 0.06), radius=0.0125),
    feature("rim", Kind.LINE, (0.0, 0.06, 0.04), direction=(1.0, 0.0, 0.0)),
    feature("mark", Kind.POINT, (0.1, 0.05, 0.04)),
    feature("corner", Kind.POINT, (-0.1, -0.06, 0.04)),
    feature("dot", Kind.POINT, (0.0, 0.05, 0.0)),
)
PIECE = Piece("fixture", {one.name: one for one in FEATURES})


def touch(name: str, random: np.random.Generator) -> Floats:
    """Where the centre of the tip is when it touches a feature somewhere."""
    one = PIECE.features[name]
    place, axis = np.array(one.place), np.array(one.direction)
    if one.kind is Kind.LINE:
        place = place + axis * random.uniform(-0.1, 0.1)
    elif one.kind is Kind.PLANE:
        place = place + axis * TIP + np.linalg.svd(axis[None])[2][1:].T @ random.uniform(-0.05, 0.05, 2)
    elif one.kind is not Kind.POINT:
        out = random.normal(size=3)
        if one.kind is Kind.CYLINDER:
            out -= axis * (out @ axis)
            place = place + axis * random.uniform(0.0, 0.03)
        place = place + out / np.linalg.norm(out) * (one.radius + (-TIP if one.inside else TIP))
    return np.asarray(TRUE[:3, :3] @ place + TRUE[:3, 3])


def touches(names: list[str], noise: float = 0.0, seed: int = 0) -> Touches:
    random = np.random.default_rng(3)
    points = np.array([touch(name, random) for name in names])
    shaken = points + noise * np.random.default_rng([5, seed]).normal(size=points.shape)
    return Touches(points=shaken, features=tuple(names), tip=TIP)


SETS = {
    "3-2-1": CLASSIC,
    "planes": ["top"] * 4 + ["front"] * 3 + ["left"] * 2,
    "plane and hole": ["top"] * 4 + ["hole"] * 4 + ["front"] * 2,
    "points": ["mark", "corner", "dot"],
    "round": ["ball"] * 5 + ["pin"] * 6 + ["hole"] * 5,
    "edge, ball and point": ["rim"] * 3 + ["ball"] * 4 + ["mark"],
}


@pytest.mark.parametrize("names", SETS.values(), ids=SETS.keys())
def test_without_noise_the_place_is_found_to_a_billionth(names: list[str]) -> None:
    found = register(PIECE, touches(names), NEAR)
    assert found.pose == pytest.approx(TRUE, abs=1e-9)
    assert found.checked == (len(names) != 6 or "mark" in names)


@pytest.mark.parametrize("names", [SETS["planes"], SETS["round"], SETS["edge, ball and point"]])
def test_derivatives_are_exact(names: list[str]) -> None:
    model = RegistrationModel(PIECE, touches(names), NEAR, find_tip=True)
    values = 0.1 * np.random.default_rng(1).normal(size=7)
    which = np.arange(model.observations)
    jacobian = model.rows(values, which).jacobian
    for place in range(7):
        step = np.zeros(7)
        step[place] = 1e-7
        slope = (model.rows(values + step, which).residuals - model.rows(values - step, which).residuals) / 2e-7
        assert jacobian[:, :, place] == pytest.approx(slope, rel=1e-5, abs=1.0)


@pytest.mark.parametrize("kind", ["planes", "points", "edge, ball and point"])
def test_errors_are_within_their_covariance_a_hundred_times(kind: str) -> None:
    squares = 0.0
    begin = register(PIECE, touches(SETS[kind], 2e-5, 100), NEAR).pose  # the search is needed once
    for seed in range(100):
        model = RegistrationModel(PIECE, touches(SETS[kind], 2e-5, seed), begin)
        found = fit(model)
        error = np.linalg.inv(model.pose(found.values)) @ TRUE
        vector = np.r_[error[:3, 3], rotation_vector(error[:3, :3])]
        squares += float(vector @ np.linalg.solve(found.covariance, vector))
    assert chi2.ppf(1e-4, 600) < squares < chi2.ppf(1 - 1e-4, 600)


def test_the_radius_of_the_tip_is_found_if_that_can_be_told() -> None:
    wrong = replace(touches(SETS["plane and hole"] + ["ball"] * 5), tip=0.004)
    found = register(PIECE, wrong, NEAR, find_tip=True)
    assert found.tip == pytest.approx(TIP, abs=1e-9)
    assert found.pose == pytest.approx(TRUE, abs=1e-9)
    planes = register(PIECE, replace(touches(SETS["planes"]), tip=TIP), NEAR, find_tip=True)
    assert [one.name for one in planes.judgement.fixed] == ["tip radius"]


def test_places_that_fit_as_well_are_told_and_the_nearest_is_taken() -> None:
    found = register(PIECE, touches(SETS["planes"]), NEAR)
    assert len(found.also) >= 1
    for other in found.also:
        model = RegistrationModel(PIECE, touches(SETS["planes"]), other)
        assert np.abs(model.rows(np.zeros(6), np.arange(model.observations)).residuals).max() < 1.0


def test_a_slipped_touch_is_named() -> None:
    data = touches(["top"] * 6 + ["front"] * 4 + ["left"] * 4, 2e-5)
    data.points[4] += 0.003 * TRUE[:3, 2]
    found = register(PIECE, data, NEAR)
    assert found.outliers == (4,)
    assert found.pose == pytest.approx(TRUE, abs=2e-3)


def test_a_slipped_touch_among_too_few_is_told_as_such() -> None:
    data = touches([*CLASSIC, "top"], 2e-5)
    data.points[1] += 0.001 * TRUE[:3, 2]
    with pytest.raises(DataError, match="too few to tell which one is wrong; touch some more"):
        register(PIECE, data, NEAR)


def test_what_tells_no_place_is_refused_in_one_line() -> None:
    with pytest.raises(DataError, match="2 touches tell 2 numbers"):
        register(PIECE, touches(["top", "front"]))
    with pytest.raises(DataError, match="these touches do not tell all: place"):
        register(PIECE, touches(["top"] * 8), NEAR)
    line = touches(["top"] * 8)
    straight = TRUE[:3, 3] + np.outer(np.linspace(0.0, 0.1, 8), TRUE[:3, 0])
    with pytest.raises(DataError, match="in one line"):
        register(PIECE, replace(line, points=straight), NEAR)
    with pytest.raises(UnitsError, match="millimetres given for metres"):
        register(PIECE, replace(touches(CLASSIC), points=1000.0 * touches(CLASSIC).points), NEAR)
    with pytest.raises(DataError, match="fixture has no feature 'lid'; there are: top"):
        register(PIECE, replace(touches(CLASSIC), features=("lid", *CLASSIC[1:])), NEAR)
    wild = replace(touches(SETS["planes"] * 2), points=0.05 * np.random.default_rng(1).normal(size=(18, 3)))
    with pytest.raises((NotExplainedError, DataError)):
        register(PIECE, wild, NEAR)


def test_a_piece_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "piece.json"
    file.write_text('{"piece": "plate", "features": {"top": {"kind": "plane", "place": [0, 0, 0.01]}}}')
    assert read_piece(file) == Piece("plate", {"top": feature("top", Kind.PLANE, (0.0, 0.0, 0.01))})
    for text, says in (
        ("{", "no JSON"),
        ("[]", "not a work-piece"),
        ('{"piece": "x", "features": {"a": {"kind": "hill"}}}', "kind 'hill'; allowed: point, line, plane"),
        ('{"piece": "x", "features": {"a": {"kind": "plane"}}}', "three numbers each"),
        ('{"piece": "x", "features": {"a": {"kind": "sphere", "place": [0, 0, 0]}}}', "needs a radius"),
        ('{"piece": "x", "features": {"a": {"kind": "point", "place": [0, 0, 0], "size": 1}}}', "no entry 'size'"),
    ):
        file.write_text(text)
        with pytest.raises(DataError, match=says):
            read_piece(file)


def test_frames_are_written_for_tasks_and_others_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "frames.json"
    source = Applied("fixture", "1a2b", "registration", "place.json", "work-piece file cafe", "2026-11-17", "beef")
    first = write_frames(file, "fixture", TRUE, source)
    second = write_frames(file, "table", NEAR)
    known = read_calibration(file)
    assert known.applied == (Applied("frames", second, file=str(file)), source._replace(part="frame fixture"))
    assert known.id == second != first
    assert known.frames["fixture"] == pytest.approx(TRUE)
    assert known.frames["table"] == pytest.approx(NEAR)
    file.write_text(json.dumps({"schema": 1, "results": []}))
    with pytest.raises(ResultFileError, match="not a calibration"):
        write_frames(file, "fixture", TRUE)
    assert json.loads(file.read_text()) == {"schema": 1, "results": []}
