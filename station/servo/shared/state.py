"""`SharedState`: everything that the servo shows to other processes. The one source of record, layout and manual.

A new field is one line here. Kernels and the servo fill them by name, `shared.hand_grip`; what readers and recordings
see follows from the order of these lines (see `station.servo.shared.memory`), single numbers as arrays of one. Fields
that are `recorded` are also in the ring of full-rate records, those that are only `shown` are in snapshots. Ages count
from the instant at which a value was true to the instant of the tick; poses are of the followed frame in the world
unless said otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.devices import mapping
from station.haptics import Fault
from station.kernel import Floats1, Floats2, Ints, Ints1, Record, field, kernel
from station.kernel.record import WORD, Declared
from station.mechanism import Status
from station.servo.pacing.state import MEASURES, RESULTS, STAGES, PaceState
from station.servo.shared.words import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    Edit,
    EditState,
    Emulated,
    EpisodeState,
    Event,
    GripperCode,
    LinkMethod,
    Mode,
    ReferenceFrame,
    ServoState,
    Waiting,
)

LAYOUT_VERSION = 1  # grows when the meaning of something changes; any change of the table alone changes its hash

REASON_WORDS = 32  # 256 bytes
TASK_WORDS = 25  # 200 bytes
CAUSES = len(Cause)
NANO = 1e-9  # [s/ns]


class _OnlyShown(Declared):
    """A field that is not in records."""


def recorded(unit: str, text: str, shape: int | str | tuple[int | str, ...] = ()) -> Any:
    """Declare a field of snapshots and records."""
    return field(unit, text, shape=shape)


def shown(unit: str, text: str, shape: int | str | tuple[int | str, ...] = ()) -> Any:
    """Declare a field of snapshots only."""
    return _OnlyShown(*field(unit, text, shape=shape))


class Shown(Record):
    """Fields that others see, as readers have them."""

    not_recorded: ClassVar[frozenset[str]]

    def __init_subclass__(cls) -> None:
        cls.not_recorded = frozenset(name for name, said in vars(cls).items() if isinstance(said, _OnlyShown))
        super().__init_subclass__()

    def view(self, name: str) -> NDArray[np.generic]:
        """A field as an array of whole or real numbers, as readers see it; what is written there is in the record."""
        field = self.fields[name]
        if field.is_array:
            array: NDArray[np.generic] = getattr(self, name)
            return array
        one = self._memory[field.offset : field.offset + WORD]
        return one.view(np.float64 if field.form == "f8" else np.int64)

    @property
    def words(self) -> Ints:
        """All of its memory."""
        return self._memory.view(np.int64)


class SharedState(Shown):
    """The servo's own fields: filled at leisure, then published at one stroke."""

    # When.
    tick: int = recorded("", "number of the tick, from 1; skipped ones are not counted here")
    time: float = recorded("s", "instant of the tick by the servo's clock")
    wall_time: float = recorded("s", "the same as time of the day, since 1970")
    # How it is doing.
    state: ServoState = recorded("", "of the supervisor: `ServoState`")
    cause: Event = recorded("", "what led to this state: `Event`")
    fault: Event = recorded("", "the same while the state is FAULT, else 0")
    waiting: Waiting = recorded("", "what is missing until the hand moves the robot: `Waiting`")
    device_status: DeviceCode = recorded("", "how the device is doing: `DeviceCode`")
    controller_status: ControllerCode = recorded("", "how the controller is doing: `ControllerCode`")
    solver_status: Status = recorded("", "of the solver's step: `Status`")
    haptics_fault: Fault = recorded("", "why there is no force, as bits: `Fault` of the forces")
    engagement: mapping.Mode = recorded(
        "", "whether the hand moves the robot, and if not, what is missing: `Mode` of the mapping"
    )
    disengaged_by: mapping.Cause = recorded("", "why it last ceased to: `Cause` of the mapping")
    acting: Acting = recorded("", "limits that hold something back: `Acting`")
    emulated: Emulated = recorded("", "what is not real: `Emulated`")
    mode: Mode = recorded("", "how the hand moves the target: `Mode`")
    reference_frame: ReferenceFrame = recorded("", "in whose axes: `ReferenceFrame`")
    followed_frame: int = recorded("", "number of the frame that follows the hand")
    leads: bool = recorded("", "1 while its device leads this frame, 0 while that leads another, or nothing")
    clutched: bool = recorded("", "1 while the hand moves without moving the target")
    dead_man: bool = recorded("", "1 while the dead-man is held")
    force_enabled: bool = recorded("", "1 while the device lets forces through")
    # The hand.
    hand_pose: Floats2 = recorded("m", "of the handle, in the frame of the device", shape=(4, 4))
    hand_velocity: Floats1 = recorded("m/s, rad/s", "of the handle, in the frame of the device", shape=6)
    hand_buttons: int = recorded("", "bit i: button i is down")
    hand_grip: float = recorded("", "how far the grip is closed, 0 to 1")
    hand_age: float = recorded("s", "of the newest sample")
    hand_sequence: int = recorded("", "of the newest sample, counted by the device")
    hand_lost: int = recorded("", "samples that never arrived")
    target_pose: Floats2 = recorded("m", "where the hand wants the followed frame", shape=(4, 4))
    # The robot.
    predicted_q: Floats1 = recorded("rad or m", "joints of the robot that obeys at once", shape="n")
    predicted_v: Floats1 = recorded("rad/s or m/s", "their speeds", shape="n")
    predicted_pose: Floats2 = recorded("m", "where they put the followed frame", shape=(4, 4))
    predicted_age: float = recorded("s", "of the target that they follow")
    commanded_q: Floats1 = recorded("rad or m", "joints last sent to the controller", shape="n")
    commanded_pose: Floats2 = recorded("m", "where they put the followed frame", shape=(4, 4))
    commanded_age: float = recorded("s", "since they were sent")
    measured_q: Floats1 = recorded("rad or m", "joints as the controller reports them", shape="n")
    measured_v: Floats1 = recorded("rad/s or m/s", "their speeds", shape="n")
    measured_pose: Floats2 = recorded("m", "where they put the followed frame", shape=(4, 4))
    measured_wrench: Floats1 = recorded("N, N·m", "on the tool, in the world; not a number: not measured", shape=6)
    measured_age: float = recorded("s", "of the newest measurement, its way over the link included once that is known")
    link_round_trip: float = shown(
        "s", "from a setpoint to the first measurement that knows of it; not a number: not known"
    )
    link_lost: int = shown("", "measurements that never arrived")
    measured_effort: Floats1 = shown(
        "N·m or N", "of the arm's motors, some times in a second; not a number: not measured", shape="n"
    )
    measured_temperature: Floats1 = shown("°C", "of the arm's drives; not a number: not measured", shape="n")
    reflection_method: LinkMethod = recorded("", "what keeps the link to the arm passive: `LinkMethod`")
    reflection_status: BilateralStatus = recorded(
        "", "how the reflection of contact is doing, as bits: `BilateralStatus`"
    )
    reflection_energy: float = recorded("J", "that reflected contact may give to the hand now")
    joint_acting: Ints1 = recorded(
        "", "-1 at its lower stop, 1 at its upper stop, 2 at its speed limit, else 0", shape="n"
    )
    joint_locked: Ints1 = recorded("", "1 while it is locked, 2 while something pushes against that, else 0", shape="n")
    singularity: float = recorded(
        "", "how far from a singularity: least over largest gain of the followed frame, 0 there"
    )
    obstacle_distance: float = recorded("m", "of the nearest obstacle; huge if there is none near")
    slow_down: float = recorded("", "what obstacles leave of the speed, 0 to 1")
    # The gripper, as the process that leads it says.
    gripper_status: GripperCode = recorded("", "how the gripper is doing: `GripperCode`")
    gripper_width: float = recorded("m", "between the fingers; not a number: not known")
    gripper_command: float = recorded("m", "width that it was last asked for; not a number: none yet")
    gripper_detected: bool = recorded("", "1 while the fingers have met something before they were there")
    gripper_time: float = recorded("s", "when it said so, by the servo's clock")
    # The force on the hand.
    wrench: Floats1 = recorded("N, N·m", "sent to the device, in its frame", shape=6)
    wrench_wanted: Floats1 = recorded("N, N·m", "before passivity and limits", shape=6)
    wrench_parts: Floats2 = recorded("N, N·m", "by `Cause`; they add up to `wrench`", shape=(CAUSES, 6))
    # Energy.
    energy_rendered: float = recorded("J", "that went from the hand into the forces")
    energy_dissipated: float = recorded("J", "that the device's own damping and friction surely took")
    energy_available: float = recorded("J", "that may be given back to the hand")
    energy_potential: float = recorded("J", "that springs hold")
    energy_lowest: float = recorded(
        "J", "least of rendered and dissipated together so far; below 0, energy was generated"
    )
    energy_parts: Floats1 = recorded("J", "that went from the hand into each `Cause`", shape=CAUSES)
    passivity_ratio: float = recorded("", "part of the force that the method of stability lets through")
    # Time.
    spent: Floats1 = recorded("s", "in the tick before this one, by `Measure`", shape=MEASURES)
    away: float = recorded(
        "s", "in the tick before this one, off the processor: what is left of its time is its own work"
    )
    late_ticks: int = recorded("", "that ended after the next should have begun")
    skipped_ticks: int = recorded("", "left out, as the one before was not over")
    late_by_stage: Ints1 = shown("", "late ticks by the `Stage` that exceeded its usual time most", shape=STAGES)
    late_waiting: int = shown("", "late ticks rather kept waiting for a processor than busy for long")
    percentiles: Floats2 = shown(
        "s", "p50, p90, p99, p99.9, largest, in the last window, by `Measure`", shape=(MEASURES, RESULTS)
    )
    # Episodes.
    episode: int = recorded("", "number of the newest episode, from 1; 0: none yet")
    episode_state: EpisodeState = recorded("", "whether it goes on, and how it ended: `EpisodeState`")
    episode_task: Ints1 = shown("", "what it is about: UTF-8, ends with a zero", shape=TASK_WORDS)
    # What was changed in the run: the newest.
    edit: int = recorded("", "changes so far: one more in the tick in which one begins")
    edit_kind: Edit = recorded("", "what is changed: `Edit`")
    edit_of: int = recorded("", "number of the obstacle, joint or constraint, id of the link or frame")
    edit_numbers: Floats1 = recorded(
        "m, rad",
        "pose of the obstacle, 1 for locked, six that place the link or frame: where it goes; "
        "of a constraint 1 for on, then number of the robot and id, twice, and its axes as bits",
        shape=12,
    )
    edit_gap: Floats1 = recorded("m, rad", "how far the newest constraint is still open", shape=2)
    edited_kind: Edit = recorded("", "one of all that were changed, as it is now; another one now and then: `Edit`")
    edited_of: int = recorded("", "its number or id, as in `edit_of`")
    edited_numbers: Floats1 = recorded("m, rad", "where it is, as in `edit_numbers`", shape=12)
    constraints_on: int = recorded("", "which loops of the robot hold, as bits: those of the file, then those added")
    edit_state: EditState = recorded("", "whether all changes are done: `EditState`")
    # What is set.
    period: float = shown("s", "between two ticks")
    scale: float = shown("", "motion of the target over motion of the hand")
    gains: Floats1 = shown("", "of each `Cause`, 1 as designed, 0 off", shape=CAUSES)
    reason: Ints1 = shown("", "why device or controller are not ready: UTF-8, ends with a zero", shape=REASON_WORDS)
    # Commands.
    commands_accepted: int = shown("", "since the start")
    commands_refused: int = shown("", "well formed, but not possible at that moment")
    commands_malformed: int = shown("", "that made no sense")


class Field(NamedTuple):
    """One value or array of values, as readers see it."""

    whole: bool  # int64, else float64
    shape: tuple[str | int, ...]  # "n" is the number of joints; of a single value 1
    unit: str  # "" for plain numbers
    meaning: str
    recorded: bool


FIELDS: Mapping[str, Field] = {
    name: Field(one.form != "f8", one.shape or (1,), one.unit, one.text, name not in SharedState.not_recorded)
    for name, one in SharedState.fields.items()
}


def table_hash() -> int:
    """Another number for any other table."""
    text = repr([(name, field.whole, field.shape, field.unit, field.recorded) for name, field in FIELDS.items()])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


@kernel
def fill_timing(shared: SharedState, pace: PaceState) -> None:
    """Times of the clockwork: `period`, `spent`, `percentiles` and the counts of late ticks."""
    shared.period = pace.period * NANO
    shared.late_ticks, shared.skipped_ticks = pace.late, pace.skipped
    shared.away = pace.away * NANO
    shared.late_waiting = pace.late_waiting
    for stage in range(STAGES):
        shared.late_by_stage[stage] = pace.causes[stage]
    for measure in range(MEASURES):
        shared.spent[measure] = pace.spent[measure] * NANO
        for place in range(RESULTS):
            shared.percentiles[measure, place] = pace.summary[measure, place] * NANO
