"""What calibrations of sensors find on an emulated arm with planted errors: `python -m benchmarks.calibration_sensors`.

Over the real server and driver, on a virtual clock: the same figures on any machine. Times are those of the arm.
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.camera import Board, calibrate_camera, find_board
from calibration.camera.collecting import Watched, collect_views
from calibration.camera.emulated import EmulatedHolder
from calibration.camera.projection import NAMES
from calibration.camera.source import pictures_in
from calibration.collection import Collection
from calibration.force import ForceReadings, PayloadReadings, calibrate_force, calibrate_payload
from calibration.force.collecting import Bench, candidate_poses, collect_force, collect_payload
from calibration.opening import OpenArm
from calibration.registration import Touches, register
from calibration.registration.approaching import read_approaches, touch_all
from calibration.results import Subject
from calibration.timing import link_timing, time_link
from sim_devices.arm import ArmSettings, NetworkSettings
from sim_devices.camera import CameraServer, CameraSettings
from station.clock import VirtualClock
from tests.calibration.arms import arm_on_a_clock
from tests.calibration.test_sensor_links import BLOCK, PIECE, approaches, near

HEAVY = ArmSettings(wrong_tool_mass=1.0)  # everything else as it comes: noise 0.1 N, 0.005 N·m, 20 bits


class Row(NamedTuple):
    """One figure."""

    what: str
    planted: float
    found: float
    deviation: float  # standard deviation that was told; nan if none is
    unit: str


def begun(arm: OpenArm, folder: Path, name: str) -> tuple[Bench, Collection]:
    """A collection around where the arm stands."""
    plan = candidate_poses(arm.mechanism, arm.lead.stand().joints, 2.0)
    collection = Collection(folder / name, Subject.device("SIM"), plan.tolist())
    return Bench(arm.lead, arm.mechanism, arm.frame, arm.clock), collection


def force(folder: Path) -> tuple[list[Row], float]:
    """A tool sensor, 12 orientations."""
    with arm_on_a_clock(HEAVY) as (arm, machine):
        bench, collection = begun(arm, folder, "force.jsonl")
        collect_force(bench, collection, 12, None, lambda _: None)
        truth, seconds = machine.world.true_sensor("ur5e"), arm.clock.now()
    held = [one.values for one in collection.observations]
    noise = np.sqrt(np.mean(np.square([one["deviation"] for one in held]), axis=0))
    found = calibrate_force(
        ForceReadings(
            turns=np.array([one["turn"] for one in held]),
            wrenches=np.array([one["wrench"] for one in held]),
            force_noise=float(noise[:3].max()),
            torque_noise=float(noise[3:].max()),
        )
    )
    assert truth.load is not None
    mass, place = found.correction.tool
    rows = [Row("tool mass", truth.load.mass, mass, found.mass_deviation, "kg")]
    for number, axis in enumerate("xyz"):
        far = (1e3 * truth.load.com[number], 1e3 * place[number], 1e3 * found.centre_deviation[number])
        rows.append(Row(f"tool centre {axis}", *far, "mm"))
    rows.append(Row("bias Fz", truth.bias[2], found.correction.bias[2], found.judgement.parameters[6].deviation, "N"))
    rows.append(Row("force of nothing, before", 0.0, found.before.rms, float("nan"), "N rms"))
    rows.append(Row("force of nothing, held back", 0.0, found.after.rms, float("nan"), "N rms"))
    return rows, seconds


def payload(folder: Path) -> tuple[list[Row], float]:
    """A load by joint efforts, 8 poses."""
    with arm_on_a_clock(HEAVY) as (arm, machine):
        bench, collection = begun(arm, folder, "payload.jsonl")
        collect_payload(bench, collection, 8, lambda _: None)
        truth, seconds = machine.world.true_sensor("ur5e").load, arm.clock.now()
        held = [one.values for one in collection.observations]
        data = PayloadReadings(
            joints=np.repeat([one["joints"] for one in held], 2, axis=0),
            directions=np.tile([[1.0], [-1.0]], (len(held), 6)),
            efforts=np.array([one[way] for one in held for way in ("up", "down")]),
            noise=np.array([0.02, 0.02, 0.02, 0.005, 0.005, 0.005]),
        )
        found = calibrate_payload(arm.mechanism, arm.frame, data)
    assert truth is not None
    rows = [Row("load mass", truth.mass, found.mass, found.mass_deviation, "kg")]
    for number, axis in enumerate("xyz"):
        far = (1e3 * truth.com[number], 1e3 * found.centre[number], 1e3 * found.centre_deviation[number])
        rows.append(Row(f"load centre {axis}", *far, "mm"))
    return rows, seconds


def registration(folder: Path) -> tuple[list[Row], float]:
    """A block by six touches of its sides."""
    plan = read_approaches(approaches(folder / "approaches.json"))
    with arm_on_a_clock(world=BLOCK) as (arm, _):
        collection = Collection(folder / "touches.jsonl", Subject.piece("block"), [one.numbers for one in plan])
        touch_all(arm, collection, plan, 0.006, lambda _: None)
        seconds = arm.clock.now()
    held = [one.values for one in collection.observations]
    points = np.array([one["point"] for one in held])
    data = Touches(points=points, features=tuple(one["feature"] for one in held), tip=0.005)
    found = register(PIECE, data, near(-0.46, -0.12, 0.1))
    spread = np.sqrt(np.diag(found.covariance))
    turn = float(np.degrees(np.arctan2(found.pose[1, 0], found.pose[0, 0])))
    rows = [
        Row(f"block {axis}", planted, 1e3 * float(found.pose[number, 3]), 1e3 * float(spread[number]), "mm")
        for number, (axis, planted) in enumerate(zip("xyz", (-470.0, -130.0, 100.0), strict=True))
    ]
    return [*rows, Row("block about z", 20.0, turn, float(np.degrees(spread[5])), "°")], seconds


def timing(_: Path) -> tuple[list[Row], float]:
    """A link with 20 ms each way and a clock that gains 300 ppm."""
    rows, bare, seconds = [], 0.0, 0.0
    for network in (None, NetworkSettings(delay=0.02)):
        with arm_on_a_clock(network=network, faults="clock-drift ppm=300") as (arm, _machine):
            led = time_link(arm.leader)
            seconds = arm.clock.now()
        found = link_timing(led)
        if network is None:
            bare = found.total
        else:
            added = 1e3 * (found.total - bare)
            rows.append(Row("delay that the network adds", 40.0, added, 1e3 * found.deviation, "ms"))
            drift = (1e6 * found.clock.drift, 1e6 * found.clock.drift_deviation)
            rows.append(Row("drift of the clock", 300.0, *drift, "ppm"))
        rows.append(Row("setpoint to measurement", float("nan"), 1e3 * found.total, 1e3 * found.deviation, "ms"))
    return rows, seconds


def lens(folder: Path) -> tuple[list[Row], float]:
    """A camera over HTTP by ten pictures of a board that somebody holds about as is told; five times."""
    board, camera, clock = Board(), CameraSettings(), VirtualClock()
    true = np.array([*(getattr(camera, name) for name in NAMES if name != "k3"), 0.0])
    rows: list[Row] = []
    for seed in range(5):
        holder, path = EmulatedHolder(board, camera, seed), folder / f"views{seed}.jsonl"
        with closing(CameraServer(holder.picture, "SIM")) as server:
            watched = Watched(server.address, Subject.device("SIM"), board)
            held = collect_views(path, watched, holder, count=10, tell=lambda _: None, clock=clock)
        files = pictures_in([folder / one.values["picture"] for one in held.observations])
        found = calibrate_camera([find_board(picture, board, name) for name, picture in files], board)
        if seed == 0:
            numbers = zip(NAMES, true.tolist(), found.lens, found.deviations.tolist(), strict=True)
            rows = [Row(*number, "px" if number[0][0] in "fc" else "") for number in numbers]
            rows.append(Row("corners held back", 0.0, found.after.rms, float("nan"), "px rms"))
        told = found.deviations > 0.0
        error = (np.array(found.lens) - true)[told]
        spread = max(1.0, found.fit.noise) ** 2 * found.fit.covariance[: len(error), : len(error)]
        square = float(error @ np.linalg.solve(spread, error))
        rows.append(
            Row(f"chi-square of {len(error)} numbers, seed {seed}", float(len(error)), square, float("nan"), "")
        )
    return rows, clock.now()


def main() -> None:
    """All figures, as a table, or with --json for programs."""
    made: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in (force, payload, registration, timing, lens):
            rows, seconds = part(Path(folder))
            made[part.__name__] = {"seconds": seconds, "rows": [row._asdict() for row in rows]}
            if "--json" in sys.argv:
                continue
            print(f"\n{part.__doc__} {seconds:.0f} s")
            for row in rows:
                print(f"{row.what:30} {row.planted:12.4f} {row.found:12.4f} ± {row.deviation:.4f} {row.unit}")
    if "--json" in sys.argv:
        print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
