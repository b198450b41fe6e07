"""Where measured numbers come from."""

from __future__ import annotations

from dataclasses import dataclass

from station.mad.scene.values import Item
from station.mad.schema import Text, entry


@dataclass(frozen=True, kw_only=True)
class Calibrated(Item):
    """Which calibration measured the numbers beside it; `station calibrate apply` and `mount` write it."""

    result: str = entry("result", Text(), "id of the calibration's result", since=2)
    nominal: str | None = entry("nominal", Text(), "hash of the geometry that was corrected", default=None, since=2)
    serial: str | None = entry(
        "serial",
        Text(),
        "serial number of the arm or camera it is good for: another arm is refused",
        default=None,
        since=2,
    )
    method: str | None = entry("method", Text(), "what was calibrated", default=None, since=2)
    file: str | None = entry("file", Text(), "file of results it was taken from", default=None, since=2)
    date: str | None = entry("date", Text(), "when it was estimated", default=None, since=2)
    data: str | None = entry("data", Text(), "hash of the measurements", default=None, since=2)
