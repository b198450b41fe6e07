from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings

import station
from station.mad import scene as model
from station.mad import schema
from tests.mad.scenes import scenes


@settings(max_examples=100, deadline=None)
@given(scenes())
def test_any_scene_reads_back_as_itself(scene: model.Scene) -> None:
    assert station.mad.loads(station.dumps(scene)) == scene


def all_items(item: type[Any]) -> set[type[Any]]:
    found = {item}
    for entry in schema.layout_of(item).entries:
        if isinstance(entry.kind, schema.Block):
            found |= all_items(entry.kind.item)
    return found


def test_every_field_of_the_model_is_a_keyword_or_says_where_it_stands() -> None:
    bookkeeping = {"source", "warnings", "file"}
    for item in all_items(model.Scene):
        for spec in dataclasses.fields(item):
            described = "entry" in spec.metadata or "head" in spec.metadata
            assert described or spec.name in bookkeeping | {"name", "version"}, f"{item.__name__}.{spec.name}"


def test_what_the_language_cannot_say_is_refused() -> None:
    for scene, what in (
        (model.Scene(name="two words"), "cannot be written as a name"),
        (model.Scene(name="v2.0"), "cannot be written as a name"),
        (model.Scene(name="a", devices=(model.Device(id=1, port='say "hi"'),)), "quoted string"),
        (model.Scene(name="a", devices=(model.Device(id=1, address="sim:x"),)), "needs MAD 2.0"),
        (model.Scene(name="a", devices=(model.Device(id=1, turning_scale=float("nan")),)), "a finite number"),
        (model.Scene(name="a", devices=(model.Device(id=1, turning_freedoms=4),)), "a number of freedoms"),
        (model.Scene(name="a", version=(2, 0), obstacles=(model.Obstacle(name="o", sphere=-1),)), "more than 0"),
    ):
        with pytest.raises(station.MadError, match=what):
            station.dumps(scene)


def test_positions_take_no_part_in_comparisons() -> None:
    text = "RAFF v1.0 A robot a { base { } }"
    assert station.loads(text) == station.loads("// moved\n\n" + text)
    assert station.loads("// moved\n\n" + text).robots[0].source.place == (3, 13)
