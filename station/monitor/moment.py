"""`Moment`: what the dashboard shows, as plain numbers; made from the newest snapshot and what was collected."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from station.monitor.bench import Bench, event_words, readable, what_next, word_of, words_of
from station.monitor.columns import clean, force, torque, tracking_error
from station.monitor.run import ROUTINE
from station.servo.pacing import Measure, Stage
from station.servo.shared import (
    Acting,
    Cause,
    ControllerCode,
    DeviceCode,
    Emulated,
    EpisodeState,
    GripperCode,
    ServoState,
    Snapshot,
    Waiting,
)
from station.servo.shared.words import DEAD_MAN, naming_button, to_engage

SILENT_AFTER = 0.5  # without a publication for this long, a servo counts as silent [s]
GRIPPER_SILENT_AFTER = 1.0  # without a word of it [s]

MISSING = {
    Waiting.NOTHING: "",
    Waiting.DEVICE: "waits for the device",
    Waiting.ARM: "waits for the arm",
    Waiting.START: "the arm is starting",
    Waiting.RELEASE: "let go of the dead-man, then hold it",
    Waiting.PRESS: to_engage(DEAD_MAN),
    Waiting.ENGAGE: "waits for the command to engage",
    Waiting.RESET: "waits for a reset",
    Waiting.CAUSE: "the cause must go first",
    Waiting.PARTNER: "waits for another hand or arm that it depends on",
}


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One picture of a run."""

    bench: Bench
    snapshot: Snapshot
    alive: bool
    silent: float  # since the last publication [s]
    now: float  # since the start of the run [s]
    records: int
    lost: int
    restarts: int
    generated: float  # energy since the start [J]
    scale: float  # of the force bars [N]
    seen: frozenset[Cause]  # causes that were felt so far
    steal: float  # 0 to 1
    said: str  # what a person should read now; empty if nothing
    signs: tuple[str, ...]  # of the arm's force sensor, in words

    def whole(self, name: str) -> int:
        """A field that is one whole number."""
        return int(getattr(self.snapshot, name)[0])

    def real(self, name: str) -> float:
        """A field that is one real number."""
        return float(getattr(self.snapshot, name)[0])

    @property
    def state(self) -> ServoState | None:
        """Of the supervisor; None for a number that is none."""
        code = self.whole("state")
        return ServoState(code) if code in ServoState._value2member_map_ else None

    @property
    def headline(self) -> tuple[str, str]:
        """What matters most: a word, and the cause or what to do."""
        if not self.alive:
            return "SERVO ENDED", "this was its last state"
        if self.silent > SILENT_AFTER:
            return "SERVO SILENT", f"no tick for {self.silent:.1f} s"
        if self.state is None:
            return "UNKNOWN", f"state {self.whole('state')}"
        return self.state.name, self._hint(self.state)

    def _hint(self, state: ServoState) -> str:
        if state is ServoState.ENGAGED and self.whole("clutched"):
            return "clutch: the hand moves alone"
        if state in (ServoState.READY, ServoState.OFF) and self.missing:
            return self.missing
        return event_words(self.whole("cause"))

    @property
    def missing(self) -> str:
        """What is missing until the hand moves the robot."""
        code = self.whole("waiting")
        if code == Waiting.PRESS:
            return to_engage(self.bench.dead_man)
        words = MISSING[Waiting(code)] if code in MISSING else f"waits for {code}"
        return naming_button(words, self.bench.dead_man)

    @property
    def what_next(self) -> str:
        """What the operator does about a fault or a hold."""
        stopped = self.alive and self.state in (ServoState.FAULT, ServoState.HOLD)
        return what_next(self.whole("cause"), self.bench.dead_man) if stopped else ""

    @property
    def reason(self) -> str:
        """What device and arm say of the trouble that there is, or warn of while the hand leads; else empty."""
        troubled = self.state is ServoState.FAULT or self.whole("cause") not in ROUTINE
        waits, leads = self.whole("waiting") in (Waiting.DEVICE, Waiting.ARM), self.state is ServoState.ENGAGED
        return self.snapshot.reason_text if self.alive and (troubled or waits or leads) else ""

    @property
    def emulated(self) -> list[str]:
        """What is not real."""
        return words_of(Emulated, self.whole("emulated"))

    @property
    def acting(self) -> list[str]:
        """Limits that hold something back."""
        return words_of(Acting, self.whole("acting"))

    @property
    def device(self) -> str:
        """How the device is doing."""
        return word_of(DeviceCode, self.whole("device_status"))

    @property
    def controller(self) -> str:
        """How the controller is doing."""
        return word_of(ControllerCode, self.whole("controller_status"))

    @property
    def gripper(self) -> str:
        """How the gripper is doing, in words; empty if there is none."""
        status = word_of(GripperCode, self.whole("gripper_status"))
        if self.whole("gripper_status") == GripperCode.NONE:
            return ""
        if self.real("time") - self.real("gripper_time") > GRIPPER_SILENT_AFTER:
            return "silent"
        width, wanted = (1e3 * self.real(name) for name in ("gripper_width", "gripper_command"))
        asked = f" of {wanted:.1f}" if math.isfinite(wanted) else ""
        met = ", object detected" if self.whole("gripper_detected") else ""
        return f"{status}  {width:.1f}{asked} mm{met}" if math.isfinite(width) else status

    @property
    def episode(self) -> str:
        """The newest episode in words; empty if there is none."""
        if not self.whole("episode"):
            return ""
        task = self.snapshot.task_text
        state = word_of(EpisodeState, self.whole("episode_state"))
        return f"{self.whole('episode')} {state}" + (f": {task}" if task else "")

    @property
    def error(self) -> tuple[float, float]:
        """Between target and predicted pose [m, rad]."""
        target, reached = clean(self.snapshot.target_pose), clean(self.snapshot.predicted_pose)
        apart, angle = tracking_error(target[None], reached[None])[0]
        return float(apart), float(angle)

    @property
    def force(self) -> float:
        """On the hand [N]."""
        return float(force(clean(self.snapshot.wrench)))

    @property
    def torque(self) -> float:
        """On the hand [N·m]."""
        return float(torque(clean(self.snapshot.wrench)))

    @property
    def parts(self) -> dict[Cause, float]:
        """Force by cause [N]."""
        return dict(zip(Cause, force(clean(self.snapshot.wrench_parts)).tolist(), strict=True))

    @property
    def strongest(self) -> str:
        """The cause that pushes most; empty if none does."""
        cause, size = max(self.parts.items(), key=lambda item: np.nan_to_num(item[1]))
        return readable(cause.name) if size > 0.0 else ""

    def percentile(self, measure: Measure, place: int) -> float:
        """Of the last window [s]: place 0 is p50, 2 is p99, 4 the largest; nan if nothing was measured."""
        value = float(self.snapshot.percentiles[measure, place])
        return value if value > 0.0 else math.nan

    @property
    def rate(self) -> float:
        """Of the servo [Hz]."""
        period = self.real("period")
        return 1.0 / period if period > 0.0 else math.nan

    @property
    def latency(self) -> float:
        """Hand to force, p50 [periods]."""
        return self.percentile(Measure.LATENCY, 0) * self.rate

    @property
    def late_by_stage(self) -> dict[str, int]:
        """Late ticks, for stages that had any; the worst first."""
        counts = self.snapshot.late_by_stage
        worst_first = sorted(Stage, key=lambda stage: -counts[stage])
        return {readable(stage.name): int(counts[stage]) for stage in worst_first if counts[stage]}
