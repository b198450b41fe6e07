"""From the records of an MCAP file to the samples of a device, all of them checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mcap.records import Channel, Message, Metadata, Schema

from station.devices.device import Capabilities
from station.devices.errors import DeviceMismatchError
from station.devices.replay import message
from station.devices.replay.description import from_text

TOPIC = "/device/sample"
METADATA = "device"
MOST_TOPICS = 100  # that are remembered, to be named in a message
MOST_SAMPLES = 4_000_000  # more than an hour at 1 kHz; they are held in memory: 220 bytes each


class Collected:
    """What has been read so far; every method raises a DeviceMismatchError of one line."""

    def __init__(self, path: Path, part: str = "") -> None:
        self._path = path
        self._topic = f"/{part}{TOPIC}" if part else TOPIC
        self._metadata = f"{part}/{METADATA}" if part else METADATA
        self._schemas: dict[int, bool] = {}  # by number: whether it is that of samples; the text may be of any length
        self.channels: set[int] = set()  # those with samples
        self._topics: set[str] = set()
        self._about: dict[str, str] | None = None
        self._data = bytearray()

    @property
    def _count(self) -> int:
        return len(self._data) // message.SIZE

    def damaged(self, why: str) -> DeviceMismatchError:
        """For the person, on one line: the text comes from a library."""
        return DeviceMismatchError(
            f"{self._path} is damaged after {self._count} samples: {' '.join(why.split())[:200]}"
        )

    def take(self, record: object) -> None:
        """One more record."""
        if isinstance(record, Message):
            if record.channel_id in self.channels:
                self._take_sample(record.data)
        elif isinstance(record, Schema):
            self._schemas[record.id] = (record.name, record.data) == (message.SCHEMA_NAME, message.SCHEMA)
        elif isinstance(record, Metadata) and record.name == self._metadata:
            self._about = record.metadata
        elif isinstance(record, Channel):
            self._take_channel(record)

    def _take_sample(self, data: bytes) -> None:
        if not message.is_whole(data):
            raise self.damaged("a sample that is not what its checksum says")
        if self._count >= MOST_SAMPLES:
            raise DeviceMismatchError(f"{self._path} is too long: there may be {MOST_SAMPLES} samples")
        self._data += data

    def _take_channel(self, channel: Channel) -> None:
        self.channels.discard(channel.id)
        if channel.topic != self._topic:
            if len(self._topics) < MOST_TOPICS:
                self._topics.add(channel.topic[:40])
            return
        if not self._schemas.get(channel.schema_id):
            raise DeviceMismatchError(
                f"{self._path}: its samples are of another program, or of another version of this"
            )
        self.channels.add(channel.id)

    def checked(self, cut_short: bool) -> tuple[str, Capabilities, message.Samples]:
        """The address of the device, what it can do, and all samples, once there are no more records."""
        if not self._data:
            others = ", ".join(sorted(self._topics)[:5])
            there = f"; there are: {others}" if others.isprintable() and others else ""
            end = "; the file is cut short" if cut_short else ""
            raise DeviceMismatchError(f"{self._path} has no samples of a device on {self._topic}{there}{end}")
        if self._about is None:
            raise DeviceMismatchError(f"{self._path} does not say which device was recorded")
        try:
            capabilities = from_text(self._about.get("capabilities", ""))
        except ValueError as error:
            raise self.damaged(str(error)) from None
        samples = message.decode_all(self._data)
        self._check(samples)
        return self._about.get("url", ""), capabilities, samples

    def _check(self, samples: message.Samples) -> None:
        finite = np.isfinite(samples["arrival"]) & np.isfinite(samples["device_time"]) & np.isfinite(samples["grip"])
        finite &= np.isfinite(samples["pose"]).all(axis=(1, 2)) & np.isfinite(samples["velocity"]).all(axis=1)
        if not finite.all():
            raise DeviceMismatchError(f"{self._path}: sample {int(np.argmin(finite))} is not made of numbers")
        late = np.diff(samples["arrival"]) < 0.0
        if late.any():
            raise DeviceMismatchError(f"{self._path}: sample {int(np.argmax(late)) + 1} came before the one before it")
