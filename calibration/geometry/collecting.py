"""Collect measurements of a robot: the arm goes from pose to pose, the next one always being that which tells most."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from calibration.arm import Stood
from calibration.collection import Collection, Tell, collect
from calibration.errors import PoseError
from calibration.geometry.candidates import candidate_joints, information_of
from calibration.geometry.settings import GeometrySettings
from calibration.geometry.subject import robot_subject
from calibration.instrument import Instrument, measured
from calibration.parameters import Floats
from firmware_bridge.instrument import About
from station.collision import Surroundings
from station.mechanism import Mechanism
from station.tasks.task.joints import driven_joints

FINEST = 1e-6  # noise to plan with, at least [m], [rad]

MOVED = 1e-3  # between before and after a reading, at which somebody has pushed the robot [rad | m]
TRIES = 5  # to measure an arm that did not move meanwhile


class Lead(Protocol):
    """Whoever brings the robot to poses."""

    still: float  # that readings of one that stands may differ [rad | m]

    def go(self, joints: Floats) -> Stood:
        """To joint values [rad | m]; a PoseError if that cannot be."""

    def stand(self) -> Stood:
        """Where it stands now."""


class Wish(NamedTuple):
    """What is to be collected."""

    frame: int  # id of the frame that is measured
    poses: int = 60  # to be measured
    candidates: int = 300  # poses to choose from
    within: float = float(np.pi / 2.0)  # from where the mechanism is made, each joint that turns [rad]
    seed: int = 0
    ratios: bool = False  # gear ratios are to be estimated too
    along: float = float("inf")  # from where the mechanism is made, each joint that slides [m]
    encoders: tuple[int, ...] = ()  # links whose values count, where loops make the others follow; empty: all driven


def begin(
    path: str | Path,
    mechanism: Mechanism,
    surroundings: Surroundings | None,
    wish: Wish,
    instrument: About,
    arm: str = "",
) -> Collection:
    """Begin a collection of a robot, or go on with one.

    Args:
        path: file of the collection.
        mechanism: nominal robot, where poses are looked for around.
        surroundings: what must not be touched.
        wish: what is to be collected.
        instrument: that measures.
        arm: serial number of the arm; empty if nobody knows it.
    """
    joints = candidate_joints(mechanism, surroundings, wish.candidates, wish.within, wish.seed, wish.along)
    facts: dict[str, Any] = {
        "arm": arm,
        "instrument": f"{instrument.model} {instrument.serial_number}".strip(),
        "frame": wish.frame,
        "encoders": [mechanism.joints[number].id for number in driven_joints(mechanism)],
        "measures": instrument.measures,
        "noise": instrument.noise,
        "turn_noise": instrument.turn_noise,
    }
    return Collection(path, robot_subject(mechanism.robot), joints.tolist(), facts)


def collect_poses(
    collection: Collection, mechanism: Mechanism, wish: Wish, instrument: Instrument, lead: Lead, tell: Tell
) -> None:
    """Measure until there is enough; whatever goes wrong ends it, and what was measured stays on the disk."""
    about, plan = instrument.about, np.array(collection.plan)
    information = information_of(
        mechanism,
        wish.frame,
        plan,
        (max(about.noise, FINEST), max(about.turn_noise, FINEST)),
        GeometrySettings(ratios=wish.ratios),
        turns=about.measures == "pose",
        encoders=wish.encoders,
    )

    def choose(held: Collection, left_out: set[int]) -> int | None:
        return information.best([one.pose for one in held.observations], left_out)

    def measure(_: int, joints: list[float]) -> dict[str, Any]:
        after = lead.go(np.array(joints)).joints
        for _ in range(TRIES):  # one that swings stands for a moment where it turns
            before, reading, after = after, measured(instrument), lead.stand().joints
            if np.abs(after - before).max() <= 2.0 * lead.still:
                break
        if np.abs(after - before).max() > MOVED:
            raise PoseError("the robot moved while it was measured")
        # An arm creeps a little while it holds: the mean is where it was in between.
        values: dict[str, Any] = {"joints": 0.5 * (before + after), "position": reading.position}
        return values if reading.rotation is None else {**values, "rotation": reading.rotation}

    collect(collection, measure, tell, wanted=wish.poses, choose=choose)
