"""What a servo process is to do: handed over as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from station.bilateral import Architecture, BilateralMethod
from station.devices.parameter import check, parameter
from station.errors import StationError
from station.haptics import Method
from station.json_reader import parse_json
from station.servo.pacing.realtime import PRIORITY
from station.servo.rig import Wanted

PATIENT = ("sim:syntaxer", "sim:magellan", "sim:spaceball", "sim:mouse3d")  # whose hands can wait for the servo


class PlacedError(StationError, RuntimeError):
    """What is wrong with a device or a controller, behind the place where its address was said."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """All that a servo process needs to know."""

    file: str  # of the scene
    devices: dict[str, str]  # URLs, by the names of the file
    controllers: dict[str, str] = field(default_factory=dict)  # URLs, by names of robots; none: predicted alone
    places: dict[str, str] = field(default_factory=dict)  # where they were said: by `device 1`, `controller left`
    wait: float = parameter(0.0, "how long to wait for a controller that is not there yet", "s", 0.0, 86400.0)
    wanted: Wanted = field(default_factory=Wanted)
    seconds: float = parameter(1e9, "how long to run", "s", 0.0, 1e9)
    spin: float = parameter(0.0, "time before a tick in which the clock is watched instead of sleeping", "s", 0.0, 1e-3)
    priority: int = parameter(PRIORITY, "of real-time scheduling; 0: ordinary", "", 0, 99)
    core: int = parameter(-1, "the only processor to run on; -1: any", "", -1, 4095)
    name: str = ""  # of the servo among those that run; its process number if empty
    follows: bool = False  # this is to prepare for; the same with the addresses of emulators follows

    def __post_init__(self) -> None:
        check(self)

    def to_line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self))

    @contextmanager
    def placed(self, what: str, name: str) -> Iterator[None]:
        """What goes wrong with a device or a controller is told with the place where its address was said."""
        try:
            yield
        except StationError as error:
            place = self.places.get(f"{what} {name}")
            if place is None:
                raise
            raise PlacedError(f"{place}: {error}") from None

    @classmethod
    def from_line(cls, line: str) -> Job:
        """From one line of JSON."""
        values = parse_json(line, "a job of the servo")
        wanted = values.pop("wanted")
        for name, kind in (("method", Method), ("bilateral", BilateralMethod), ("architecture", Architecture)):
            wanted[name] = kind(wanted[name]) if wanted[name] else None
        return cls(wanted=Wanted(**wanted), **values)


def device_url(job: Job, name: str) -> str:
    """The address with the rate asked for, where the device has one to choose; an emulated hand waits until it runs."""
    url = job.devices[name]
    if url.startswith(PATIENT) and "patient=" not in url:
        url = _with(url, "patient=1")
    chooses = url.startswith(("serial:", "sim:syntaxer")) and "rate=" not in url
    return _with(url, f"rate={job.wanted.rate:g}") if chooses and "device=" not in url else url


def _with(url: str, option: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{option}"
