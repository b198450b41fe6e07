"""What `station calibrate force` and `payload` have alike: options, the robot of FILE, and what is held of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

import station
from calibration.collection import Collection, Held, read_collection
from calibration.errors import DataError
from calibration.options import POSITIVE
from calibration.origin import carrier, check_origin, origin
from calibration.parameters import Floats
from calibration.results import Subject
from calibration.robot import measured_frame, robot_in
from calibration.saying import progress
from station.address_option import ADDRESS
from station.mechanism import Mechanism
from station.shipped import scene_path

if TYPE_CHECKING:
    from calibration.force.collecting import Bench

controller = click.option(
    "--controller", metavar="URL", type=ADDRESS, help="Collect with this arm first; sim:arm emulates one."
)
tool_frame = click.option("--frame", help="Frame of the tool; else that which follows the hand.")
within = click.option(
    "--within", default=120.0, metavar="°", type=POSITIVE, help="Wrists turn so far from where the arm stands."
)


class Cell(NamedTuple):
    """Where something is collected, and into what."""

    bench: Bench
    collection: Collection


class Meant(NamedTuple):
    """The robot that a collection is said to be of."""

    mechanism: Mechanism
    frame: int  # of the tool

    @property
    def data(self) -> dict[str, Any]:
        """For a result: which robot, by its geometry, and which frame."""
        subject = carrier(self.mechanism.robot)
        return {"robot": {"name": subject.name, "mad": subject.id}, "frame": self.frame}


def meant_by(file: str, path: Path, options: dict[str, Any]) -> Meant:
    """The robot of FILE and its tool: as the options say, else as the collection does."""
    scene = station.load(scene_path(file))
    mechanism = scene[robot_in(scene, options["name"]).name]
    known = read_collection(path).facts.get("frame")
    frame = options["frame"] if options["frame"] is not None or known is None else str(known)
    return Meant(mechanism, measured_frame(mechanism, frame))


def held_of(path: Path, meant: Meant) -> Held:
    """A collection of that robot; a DataError if it holds nothing, a WrongDeviceError if it is of another."""
    held = read_collection(path)
    if not held.observations:
        raise DataError(f"{path}: holds no observation; collect some with --controller URL")
    robot = meant.mechanism.robot
    if not check_origin(path, held, robot, meant.frame):
        progress(f"{path}: does not say of which robot it is; taken for frame {meant.frame} of {robot.name}")
    return held


@contextmanager
def collecting(file: str, path: Path, around: Path, options: dict[str, Any], **facts: Any) -> Iterator[Cell]:
    """The arm that the options name, and a collection at `path`: begun, or gone on with.

    Args:
        file: scene of the arm.
        path: of the collection.
        around: collection whose poses are meant; others are planned around where the arm stands.
        options: of the command.
        facts: what else the collection must say of itself.
    """
    from calibration.force.collecting import Bench, candidate_poses
    from calibration.opening import opened

    about = {name: options[name] for name in ("name", "frame", "speed")}
    with opened(file, options["controller"], **about, tell=progress) as arm:
        start = start_of(around, arm.lead.stand().joints)
        plan = candidate_poses(arm.mechanism, start, np.radians(options["within"]))
        serial = arm.controller.capabilities.serial_number
        said = {**origin(arm.robot, arm.frame, serial), "start": start.tolist(), **facts}
        collection = Collection(path, Subject.device(serial, arm.robot.name), plan.tolist(), said)
        yield Cell(Bench(arm.lead, arm.mechanism, arm.frame, arm.clock), collection)


def start_of(path: Path, here: Floats) -> Floats:
    """Where the arm stood when the collection was begun: poses are planned around that, so that it can go on."""
    if not path.exists():
        return here
    return np.array(read_collection(path).facts.get("start", here), dtype=np.float64)
