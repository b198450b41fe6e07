"""How device, arm, servo and this view are connected: what is measured, and what is not."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from station.servo.pacing import Measure
from station.servo.shared import ControllerCode, DeviceCode, Emulated, EpisodeState, GripperCode, Snapshot
from station.view.moment import NEVER, Moment

WINDOW = 2.0  # over which rates are taken [s]
NOT_MEASURED = "not measured"
GOOD = {"READY", "ACTIVE", "NONE", "FOLLOWING"}


class Health(NamedTuple):
    """One end of the station."""

    name: str
    where: str  # address, model
    status: str
    is_good: bool
    is_emulated: bool
    lines: tuple[tuple[str, str], ...]  # what, and how much


class Rates:
    """Samples, measurements and ticks in a second, from the records of the last two."""

    def __init__(self) -> None:
        self._spans: deque[tuple[float, int, int, int]] = deque()  # time [s], samples, measurements, ticks
        self._last: tuple[float, int, float] | None = None  # time, sequence, age in the newest row
        self._epoch = 0

    def take(self, moment: Moment) -> None:
        """The ticks of a moment."""
        if moment.epoch != self._epoch:
            self._epoch, self._last = moment.epoch, None
            self._spans.clear()
        if moment.snapshot is None or not moment.fresh or not len(moment.records):
            return
        times, ages = moment.recorded("time")[:, 0], moment.recorded("measured_age")[:, 0]
        sequence = int(moment.recorded("hand_sequence")[-1, 0])
        if self._last is not None and not moment.lost:
            begin, first, age = self._last
            # Without anything new an age grows as time does.
            grown, passed = np.diff(ages, prepend=age), np.diff(times, prepend=begin)
            came = int(np.count_nonzero((grown < 0.5 * passed) & (ages < NEVER)))
            self._spans.append((float(times[-1]) - begin, sequence - first, came, len(times)))
        self._last = (float(times[-1]), sequence, float(ages[-1]))
        while len(self._spans) > 1 and sum(span[0] for span in self._spans) > WINDOW:
            self._spans.popleft()

    def per_second(self, which: int) -> float:
        """Samples (1), measurements (2) or ticks (3) in a second; nan if it is not known yet."""
        seconds = sum(span[0] for span in self._spans)
        return sum(span[which] for span in self._spans) / seconds if seconds > 0.0 else math.nan


def healths(moment: Moment, rates: Rates) -> list[Health]:
    """Device, arm, gripper if there is one, and servo of a moment."""
    snapshot = moment.snapshot
    if snapshot is None:
        return []
    gripper = [_gripper(snapshot)] if int(snapshot.gripper_status[0]) != GripperCode.NONE else []
    return [_device(moment, snapshot, rates), _arm(moment, snapshot, rates), *gripper, _servo(moment, snapshot, rates)]


def _device(moment: Moment, snapshot: Snapshot, rates: Rates) -> Health:
    status = _word(DeviceCode, int(snapshot.device_status[0]))
    lines = (
        ("age of the newest sample", milliseconds(float(snapshot.hand_age[0]))),
        ("samples", rate_words(rates.per_second(1))),
        ("lost", f"{int(snapshot.hand_lost[0])} samples"),
        ("from hand to force", milliseconds(float(snapshot.spent[Measure.LATENCY]))),
    )
    text = moment.text
    names = [str(text.get(name) or "") for name in ("device_model", "device_serial_number")]
    where = ", ".join(name for name in (" ".join(names).strip(), address_words(text.get("device"))) if name)
    return Health("Device", where, status, status in GOOD, _is(snapshot, Emulated.DEVICE), lines)


def _arm(moment: Moment, snapshot: Snapshot, rates: Rates) -> Health:
    status = _word(ControllerCode, int(snapshot.controller_status[0]))
    if status == "NONE":
        return Health("Arm", "none: the predicted robot alone", status, True, False, ())
    lines = (
        ("age of the newest measurement", milliseconds(float(snapshot.measured_age[0]))),
        ("measurements", rate_words(rates.per_second(2))),
        ("lost", f"{int(snapshot.link_lost[0])} measurements"),
        ("round trip", milliseconds(float(snapshot.link_round_trip[0]))),
        ("last setpoint sent", milliseconds(float(snapshot.commanded_age[0]), " ago")),
    )
    where = address_words(moment.text.get("controller"))
    return Health("Arm", where, status, status in GOOD, _is(snapshot, Emulated.CONTROLLER), lines)


def _gripper(snapshot: Snapshot) -> Health:
    status = _word(GripperCode, int(snapshot.gripper_status[0]))
    lines = (
        ("width", millimetres(float(snapshot.gripper_width[0]))),
        ("width asked for", millimetres(float(snapshot.gripper_command[0]))),
        ("object detected", "yes" if int(snapshot.gripper_detected[0]) else "no"),
        ("heard from it", milliseconds(float(snapshot.time[0] - snapshot.gripper_time[0]), " ago")),
    )
    return Health("Gripper", "", status, status in GOOD, _is(snapshot, Emulated.GRIPPER), lines)


def _episode(snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """The newest episode, if there is one."""
    if not int(snapshot.episode[0]):
        return ()
    task = f": {snapshot.task_text}" if snapshot.task_text else ""
    word = _word(EpisodeState, int(snapshot.episode_state[0])).lower()
    return (("episode", f"{int(snapshot.episode[0])} {word}{task}"),)


def _servo(moment: Moment, snapshot: Snapshot, rates: Rates) -> Health:
    late, skipped = int(snapshot.late_ticks[0]), int(snapshot.skipped_ticks[0])
    lines = (
        ("heard from it", milliseconds(moment.silence, " ago")),
        ("ticks", rate_words(rates.per_second(3))),
        ("late, skipped", f"{late}, {skipped} of {int(snapshot.tick[0])}"),
        ("orders", f"{int(snapshot.commands_accepted[0])} done, {int(snapshot.commands_refused[0])} refused"),
        *_episode(snapshot),
    )
    rate = moment.text.get("rate")
    where = f"{rate:g} Hz, {moment.text.get('method', '')}" if isinstance(rate, int | float) else ""
    name = moment.link.name
    return Health("Servo", where, name, name in GOOD, bool(snapshot.emulated[0]), lines)


def milliseconds(seconds: float, after: str = "") -> str:
    """A time in words; what was never there is not zero."""
    if not (math.isfinite(seconds) and 0.0 <= seconds < NEVER):
        return NOT_MEASURED
    return (f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s") + after


def millimetres(metres: float) -> str:
    """A length in words; one that is not known is not zero."""
    return f"{1e3 * metres:.1f} mm" if math.isfinite(metres) else NOT_MEASURED


def rate_words(per_second: float) -> str:
    """A rate in words."""
    return f"{per_second:.0f} in a second" if math.isfinite(per_second) else NOT_MEASURED


def address_words(url: object) -> str:
    """An address without its options, which can be long."""
    return str(url or "").partition("?")[0]


def _word(kind: type[DeviceCode | ControllerCode | GripperCode | EpisodeState], value: int) -> str:
    try:
        return kind(value).name
    except ValueError:
        return f"UNKNOWN {value}"


def _is(snapshot: Snapshot, part: Emulated) -> bool:
    return bool(int(snapshot.emulated[0]) & part.value)
