"""Edits of a MAD text: the numbers that change are written, all else stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
from station.mad import loads
from station.mad.scene import Interval, Robot
from station.mad.units import RADIANS_PER_DEGREE, JointType, from_text
from station.view.design.errors import DesignError
from station.view.design.rewriting import (
    with_joint_type,
    with_joint_values,
    with_numbers,
    with_posture,
    with_stops,
)
from station.view.design.source import Source

TEXT = """\
/* a robot { with braces in its remarks */
RAFF v2.0 Small
robot small {
  base { } // where it stands
  link 1 { parameters { theta   10  r  73  alpha 0 d 0 /* not { gamma 5 } */ }  type 2  pred 0  limits { -60 60 } }
  link 2 {
    type prismatic // slides
    pred 1
    parameters { 0 50 90 20 }   // no labels
    range { -10 10 /* mm */ }
  }
  frame 3 { pred 2 } // the end
}
"""


def degrees(text: str) -> float:
    """As a file has them, in rad."""
    return from_text(text, RADIANS_PER_DEGREE)


def robot_of(text: str) -> Robot:
    return loads(text).robots[0]


def source(text: str = TEXT) -> Source:
    return Source(text, "small.mad")


def test_one_number_is_written_and_nothing_else() -> None:
    changed = with_numbers(source(), "small", 1, "parameters", {"theta": degrees("30")})
    assert changed == TEXT.replace("theta   10", "theta   30")


def test_a_number_keeps_its_column() -> None:
    changed = with_numbers(source(), "small", 1, "parameters", {"theta": degrees("-12.5"), "r": 0.005})
    assert changed == TEXT.replace("theta   10  r  73", "theta -12.5  r   5")


def test_a_number_with_an_old_label_is_written_behind_it() -> None:
    text = TEXT.replace("r  73", "rpara 73")
    changed = with_numbers(source(text), "small", 1, "parameters", {"r": 0.074})
    assert changed == text.replace("rpara 73", "rpara 74")


def test_a_number_that_is_the_same_is_not_written_anew() -> None:
    text = TEXT.replace("theta   10", "theta +10.000")
    assert with_numbers(source(text), "small", 1, "parameters", {"theta": degrees("10")}) == text


def test_a_parameter_that_was_left_out_is_added_behind_the_others() -> None:
    changed = with_numbers(source(), "small", 1, "parameters", {"epsil": 0.01})
    assert "d 0  epsil 10 /* not { gamma 5 } */" in changed
    assert robot_of(changed).links[0].parameters.epsil == pytest.approx(0.01)


def test_without_labels_those_between_are_added_too() -> None:
    changed = with_numbers(source(), "small", 2, "parameters", {"epsil": 0.01})
    assert "{ 0 50 90 20 0 10 }" in changed
    assert robot_of(changed).links[1].parameters.epsil == pytest.approx(0.01)


def test_an_entry_that_was_left_out_is_added() -> None:
    changed = with_numbers(source(), "small", 3, "pos", {"z": 0.1})
    assert "frame 3 { pos { 0 0 100 }  pred 2 } // the end" in changed
    assert robot_of(changed).frames[0].pos == (0.0, 0.0, 0.1)


def test_the_base_is_moved_even_if_its_block_was_empty() -> None:
    changed = with_numbers(source(), "small", 0, "pos", {"x": 0.25})
    assert robot_of(changed).base.pos == (0.25, 0.0, 0.0)
    assert "// where it stands" in changed


def test_stops_are_changed_named_otherwise_and_taken_away() -> None:
    absolute = with_stops(source(), "small", 1, Interval(degrees("-45"), degrees("45")), relative=False)
    assert absolute == TEXT.replace("limits { -60 60 }", "limits { -45 45 }")
    relative = with_stops(source(), "small", 1, Interval(degrees("-70"), degrees("50")), relative=True)
    assert relative == TEXT.replace("limits { -60 60 }", "range { -70 50 }")
    assert robot_of(relative).links[0].stops == pytest.approx(robot_of(TEXT).links[0].stops)
    none = with_stops(source(), "small", 2, None, relative=False)
    assert "range" not in none
    assert robot_of(none).links[1].stops is None
    added = with_stops(source(none), "small", 2, Interval(0.0, 0.1), relative=False)
    assert robot_of(added).links[1].limits == (0.0, 0.1)
    assert with_stops(source(none), "small", 2, None, relative=True) == none


def test_the_joint_type_keeps_the_way_it_was_written() -> None:
    assert "type 1  pred 0" in with_joint_type(source(), "small", 1, JointType.PRISMATIC)
    assert "type revolute // slides" in with_joint_type(source(), "small", 2, JointType.REVOLUTE)
    assert "type fixed  pred 0" in with_joint_type(source(), "small", 1, JointType.FIXED)


def test_what_the_version_does_not_have_is_refused() -> None:
    old = source(robots.path("macdac").read_text())
    with pytest.raises(DesignError, match=r"needs MAD 2\.0; allowed in this file: prismatic, revolute"):
        with_joint_type(old, "macdac", 1, JointType.FIXED)
    with pytest.raises(DesignError, match=r"postures need MAD 2\.0"):
        with_posture(old, "macdac", "rest", {1: 0.0})


def test_a_posture_is_added_and_replaced() -> None:
    added = with_posture(source(), "small", "rest", {1: degrees("20"), 2: 0.055})
    assert "  frame 3 { pred 2 } // the end\n  posture rest { joints ( link 1 20 link 2 55 ) }\n}" in added
    again = with_posture(source(added), "small", "rest", {1: 0.0})
    assert [(item.name, item.joints) for item in robot_of(again).postures] == [("rest", ((1, 0.0),))]


@pytest.mark.parametrize("name", ["", "two words", "a{", "-"])
def test_a_posture_needs_a_name(name: str) -> None:
    with pytest.raises(DesignError, match="is no name for a posture"):
        with_posture(source(), "small", name, {1: 0.0})


def test_initial_joint_values_are_written_all_at_once() -> None:
    changed = with_joint_values(source(), "small", {1: degrees("-5"), 2: 0.052})
    assert [link.initial for link in robot_of(changed).links] == pytest.approx([degrees("-5"), 0.052])


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_stay_as_they_are(ends: str) -> None:
    text = TEXT.replace("\n", ends)
    changed = with_numbers(source(text), "small", 2, "parameters", {"d": 0.021})
    assert changed == text.replace("90 20 }", "90 21 }")
    assert robot_of(with_posture(source(text), "small", "rest", {2: 0.05})).postures[0].name == "rest"


@pytest.mark.parametrize(("robot", "part"), [("large", 1), ("small", 9)])
def test_what_is_not_in_the_text_is_told(robot: str, part: int) -> None:
    with pytest.raises(DesignError, match="has no"):
        with_numbers(source(), robot, part, "parameters", {"theta": 0.0})


@pytest.mark.parametrize("name", robots.names())
def test_every_number_of_every_shipped_robot_can_be_changed_and_its_remarks_stay(name: str) -> None:
    text = robots.path(name).read_text()
    before = loads(text, name).robots[0]
    changed = text
    for link in before.links:
        moved = {label: value + 0.125 for label, value in link.parameters._asdict().items()}
        changed = with_numbers(Source(changed, name), before.name, link.id, "parameters", moved)
    raw = Source(changed, name)
    assert remarks(changed) == remarks(text)
    for link in before.links:
        block = raw.part(before.name, link.id)
        assert block.entries


def remarks(text: str) -> list[str]:
    """Every comment of a text."""
    import re

    return re.findall(r"//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/", text)


@given(
    theta=st.floats(-0.9, 0.9, allow_nan=False),
    r=st.floats(-10.0, 10.0, allow_nan=False),
    gamma=st.floats(-4.0, 4.0, allow_nan=False),
)
def test_what_is_written_is_read_back_to_the_last_bit(theta: float, r: float, gamma: float) -> None:
    wanted: dict[str, Any] = {"theta": theta, "r": r, "gamma": gamma}
    changed = with_numbers(source(), "small", 1, "parameters", wanted)
    read = robot_of(changed).links[0].parameters
    assert (read.theta, read.r, read.gamma) == (theta, r, gamma)
