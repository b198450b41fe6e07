"""Published figures follow from the model."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from station.devices.syntaxer import Syntaxer, SyntaxerModel, figures
from station.devices.syntaxer.figures import (
    PUBLISHED_FORCES,
    currents_for,
    cylinder_spans,
    lines,
    main,
    weight_current,
)
from station.devices.syntaxer.translation import cylinder_points, strongest_force, survey, torque_limits, weakest_force


@pytest.fixture(scope="module")
def model() -> SyntaxerModel:
    return SyntaxerModel()


def test_the_published_cylinder_fits_where_the_robot_file_has_it(model: SyntaxerModel) -> None:
    cylinder = model.geometry.cylinder
    assert (cylinder.radius, round(cylinder.far - cylinder.near, 9)) == (0.170, 0.150)
    by_reach, by_stops = cylinder_spans(model)
    assert by_reach is not None
    assert by_stops is not None
    assert by_reach[0] <= by_stops[0] <= cylinder.near <= by_stops[1] <= by_reach[1]
    assert by_reach == pytest.approx((0.105, 0.175), abs=0.005)


def test_the_published_footprint_is_that_of_arms_at_rest() -> None:
    for chain in Syntaxer().chains:
        assert chain.base_radius + chain.arm == pytest.approx(0.310)


def test_the_published_forces_lie_within_what_the_motors_give_for_a_moment(model: SyntaxerModel) -> None:
    found = survey(model.parts, cylinder_points(model.geometry.cylinder))
    limits = torque_limits(model.parts, model.parts.peak)
    low, high = PUBLISHED_FORCES
    assert weakest_force(found, limits).min() > low
    assert strongest_force(found, limits).max() > high


def test_the_published_forces_are_more_than_the_motors_give_for_long_in_every_direction(model: SyntaxerModel) -> None:
    motor = model.geometry.motor
    for weight in (False, True):
        low, high = (currents_for(model, force, weight=weight) for force in PUBLISHED_FORCES)
        assert low.best < motor.continuous < low.middle < low.worst < motor.peak < high.worst


def test_currents_for_a_force_are_those_at_which_it_is_just_given(model: SyntaxerModel) -> None:
    found = survey(model.parts, cylinder_points(model.geometry.cylinder))
    for weight in (False, True):
        need = currents_for(model, 5.0, weight=weight)
        limits = torque_limits(model.parts, np.full(6, need.worst))
        assert weakest_force(found, limits, weight=weight).min() == pytest.approx(5.0)
        limits = torque_limits(model.parts, np.full(6, need.best))
        assert strongest_force(found, limits, weight=weight).max() == pytest.approx(5.0, rel=0.01)


def test_five_newtons_ask_the_torque_that_the_robot_file_says(model: SyntaxerModel) -> None:
    need = currents_for(model, 5.0, weight=False).worst
    assert need * model.geometry.motor.torque_constant == pytest.approx(0.059, abs=0.0015)


def test_a_balancer_is_needed(model: SyntaxerModel) -> None:
    bare = replace(model.geometry, balancer=(0.0, 0.0, 0.0))
    assert weight_current(model.geometry) < 0.5 * model.geometry.motor.continuous
    assert weight_current(bare) > model.geometry.motor.continuous


def test_every_figure_is_a_line(model: SyntaxerModel) -> None:
    said = list(lines(model))
    assert len(said) > 25
    assert not any("nan" in line or "nowhere" in line for line in said)


def test_the_map_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "force.svg"
    assert main([str(picture)]) == 0
    assert str(picture) in capsys.readouterr().out
    root = ElementTree.parse(picture).getroot()
    fills = {item.get("fill") for item in root}
    assert len(fills & set(figures.COLOURS)) == len(figures.COLOURS)


def test_colours_rise_with_the_force() -> None:
    assert figures.colour_of(float("nan")) == ""
    assert figures.colour_of(0.0) == figures.COLOURS[0]
    assert figures.colour_of(4.5) == figures.COLOURS[4]
    assert figures.colour_of(1e6) == figures.COLOURS[-1]


def test_the_manual_shows_these_figures_and_this_picture(model: SyntaxerModel) -> None:
    docs = Path(__file__).parents[3] / "docs"
    assert "\n".join(f"    {line}" for line in lines(model)) in (docs / "syntaxer.md").read_text(encoding="utf8")
    kept = (docs / "pictures" / "syntaxer-force.svg").read_text(encoding="utf8").splitlines()
    drawn = figures.drawing(model).splitlines()
    assert len(set(kept) ^ set(drawn)) < 0.01 * len(drawn)  # another processor may colour a cell on an edge otherwise
