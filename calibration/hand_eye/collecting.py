"""Collect for hand-eye: an arm goes to stations around a pose, and a camera takes a picture at each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import find_board
from calibration.camera.opencv import opencv
from calibration.camera.source import take
from calibration.collection import Collection, Tell, collect, read_collection
from calibration.errors import WrongDeviceError
from calibration.opening import OpenArm
from calibration.results import Subject
from station.run.parking_way import driven

CANDIDATES = 100


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
        within: how far joints go from where the arm stands [rad].
        tell: progress.
    """
    here = arm.lead.stand().joints
    start = np.array(read_collection(path).facts.get("start", here)) if path.exists() else here
    random = np.random.default_rng(1)
    plan = start + within * random.uniform(-1.0, 1.0, (CANDIDATES, len(start)))
    places = driven(arm.mechanism)
    collection = Collection(path, subject, plan.tolist(), {"start": start.tolist(), "frame": arm.frame})

    def measure(number: int, joints: list[float]) -> dict[str, Any]:
        stood = arm.lead.go(np.array(joints))
        taken = take(camera)
        if taken.serial_number and taken.serial_number != subject.id:
            raise WrongDeviceError(f"{camera}: is serial number {taken.serial_number}, not {subject.id}")
        name = f"{path.stem}-{number:03d}.png"
        find_board(taken.picture, board, name)  # a PoseError: another station is taken
        opencv().imwrite(str(path.parent / name), taken.picture)
        whole = arm.mechanism.q
        whole[places] = stood.joints
        arm.mechanism.q = whole
        return {"joints": stood.joints, "hand": arm.mechanism.pose(arm.frame), "picture": name}

    collect(collection, measure, tell, wanted=count)
