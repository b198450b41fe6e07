"""Recorders that are killed leave files that can be made whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.records import Chunk
from mcap.stream_reader import StreamReader, breakup_chunk

from station.tasks.recording import (
    DamagedError,
    NotARecordingError,
    Recording,
    RecordingFileError,
    Writer,
    recover,
)
from station.tasks.recording.channels import recorded
from station.tasks.recording.recovery import MOST_GIVEN_UP
from tests.tasks.recording.test_files import POINT
from tests.tasks.recording.test_files import write as write_small

KILLS = 100
MOST_LOST = 500  # ticks of a servo at 1 kHz: half a second


def test_recorders_killed_at_random_moments_lose_less_than_half_a_second(folder: Path) -> None:
    command = [sys.executable, "-m", "tests.tasks.recording.killing", str(folder), str(KILLS), "8"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    killed = [json.loads(line) for line in told]
    assert len(killed) == KILLS
    lengths = []
    for fate in killed:
        path = folder / f"{fate['number']}.mcap"
        assert not recover(path).was_whole
        with Recording(path) as recording:
            ticks = recording.messages("/status")["tick"].tolist()
            assert {recording.counts[name] for name in recorded(7)} == {len(ticks)}
        assert ticks == list(range(1, len(ticks) + 1))
        assert 0 <= fate["ticks"] - len(ticks) < MOST_LOST
        with path.open("rb") as stream:  # the library's own check, of every checksum in the file
            for record in StreamReader(stream, validate_crcs=True, emit_chunks=True).records:
                assert not isinstance(record, Chunk) or breakup_chunk(record, validate_crc=True)
        lengths.append(len(ticks))
        path.unlink()
    assert len(set(lengths)) > 4  # they were killed at different moments indeed


def test_a_file_that_is_cut_anywhere_keeps_what_was_whole(tmp_path: Path) -> None:
    path, short = tmp_path / "x.mcap", tmp_path / "short.mcap"
    write_small(path)
    whole = path.read_bytes()
    kept = []
    for length in range(600, len(whole), 53):
        short.write_bytes(whole[:length])
        found = recover(short)
        assert not found.was_whole
        with Recording(short) as recording:
            points = recording.messages("/points")["n"].tolist() if "/points" in recording.channels else []
            assert points == [-i for i in range(len(points))]
            assert recording.metadata["recovered"]["bytes_given_up"] == str(found.given_up)
        with short.open("rb") as stream:
            assert make_reader(stream, validate_crcs=True).get_summary() is not None
        kept.append(len(points))
    assert kept == sorted(kept)
    assert kept[-1] == 100


def test_a_whole_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write_small(path)
    before = path.read_bytes()
    assert recover(path).was_whole
    assert path.read_bytes() == before


def test_it_may_be_done_twice(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write_small(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert not recover(path).was_whole
    assert recover(path).was_whole


def test_a_hole_at_the_end_is_given_up(tmp_path: Path) -> None:
    """As a power cut leaves it: the length is known, the bytes are not there."""
    path = tmp_path / "x.mcap"
    with Writer(path) as file:
        points = file.channel("/points", POINT)
        for i in range(10):
            file.message(points, i, {"at": [[i] * 3] * 2, "n": i, "size": 0.0})
            file.flush()
        start = file.size
        file.message(points, 10, {"at": [[10] * 3] * 2, "n": 10, "size": 0.0})
        file.flush()
        end = file.size
        file.abandon()
    data = bytearray(path.read_bytes())
    data[start + 40 : end - 30] = bytes(end - start - 70)
    path.write_bytes(data)
    recover(path)
    with Recording(path) as recording:
        assert recording.messages("/points")["n"].tolist() == list(range(10))


def test_damage_long_before_the_end_is_not_taken_for_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write_small(path)
    data = bytearray(path.read_bytes()[:-100])
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data + bytes(MOST_GIVEN_UP))
    with pytest.raises(DamagedError, match="before its end"):
        recover(path)
    assert path.stat().st_size == len(data) + MOST_GIVEN_UP  # nothing was thrown away


def test_damage_in_the_middle_is_not_taken_for_the_end_either(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    write_small(path)
    with Recording(path) as recording:
        chunk = recording._found.chunks[4]
    data = bytearray(path.read_bytes()[:-100])
    data[chunk.chunk_start_offset + chunk.chunk_length - 5] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DamagedError, match="damaged at byte"):
        recover(path)
    assert path.read_bytes() == data


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    with Writer(path) as file:
        file.channel("/points", POINT)
        with pytest.raises(RecordingFileError, match="is being written at this moment"):
            recover(path)
    with Recording(path) as recording:
        assert recording.channels == ("/points",)


@pytest.mark.parametrize("content", [b"", b"no", b"\x89MCAP0\r\n"])
def test_what_never_was_a_recording_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(NotARecordingError):
        recover(path)
    assert path.read_bytes() == content
