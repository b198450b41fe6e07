"""The arrays that a tick works on, in one table: a kernel needs its address only, and `at.name(mem)` is the array.

Mapping and forces own theirs; the rest belongs to the tick. Frames of reference: `hand_…` is in the axes of the device,
`frame_…` is of the followed frame in the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.controllers.supervisor.kernels import layout as supervisor
from station.devices.mapping.kernels import layout as mapping
from station.haptics.kernels import layout as haptics
from station.mechanism.kernels.memory import Field

_ENTRY = 4  # whole numbers per field: address and up to three sizes, as `view_of` reads them


def _real(*shape: str | int) -> Field:
    return Field(False, shape)


# n joints.
FIELDS: Mapping[str, Field] = {
    # Owned by others.
    "supervisor_state": _real(supervisor.STATE_SIZE),
    "supervisor_settings": _real(supervisor.SETTINGS_SIZE),
    "supervisor_inputs": _real(supervisor.INPUTS_SIZE),
    "supervisor_outputs": _real(supervisor.OUTPUTS_SIZE),
    "mapping_state": _real(mapping.STATE_SIZE),
    "mapping_settings": _real(mapping.SETTINGS_SIZE),
    "target": _real(4, 4),  # where the hand wants the followed frame [m]
    "haptics_state": _real(haptics.STATE_SIZE),
    "haptics_settings": _real(2 * haptics.SETTINGS_SIZE),
    "haptics_guides": _real(haptics.MOST_GUIDES, haptics.GUIDE_SIZE),
    "haptics_inputs": _real(haptics.INPUTS_SIZE),
    "wrench": _real(6),  # on the hand [N, N·m]
    # The newest sample.
    "sample_pose": _real(4, 4),
    "sample_velocity": _real(6),
    # The robot.
    "camera": _real(4, 4),  # of the view
    "frame_pose": _real(4, 4),  # predicted [m]
    "frame_twist": _real(6),  # predicted [m/s, rad/s]
    "joint_targets": _real("n"),  # for mode JOINTS [rad | m]
    "measured_wrench": _real(6),  # on the tool, in the world [N, N·m]
    "felt_wrench": _real(6),  # the same at the hand
    # What the robot means for the hand.
    "straight_back": _real(3, 3),  # hand motion per motion of the target: inverse of the mapping's, 0 where locked
    "turning_back": _real(3, 3),
    "normal": _real(3, 3),  # scratch
    # How joints move with the followed frame.
    "jacobian": _real(6, "n"),  # rows of rotation times the mechanism's length
    "spread": _real("n", 6),  # motion of each joint per motion of the frame [rad/m, …]
    "reduced": _real(6, "n"),
    "metric": _real("n", "n"),
    "metric_factor": _real("n", "n"),
    "gram": _real(6, 6),
    "gram_factor": _real(6, 6),
    "column": _real("m"),  # scratch: m = n or 6, whichever is larger
    "trial_q": _real("n"),
    "trial_pose": _real(4, 4),
    "gradient": _real(6),  # scratch
    # Obstacles near by: distance [m], normal away from it, point of the robot [m], the body that has it; world.
    "obstacles": _real(haptics.MOST_OBSTACLES, 8),
    "world_guides": _real(haptics.MOST_GUIDES, haptics.GUIDE_SIZE),  # guides in the world; row by row as the others
    "memory": _real("memory"),  # single numbers that live from tick to tick: below
}

# Places in `memory`.
LAST_VELOCITY = 0  # 3: of the hand [m/s]
ACCELERATION = 3  # 3: of the hand, filtered [m/s²]
SINGULARITY = 6  # measure at the last look
SINGULARITY_GRADIENT = 7  # 6: by motion of the followed frame [1/m, 1/rad]
LOOK = 13  # which direction is looked at next
LAST_ENGAGEMENT = 14  # mode of the mapping in the tick before
LAST_LIMITED = 15  # whether a stop held something back in the tick before
LAST_LINK = 16  # whether the arm side answered in the tick before
CUE_WANTED = 17  # a cue that somebody outside asks for; 0: none
SOLVER_STATUS, POSITION_ERROR, ROTATION_ERROR, CONDITION, GAVE_WAY = 18, 19, 20, 21, 22
NEAREST = 23  # obstacle [m]
CONTINUED = 24  # 1: the step before followed the same frame
LAST_MODE = 25  # position or rate, or joints
CONTACTS = 26  # half-spaces that the solver keeps out of
OBSTACLES = 47  # rows that are filled
CUE_PAUSE = 27  # time until a limit may be told again [s]
STRETCH = 28  # 6: from proxy to hand while the hand moves the robot, kept afterwards [m, rad]
FRAME = 34  # number of the followed frame
AXES = 35  # bits of its axes that count
FIRST_RANK = 36  # of the rows that are followed first
FULL_RANK = 37  # of all its rows
PLACE_FIRST = 38  # 1: its place counts before its orientation, as the robot cannot have both
MODE = 39  # how the hand moves the target, as `Mode` of shared state
ARRIVAL = 40  # of the newest sample [s]
BUTTONS = 41  # of the newest sample, as bits
DEAD_MAN_BUTTON = 42  # which button; -1: none
HELD_UNTIL = 43  # for devices without such a button: until when a client holds it, unless it says so again [s]
CLUTCH = 44  # 1: the hand is uncoupled by command
ENGAGEMENT = 45  # mode of the mapping
TASKS = 46  # for the solver
MEASURED_AGE = 48  # of the arm's measurement [s]; NEVER: there is none
STARTER_UNTIL = 49  # until when who started the servo counts as there, unless it gives a sign [s]
MEMORY = 50

NOTHING_NEAR = 1e6  # distance where there is no obstacle [m]
NEVER = 1e6  # age of what was never there [s]


def numbers_of(array: NDArray[np.float64]) -> memoryview[float]:
    """The same numbers: single ones are reached faster so than by the array."""
    return memoryview(array.data).cast("B").cast("d")


class ServoMemory:
    """All arrays of a tick; every field is an attribute. `mem` is the address that kernels use."""

    def __init__(self, joints: int, **owned: NDArray[np.float64]) -> None:
        sizes = {"n": joints, "m": max(joints, 6), "memory": MEMORY}
        self._table = np.ones((len(FIELDS), _ENTRY), np.int64)
        for entry, (name, field) in zip(self._table, FIELDS.items(), strict=True):
            shape = tuple(sizes[size] if isinstance(size, str) else int(size) for size in field.shape)
            array = owned.pop(name, None)
            if array is None:
                array = np.zeros(shape)
            if array.shape != shape or not array.flags.c_contiguous or array.dtype != np.float64:
                raise ValueError(f"{name}: an array of {shape} real numbers in one piece, not {array.shape}")
            entry[0], entry[1 : 1 + len(shape)] = array.ctypes.data, shape
            setattr(self, name, array)
        if owned:
            raise ValueError(f"no such fields: {', '.join(owned)}")
        self.mem: int = self._table.ctypes.data

    def __getattr__(self, name: str) -> Any:  # only for type checkers: fields are set in the constructor
        raise AttributeError(name)
