"""`FIELDS`: everything that the servo shows to other processes. The one source of layout, classes and manual.

A new field is one line here, and one in `at.py`. Fields marked as recorded are also in the ring of full-rate records.
Ages count from the instant at which a value was true to the instant of the tick; poses are of the followed frame in the
world unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from station.servo.pacing.stages import PERCENTILES, Measure, Stage
from station.servo.shared.words import Cause

LAYOUT_VERSION = 1  # grows when the meaning of something changes; any change of the table alone changes its hash

REASON_WORDS = 32  # 256 bytes
TASK_WORDS = 25  # 200 bytes
CAUSES, STAGES, MEASURES, RESULTS = len(Cause), len(Stage), len(Measure), len(PERCENTILES) + 1


class Field(NamedTuple):
    """One value or array of values."""

    whole: bool  # int64, else float64
    shape: tuple[str | int, ...]  # "n" is the number of joints
    unit: str  # "" for plain numbers
    meaning: str
    recorded: bool


def _real(unit: str, meaning: str, *shape: str | int, recorded: bool = True) -> Field:
    return Field(False, shape or (1,), unit, meaning, recorded)


def _whole(meaning: str, *shape: str | int, recorded: bool = True) -> Field:
    return Field(True, shape or (1,), "", meaning, recorded)


FIELDS: Mapping[str, Field] = {
    # When.
    "tick": _whole("number of the tick, from 1; skipped ones are not counted here"),
    "time": _real("s", "instant of the tick by the servo's clock"),
    "wall_time": _real("s", "the same as time of the day, since 1970"),
    # How it is doing.
    "state": _whole("of the supervisor: `ServoState`"),
    "cause": _whole("what led to this state: `Event`"),
    "fault": _whole("the same while the state is FAULT, else 0"),
    "waiting": _whole("what is missing until the hand moves the robot: `Waiting`"),
    "device_status": _whole("how the device is doing: `DeviceCode`"),
    "controller_status": _whole("how the controller is doing: `ControllerCode`"),
    "solver_status": _whole("of the solver's step: `Status`"),
    "haptics_fault": _whole("why there is no force, as bits: `Fault` of the forces"),
    "engagement": _whole("whether the hand moves the robot, and if not, what is missing: `Mode` of the mapping"),
    "disengaged_by": _whole("why it last ceased to: `Cause` of the mapping"),
    "acting": _whole("limits that hold something back: `Acting`"),
    "emulated": _whole("what is not real: `Emulated`"),
    "mode": _whole("how the hand moves the target: `Mode`"),
    "reference_frame": _whole("in whose axes: `ReferenceFrame`"),
    "followed_frame": _whole("number of the frame that follows the hand"),
    "clutched": _whole("1 while the hand moves without moving the target"),
    "dead_man": _whole("1 while the dead-man is held"),
    "force_enabled": _whole("1 while the device lets forces through"),
    # The hand.
    "hand_pose": _real("m", "of the handle, in the frame of the device", 4, 4),
    "hand_velocity": _real("m/s, rad/s", "of the handle, in the frame of the device", 6),
    "hand_buttons": _whole("bit i: button i is down"),
    "hand_grip": _real("", "how far the grip is closed, 0 to 1"),
    "hand_age": _real("s", "of the newest sample"),
    "hand_sequence": _whole("of the newest sample, counted by the device"),
    "hand_lost": _whole("samples that never arrived"),
    "target_pose": _real("m", "where the hand wants the followed frame", 4, 4),
    # The robot.
    "predicted_q": _real("rad or m", "joints of the robot that obeys at once", "n"),
    "predicted_v": _real("rad/s or m/s", "their speeds", "n"),
    "predicted_pose": _real("m", "where they put the followed frame", 4, 4),
    "predicted_age": _real("s", "of the target that they follow"),
    "commanded_q": _real("rad or m", "joints last sent to the controller", "n"),
    "commanded_pose": _real("m", "where they put the followed frame", 4, 4),
    "commanded_age": _real("s", "since they were sent"),
    "measured_q": _real("rad or m", "joints as the controller reports them", "n"),
    "measured_v": _real("rad/s or m/s", "their speeds", "n"),
    "measured_pose": _real("m", "where they put the followed frame", 4, 4),
    "measured_wrench": _real("N, N·m", "on the tool, in the world; not a number: not measured", 6),
    "measured_age": _real("s", "of the newest measurement, its way over the link included once that is known"),
    "link_round_trip": _real(
        "s", "from a setpoint to the first measurement that knows of it; not a number: not known", recorded=False
    ),
    "link_lost": _whole("measurements that never arrived", recorded=False),
    "measured_effort": _real(
        "N·m or N", "of the arm's motors, some times in a second; not a number: not measured", "n", recorded=False
    ),
    "measured_temperature": _real("°C", "of the arm's drives; not a number: not measured", "n", recorded=False),
    "reflection_method": _whole("what keeps the link to the arm passive: `LinkMethod`"),
    "reflection_status": _whole("how the reflection of contact is doing, as bits: `BilateralStatus`"),
    "reflection_energy": _real("J", "that reflected contact may give to the hand now"),
    "joint_acting": _whole("-1 at its lower stop, 1 at its upper stop, 2 at its speed limit, else 0", "n"),
    "singularity": _real("", "how far from a singularity: least over largest gain of the followed frame, 0 there"),
    "obstacle_distance": _real("m", "of the nearest obstacle; huge if there is none near"),
    "slow_down": _real("", "what obstacles leave of the speed, 0 to 1"),
    # The gripper, as the process that leads it says.
    "gripper_status": _whole("how the gripper is doing: `GripperCode`"),
    "gripper_width": _real("m", "between the fingers; not a number: not known"),
    "gripper_command": _real("m", "width that it was last asked for; not a number: none yet"),
    "gripper_detected": _whole("1 while the fingers have met something before they were there"),
    "gripper_time": _real("s", "when it said so, by the servo's clock"),
    # The force on the hand.
    "wrench": _real("N, N·m", "sent to the device, in its frame", 6),
    "wrench_wanted": _real("N, N·m", "before passivity and limits", 6),
    "wrench_parts": _real("N, N·m", "by `Cause`; they add up to `wrench`", CAUSES, 6),
    # Energy.
    "energy_rendered": _real("J", "that went from the hand into the forces"),
    "energy_dissipated": _real("J", "that the device's own damping and friction surely took"),
    "energy_available": _real("J", "that may be given back to the hand"),
    "energy_potential": _real("J", "that springs hold"),
    "energy_lowest": _real("J", "least of rendered and dissipated together so far; below 0, energy was generated"),
    "energy_parts": _real("J", "that went from the hand into each `Cause`", CAUSES),
    "passivity_ratio": _real("", "part of the force that the method of stability lets through"),
    # Time.
    "spent": _real("s", "in the tick before this one, by `Measure`", MEASURES),
    "away": _real("s", "in the tick before this one, off the processor: what is left of its time is its own work"),
    "late_ticks": _whole("that ended after the next should have begun"),
    "skipped_ticks": _whole("left out, as the one before was not over"),
    "late_by_stage": _whole("late ticks by the `Stage` that exceeded its usual time most", STAGES, recorded=False),
    "late_waiting": _whole("late ticks rather kept waiting for a processor than busy for long", recorded=False),
    "percentiles": _real(
        "s", "p50, p90, p99, p99.9, largest, in the last window, by `Measure`", MEASURES, RESULTS, recorded=False
    ),
    # Episodes.
    "episode": _whole("number of the newest episode, from 1; 0: none yet"),
    "episode_state": _whole("whether it goes on, and how it ended: `EpisodeState`"),
    "episode_task": _whole("what it is about: UTF-8, ends with a zero", TASK_WORDS, recorded=False),
    # What is set.
    "period": _real("s", "between two ticks", recorded=False),
    "scale": _real("", "motion of the target over motion of the hand", recorded=False),
    "gains": _real("", "of each `Cause`, 1 as designed, 0 off", CAUSES, recorded=False),
    "reason": _whole("why device or controller are not ready: UTF-8, ends with a zero", REASON_WORDS, recorded=False),
    # Commands.
    "commands_accepted": _whole("since the start", recorded=False),
    "commands_refused": _whole("well formed, but not possible at that moment", recorded=False),
    "commands_malformed": _whole("that made no sense", recorded=False),
}
