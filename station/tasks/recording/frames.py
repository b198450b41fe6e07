"""Poses as Foxglove's 3D panel draws them: messages `foxglove.FrameTransforms`, some twenty in each second.

For looking only: the poses of every tick are in their own channels.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from station.servo.shared.memory import Layout, Words
from station.tasks.recording.chunk import Times
from station.tasks.recording.parts import ALONE, PartPlace
from station.tasks.recording.writing import Writer

FRAMES = "/frames"
SCHEMA_NAME = "foxglove.FrameTransforms"  # by which Foxglove knows what it is
WORLD, DEVICE = "world", "device"
SHOWN = {  # field: frame and its parent
    "target_pose": ("target", WORLD),
    "predicted_pose": ("predicted", WORLD),
    "commanded_pose": ("commanded", WORLD),
    "measured_pose": ("measured", WORLD),
    "hand_pose": ("hand", DEVICE),
}
PERIOD = 40_000_000  # between two messages [ns]


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_NUMBER, _WORD, _WHOLE = {"type": "number"}, {"type": "string"}, {"type": "integer", "minimum": 0}
_TRANSFORM = _object(
    timestamp={**_object(sec=_WHOLE, nsec=_WHOLE), "title": "time"},
    parent_frame_id=_WORD,
    child_frame_id=_WORD,
    translation=_object(x=_NUMBER, y=_NUMBER, z=_NUMBER),
    rotation=_object(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER),
)
SCHEMA = {**_object(transforms={"type": "array", "items": _TRANSFORM}), "title": SCHEMA_NAME}


class Frames:
    """Writes poses from records, thinned."""

    def __init__(self, writer: Writer, layout: Layout, place: PartPlace = ALONE) -> None:
        self._writer = writer
        self._before = place.metadata("")  # of the frames of further parts, such as "right/"
        self._places = {name: layout.by_name[name] for name in SHOWN}
        self._due = 0  # [ns]
        self._channel = writer.foreign_channel(
            place.channel(FRAMES), SCHEMA_NAME, "jsonschema", json.dumps(SCHEMA).encode(), "json", {}
        )

    def add(self, rows: Words, times: Times) -> None:
        """Those of these records that are due."""
        for row, time_ns in zip(rows, times.tolist(), strict=True):
            if time_ns >= self._due:
                self._due = time_ns + PERIOD
                self._write(row, time_ns)

    def _write(self, row: Words, time_ns: int) -> None:
        stamp = {"sec": time_ns // 1_000_000_000, "nsec": time_ns % 1_000_000_000}
        transforms = []
        for name, (child, parent) in SHOWN.items():
            pose = np.asarray(self._places[name].view(row), np.float64)
            if not np.isfinite(pose).all() or not np.linalg.det(pose[:3, :3]) > 0.5:  # nothing was measured yet
                continue
            x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat().tolist()
            transforms.append(
                {
                    "timestamp": stamp,
                    "parent_frame_id": parent if parent == WORLD else self._before + parent,
                    "child_frame_id": self._before + child,
                    "translation": dict(zip("xyz", pose[:3, 3].tolist(), strict=True)),
                    "rotation": {"x": x, "y": y, "z": z, "w": w},
                }
            )
        self._writer.foreign_message(self._channel, time_ns, json.dumps({"transforms": transforms}).encode())
