"""Where to park: a posture of the file, and whether the way to it is free of what is around the robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.bench import Bench
from station.controllers.controller import Floats
from station.controllers.errors import ControllerNotFoundError
from station.controllers.shaping import JointLimits
from station.controllers.shaping.parking import planned
from station.errors import StationError
from station.mad.scene import Robot
from station.mechanism import Mechanism, MechanismError
from station.servo.rig import around
from station.tasks.task.errors import TaskError
from station.tasks.task.joints import OPEN, driven_joints, whole_path

SEVERAL = "several arms run here; name one with --controller: "
USUAL = ("park", "home")  # postures that are looked for, in this order
SAMPLES = 64  # of the way; between them it is taken as straight


class PostureError(StationError, ValueError):
    """A posture that there is not, or to which there is no free way."""


class Destination(NamedTuple):
    """Where an arm is to go."""

    name: str
    q: Floats  # driven joints [rad | m]


def arm_at(url: str | None) -> str:
    """The address that was given, else that of the one emulated arm that runs here."""
    if url is not None:
        return url
    from sim_devices.running import running

    found = [note.address for note in running() if note.kind == "arm"]
    if len(found) != 1:
        nothing = "no arm runs here; name yours with --controller URL, for example tcp://10.0.0.7:5555"
        raise ControllerNotFoundError(SEVERAL + ", ".join(found) if found else nothing)
    return found[0]


def destination_of(robot: Robot, mechanism: Mechanism, name: str | None) -> Destination:
    """The posture of that name; without one that called park, else home."""
    postures = {posture.name: posture for posture in robot.postures}
    known = ", ".join(postures) or "none"
    wanted = (name,) if name is not None else USUAL
    chosen = next((postures[one] for one in wanted if one in postures), None)
    if chosen is None:
        asked = " or ".join(repr(one) for one in wanted)
        raise PostureError(f"robot {robot.name} has no posture {asked}; there are: {known}")
    whole = mechanism.q
    for joint in chosen.joints:
        whole[mechanism.joint_number(joint.link)] = joint.value
    return Destination(chosen.name, whole[driven_joints(mechanism)])


def check_way(
    scene: Bench, mechanism: Mechanism, start: Floats, destination: Destination, limits: Sequence[JointLimits]
) -> None:
    """A PostureError if loops cannot be closed on the way, or if it touches something; the mechanism is moved."""
    path = way(mechanism, start, destination, limits)
    surroundings = around(scene, mechanism)
    if surroundings is None:
        return
    touch = surroundings.clear_path(path).touch
    if touch is not None:
        raise PostureError(
            f"on the way to posture {destination.name!r} {touch.pair.body} would touch {touch.pair.obstacle}; lead the "
            "arm elsewhere first"
        )


def way(mechanism: Mechanism, start: Floats, destination: Destination, limits: Sequence[JointLimits]) -> Floats:
    """All joints on the way to a posture [rad | m]; a PostureError if loops cannot be closed. Moves the mechanism."""
    name, goal = destination
    active, samples = driven_joints(mechanism), _samples(start, goal, limits)
    if len(active) <= mechanism.mobility:
        return _followed(mechanism, name, samples)
    path = []  # more drives than freedoms: they give way to each other
    for sample in samples:
        whole = mechanism.q
        whole[active] = sample
        try:
            mechanism.q = whole
        except MechanismError as error:
            raise PostureError(f"no way to posture {name!r}: {error}") from None
        path.append(mechanism.q)
    return np.array(path)


def _followed(mechanism: Mechanism, name: str, samples: Floats) -> Floats:
    """All joints where the driven ones are at samples (n, driven) [rad | m]; the others follow by the loops."""
    try:
        path, gaps = whole_path(mechanism, samples)
    except TaskError as error:
        raise PostureError(f"no way to posture {name!r}: {error}") from None
    if gaps.max(initial=0.0) > OPEN:
        raise PostureError(
            f"no straight way to posture {name!r}: the loops of robot {mechanism.robot.name} do not close between"
        )
    mechanism.q = path[-1]  # the next way begins there
    return path


def _samples(start: Floats, goal: Floats, limits: Sequence[JointLimits]) -> Floats:
    """Places along the move as it will be planned."""
    moves, duration = planned(start, goal, limits)
    moments = np.linspace(0.0, duration, SAMPLES)
    places = np.empty((SAMPLES, len(moves)))
    for joint, pieces in enumerate(moves):
        row = pieces[np.searchsorted(pieces[:, 0], moments, side="right") - 1]
        since = moments - row[:, 0]
        places[:, joint] = row[:, 1] + since * (row[:, 2] + since * (row[:, 3] / 2.0 + since * row[:, 4] / 6.0))
    return places
