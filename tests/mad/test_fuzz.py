"""Whatever the bytes, the answer is a scene or a MadError."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import robots
import station

SEEDS = [robots.path(name).read_text(encoding="utf8") for name in (*robots.names(), *robots.scenes())]
SNIPPETS = [
    *("{", "}", "(", ")", '"', "/*", "*/", "//", "\n", "\r", "\0", "RAFF", "v2.0", "v1.0", "robot", "link", "frame"),
    *("base", "type", "pred", "constraint", "ball", "sensor", "device", "passive", "fixed", "revolute", "coupling"),
    *(
        "0",
        "-1",
        "1e999",
        "nan",
        "-inf",
        "3.5.2",
        "99999999999999999999",
        "é",
        "−",
        "٣",
        "²",
        "limits { 1 0 }",
        "unit m",
    ),
]


@st.composite
def mutated_files(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 40))
        new = draw(
            st.one_of(st.just(""), st.sampled_from(SNIPPETS), st.text(max_size=5), st.just(text[at : at + length]))
        )
        removed = draw(st.sampled_from([0, length]))
        text = text[:at] + draw(st.sampled_from(["", " "])) + new + " " + text[at + removed :]
    return text


@settings(max_examples=400, deadline=None)
@given(mutated_files())
def test_mutated_files_give_a_scene_or_a_mad_error(text: str) -> None:
    accept_or_refuse(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SNIPPETS)).map(" ".join))
def test_piles_of_words_give_a_scene_or_a_mad_error(text: str) -> None:
    accept_or_refuse(text)
    accept_or_refuse(f"RAFF v2.0 A robot a {{ base {{ }} {text} }}")


def accept_or_refuse(text: str) -> None:
    try:
        scene = station.loads(text)
    except station.MadError as error:
        places = [(problem.line, problem.column) for problem in error.problems]
    else:
        places = [(1, 1)]
        assert station.loads(station.dumps(scene)) == scene
    assert places
    assert min(min(place) for place in places) > 0
