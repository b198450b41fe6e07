"""The link of a haptic device, timed by its samples: no hand, no force, nothing has to move.

A device with a clock of its own, which tells with each sample which command it heard last and when (syntaxer): offset,
drift and ways as for an arm, see `clocks`. Its latency from a command to the current that flows is found by currents
that jump to and fro (`calibration.syntaxer.latency`), which is sharper than any motion of the handle.

A device without a clock (Falcon) is asked and answers: a sample is stamped when it was asked for, by the station's
clock. There is no offset and no drift; how long answers take is told.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.leading import SensorLostError
from calibration.parameters import Floats
from calibration.timing.clocks import Clocks, HeldUp, check_rising, compare_clocks
from calibration.timing.link import LOOKS, SWEEP
from calibration.timing.sampling import Sampling, beat_of, messages_of, sampling_of
from station.clock import Clock, Exchange
from station.devices import Device, DeviceStatus
from station.devices.device import NO_WRENCH

SECONDS = 10.0  # that it is listened to [s]
FEWEST = 200  # samples
FASTEST = 1000.0  # rate at which a device is asked [Hz]


class DeviceHeard(NamedTuple):
    """What a device said."""

    told: Floats  # times of its samples, by its own clock, or when they were asked for [s]
    arrival: Floats  # by the station's clock, after they were read [s]
    exchanged: list[Exchange]  # empty: it has no clock

    @property
    def hash(self) -> str:
        """Of all of it."""
        numbers = [self.told, self.arrival, np.array(self.exchanged, dtype=np.float64).ravel()]
        return hashlib.sha256(b"".join(part.astype("<f8").tobytes() for part in numbers)).hexdigest()


class DeviceTiming(NamedTuple):
    """When things happen on the link of a device."""

    clock: Clocks | None  # of the device against the station's; None: it has none
    sampling: Sampling | None  # when it samples, by the station's clock; None: at uneven times, or when it is asked
    measured: float  # from a sample to the station, at least [s]
    held_up: HeldUp  # beyond that
    fixed: tuple[str, ...]  # what cannot be told, and why

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "clock": None if self.clock is None else self.clock.data(),
            "sampling": None if self.sampling is None else self.sampling._asdict(),
            "measured": self.measured,
            "held_up": self.held_up._asdict(),
            "fixed": list(self.fixed),
        }


def listen(device: Device, clock: Clock, seconds: float = SECONDS) -> DeviceHeard:
    """Take samples for so long [s] and send commands without force; a SensorLostError if the device is lost."""
    told: list[float] = []
    arrival: list[float] = []
    exchanged: list[Exchange] = []
    look = (1.0 + SWEEP) / min(device.capabilities.rate, FASTEST) / LOOKS
    due = clock.now()
    end, number = due + seconds, 0
    while clock.now() < end:
        due = max(due + look, clock.now())
        clock.sleep_until(due)
        sample = device.newest()
        now = clock.now()
        if device.status is not DeviceStatus.READY:
            raise SensorLostError(f"{device.reason or f'{device.url}: {device.status}'}; see to it, then time it again")
        if sample is not None:
            told.append(sample.device_time)
            arrival.append(now)
            exchange = device.exchange
            if exchange is not None and (not exchanged or exchange.sent != exchanged[-1].sent):
                exchanged.append(exchange)
        if number % LOOKS == 0:
            device.command(NO_WRENCH)
        number += 1
    return DeviceHeard(np.array(told), np.array(arrival), exchanged)


def device_timing(heard: DeviceHeard) -> DeviceTiming:
    """Clock, ways and sampling of a device; a DataError for too few samples or a clock that jumps."""
    told, arrival, exchanged = heard
    if len(told) < FEWEST:
        raise DataError(f"{len(told)} samples; at least {FEWEST} are needed: listen for longer")
    check_rising(told)
    fresh = np.concatenate([[True], np.diff(told) > 0.0])
    told, arrival = told[fresh], arrival[fresh]
    if not exchanged:
        late = arrival - told
        least = float(late.min())
        held = HeldUp(float(np.median(late)) - least, float(np.quantile(late, 0.99)) - least)
        why = "the device has no clock of its own"
        return DeviceTiming(None, None, least, held, (f"clock: {why}", f"sampling phase: {why}, it samples when asked"))
    beat = beat_of(told)
    clock = compare_clocks(messages_of([one for one in exchanged if one.sent >= arrival[0]], told, arrival, beat))
    sampling = None if beat is None else sampling_of(beat, clock)
    fixed = [f"offset: beyond {1e3 * clock.asymmetry:.3f} ms it cannot be told apart from unlike ways there and back"]
    if sampling is None or not sampling.sure:
        fixed.append("sampling phase: " + ("samples are uneven" if sampling is None else "the offset leaves it open"))
    return DeviceTiming(clock, sampling, 0.5 * clock.trip, clock.held_up, tuple(fixed))
