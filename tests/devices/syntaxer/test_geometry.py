"""A geometry out of other numbers, and numbers that cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from station.devices.errors import DeviceError
from station.devices.syntaxer import Chain, GeometryError, Motor, Syntaxer, SyntaxerModel, geometry_from, numbers_of
from tests.devices.syntaxer.syntaxers import out_of_true

IMPOSSIBLE: dict[str, dict[str, float]] = {
    "arm is a finite number above 0": {"chains.1.arm": 0.0},
    "bar is a finite number above 0, not nan": {"chains.2.bar": float("nan")},
    "cannot reach all of it": {"chains.1.bar": 0.1},
    "order of their azimuths": {"chains.2.azimuth": 4.2, "chains.3.azimuth": 2.1},
    "bar_centre lies between 0 and 1": {"chains.3.bar_centre": 1.5},
    "arm_mass is a mass of 0 or more": {"chains.1.arm_mass": -0.1},
    "zero is finite": {"chains.1.zero": float("inf")},
    "peak is at least": {"motor.peak": 0.5},
    "counts is a finite number above 0": {"motor.counts": 0},
    "motor_low is below motor_high": {"stops.motor_low": 3.0},
    "near is below far": {"cylinder.near": 0.4},
    "pretension lies between": {"paramat.struts.2.pretension": 0.5},
    "near a singularity": {"paramat.struts.1.anchor.1": -0.04, "paramat.struts.1.anchor.2": 0.0},
    "a spring is pulled apart": {"paramat.struts.1.spring": 2000.0},
    "1 mm apart": {"paramat.struts.3.anchor.1": 0.0},
    "range lies within": {"paramat.range": 2.0},
    "32 bits": {"home.4": 2**31},
    "gravity is finite": {"gravity.3": float("nan")},
    "there is no number 'chain.1.arm'; did you mean chains.1.arm?": {"chain.1.arm": 0.1},
    "there is no number 'colour'": {"colour": 1.0},
    "home.1 is a whole number, not 0.5": {"home.1": 0.5},
    "home.1 is a whole number, not nan": {"home.1": float("nan")},
}


@pytest.mark.parametrize("reason", IMPOSSIBLE)
def test_numbers_that_cannot_be_are_refused_in_one_line(reason: str) -> None:
    with pytest.raises(GeometryError) as caught:
        SyntaxerModel(geometry_from(IMPOSSIBLE[reason]))
    said = str(caught.value)
    assert reason in said
    assert said.startswith("syntaxer geometry")
    assert "\n" not in said
    assert isinstance(caught.value, DeviceError)
    assert isinstance(caught.value, ValueError)


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(GeometryError, match="is a number, not"):
        geometry_from({"chains.1.arm": "0.1"})  # type: ignore[dict-item]


def test_two_chains_are_too_few() -> None:
    with pytest.raises(GeometryError, match="chains are 3, not 2"):
        Syntaxer(chains=(Chain(), Chain()))  # type: ignore[arg-type]


def test_numbers_come_back_as_the_same_geometry() -> None:
    for geometry in (Syntaxer(), out_of_true()):
        assert geometry_from(numbers_of(geometry)) == geometry


def test_names_count_from_one_and_reach_every_number() -> None:
    numbers = numbers_of(Syntaxer())
    assert numbers["chains.1.arm"] == 0.160
    assert numbers["paramat.struts.3.anchor.1"] == -0.050
    assert numbers["home.6"] == 0
    for name, value in numbers.items():
        assert geometry_from({name: value}) == Syntaxer()


def test_one_number_changed_leaves_the_others() -> None:
    changed = geometry_from({"chains.2.arm": 0.1605})
    assert changed.chains[1].arm == 0.1605
    assert replace(changed, chains=Syntaxer().chains) == Syntaxer()


def test_whole_numbers_stay_whole_when_told_as_floats() -> None:
    home = geometry_from({"home.2": 12.0, "motor.counts": 4000.0})
    assert home.home[1] == 12
    assert isinstance(home.home[1], int)
    assert home.motor == replace(Motor(), counts=4000)


def test_twice_the_counts_halve_the_step() -> None:
    coarse, fine = SyntaxerModel(), SyntaxerModel(geometry_from({"motor.counts": 4000}))
    counts = np.array([2000, 2100, 2200, 0, 0, 0])
    np.testing.assert_allclose(coarse.pose(counts), fine.pose(counts * [2, 2, 2, 1, 1, 1]), rtol=0, atol=1e-15)
