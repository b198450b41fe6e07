"""The hand as `replay:` plays it: each sample of the device once, in the format of `station.devices.replay`."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from station.devices.replay import message
from station.devices.replay.collecting import METADATA, TOPIC
from station.servo.shared import DeviceCode
from station.servo.shared.memory import Layout, Words
from station.tasks.recording.abilities import abilities_of
from station.tasks.recording.chunk import Times
from station.tasks.recording.parts import ALONE, PartPlace
from station.tasks.recording.writing import Writer


class Samples:
    """Finds new samples in records, and writes them.

    Args:
        writer: of the recording.
        layout: of the records.
        text: what the servo says of itself; without the capabilities of its device there is nothing to replay.
        place: where the part is in the file.
    """

    def __init__(self, writer: Writer, layout: Layout, text: Mapping[str, Any], place: PartPlace = ALONE) -> None:
        self._layout = layout
        self._writer = writer
        self._last = -1  # sequence number
        self._arrived = 0.0  # [s]
        capabilities = abilities_of(text)
        self._channel: int | None = None
        if capabilities:
            told = {"url": str(text.get("device", "")), "capabilities": capabilities}
            writer.metadata(place.metadata(METADATA), told)
            schema, encoding = message.SCHEMA_NAME, message.SCHEMA_ENCODING
            self._channel = writer.foreign_channel(
                place.channel(TOPIC), schema, encoding, message.SCHEMA, message.MESSAGE_ENCODING, {}
            )

    @property
    def written(self) -> int:
        """Samples that are in the file."""
        return 0 if self._channel is None else self._writer.count(self._channel)

    def add(self, rows: Words, times: Times) -> None:
        """The samples that were new in these records."""
        if self._channel is None or not len(rows):
            return
        sequence = self._field(rows, "hand_sequence")[:, 0]
        new = np.diff(sequence, prepend=self._last) != 0
        new &= self._field(rows, "device_status")[:, 0] == DeviceCode.READY
        self._last = int(sequence[-1])
        if not new.any():
            return
        chosen = rows[new]
        samples = np.zeros(len(chosen), message.LAYOUT)
        arrival = self._field(chosen, "time")[:, 0] - np.maximum(self._field(chosen, "hand_age")[:, 0], 0.0)
        arrival = np.maximum(np.maximum.accumulate(arrival), self._arrived)  # by an estimate of the link, it may jump
        self._arrived = float(arrival[-1])
        samples["pose"] = self._field(chosen, "hand_pose").reshape(-1, 4, 4)
        samples["velocity"] = self._field(chosen, "hand_velocity")
        samples["buttons"] = self._field(chosen, "hand_buttons")[:, 0].view(np.uint64)
        samples["grip"] = self._field(chosen, "hand_grip")[:, 0]
        samples["device_time"] = samples["arrival"] = arrival
        samples["sequence"] = self._field(chosen, "hand_sequence")[:, 0]
        finite = np.isfinite(samples["pose"]).all(axis=(1, 2)) & np.isfinite(samples["velocity"]).all(axis=1)
        samples, when = samples[finite], times[new][finite]
        data, size = memoryview(samples.tobytes()), message.SIZE
        samples["check"] = [zlib.crc32(data[at : at + size - 4]) for at in range(0, len(data), size)]
        self._writer.foreign_table(self._channel, when, samples)

    def _field(self, rows: Words, name: str) -> np.ndarray[Any, Any]:
        place = self._layout.by_name[name]
        part = np.ascontiguousarray(rows[:, place.start : place.end])
        return part if place.field.whole else part.view(np.float64)
