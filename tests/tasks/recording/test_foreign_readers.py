"""Other people's readers understand our files: every message of every channel."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
from mcap.reader import NonSeekingReader, make_reader
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from scipy.spatial.transform import Rotation

from station.devices.replay import message
from station.tasks.recording import Recording
from station.tasks.recording.channels import recorded


def test_the_library_lists_channels_and_schemas(run: Path) -> None:
    with run.open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary = reader.get_summary()
        assert reader.get_header().library.startswith("haptic-station")
    assert summary is not None
    topics = {channel.topic for channel in summary.channels.values()}
    assert topics == {*recorded(7), "/settings", "/events", "/episode/events", "/device/sample", "/frames"}
    schemas = {schema.name: schema for schema in summary.schemas.values()}
    hand = schemas["haptic_station/msg/Hand"]
    assert hand.encoding == "ros2msg"
    assert "float64[16] hand_pose  # (4 x 4) [m] of the handle" in hand.data.decode()
    assert schemas["haptic_station/msg/Event"].encoding == "jsonschema"
    assert summary.statistics is not None
    assert summary.statistics.channel_message_counts[1] == 2000


def test_every_message_of_every_channel_is_decoded(run: Path) -> None:
    decoded: Counter[str] = Counter()
    with Recording(run) as recording, run.open("rb") as stream:
        names = [name for name in recording.channels if recording.schemas[name].fixed]
        tables, counts = recording.tables(names), dict(recording.counts)
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        for schema, channel, record, told in reader.iter_decoded_messages(topics=names):
            row = tables[channel.topic][decoded[channel.topic]]
            assert schema is not None
            assert record.log_time == row["log_time"]
            for field in recording.schemas[channel.topic].fields:
                assert np.array_equal(np.ravel(getattr(told, field.name)), np.ravel(row[field.name]), equal_nan=True)
            decoded[channel.topic] += 1
        for _, channel, record in reader.iter_messages(topics=["/events"]):
            assert set(json.loads(record.data)) == {"kind", "text", "tick", "code", "time"}
            decoded[channel.topic] += 1
        for _, channel, record in reader.iter_messages(topics=["/frames"]):
            assert {"target", "predicted", "hand"} <= {
                frame["child_frame_id"] for frame in json.loads(record.data)["transforms"]
            }
            decoded[channel.topic] += 1
        for _, channel, record in reader.iter_messages(topics=["/device/sample"]):
            assert message.is_whole(record.data)
            decoded[channel.topic] += 1
    assert {**decoded, "/episode/events": 0} == counts
    assert decoded["/forces"] == 2000


def test_poses_for_the_3d_panel_are_those_of_their_ticks(run: Path) -> None:
    with Recording(run) as recording, run.open("rb") as stream:
        status, target = recording.messages("/status"), recording.messages("/target")
        assert "/frames" not in recording.schemas  # written for others
        shown = [
            (record.log_time, json.loads(record.data)["transforms"])
            for schema, _, record in make_reader(stream).iter_messages(topics=["/frames"])
            if schema is not None and schema.name == "foxglove.FrameTransforms"
        ]
    assert len(shown) == 50  # 25 in each second
    for time_ns, frames in shown:
        row = int(np.searchsorted(status["log_time"], time_ns))
        (frame,) = [frame for frame in frames if frame["child_frame_id"] == "target"]
        pose = target["target_pose"][row]
        assert frame["parent_frame_id"] == "world"
        assert list(frame["translation"].values()) == pose[:3, 3].tolist()
        assert np.allclose(Rotation.from_quat(list(frame["rotation"].values())).as_matrix(), pose[:3, :3])
        assert frame["timestamp"] == {"sec": time_ns // 10**9, "nsec": time_ns % 10**9}
        assert "measured" not in {frame["child_frame_id"] for frame in frames}  # there is no arm


def test_a_reader_that_cannot_seek_understands_it_too(run: Path) -> None:
    with run.open("rb") as stream:
        times = [record.log_time for _, _, record in NonSeekingReader(stream, validate_crcs=True).iter_messages()]
    assert len(times) > 20_000
    assert times == sorted(times)


def test_all_checksums_of_the_file_fit(run: Path) -> None:
    with run.open("rb") as stream:
        kinds = Counter(type(record).__name__ for record in StreamReader(stream, validate_crcs=True).records)
    assert kinds["Footer"] == kinds["DataEnd"] == kinds["Statistics"] == 1
    assert kinds["ChunkIndex"] == 10
    assert kinds["Message"] > 20_000
