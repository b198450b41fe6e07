"""`Applied`: a calibration that is in use, told so that what was recorded with it can be interpreted later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from station.mad.scene import Calibrated, Robot

SHORT = 16  # letters of a hash that people are shown


class Applied(NamedTuple):
    """Which result of which file is in use, and of what it is."""

    part: str  # what it corrects: "force sensor", "robot ur5e", "frame fixture"
    result: str  # id of the result
    method: str = ""  # such as "robot geometry"
    file: str = ""  # of results
    subject: str = ""  # what it belongs to: "serial number SN-7", "MAD file 983d…"
    date: str = ""  # ISO 8601
    data: str = ""  # SHA-256 of the measurements

    @property
    def name(self) -> str:
        """What tells it from others that are in use."""
        return self.part if self.method in ("", self.part) else f"{self.part}, {self.method}"

    @property
    def text(self) -> str:
        """For a person, on one line."""
        what, _, whose = self.subject.rpartition(" ")
        subject = f"{what} {whose[:SHORT]}".strip()
        parts = [Path(self.file).name, f"result {self.result[:SHORT]}", self.date[:10], subject]
        return f"calibrated {self.name}: {', '.join(part for part in parts if part)}"

    @property
    def told(self) -> dict[str, str]:
        """As JSON can hold it; what is not known is left out."""
        return {key: value for key, value in self._asdict().items() if value}

    @classmethod
    def from_told(cls, told: Any) -> Applied:
        """From what `told` gave; a ValueError if it is something else."""
        if not isinstance(told, Mapping) or not {"part", "result"} <= set(told) <= set(cls._fields):
            raise ValueError
        return cls(**{key: str(value) for key, value in told.items()})


def applied_in(robot: Robot) -> tuple[Applied, ...]:
    """The calibrations that the file of a robot has in it: of its dimensions, and of cameras that it carries."""
    return tuple(_noted(robot))


def _noted(robot: Robot) -> Iterator[Applied]:
    if robot.calibrated is not None:
        yield _of(f"robot {robot.name}", robot.calibrated)
    for camera in robot.cameras:
        for note in camera.calibrated:
            yield _of(f"camera {camera.name or camera.id}", note)


def _of(part: str, note: Calibrated) -> Applied:
    subject = f"serial number {note.serial}" if note.serial else f"MAD file {note.nominal}" if note.nominal else ""
    return Applied(part, note.result, note.method or "", note.file or "", subject, note.date or "", note.data or "")
