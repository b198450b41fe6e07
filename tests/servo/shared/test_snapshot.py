"""What the writer shows is what readers get, whole, and only in their own version."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from station.kernel import kernel
from station.servo.shared import (
    LayoutError,
    NoServoError,
    SharedState,
    SharedStateError,
    StateReader,
    StateWriter,
    state,
)
from station.servo.shared import reader as reading
from station.servo.shared.memory import Link, layout_of, publish
from station.servo.shared.state import FIELDS, table_hash
from tests.servo.shared.conftest import JOINTS


def test_there_is_nothing_before_the_first_publication(reader: StateReader) -> None:
    assert reader.read() is None
    assert reader.heartbeat_age == float("inf")


def test_every_field_arrives(writer: StateWriter, reader: StateReader) -> None:
    for number, name in enumerate(FIELDS):
        field = writer.shared.view(name)
        field[...] = np.arange(field.size).reshape(field.shape) + 100 * number
    writer.publish()
    moment = reader.read()
    assert moment is not None
    for name in FIELDS:
        assert np.array_equal(getattr(moment, name), writer.shared.view(name)), name
    assert moment.predicted_q.shape == (JOINTS,)
    assert moment.hand_pose.shape == (4, 4)
    assert moment.tick.dtype == np.int64
    assert reader.heartbeat_age < float("inf")


def test_nothing_is_seen_before_it_is_published(writer: StateWriter, reader: StateReader) -> None:
    writer.shared.tick = 1
    writer.publish()
    writer.shared.tick = 2
    first = reader.read()
    writer.publish()
    second = reader.read()
    assert first is not None
    assert second is not None
    assert (first.tick[0], first.number, second.tick[0], second.number) == (1, 1, 2, 2)


def test_a_snapshot_is_a_copy_that_cannot_be_changed(writer: StateWriter, reader: StateReader) -> None:
    writer.publish()
    moment = reader.read()
    assert moment is not None
    with pytest.raises(ValueError, match="read-only"):
        moment.predicted_q[0] = 1.0


def test_a_kernel_fills_fields_and_publishes(writer: StateWriter, reader: StateReader) -> None:
    @kernel
    def servo(shared: SharedState, link: Link) -> None:
        shared.tick = 42
        shared.predicted_q[:] = 1.5
        shared.hand_pose[2, 3] = -0.25
        publish(link)

    servo(writer.shared, writer.link)
    moment = reader.read()
    assert moment is not None
    assert moment.tick[0] == 42
    assert moment.predicted_q.tolist() == [1.5] * JOINTS
    assert moment.hand_pose[2, 3] == -0.25


def test_what_one_has_shown_another_can_take(writer: StateWriter, reader: StateReader, folder: Path) -> None:
    for number, name in enumerate(FIELDS):
        writer.shared.view(name)[...] = number
    writer.publish()
    moment = reader.read()
    assert moment is not None
    with StateWriter(JOINTS, name="other", folder=folder) as other:
        other.take(moment.numbers)
        assert all(np.array_equal(other.shared.view(name), getattr(moment, name)) for name in FIELDS)
        other.shared.reset()
        other.take(moment.numbers[: moment.layout.record])  # a record has the recorded fields only
        for name, field in FIELDS.items():
            assert np.array_equal(
                other.shared.view(name), getattr(moment, name) if field.recorded else 0 * getattr(moment, name)
            )


def test_what_readers_and_recordings_know_has_not_changed() -> None:
    """Any other number: old recordings and running programs see another table; then LAYOUT_VERSION may have to grow."""
    assert table_hash() == 5946986122867636574
    laid = layout_of(7)
    assert (laid.record, laid.snapshot, laid.snapshot_start, laid.ring_start) == (330, 467, 2088, 2560)


def test_names_come_along(reader: StateReader) -> None:
    assert reader.text == {"joints": ["a", "b", "c"]}


def test_a_name_that_does_not_exist_is_answered_with_those_that_do(writer: StateWriter, reader: StateReader) -> None:
    writer.publish()
    with pytest.raises(AttributeError, match="predicted_q"):
        _ = reader.read().predicted_joints  # type: ignore[union-attr]
    with pytest.raises(AttributeError, match="predicted_q"):
        writer.shared.predicted_joints = 0.0


@pytest.mark.parametrize(
    ("name", "words"), [("magic", "not the shared state"), ("version", "same release"), ("table", "same release")]
)
def test_another_version_is_refused_in_one_line(writer: StateWriter, name: str, words: str) -> None:
    setattr(writer.header, name, getattr(writer.header, name) + 1)
    with pytest.raises(LayoutError, match=words) as caught:
        StateReader(writer.path)
    assert "\n" not in str(caught.value)


def test_sizes_that_do_not_fit_are_refused(writer: StateWriter) -> None:
    writer.header.joints = 4
    with pytest.raises(LayoutError, match="do not fit"):
        StateReader(writer.path)


def test_a_short_file_is_refused(folder: Path) -> None:
    path = folder / "short.state"
    path.write_bytes(b"HAPTSRV1")
    with pytest.raises(LayoutError, match="not the shared state"):
        StateReader(path)
    path.write_bytes(b"")
    with pytest.raises(NoServoError, match="empty"):
        StateReader(path)


def test_a_file_cut_after_its_header_is_refused(writer: StateWriter, folder: Path) -> None:
    path = folder / "cut.state"
    path.write_bytes(writer.path.read_bytes()[:4096])
    with pytest.raises(LayoutError, match="too short"):
        StateReader(path)


def test_text_that_does_not_fit_is_refused(folder: Path) -> None:
    with pytest.raises(LayoutError, match="at most"):
        StateWriter(1, {"long": "x" * 20_000}, folder=folder)
    assert not list(folder.iterdir())


def test_a_servo_stopped_inside_a_publication_is_named(
    writer: StateWriter, reader: StateReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAUSES", 2)
    writer.publish()
    writer.header.sequence += 1
    with pytest.raises(SharedStateError, match="middle of publishing"):
        reader.read()
    writer.close()
    with pytest.raises(NoServoError, match="ended"):
        reader.read()


@pytest.mark.parametrize("joints", [0, 1, 7, 256])
def test_fields_lie_side_by_side_and_recorded_ones_first(joints: int) -> None:
    laid = layout_of(joints)
    places = list(laid.by_name.values())
    assert [place.start for place in places] == [0, *(place.end for place in places[:-1])]
    assert all(place.field.recorded == (place.end <= laid.record) for place in places)
    assert set(laid.by_name) == set(FIELDS)


def test_more_joints_than_any_robot_has_are_refused() -> None:
    with pytest.raises(LayoutError, match="256"):
        layout_of(257)


def test_another_table_has_another_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = table_hash()
    changed = dict(FIELDS)
    changed["tick"] = changed["tick"]._replace(unit="1")
    monkeypatch.setattr(state, "FIELDS", changed)
    assert table_hash() != before


def test_every_real_field_that_is_not_a_plain_number_has_a_unit() -> None:
    plain = {name for name, field in FIELDS.items() if not field.whole and not field.unit}
    assert plain == {"hand_grip", "scale", "gains", "passivity_ratio", "singularity", "slow_down"}
    assert all(re.fullmatch(r"[^|\n]+[^.]", field.meaning) for field in FIELDS.values())
