"""Collect: an arm turns its tool to orientations and stands, or sways slowly about poses, over its real link."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.arm import ArmLead
from calibration.collection import Collection, Tell, collect
from calibration.errors import DataError
from calibration.force.payload import PayloadModel, PayloadReadings
from calibration.force.readings import ForceReadings, Load
from calibration.force.sensor import ForceModel
from calibration.information import Information
from calibration.leading import Leader, eased
from calibration.parameters import Floats, Model
from station.clock import WALL, Clock
from station.mechanism import Mechanism
from station.tasks.task.joints import driven_joints

STAND = 0.5  # that the sensor is listened to at each orientation [s]
SWAY, SPEED = 0.03, 0.06  # amplitude and speed of the sway about a pose [rad | m, rad/s | m/s]
TURNED = 0.25  # of the sway, from its ends, that does not count
CANDIDATES = 200


class Bench(NamedTuple):
    """An arm to collect with."""

    lead: ArmLead
    mechanism: Mechanism
    frame: int | str  # of the tool
    clock: Clock = WALL


def candidate_poses(mechanism: Mechanism, start: Floats, within: float, count: int = CANDIDATES) -> Floats:
    """Joint values around a pose, within the stops (count, joints) [rad | m]; wrists turn further than the rest."""
    joints = [joint for joint in mechanism.joints if joint.active]
    random = np.random.default_rng(1)
    reach = np.full(len(joints), within)
    reach[: max(0, len(joints) - 3)] *= 0.5  # what carries the wrist needs not move for an orientation
    around = start + random.uniform(-reach, reach, (count, len(joints)))
    stops = np.array([joint.limits or (-np.inf, np.inf) for joint in joints])
    return np.clip(around, stops[:, 0] + 0.05, stops[:, 1] - 0.05)


def collect_force(bench: Bench, collection: Collection, count: int, load: Load | None, tell: Tell) -> None:
    """Wrenches of a standing tool; the next orientation is that which tells most.

    Args:
        bench: the arm.
        collection: where observations go.
        count: observations wanted in all.
        load: the known weight that hangs on the tool now, if any.
        tell: progress.
    """
    listener = Leader(bench.lead.controller, bench.clock)
    turns = np.array([_turn(bench, np.array(joints)) for joints in collection.plan])
    candidates = ForceReadings(turns=turns, wrenches=np.zeros((len(turns), 6)))

    def measure(_: int, joints: list[float]) -> dict[str, Any]:
        stood = bench.lead.go(np.array(joints))
        heard = [one.wrench for one in listener.listen(STAND) if one.wrench is not None]
        if not heard:
            raise DataError(f"{bench.lead.controller.url}: this arm measures no forces at its tool")
        samples = np.array(heard)
        return {
            "joints": stood.joints,
            "turn": _turn(bench, stood.joints),
            "wrench": samples.mean(axis=0),
            "deviation": samples.std(axis=0, ddof=1) / np.sqrt(len(samples)),
            "load": None if load is None else [load.mass, *load.place],
        }

    collect(collection, measure, tell, wanted=count, choose=_by(ForceModel(candidates)))


def collect_payload(bench: Bench, collection: Collection, count: int, tell: Tell) -> None:
    """Efforts while the arm sways upwards and downwards about poses; the next pose is that which tells most."""
    leader = Leader(bench.lead.controller, bench.clock)
    plan = np.array(collection.plan)
    blank = np.zeros_like(plan)
    noise = np.full(plan.shape[1], 0.1)
    candidates = PayloadReadings(joints=plan, directions=blank, efforts=blank, empty=blank, noise=noise)

    def measure(_: int, joints: list[float]) -> dict[str, Any]:
        stood = bench.lead.go(np.array(joints)).joints
        passes = swayed(leader, stood)
        return {
            "joints": stood,
            "up": passes[0].mean(axis=0),
            "down": passes[1].mean(axis=0),
            "deviation": np.concatenate(passes).std(axis=0) / np.sqrt(min(map(len, passes))),
        }

    collect(collection, measure, tell, wanted=count, choose=_by(PayloadModel(bench.mechanism, bench.frame, candidates)))


def swayed(leader: Leader, about: Floats) -> tuple[Floats, Floats]:
    """Efforts of all joints while they move upwards and downwards through a pose, at constant speed (n, joints)."""
    seconds = 2.0 * SWAY / SPEED
    with leader.following() as begin:
        low = about - SWAY
        leader.lead(lambda t: begin + (low - begin) * eased(t / seconds), seconds)
        up = leader.lead(lambda t: low + SPEED * min(t, seconds), seconds).heard
        down = leader.lead(lambda t: low + 2.0 * SWAY - SPEED * min(t, seconds), seconds).heard
        leader.lead(lambda t: low + (about - low) * eased(t / seconds), seconds)
    return _middle(up), _middle(down)


def _middle(heard: list[Any]) -> Floats:
    if len(heard) < 4 or heard[0].effort is None:
        raise DataError("this arm tells no efforts of its joints; a load is measured with a tool sensor then")
    first, last = round(TURNED * len(heard)), round((1.0 - TURNED) * len(heard))
    return np.array([one.effort for one in heard[first:last]])


def _turn(bench: Bench, joints: Floats) -> Floats:
    whole = bench.mechanism.q
    whole[driven_joints(bench.mechanism)] = joints
    bench.mechanism.q = whole
    return np.asarray(bench.mechanism.pose(bench.frame)[:3, :3])


def _by(model: Model) -> Any:
    information = Information(model)

    def choose(held: Collection, left_out: set[int]) -> int | None:
        return information.best([one.pose for one in held.observations], left_out)

    return choose
