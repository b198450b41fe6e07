"""Collect for hand-eye: an arm goes to stations around a pose, and a camera takes a picture at each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import find_board
from calibration.camera.opencv import opencv
from calibration.camera.source import take, without_password
from calibration.collection import Collection, Tell, collect, read_collection
from calibration.errors import DataError, WrongDeviceError
from calibration.hand_eye.linear import HandEye
from calibration.hand_eye.refine import HandEyeModel, small_pose
from calibration.information import Information
from calibration.opening import OpenArm
from calibration.origin import origin
from calibration.parameters import Floats
from calibration.results import Subject
from station.mechanism import Status
from station.tasks.task.joints import driven_joints

CANDIDATES, TRIES, FEWEST = 60, 400, 10  # stations to choose from
BEFORE = 0.4  # that a board is about before the hand [m]
NOISE = (5e-4, 1e-3)  # of places of a board, about [m, rad]


def collect_pictures(
    arm: OpenArm,
    path: Path,
    subject: Subject,
    camera: str,
    board: Board,
    *,
    count: int,
    within: float,
    tell: Tell,
) -> None:
    """Take pictures at stations; those in which the board is not seen are left out, and others are taken.

    Args:
        arm: that carries the camera.
        path: file of the collection; pictures go beside it.
        subject: the camera.
        camera: address of its picture.
        board: that is looked at.
        count: stations.
        within: how far the hand is turned about the board, which is before it now [rad].
        tell: progress.
    """
    here = arm.lead.stand().joints
    start = np.array(read_collection(path).facts.get("start", here)) if path.exists() else here
    plan = around_board(arm, start, within)
    who = origin(arm.robot, arm.frame, arm.controller.capabilities.serial_number)
    facts = {**who, "picture": without_password(camera), "start": start.tolist()}
    collection = Collection(path, subject, plan.tolist(), facts)
    information = _information(np.array([_hand(arm, np.array(joints)) for joints in (start, *plan)]))

    def measure(number: int, joints: list[float]) -> dict[str, Any]:
        stood = arm.lead.go(np.array(joints))
        taken = take(camera)
        if taken.serial_number and taken.serial_number != subject.id:
            raise WrongDeviceError(f"{camera}: is serial number {taken.serial_number}, not {subject.id}")
        name = f"{path.stem}-{number:03d}.png"
        find_board(taken.picture, board, name)  # a PoseError: another station is taken
        opencv().imwrite(str(path.parent / name), taken.picture)
        return {"joints": stood.joints, "hand": _hand(arm, stood.joints), "picture": name}

    def choose(held: Collection, left_out: set[int]) -> int | None:
        return information.best([one.pose for one in held.observations], left_out)

    collect(collection, measure, tell, wanted=count, choose=choose)


def around_board(arm: OpenArm, start: Floats, within: float) -> Floats:
    """Joint values at which the hand looks at the same place before it from all sides (n, joints) [rad | m].

    Args:
        arm: that carries the camera.
        start: where it looks at the board, along z of the hand [rad | m].
        within: how far the hand is turned about the board [rad].
    """
    random = np.random.default_rng(1)
    before = small_pose(np.array([0.0, 0.0, BEFORE, 0.0, 0.0, 0.0]))
    pivot = _hand(arm, start) @ before
    whole, places, found = arm.mechanism.q, driven_joints(arm.mechanism), []
    for _ in range(TRIES):
        turn = within * random.uniform(-1.0, 1.0, 3) * [1.0, 1.0, 2.0]  # about the line of sight the board stays
        shift = random.uniform([-0.02, -0.02, -0.07], [0.02, 0.02, 0.07])
        arm.mechanism.q = whole
        goal = pivot @ small_pose(np.array([*shift, *turn])) @ np.linalg.inv(before)
        if arm.mechanism.reach(arm.frame, goal, restarts=0).status is Status.OK:
            found.append(arm.mechanism.q[places])
        if len(found) == CANDIDATES:
            break
    if len(found) < FEWEST:
        raise DataError(f"the hand can look at the board from {len(found)} sides only; begin elsewhere")
    return np.array(found)


def _hand(arm: OpenArm, joints: Floats) -> Floats:
    whole = arm.mechanism.q
    whole[driven_joints(arm.mechanism)] = joints
    arm.mechanism.q = whole
    return arm.mechanism.pose(arm.frame)


def _information(hands: Floats) -> Information:
    """What stations would tell, if the camera were in the origin of the hand and looked at a board before the first."""
    board = hands[0] @ small_pose(np.array([0.0, 0.0, BEFORE, 0.0, 0.0, 0.0]))
    hands = hands[1:]
    seen = np.asarray(np.linalg.inv(hands) @ board, dtype=np.float64)
    return Information(HandEyeModel(hands, seen, HandEye(np.eye(4), board), NOISE))
