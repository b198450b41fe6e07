"""Poses that a robot may be measured at: within its stops, loops closed, touching neither itself nor anything else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.errors import DataError
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel, tool_poses
from calibration.geometry.settings import GeometrySettings
from calibration.information import Information
from calibration.loop_room import FROM_STOPS, LoopRoom
from calibration.parameters import Floats
from station.collision import Surroundings
from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError
from station.tasks.task.joints import OPEN, driven_joints, whole_path

CLEARANCE = 0.01  # from everything [m]: the robot is not as its file says
TRIES = 20  # per candidate
STRIDES = 33  # in which a robot with loops is led to one


def candidate_joints(
    mechanism: Mechanism,
    surroundings: Surroundings | None,
    count: int,
    within: float = np.pi / 2.0,
    seed: int = 0,
    along: float = np.inf,
) -> Floats:
    """Values of the driven joints (count, driven) [rad | m], the same for the same seed; a DataError if there are few.

    Args:
        mechanism: the nominal robot, where it stands now; it is moved and put back.
        surroundings: what must not be touched.
        count: how many.
        within: so far from where it stands, each joint that turns [rad].
        seed: of the drawing of lots.
        along: so far from where it stands, each joint that slides [m].
    """
    random, active, start = np.random.default_rng([seed, 6]), driven_joints(mechanism), mechanism.q
    low, high = _ranges(mechanism, active, within, along)
    room = LoopRoom(mechanism)
    found: list[Floats] = []
    try:
        for _ in range(TRIES * count):
            at = _led(mechanism, room, start, random.uniform(low, high))
            if at is None or (at[active] < low).any() or (at[active] > high).any():
                continue
            if surroundings is not None and not surroundings.clear_along(at, at, clearance=CLEARANCE).clear:
                continue
            found.append(at[active])
            if len(found) == count:
                break
    finally:
        mechanism.q = start
    if len(found) < max(4, count // 10):
        raise DataError(
            f"only {len(found)} of {TRIES * count} poses are free; allow more than {np.degrees(within):.0f}°"
        )
    return np.array(found)


def _led(mechanism: Mechanism, room: LoopRoom, start: Floats, goal: Floats) -> Floats | None:
    """All joints where the driven ones are led to a goal; None where the loops leave no room for that.

    Led straight from the start, so that the loops stay assembled as they are. A robot with more drives than freedoms
    goes to the nearest place where its loops are closed.
    """
    mechanism.q, active = start, driven_joints(mechanism)
    if not mechanism.report.closure_rows or len(active) > mechanism.mobility:
        whole = start.copy()
        whole[active] = goal
        try:
            mechanism.q = whole
        except MechanismError:
            return None
        return mechanism.q
    path, gaps = whole_path(mechanism, np.linspace(start[active], goal, STRIDES))
    return None if gaps.max() > OPEN or room.trouble(path) else path[-1]


def _ranges(mechanism: Mechanism, active: list[int], within: float, along: float) -> tuple[Floats, Floats]:
    low, high = [], []
    for number in active:
        joint, at = mechanism.joints[number], float(mechanism.q[number])
        turns = joint.type is JointType.REVOLUTE
        least, most = joint.limits or ((-np.pi, np.pi) if turns else (at - 0.1, at + 0.1))
        margin = FROM_STOPS * (most - least)
        least, most = least + margin, most - margin
        at = min(max(at, least), most)
        far = within if turns else along
        low.append(max(least, at - far))
        high.append(min(most, at + far))
    return np.array(low), np.array(high)


def information_of(
    mechanism: Mechanism,
    frame: int,
    joints: Floats,
    noise: tuple[float, float],
    settings: GeometrySettings,
    *,
    turns: bool,
    encoders: tuple[int, ...] = (),
) -> Information:
    """What poses (n, driven) would tell about a robot.

    Args:
        mechanism: the nominal robot.
        frame: id of the frame that is measured.
        joints: values of the driven joints [rad | m].
        noise: standard deviations of measured positions and turns [m, rad].
        settings: what is estimated.
        turns: whether full poses are measured.
        encoders: links whose values count, where loops make the others follow; all driven ones if empty.
    """
    known = [mechanism.joints[number].id for number in driven_joints(mechanism)]
    encoders = encoders or tuple(known)
    joints = joints[:, columns_of(known, encoders)]
    poses = tool_poses(mechanism.robot, frame, encoders, joints)
    data = ToolMeasurements(
        encoders=encoders,
        joints=joints,
        positions=poses[:, :3, 3],
        rotations=poses[:, :3, :3] if turns else None,
        position_noise=noise[0],
        rotation_noise=noise[1],
    )
    return Information(GeometryModel(mechanism.robot, frame, data, settings))


def columns_of(known: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Where some links stand among those that were taken down; a DataError for one that was not."""
    missing = [name for name in wanted if name not in known]
    if missing:
        raise DataError(f"joint {missing[0]} was not taken down; there are: {', '.join(map(str, known))}")
    return [list(known).index(name) for name in wanted]
