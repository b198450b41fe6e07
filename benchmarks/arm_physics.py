"""What an emulated arm costs at 1 kHz, beside its physics alone: `python -m benchmarks.arm_physics`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import robots
import station
from benchmarks.devices_machine import contest, rows_of, steady
from benchmarks.peers.score import Figures, Table, flat, quick, show
from sim_devices.arm import ArmSettings, ArmState, World
from sim_devices.arm.model import TICK
from sim_devices.arm.physics import mujoco
from sim_devices.arm.world import SUBSTEPS
from station.bench import Bench

PEER = "mj_step alone"
TABLE = "obstacle table {{ box {{ 600 600 40 }} pos {{ 307 {beside} 420 }} }}"  # 47 mm under the hand
SOFT = ArmSettings(bandwidth=4.0, contact_force=1000.0, contact_torque=500.0)


def panda(arms: int, table: bool) -> Bench:
    """Some Pandas side by side, each over a table if there are any."""
    text = robots.path("panda").read_text()
    head, body = text.split("robot panda {", 1)
    for number in range(arms):
        base = f"base {{ pos {{ 0 {1000 * number} 0 }}"
        head += f"robot panda-{number} {{" + body.replace("base {", base, 1)
        head += TABLE.format(beside=1000 * number).replace("table", f"table-{number}", 1) if table else ""
    return station.loads(head)


def pressing(scene: Bench, down: bool) -> tuple[World, Callable[[int], None]]:
    """Arms that follow setpoints, pressed onto their tables if `down`; and one tick of that."""
    world = World(scene, SOFT)
    world.advance(0.0)
    arms = list(world.arms.values())
    assert all(arm.activate() for arm in arms)
    targets = [arm.reading().q for arm in arms]
    ticks = [0]

    def tick(_: int) -> None:
        ticks[0] += 1
        for arm, q in zip(arms, targets, strict=True):
            arm.setpoint(q, None, None, ticks[0])
        world.advance(TICK * ticks[0])
        for arm in arms:
            arm.reading()

    lower = np.zeros(len(targets[0]))
    if down:
        lower[1] = 0.2  # the shoulder leans forward, the hand goes down by some 60 mm
    begin = [q.copy() for q in targets]
    for k in range(1500):
        for q, was in zip(targets, begin, strict=True):
            q[:] = was + lower * min(k / 1200, 1.0)
        tick(k)
    assert all(arm.state is ArmState.ACTIVE for arm in arms), arms[0].reason
    return world, tick


def bare(world: World) -> Callable[[int], None]:
    """The same physics from the same place, pushed by what the motors gave then."""
    model, data = world.physics
    copy = mujoco.MjData(model)
    mujoco.mj_copyData(copy, model, data)
    pushed = data.qfrc_applied.copy()

    def tick(i: int) -> None:
        if i % 50 == 0:
            mujoco.mj_copyData(copy, model, data)
            copy.qfrc_applied[:] = pushed
        mujoco.mj_step(model, copy, SUBSTEPS)

    return tick


CASES: dict[str, tuple[Callable[[], Bench], bool]] = {
    "7 axes, in contact": (lambda: panda(1, table=True), True),
    "7 axes, free": (lambda: panda(1, table=False), False),
    "2 arms of 7 axes, in contact": (lambda: panda(2, table=True), True),
    "Stewart platform, 5 loops": (lambda: station.load(robots.path("stewart")), False),
}


def measure() -> list[Table]:
    """Each case beside its physics."""
    samples, rounds = (200, 2) if quick() else (4000, 5)
    tables = []
    for title, (scene, down) in CASES.items():
        world, tick = pressing(scene(), down)
        touching = int(world.physics[1].ncon)
        assert bool(touching) == down
        physics = bare(world)
        spent = contest({"emulated": tick, PEER: physics}, samples, rounds)
        share = float(np.median(np.concatenate(spent["emulated"]))) * 1e-6 / TICK
        notes = {
            "emulated": f"{100.0 * share:.0f} % of one core at 1 kHz, median; less than 50 % wanted",
            PEER: f"{SUBSTEPS} steps of {1e3 * TICK / SUBSTEPS:g} ms, {touching} contacts",
        }
        tables.append(Table(title, f"one tick of 1 ms, {samples} × {rounds}", rows_of(spent, PEER, notes)))
    return tables


def run() -> Figures:
    """Figures by name."""
    return flat(steady("arm_physics", measure))


if __name__ == "__main__":
    show(steady("arm_physics", measure))
