"""Geometry by a tracker and by a bar, as a user does it: commands, the real driver, and the bytes of an instrument."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from calibration.parameters import Floats
from calibration.syntaxer.delta import COUNT, NAMES, dimensions_of, places_of, turns_of
from calibration.syntaxer.person import HoldAt
from calibration.turning import aligned
from sim_devices.syntaxer.wrong import planted
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import step_per_count, survey
from station.kernel.so3 import rotation
from tests.calibration.syntaxer.devices import at_table, station
from tests.calibration.syntaxer.planted import PLAN, TRUTH, counts_at
from tests.calibration.syntaxer.test_device import places_over_the_workspace

WRONG = 3
METHODS = {"tracker": "syntaxer geometry", "bar": "syntaxer geometry by bar"}
BOTH = pytest.mark.parametrize("way", ["tracker", "bar"])


class Known(NamedTuple):
    """What two calibrations have written about one device."""

    files: dict[str, Path]

    def values(self, way: str) -> dict[str, Any]:
        """What was written."""
        results = json.loads(self.files[way].read_text())["results"]
        (found,) = (one for one in results if one["method"] == METHODS[way])
        return dict(found["values"])

    def judgement(self, way: str) -> dict[str, Any]:
        """What an estimate is worth."""
        return dict(self.values(way)["judgement"])

    def parameters(self, way: str) -> list[dict[str, Any]]:
        """Chains, with their standard deviations."""
        return list(self.judgement(way)["parameters"][:COUNT])


def calibrate(folder: Path, device: str, places: str, swing: str, *options: str) -> Known:
    """Collect by a tracker and on a bar, and estimate each, by the command."""
    calls = {
        "tracker": ("--what", "places", "--by", "tracker", "--places", places, "--instrument", "sim:tracker"),
        "bar": ("--what", "bar", "--swing", swing),
    }
    files = {}
    for way, words in calls.items():
        data, files[way] = str(folder / way), folder / f"{way}.json"
        assert station("calibrate", "syntaxer", "collect", device, data, *words, *options) == 0
        assert station("calibrate", "syntaxer", "estimate", data, "--out", str(files[way])) == 0
    return Known(files)


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Ordinary encoders, a tracker of 20 µm, a bar of 10 µm."""
    return calibrate(tmp_path_factory.mktemp("ordinary"), f"sim:syntaxer?wrong={WRONG}", "40", "6")


@pytest.fixture(scope="module")
def ideal(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Encoders without visible steps, instruments without noise."""
    return calibrate(
        tmp_path_factory.mktemp("ideal"), f"sim:syntaxer?wrong={WRONG}&ideal=1", "24", "3", "--noise", "1e-6"
    )


def told_truth() -> tuple[Floats, float]:
    """What can be told of the planted dimensions, the first chain saying where up is; and what is up for it [rad]."""
    with at_table(f"wrong={WRONG}") as table:
        nominal: Syntaxer = table.bench.model.geometry  # as it comes over the wire
    true, said = dimensions_of(planted(nominal, WRONG).geometry), dimensions_of(nominal)
    true[:, 1] += said[:, 2] - true[:, 2]
    true[:, 2] = said[:, 2]
    lean = float(true[0, 0] - said[0, 0])
    true[:, 0] -= lean
    return true.ravel(), lean


@BOTH
def test_planted_errors_are_within_their_stated_deviations(ordinary: Known, way: str) -> None:
    parameters = ordinary.parameters(way)
    assert {one["name"] for one in parameters if one["fixed"]} == {
        "chain 1 azimuth",
        *(f"chain {n} platform radius" for n in (1, 2, 3)),
    }
    pairs = zip(parameters, told_truth()[0], strict=True)
    errors = np.array([(one["value"] - true) / one["deviation"] for one, true in pairs if not one["fixed"]])
    assert np.sqrt(np.mean(errors**2)) < 1.7
    assert np.abs(errors).max() < 4.0


@BOTH
def test_places_are_then_right_to_the_resolution_of_the_encoders(ordinary: Known, way: str) -> None:
    """Against the truth, all over the workspace; the device's own frame is turned to where its first chain is.

    How its frame lies to its plate is what a tracker that stands anywhere tells least: up to that, places are right to
    half a count.
    """
    said, real, steps = [], [], []
    with at_table(f"wrong={WRONG}&calibration={ordinary.files[way]}") as table:
        parts = parts_of(table.emulator.truth.geometry)
        for x, y, z in places_over_the_workspace(12):
            table.person.do(HoldAt((x, y, z), (0.0, 0.0, 0.0)))
            real.append(table.emulator.plant.position)
            said.append(table.driver.model.pose(table.bench.tick().counts)[:3, 3])
            steps.append(float(step_per_count(survey(parts, real[-1]), parts)[0]))
    frame = np.eye(4)
    frame[:3, :3] = rotation(np.array([told_truth()[1], 0.0, 0.0]))
    errors = away(frame, np.array(real), np.array(said))
    assert np.sqrt(np.mean(np.square(errors))) <= np.mean(steps)
    assert (errors <= 2.0 * np.array(steps)).all()
    told = ordinary.values(way)["place_deviation"]
    assert told["rms"] < told["largest"]
    assert np.sqrt(np.mean(np.square(errors))) < 2.0 * np.hypot(told["rms"], np.mean(steps) / 2.0)  # steps of their own
    assert told["rms"] < np.mean(steps)
    laid = away(aligned(np.array(real), np.array(said))[0], np.array(real), np.array(said))
    assert np.sqrt(np.mean(np.square(laid))) <= 0.6 * np.mean(steps)


def away(frame: Floats, real: Floats, said: Floats) -> Floats:
    """How far places that a driver says are from the real ones, seen in a frame [m]."""
    return np.asarray(np.linalg.norm(real @ frame[:3, :3].T + frame[:3, 3] - said, axis=1))


@BOTH
def test_residuals_are_of_the_stated_noise(ordinary: Known, way: str) -> None:
    """Steps of the encoders and noise of the instrument, of a mean of its readings, are all that is left over."""
    judgement = ordinary.judgement(way)
    assert judgement["outliers"] == []
    assert 0.001 < judgement["chance"] < 0.999


@BOTH
def test_with_ideal_encoders_planted_errors_are_found_to_a_nanometre(ideal: Known, way: str) -> None:
    """Lengths and places to 1e-9 m, ratios to 1e-9 of them; angles to three of the finest counts that the wire can say.

    Its counters have 32 bits, so one count is 1e-9 rad of an arm at best: that rounding is all that is left.
    """
    true = told_truth()[0]
    found = np.array([one["value"] for one in ideal.parameters(way)])
    names = np.array(NAMES * 3)
    angles, ratios = np.isin(names, ("azimuth", "zero")), names == "ratio"
    off = (found - true) / np.where(ratios, true, 1.0)
    assert off[~angles] == pytest.approx(np.zeros(int((~angles).sum())), abs=1e-9)
    assert off[angles] == pytest.approx(np.zeros(int(angles.sum())), abs=3e-9)
    turns = turns_of(TRUTH, counts_at(TRUTH, PLAN, steps=False))
    places = [places_of(values.reshape(3, -1), turns).positions for values in (found, true)]
    assert places[0] == pytest.approx(places[1], abs=1e-9)


@BOTH
def test_gear_ratios_are_estimated_and_applied(ordinary: Known, way: str) -> None:
    """The driver turns counts into angles by the ratios that were found, and not by those of the handshake."""
    true = told_truth()[0].reshape(3, -1)[:, -1]
    ratios = [one for one in ordinary.parameters(way) if one["name"].endswith("ratio")]
    with at_table(f"wrong={WRONG}&calibration={ordinary.files[way]}") as table:
        applied = [chain.ratio for chain in table.driver.model.geometry.chains]
        table.person.do(HoldAt((0.17, 0.08, -0.1), (0.0, 0.0, 0.0)))
        counts = np.array(table.bench.tick().counts, dtype=np.float64)
        angles = table.bench.angles(counts)
        real = table.emulator.plant.joints[:3]
    assert applied == [one["value"] for one in ratios]
    assert np.abs(np.array(applied) - 16.0).max() > 0.01 > np.abs(np.array(applied) - true).max()
    zeros = [one["value"] for one in ordinary.parameters(way) if one["name"].endswith("zero")]
    assert angles == pytest.approx(zeros + counts[:3] * 2.0 * np.pi / (2000 * np.array(applied)), abs=1e-12)
    assert angles == pytest.approx(real, abs=1.5e-3)


def test_what_a_tracker_cannot_see_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(tmp_path / "data")
    words = ("--what", "places", "--by", "tracker", "--places", "8")
    begin = ("calibrate", "syntaxer", "collect", "sim:syntaxer?wrong=3", data, *words, "--instrument")
    assert station(*begin, "sim:tracker?unseen=0.07&turns=0") == 0  # the beam has to last for all readings of a place
    assert "left out: tcp://127.0.0.1:" in capsys.readouterr().err
    observations = [json.loads(line) for line in (Path(data) / "places.jsonl").read_text().splitlines()][1:]
    assert len(observations) == 8
    assert all("turn" not in one["values"] for one in observations)  # this one measures positions only
    for instrument, said in (
        ("sim:tracker?seed=7", "was begun with instrument 'emulated tracker SIM-T0000'"),
        ("sim:tracker?colour=red", "unknown option 'colour'"),
        ("tcp://127.0.0.1:1", "no instrument there"),
    ):
        assert station(*begin, instrument) == 2
        told = capsys.readouterr().err.strip().splitlines()
        assert said in told[-1]
    assert station(*begin[:5], "--instrument", "sim:tracker") == 2
    assert "nothing is to be tracked; add --by tracker" in capsys.readouterr().err
