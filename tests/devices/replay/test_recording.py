"""Writing recordings and reading them: every bit comes back, and whatever is wrong is one line."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from station.devices.device import Sample
from station.devices.errors import DeviceError, DeviceMismatchError, DeviceNotFoundError
from station.devices.replay import RecordingError, SampleWriter, collecting, message, read_recording, read_samples
from station.devices.replay.description import from_text, to_text
from tests.devices.replay.recordings import CAPABILITIES, bits, made_up, write


def refusal(path: Path, kind: type[DeviceError] = DeviceMismatchError) -> str:
    """Read it in vain; the text of the error, which is one line."""
    with pytest.raises(kind) as caught:
        read_recording(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def by_another(path: Path, compression: CompressionType, samples: list[Sample], topic: str = "/device/sample") -> Path:
    """A file in chunks, as other programs write them, with a channel of its own."""
    with path.open("wb") as file:
        writer = Writer(file, compression=compression, chunk_size=4096)
        writer.start()
        writer.add_metadata("device", {"url": "sim:wand", "capabilities": to_text(CAPABILITIES)})
        schema = writer.register_schema(message.SCHEMA_NAME, "ros1msg", message.SCHEMA)
        words = writer.register_channel("/words", "json", 0)
        channel = writer.register_channel(topic, "ros1", schema)
        for sample in samples:
            writer.add_message(words, 0, b"{}", 0)
            writer.add_message(channel, 0, message.encode(sample), 0)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


def test_samples_come_back_bit_by_bit(tmp_path: Path) -> None:
    samples = made_up()
    path = write(tmp_path / "a.mcap", samples)
    assert [bits(sample) for sample in read_samples(path)] == [bits(sample) for sample in samples]


def test_the_device_is_described(tmp_path: Path) -> None:
    recording = read_recording(write(tmp_path / "a.mcap", made_up(3)))
    assert recording.capabilities == CAPABILITIES
    assert (recording.url, recording.cut_short) == ("sim:wand", False)


def test_other_programs_can_read_it(tmp_path: Path) -> None:
    samples = made_up(20)
    with write(tmp_path / "a.mcap", samples).open("rb") as file:
        messages = list(make_reader(file).iter_messages())
    assert len(messages) == 20
    schema, channel, first = messages[0]
    assert schema is not None
    assert (schema.name, schema.encoding, channel.topic) == ("haptic_station/Sample", "ros1msg", "/device/sample")
    assert first.log_time == round(samples[0].arrival * 1e9)


@pytest.mark.parametrize("compression", CompressionType)
def test_a_file_in_chunks_with_other_channels_is_read_too(tmp_path: Path, compression: CompressionType) -> None:
    samples = made_up()
    path = by_another(tmp_path / "a.mcap", compression, samples)
    assert [bits(sample) for sample in read_samples(path)] == [bits(sample) for sample in samples]


def test_what_was_written_before_a_crash_is_there(tmp_path: Path) -> None:
    samples = made_up(50)
    path = write(tmp_path / "a.mcap", samples)
    end = path.read_bytes().rindex(message.encode(samples[30]))
    path.write_bytes(path.read_bytes()[: end + 100])
    recording = read_recording(path)
    assert recording.cut_short
    assert [bits(recording.sample(index)) for index in range(30)] == [bits(sample) for sample in samples[:30]]
    assert len(recording.samples) == 30


def test_zeros_at_the_end_as_a_power_cut_leaves_them_are_an_end(tmp_path: Path) -> None:
    samples = made_up(10)
    path = write(tmp_path / "a.mcap", samples)
    data = path.read_bytes()
    end = data.rindex(message.encode(samples[-1])) + message.SIZE
    path.write_bytes(data[:end] + bytes(4096))
    recording = read_recording(path)
    assert recording.cut_short
    assert len(recording.samples) == 10


def test_a_flipped_bit_within_a_sample_is_noticed(tmp_path: Path) -> None:
    samples = made_up(10)
    path = write(tmp_path / "a.mcap", samples)
    data = bytearray(path.read_bytes())
    data[data.index(message.encode(samples[4])) + 17] ^= 4
    path.write_bytes(data)
    assert "is damaged after 4 samples" in refusal(path)


def test_files_that_are_no_recordings(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "nothing.mcap", DeviceNotFoundError)
    assert "there is no such file" in refusal(tmp_path, DeviceNotFoundError)
    assert "is empty" in refusal(_file(tmp_path, b""))
    assert "is not an MCAP file" in refusal(_file(tmp_path, b"time,x,y,z\n0,1,2,3\n"))
    assert "no samples of a device on /device/sample" in refusal(write(tmp_path / "b.mcap", []))
    foreign = by_another(tmp_path / "c.mcap", CompressionType.ZSTD, made_up(3), "/camera")
    assert "there are: /camera, /words" in refusal(foreign)
    os.mkfifo(tmp_path / "pipe")
    assert "there is no such file" in refusal(tmp_path / "pipe", DeviceNotFoundError)


def _file(folder: Path, data: bytes) -> Path:
    (folder / "file.mcap").write_bytes(data)
    return folder / "file.mcap"


def test_a_recording_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(message, "SCHEMA", message.SCHEMA + b"float64 heat\n")
        path = write(tmp_path / "a.mcap", made_up(3))
    assert "another version" in refusal(path)


def test_a_recording_that_does_not_say_of_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("station.devices.replay.recording.METADATA", "something")
    assert "does not say which device" in refusal(write(tmp_path / "a.mcap", made_up(3)))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"axes": 5}', "[" * 100_000])
def test_a_description_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("station.devices.replay.recording.to_text", lambda _: text)
    assert "is damaged" in refusal(write(tmp_path / "a.mcap", made_up(3)))


def test_samples_that_are_no_numbers_or_out_of_order_are_refused(tmp_path: Path) -> None:
    samples = made_up(5)
    samples[3] = samples[3]._replace(velocity=np.full(6, np.nan))
    assert "sample 3 is not made of numbers" in refusal(write(tmp_path / "a.mcap", samples))
    samples = made_up(5)
    samples[2], samples[3] = samples[3], samples[2]
    assert "sample 3 came before" in refusal(write(tmp_path / "b.mcap", samples))


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "MOST_SAMPLES", 9)
    assert "there may be 9 samples" in refusal(write(tmp_path / "a.mcap", made_up(10)))


def test_an_old_recording_is_never_written_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mcap", made_up(3))
    for place in (path, tmp_path, tmp_path / "no" / "folder.mcap"):
        with pytest.raises(RecordingError) as caught:
            SampleWriter(place, CAPABILITIES)
        assert "\n" not in str(caught.value)
    assert len(read_recording(path).samples) == 3


def test_a_full_disk_is_told_and_the_file_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *_: open("/dev/full", "wb"))  # noqa: PTH123, SIM115
        writer = SampleWriter(tmp_path / "a.mcap", CAPABILITIES)
    with pytest.raises(RecordingError, match="No space left on device"):
        any(writer.write(sample) for sample in made_up(100))  # type: ignore[func-returns-value] # until it fails
    with pytest.raises(RecordingError, match="No space left on device"):
        writer.flush()
    with pytest.raises(RecordingError, match="No space left on device"):
        writer.close()
    writer.close()


def test_what_has_been_flushed_is_there_while_the_recording_goes_on(tmp_path: Path) -> None:
    samples = made_up(7)
    writer = SampleWriter(tmp_path / "a.mcap", CAPABILITIES)
    for sample in samples:
        writer.write(sample)
    writer.flush()
    recording = read_recording(tmp_path / "a.mcap")
    assert (len(recording.samples), recording.cut_short) == (7, True)
    writer.close()


def test_writing_after_closing_is_refused(tmp_path: Path) -> None:
    writer = SampleWriter(tmp_path / "a.mcap", CAPABILITIES)
    writer.close()
    writer.close()
    with pytest.raises(RecordingError, match="cannot be written"):
        writer.write(made_up(1)[0])


def test_which_button_was_held_to_lead_is_kept_and_older_recordings_do_not_say() -> None:
    told = replace(CAPABILITIES, dead_man=1)
    assert from_text(to_text(told)) == told
    older = json.loads(to_text(told))
    del older["dead_man"]
    assert from_text(json.dumps(older)).dead_man is None


@pytest.mark.parametrize("button", [2, -1, True, "0", 0.0])
def test_a_button_that_the_device_does_not_have_is_no_description(button: object) -> None:
    with pytest.raises(ValueError, match="not the number of a button"):
        from_text(json.dumps(json.loads(to_text(CAPABILITIES)) | {"dead_man": button}))
