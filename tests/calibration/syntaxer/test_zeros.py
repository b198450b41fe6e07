"""Encoder zeros by stops and by a rest jig."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration import DataError
from calibration.fitting import fit
from calibration.parameters import Floats
from calibration.syntaxer.stances import stop_place
from calibration.syntaxer.zeros import StopsModel, zeros_by_jig
from station.devices.syntaxer import Syntaxer, SyntaxerModel, geometry_from
from station.devices.syntaxer.translation import survey
from tests.calibration.syntaxer.planted import NOMINAL, TRUTH, assert_as_stated, counts_at, squares

ARMS = np.tile(np.repeat([0, 1, 2], 2), 2)
ENDS = np.tile([0, 1], 6)
REST = np.array([0.22, 0.0, 0.0])


def at_stops(stops: Floats, steps: bool) -> Floats:
    """Counts of the arms of the true device at stops (3, 2) [rad]."""
    per_count = np.array([2.0 * np.pi / (TRUTH.motor.counts * chain.ratio) for chain in TRUTH.chains])
    zeros = np.array([chain.zero for chain in TRUTH.chains])
    counts = (stops[ARMS, ENDS] - zeros[ARMS]) / per_count[ARMS]
    return np.asarray(np.rint(counts) if steps else counts)


def nominal_stops() -> Floats:
    return np.tile([NOMINAL.stops.motor_low, NOMINAL.stops.motor_high], (3, 1))


def truth() -> Floats:
    return np.array([*(chain.zero for chain in TRUTH.chains), *(chain.ratio for chain in TRUTH.chains)])


def test_stops_that_are_where_the_drawing_says_tell_zeros_and_ratios() -> None:
    fitted = fit(StopsModel(NOMINAL, ARMS, ENDS, at_stops(nominal_stops(), steps=False)))
    assert fitted.values == pytest.approx(truth(), abs=1e-9)


def test_zeros_scatter_as_the_tolerance_of_the_stops_says() -> None:
    drawn, random = [], np.random.default_rng(3)
    for _ in range(100):
        stops = nominal_stops() + 1.2e-3 * random.standard_normal((3, 2))
        drawn.append(squares(StopsModel(NOMINAL, ARMS, ENDS, at_stops(stops, steps=True)), truth()))
    assert_as_stated(drawn)


def test_an_arm_that_was_pressed_on_one_side_only_is_refused() -> None:
    some = ~((ARMS == 1) & (ENDS == 0))
    with pytest.raises(DataError, match="arm 2 was pressed against 1 of its 2 stops"):
        StopsModel(NOMINAL, ARMS[some], ENDS[some], at_stops(nominal_stops(), steps=True)[some])


@pytest.mark.parametrize("arm", [0, 1, 2])
@pytest.mark.parametrize("end", [0, 1])
def test_a_stop_can_be_leant_on_with_room_to_all_others(arm: int, end: int) -> None:
    model = SyntaxerModel(NOMINAL)
    place, beyond = stop_place(NOMINAL, arm, end)
    stops = (NOMINAL.stops.motor_low, NOMINAL.stops.motor_high)
    found = survey(model.parts, place)
    assert found.angles[0, arm] == pytest.approx(stops[end], abs=1e-9)
    others = replace(NOMINAL.stops, motor_low=-2.0, motor_high=2.0)  # the same device without stops of the arms
    free = replace(NOMINAL, stops=others)
    assert survey(SyntaxerModel(free).parts, place).rooms[0] > np.radians(1.0)
    further = survey(SyntaxerModel(free).parts, beyond).angles[0, arm]
    assert (further - stops[end]) * (1.0 if end else -1.0) > 0.02


# The rest jig ---------------------------------------------------------------------------------------------


def known() -> Syntaxer:
    """The true device with zeros nobody knows."""
    numbers: dict[str, float | int] = {f"chains.{n}.zero": 0.0 for n in (1, 2, 3)}
    return geometry_from({**numbers, **{f"home.{n}": 0 for n in (4, 5, 6)}}, TRUTH)


def test_a_rest_jig_tells_zeros_and_neutral() -> None:
    pose = np.concatenate([REST, np.zeros(3)])[None]
    found = zeros_by_jig(known(), counts_at(TRUTH, pose, steps=False)[0], REST, 0.0)
    assert [found.numbers[f"chains.{n}.zero"] for n in (1, 2, 3)] == pytest.approx(truth()[:3], abs=1e-9)
    assert [found.numbers[f"home.{n}"] for n in (4, 5, 6)] == list(TRUTH.home[3:])


def test_zeros_by_jig_scatter_as_stated() -> None:
    random, drawn = np.random.default_rng(8), []
    for _ in range(100):
        pose = np.concatenate([REST + 1e-5 * random.standard_normal(3), np.zeros(3)])[None]
        found = zeros_by_jig(known(), counts_at(TRUTH, pose)[0], REST, 1e-5)
        off = [(one.value - true) / one.deviation for one, true in zip(found.estimated, truth()[:3], strict=True)]
        drawn.append((float(np.sum(np.square(off))), 3))
    assert_as_stated(drawn)


def test_a_handle_that_is_not_in_the_rest_jig_is_noticed() -> None:
    away = np.array([[0.19, 0.08, -0.09, 0.0, 0.0, 0.0]])
    with pytest.raises(DataError, match=r"arm \d would be -?\d+\.\d° off its zero; is the handle in the rest jig"):
        zeros_by_jig(known(), counts_at(TRUTH, away)[0], REST, 1e-5)
    moving = counts_at(TRUTH, np.array([[0.22, 0.0, 0.0, 0, 0, 0], [0.22, 0.01, 0.0, 0, 0, 0]]))
    with pytest.raises(DataError, match="moved in the rest jig"):
        zeros_by_jig(known(), moving, REST, 1e-5)
    with pytest.raises(DataError, match="out of reach"):
        zeros_by_jig(known(), counts_at(TRUTH, away)[0], np.array([0.6, 0.0, 0.0]), 1e-5)
