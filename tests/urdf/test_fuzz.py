"""Damaged URDFs give a scene or a MadError, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from station.errors import MadError
from station.mad import Scene, dumps, loads
from station.mad.urdf import scene_from_urdf
from tests.urdf.robots import random_urdf
from tests.urdf.test_text import ARM

BODY = """<robot name="b"><material name="m"><color rgba="1 0 0 1"/></material><link name="a">
<inertial><origin xyz="0 0 1" rpy="0 1 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1"/></inertial>
<visual><geometry><mesh filename="package://p/a.stl" scale="1 1 1"/></geometry><material name="m"/></visual>
<collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link></robot>"""
TEXTS = [ARM, BODY, random_urdf(3).text]
PIECES = re.compile(r"""<|>|/|=|"|'|-?[\d.]+|\w+|\s+|.""")
NUMBERS = [
    "0",
    "-0.0",
    "1e-320",
    "1e12",
    "-1e308",
    "1e308",
    "5e-324",
    "1e-13",
    "3.141592653589793",
    "nan",
    "x",
    "1 2",
    "",
]
WORDS = [
    *NUMBERS,
    *(
        "<link name='a'/>",
        "</joint>",
        "<!-- -->",
        "<![CDATA[x]]>",
        "&lt;",
        "&#10;",
        "&quot;",
        "${x}",
        "\x00",
        "é",
        "\ud800",
    ),
    *("fixed", "continuous", "prismatic", "revolute", "floating", "robot", "link", "joint", "mimic", "origin"),
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A URDF of which a few pieces are replaced, dropped, doubled or swapped."""
    pieces = PIECES.findall(draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        at, other = draw(st.integers(0, len(pieces) - 1)), draw(st.integers(0, len(pieces) - 1))
        match draw(st.sampled_from(["number", "word", "drop", "double", "swap"])):
            case "number":
                numbers = [n for n, piece in enumerate(pieces) if piece[-1:].isdigit()] or [at]
                pieces[numbers[at % len(numbers)]] = draw(st.sampled_from(NUMBERS))
            case "word":
                pieces[at] = draw(st.sampled_from(WORDS))
            case "drop":
                del pieces[min(at, other) : min(at, other) + draw(st.integers(1, 20))]
                pieces = pieces or [""]
            case "double":
                pieces[at] *= 2
            case _:
                pieces[at], pieces[other] = pieces[other], pieces[at]
    return "".join(pieces)


def outcome(text: str) -> Scene | MadError:
    try:
        return scene_from_urdf(text)
    except MadError as error:
        return error


@settings(max_examples=300, deadline=None)
@given(damaged())
def test_a_damaged_urdf_is_a_scene_or_a_mad_error(text: str) -> None:
    found = outcome(text)
    if isinstance(found, Scene):
        assert loads(dumps(found)) == found
    else:
        assert found.problems
        assert all(problem.line > 0 and problem.column > 0 for problem in found.problems)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_a_mad_error(text: str) -> None:
    assert isinstance(outcome(text), MadError)
