"""What a channel holds survives being written as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.tasks.recording import DamagedError, Field, Kind, Schema
from station.tasks.recording.channels import EVENT, OTHER, channel_of, recorded, schemas, settings_schema, words
from station.tasks.recording.schema import schema_of

UNITS = ("", "m", "N, N·m", "rad/s or m/s")
NUMBERS = st.builds(
    Field,
    st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True).filter(lambda name: name not in ("cdr", "log_time")),
    st.sampled_from((Kind.REAL, Kind.WHOLE)),
    st.one_of(st.just(()), st.tuples(st.integers(1, 5)), st.tuples(st.integers(1, 5), st.integers(1, 5))),
    st.sampled_from(UNITS),
    st.sampled_from(("", "of the handle", "by `Cause`; they add up # to all")),
)


@given(st.lists(NUMBERS, min_size=1, max_size=8, unique_by=lambda field: field.name), st.integers(1, 9))
def test_numbers_survive_as_a_ros_message(fields: list[Field], version: int) -> None:
    schema = Schema("Thing", tuple(fields), version, "What it is.")
    assert schema.fixed
    assert schema_of(schema.full_name, "ros2msg", schema.text, version) == schema


@pytest.mark.parametrize("joints", [0, 1, 7, 15])
def test_all_schemas_of_a_run_survive(joints: int) -> None:
    for schema in (*schemas(joints).values(), settings_schema(joints), EVENT):
        assert schema_of(schema.full_name, schema.encodings[0], schema.text, 1) == schema


def test_every_recorded_field_has_a_channel_of_its_own() -> None:
    places = [place for found in recorded(7).values() for place in found]
    assert len({place.name for place in places}) == len(places)
    assert not [place.name for place in places if channel_of(place.name) == OTHER], "give it a channel in channels.py"


def test_a_field_that_nobody_has_assigned_is_recorded_all_the_same() -> None:
    assert channel_of("something_new") == OTHER


def test_words_are_told_by_name() -> None:
    assert words()["ServoState"]["ENGAGED"] == 2


@pytest.mark.parametrize("name", ["Big", "two words", "log_time", "cdr", ""])
def test_names_that_no_file_can_hold_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be called"):
        Schema("Thing", (Field(name, Kind.REAL),)).check()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("ros2msg", "string x"),
        ("ros2msg", "float64[3] x  # (2 x 2) no"),
        ("jsonschema", "[]"),
        ("jsonschema", "{"),
        ("jsonschema", '{"properties": {"x": {}}}'),
        ("protobuf", ""),
    ],
)
def test_text_that_this_program_would_not_have_written_is_refused(encoding: str, text: str) -> None:
    with pytest.raises(DamagedError):
        schema_of("haptic_station/msg/Thing", encoding, text, 1)
