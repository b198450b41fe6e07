"""`replay:FILE.mcap`: a recorded hand, at its own times. Options: `speed=0.5` (0.01 to 100), `loop=yes`.

It begins with the first look at it. Samples are as they were recorded, except for what playing means: `arrival` is when
they come now; at another speed `device_time` and `velocity` fit that speed; and from one lap to the next `device_time`
and `sequence` go on.

A recording cannot be pushed: its axes are those of the recorded device, but not actuated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from station.clock import Clock
from station.devices.address import Address
from station.devices.device import LOST_AFTER, DeviceStatus, Floats, PassiveDevice, Sample
from station.devices.errors import AddressError, DeviceMismatchError
from station.devices.registry import Found
from station.devices.replay.description import without_force
from station.devices.replay.recording import Recording, read_recording

SPEEDS = (0.01, 100.0)
MISSED = 3.0  # samples in a row that a slow device may miss before it counts as silent
CLOSE, CLOSE_TURN = 0.002, math.radians(2.0)  # a lap that ends so near its beginning goes on without a break [m, rad]
ROUNDING = 1e-9  # so that a sample of 1 ms is due after 1 ms of added-up time steps [s]


class ReplayDevice(PassiveDevice):
    """Plays a recording by the clock it is given."""

    def __init__(self, url: str, clock: Clock, recording: Recording, speed: float = 1.0, loop: bool = False) -> None:
        self.url = url
        self.clock = clock
        self.recording = recording
        self.capabilities = without_force(recording.capabilities)
        self._speed = speed
        self._loop = loop
        self._status, self._reason = DeviceStatus.READY, ""  # its first sample is there as soon as somebody looks
        self._begin: float | None = None  # when the first lap began [s]
        self._seen = (0, -1)  # lap and place of the newest sample that was looked at
        samples = recording.samples
        self._due: Floats = (samples["arrival"] - samples["arrival"][0]) / speed  # since the beginning of a lap [s]
        times: Floats = samples["device_time"]
        self._device_times = times if speed == 1.0 else times[0] + (times - times[0]) / speed
        # Silence is judged by the time of the recording: slow motion is not silence.
        self._patience = max(LOST_AFTER, MISSED / self.capabilities.rate) / min(speed, 1.0)  # [s]
        self._lap = float(self._due[-1]) + self._seam()  # [s]

    def newest(self) -> Sample | None:
        """The newest sample that is due and has not been returned yet; None and LOST at the end."""
        if self._status is DeviceStatus.CLOSED:
            return None
        now = self.clock.now()
        if self._begin is None:
            self._begin = now
        lap, elapsed = self._where(now - self._begin)
        place = int(np.searchsorted(self._due, elapsed + ROUNDING, side="right")) - 1
        age = elapsed - float(self._due[place])
        fresh, self._seen = (lap, place) != self._seen, (lap, place)
        if age > self._patience:
            fresh = False
            self._lose(self._why_silent(place, age))
        elif fresh:
            self._status, self._reason = DeviceStatus.READY, ""
        elif place == len(self._due) - 1 and age > 0.0 and not self._loop:
            self._lose(self._ended())
        return self._sample(lap, place, now) if fresh else None

    def close(self) -> None:
        """Play no more."""
        self._status, self._reason = DeviceStatus.CLOSED, "closed"

    def _where(self, elapsed: float) -> tuple[int, float]:
        """Lap, and time since it began [s]."""
        if not self._loop:
            return 0, elapsed
        lap = int((elapsed + ROUNDING) // self._lap)
        return lap, max(elapsed - lap * self._lap, 0.0)

    def _sample(self, lap: int, place: int, now: float) -> Sample:
        sample = self.recording.sample(place)
        counts = self.recording.samples["sequence"]
        begin = now if self._begin is None else self._begin
        return sample._replace(
            velocity=sample.velocity * self._speed,
            device_time=float(self._device_times[place]) + lap * self._device_lap,
            arrival=min(begin + lap * self._lap + float(self._due[place]), now),
            sequence=sample.sequence + lap * int(counts[-1] - counts[0] + 1),
        )

    @property
    def _device_lap(self) -> float:
        """By how much the device's own clock goes on from lap to lap [s]."""
        return float(self._device_times[-1] - self._device_times[0]) + self._lap - float(self._due[-1])

    def _seam(self) -> float:
        """Time from the last sample to the first of the next lap [s].

        A hand that ends elsewhere than it began would jump there, so the device is lost in between, as one that was
        unplugged and comes back in another place.
        """
        count = len(self._due)
        usual = float(self._due[-1]) / (count - 1) if count > 1 else 0.0
        first, last = self.recording.sample(0).pose, self.recording.sample(count - 1).pose
        turn = (np.trace(first[:3, :3].T @ last[:3, :3]) - 1.0) / 2.0
        closes = math.dist(first[:3, 3], last[:3, 3]) <= CLOSE and turn >= math.cos(CLOSE_TURN)
        if closes:
            return usual or 1.0 / (self.capabilities.rate * self._speed)
        return 2.0 * self._patience + usual

    def _lose(self, reason: str) -> None:
        self._status, self._reason = DeviceStatus.LOST, reason

    def _why_silent(self, place: int, age: float) -> str:
        if place < len(self._due) - 1:
            return f"{self.url}: no sample in the recording for {1000.0 * age:.0f} ms"
        return f"{self.url}: the recording begins again" if self._loop else self._ended()

    def _ended(self) -> str:
        note = f"; the file is cut short after {len(self._due)} samples" if self.recording.cut_short else ""
        return f"{self.url}: the recording has ended{note}"


class Replays:
    """The scheme `replay:`."""

    def open(self, address: Address, clock: Clock) -> ReplayDevice:
        """Open a recording, or raise what recording.py says."""
        address.allow(("speed", "loop", "cut", "part"))
        if not address.place:
            raise AddressError(f"{address.url}: name the file, for example replay:run.mcap")
        speed = address.number("speed", 1.0, *SPEEDS)
        loop = address.choice("loop", "no", ("yes", "no")) == "yes"
        recording = read_recording(Path(address.place).expanduser(), address.options.get("part", ""))
        if recording.cut_short and address.choice("cut", "no", ("yes", "no")) == "no":  # half of a motion is no motion
            raise DeviceMismatchError(
                f"{recording.path}: cut short after {len(recording.samples)} samples; make a run's file whole with: "
                f"station recover, or play what there is with ?cut=yes"
            )
        return ReplayDevice(address.url, clock, recording, speed, loop)

    def find(self) -> Iterable[Found]:
        """Recordings are files, and files are not looked for."""
        return ()


SCHEME = Replays()
