"""What the driver keeps of a session: numbers that go on over the next one, and how long the link takes."""

from __future__ import annotations

import numpy as np

from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from station.devices.device import Sample

REMEMBERED = 256  # commands whose time of sending is known


class Numbering:
    """Sequence and time of samples go on where an earlier session ended, though the device begins again at 0."""

    def __init__(self) -> None:
        self._before: Sample | None = None  # the last sample, of whatever session
        self._first_number, self._first_time = 0, 0.0
        self._new_session = True

    def begin_session(self) -> None:
        """The device counts anew."""
        self._new_session = True

    def continued(self, sample: Sample) -> Sample:
        """The sample, numbered and timed as if there were one long session."""
        before = self._before
        if before is not None and self._new_session:
            self._first_number = before.sequence + 1 - sample.sequence
            self._first_time = before.device_time + (sample.arrival - before.arrival) - sample.device_time
        self._new_session = False
        if self._first_number or self._first_time:
            sample = sample._replace(
                sequence=sample.sequence + self._first_number, device_time=sample.device_time + self._first_time
            )
        self._before = sample
        return sample


class RoundTrip:
    """From a command to the sample that answers it, without the time that the device had it: the link, both ways."""

    def __init__(self) -> None:
        self.seconds = 0.0  # as last measured [s]
        self._asked = 0.0  # when the handshake began [s]
        self._sent_at = np.zeros(REMEMBERED)  # [s]
        self._newest = 0
        self._echo = -1

    def asked(self, now: float) -> None:
        """The handshake begins at `now` [s]."""
        self._asked = now

    def answered(self, now: float) -> None:
        """The device has answered the handshake at `now` [s]."""
        self.seconds = now - self._asked

    def sent(self, sequence: int, now: float) -> None:
        """A command was sent at `now` [s]."""
        self._sent_at[sequence % REMEMBERED] = now
        self._newest = sequence

    def echoed(self, sequence: int, age: int, now: float) -> None:
        """At `now` [s] came a sample that was made `age` [µs] after the device had this command."""
        known = (self._newest - sequence) & 0xFFFF < REMEMBERED and age != AGE_UNKNOWN
        if known and sequence != self._echo:
            self.seconds = now - float(self._sent_at[sequence % REMEMBERED]) - 1e-6 * age
            self._echo = sequence
