"""Tables for other programs: the numbers of the ring, every digit."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from station.tasks import export as exporting
from station.tasks.export import CSV, PARQUET, ExportError, export
from station.tasks.recording import Recording, RecordingFileError
from station.tasks.recording.channels import recorded
from tests.monitor import synthetic
from tests.tasks.recording.conftest import folder, run, servo, state

__all__ = ["folder", "run", "servo", "state"]  # fixtures

BESIDE = ("log_time", "in_episode")  # columns that are not of the ring
RING = np.concatenate(list(synthetic.chunks(2.0, size=200)))


def check(columns: dict[str, list[float]], channel: str) -> int:
    """Compare the columns of a channel with the ring; returns how many there were."""
    seen = 0
    for place in recorded(7)[channel]:
        wanted = RING[:, place.start : place.end]
        numbers = np.array(
            [columns[name] for name in columns if name.split("/")[0].rstrip("0123456789_") == place.name.rstrip("_")]
        ).T
        if place.shape == (1,):
            numbers = np.array(columns[place.name])[:, None]
        found = numbers.astype(np.int64) if place.field.whole else numbers.astype(np.float64).view(np.int64)
        assert np.array_equal(found, wanted), place.name
        seen += wanted.shape[1]
    return seen


def test_csv_has_every_number_of_the_ring(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PART", 300_000_000)
    with Recording(run) as recording:
        files = export(recording, tmp_path / "out", CSV)
    assert {path.name for path in files} >= {"hand.csv", "forces.csv", "status.csv", "events.csv", "settings.csv"}
    total = 0
    for channel in recorded(7):
        with (tmp_path / "out" / f"{channel[1:]}.csv").open() as file:
            rows = list(csv.reader(file))
        columns = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
        total += check({name: values for name, values in columns.items() if name not in BESIDE}, channel)
    assert total == RING.shape[1]


def test_parquet_has_every_number_of_the_ring(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(exporting, "PART", 300_000_000)
    with Recording(run) as recording:
        export(recording, tmp_path / "out", PARQUET)
    total = 0
    for channel in recorded(7):
        table = pq.read_table(tmp_path / "out" / f"{channel[1:]}.parquet")
        total += check({name: table[name].to_numpy() for name in table.column_names if name not in BESIDE}, channel)
    assert total == RING.shape[1]
    assert json.loads(pq.read_schema(tmp_path / "out" / "hand.parquet").metadata[b"units"])["hand_pose"] == "m"
    events = pq.read_table(tmp_path / "out" / "events.parquet")
    assert "ENGAGED" in events["text"].to_pylist()[1] or events["kind"].to_pylist()[0] == "state"


def test_a_page_beside_them_says_what_they_are(run: Path, tmp_path: Path) -> None:
    with Recording(run) as recording:
        export(recording, tmp_path / "out", CSV)
        told = json.loads((tmp_path / "out" / "about.json").read_text())
        assert told["sha256"] == recording.content_hash
    assert told["channels"]["/hand"]["hand_velocity"]["unit"] == "m/s, rad/s"
    assert told["metadata"]["end"]["records"] == "2000"


def test_what_is_there_is_not_written_over(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with Recording(run) as recording:
        with pytest.raises(RecordingFileError, match="--overwrite"):
            export(recording, out, CSV)
        assert [path.name for path in out.iterdir()] == ["mine.txt"]
        export(recording, out, CSV, overwrite=True)
    assert (out / "mine.txt").read_text() == "mine"
    assert (out / "hand.csv").exists()


def test_a_disk_without_room_leaves_nothing(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "_write_csv", full)
    with Recording(run) as recording, pytest.raises(RecordingFileError, match="No space left"):
        export(recording, tmp_path / "out", CSV)
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_parquet_is_refused_in_one_line(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with Recording(run) as recording, pytest.raises(ExportError, match="pip install"):
        export(recording, tmp_path / "out", PARQUET)
