"""Writing and reading files: what goes in comes out, and what is not as it was written is refused in one line."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import Writer as OtherWriter

from station.errors import StationError
from station.tasks.recording import (
    CutShortError,
    DamagedError,
    Field,
    Kind,
    MissingError,
    NotARecordingError,
    Recording,
    RecordingError,
    RecordingFileError,
    Schema,
    VersionError,
    Writer,
    writing,
)

POINT = Schema(
    "Point",
    (Field("at", Kind.REAL, (2, 3), "m", "where"), Field("n", Kind.WHOLE), Field("size", Kind.REAL, unit="m")),
)
NOTE = Schema("Note", (Field("text", Kind.TEXT), Field("x", Kind.REAL), Field("list", Kind.REAL, None)))
START = 1_700_000_000_000_000_000  # [ns]


def write(path: Path, count: int = 100) -> None:
    with Writer(path, kind="test") as file:
        points, notes = file.channel("/points", POINT), file.channel("/notes", NOTE)
        for i in range(count):
            fields = {"at": np.full((2, 3), i / 3.0), "n": -i, "size": math.nan if i == 3 else 0.1 * i}
            file.message(points, START + i, fields)
            if i % 10 == 0:
                file.message(notes, START + i, {"text": f"é {i}", "x": math.inf, "list": [1.5] * (i // 10)})
                file.flush()
        file.attachment("bench.mad", b"RAFF")
        file.metadata("versions", {"station": "1"})


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write(path)
    with Recording(path) as recording:
        points, notes = recording.messages("/points"), recording.messages("/notes")
        assert recording.channels == ("/points", "/notes")
        assert recording.schemas == {"/points": POINT, "/notes": NOTE}
        assert recording.counts == {"/points": 100, "/notes": 10}
        assert (recording.kind, recording.span) == ("test", (START, START + 99))
        assert recording.attachments == {"bench.mad": b"RAFF"}
        assert recording.metadata["versions"] == {"station": "1"}
    assert points["log_time"].tolist() == list(range(START, START + 100))
    assert points["at"][:, 1, 2].tolist() == [i / 3.0 for i in range(100)]
    assert points["n"].tolist() == [-i for i in range(100)]
    assert math.isnan(points["size"][3])
    assert points["size"][99] == 0.1 * 99
    assert notes["text"].tolist() == [f"é {i}" for i in range(0, 100, 10)]
    assert np.isnan(notes["x"]).all()  # JSON has no infinity
    assert notes["list"][9] == [1.5] * 9


def test_a_part_of_the_time_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write(path)
    with Recording(path) as recording:
        some = recording.messages("/points", START + 15, START + 42)
    assert some["log_time"].tolist() == list(range(START + 15, START + 43))


def test_messages_come_in_the_order_of_time(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    with Writer(path) as file:
        points = file.channel("/points", POINT)
        for when in (5, 3, 4, 1, 2):
            file.message(points, when, {"at": np.zeros((2, 3)), "n": when, "size": 0.0})
            if when == 3:
                file.flush()
    with Recording(path) as recording:
        assert recording.messages("/points")["n"].tolist() == [1, 2, 3, 4, 5]


def test_a_channel_without_messages_is_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    with Writer(path) as file:
        file.channel("/points", POINT)
    with Recording(path) as recording:
        assert len(recording.messages("/points")) == 0
        assert recording.span == (0, 0)


def test_a_message_must_have_the_fields_of_its_schema(tmp_path: Path) -> None:
    with Writer(tmp_path / "x.mcap") as file:
        notes = file.channel("/notes", NOTE)
        with pytest.raises(ValueError, match="check: list, y"):
            file.message(notes, 1, {"text": "", "x": 0.0, "y": 0})


def test_one_name_is_one_channel(tmp_path: Path) -> None:
    with Writer(tmp_path / "x.mcap") as file:
        file.channel("/notes", NOTE)
        with pytest.raises(ValueError, match="already"):
            file.channel("/notes", POINT)


def test_an_old_file_is_written_over_only_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write(path)
    before = path.read_bytes()
    with pytest.raises(RecordingFileError, match="--overwrite"):
        Writer(path)
    assert path.read_bytes() == before
    Writer(path, overwrite=True).close()
    with Recording(path) as recording:
        assert recording.channels == ()


def test_what_was_half_written_when_something_failed_does_not_look_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    with contextlib.suppress(ZeroDivisionError), Writer(path) as file:
        file.channel("/points", POINT)
        raise ZeroDivisionError
    with pytest.raises(CutShortError, match="station recover"):
        Recording(path)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RecordingFileError, match="cannot be written"):
        Writer(tmp_path / "missing" / "x.mcap")


@pytest.mark.parametrize("name", ["missing.mcap", "."])
def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordingFileError, match="there is no such file"):
        Recording(tmp_path / name)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89MCAP1\r\n" + b"x" * 100])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mcap").write_bytes(content)
    with pytest.raises(NotARecordingError):
        Recording(tmp_path / "x.mcap")


def test_an_mcap_file_of_another_program_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "x.mcap").open("wb") as stream:
        other = OtherWriter(stream)
        other.start()
        other.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(NotARecordingError, match="another program"):
        Recording(tmp_path / "x.mcap")


def test_an_unknown_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FORMAT", 99)
    write(tmp_path / "x.mcap")
    with pytest.raises(VersionError, match=r"format '99'.*knows format 1"):
        Recording(tmp_path / "x.mcap")


def test_a_channel_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write(path)
    with Recording(path) as recording:
        recording.expect("/points", POINT)
        with pytest.raises(VersionError, match=r"Point version 1.*Point version 2"):
            recording.expect("/points", POINT._replace(version=2))
        with pytest.raises(VersionError, match="no field 'more'"):
            recording.expect("/points", POINT._replace(fields=(Field("more", Kind.REAL),)))
        with pytest.raises(MissingError, match="no channel /nothing; there are: /points, /notes"):
            recording.expect("/nothing", POINT)
        with pytest.raises(MissingError):
            recording.messages("/nothing")


def test_a_file_that_ends_anywhere_before_its_end_is_refused(tmp_path: Path) -> None:
    path, short = tmp_path / "x.mcap", tmp_path / "short.mcap"
    write(path)
    whole = path.read_bytes()
    for length in range(8, len(whole), 61):
        short.write_bytes(whole[:length])
        with pytest.raises(CutShortError):
            Recording(short)


def test_any_byte_that_was_changed_is_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "x.mcap", tmp_path / "other.mcap"
    write(path)
    whole = bytearray(path.read_bytes())
    for place in range(0, len(whole), 37):
        changed = whole.copy()
        changed[place] ^= 0x41
        other.write_bytes(changed)
        with pytest.raises(RecordingError) as told:
            Recording(other)
        assert "\n" not in str(told.value)


def test_a_file_that_another_program_has_written_anew_is_refused(tmp_path: Path) -> None:
    """With checksums that fit, but not the seal."""
    path, other = tmp_path / "x.mcap", tmp_path / "other.mcap"
    write(path)
    with Recording(path) as recording, other.open("wb") as stream:
        copy = OtherWriter(stream)
        copy.start()
        for name, values in recording.metadata.items():
            copy.add_metadata(name, dict(values))
        copy.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(DamagedError, match=r"changed after it was written|seal"):
        Recording(other)


def test_errors_are_ours(tmp_path: Path) -> None:
    with pytest.raises(StationError):
        Recording(tmp_path / "x.mcap")
