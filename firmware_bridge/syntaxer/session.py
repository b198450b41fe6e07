"""What the driver keeps of a session: numbers that go on over the next one."""

from __future__ import annotations

from station.devices.device import Sample


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
