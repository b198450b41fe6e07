"""A task on an arm whose sensor is out of adjustment and whose tool is heavier than told: calibrated, and not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from calibration.results import Result, Subject, write_result
from station.controllers.controller import Floats
from station.controllers.errors import ControllerMismatchError
from station.servo.shared import StateReader
from station.tasks.execute import Player, State
from station.tasks.execute.showing import Showing
from station.tasks.task import Kind, Segment, Task
from station.tasks.task.clips import cut_out, glued
from station.tasks.task.edit import labelled
from station.tasks.task.model import changed
from tests.tasks.execute.places import START, Place, place
from tests.tasks.execute.test_touching import ASIDE, above_the_table
from tests.tasks.making import through

PROBE = 7  # frame of the tool
# A sensor whose axes tell too much or too little and talk into each other, with a bias; and a tool that is heavier than
# its file says. A soft tip: forces grow slowly enough to be held where they are.
WRONG: dict[str, Any] = {
    "wrong_gain": 0.05, "wrong_tool_mass": 0.4, "force_bias": 2.0, "tip_time": 0.05, "seed": 3
}  # fmt: skip
TURNED = ASIDE + np.array([0.0, 0.0, 0.0, 1.4, 0.0, 0.0])  # the probe points aside
EXPECTED = 25.0  # at the tool, where it presses [N]


def written(made: Place, path: Path, **changes: Any) -> str:
    """What is true of the sensor of an emulated arm, as `station calibrate force` writes it."""
    true, known = made.arm.world.true_sensor("ur5e"), made.arm.world.tool_as_known("ur5e")
    assert true.load is not None
    mass = known[0] + true.load.mass
    values = {
        "mass": float(mass),
        "centre": ((known[0] * known[1:] + true.load.mass * true.load.com) / mass).tolist(),
        "bias": true.bias.tolist(),
        "gain": true.gain.tolist(),
        "told": {"mass": float(known[0]), "centre": known[1:].tolist()},
        "frame": PROBE,
        **changes,
    }
    subject = Subject.device(made.controller.capabilities.serial_number, "ur5e")
    write_result(path, Result(method="force sensor", subject=subject, values=values, data_hash="cafe" * 16))
    return str(path)


def slowed(task: Task, times: int) -> Task:
    """The same path in so many times the time."""
    steps = len(task.q) - 1
    q = CubicSpline(np.arange(steps + 1), task.q)(np.linspace(0.0, steps, times * steps + 1))
    return changed(task, q=q, segments=(Segment(0, times * steps, Kind.FREE),))


def turn_and_press() -> Task:
    """From a probe that points aside to one that points down, then slowly and too far into the table."""
    low, close, inside = above_the_table(0.045), above_the_table(-0.002), above_the_table(-0.010)
    near = through([TURNED, low], share=0.5)
    down, slowly = through([low, close], share=0.15), slowed(through([close, inside], share=0.01), 3)
    task = glued(near, [cut_out(part, 0, len(part.q) - 1) for part in (near, down, slowly)])
    return labelled(task, len(near.q) - 1, task.segments[-1].end, Kind.CONTACT, name="press", force=EXPECTED)


def true_force(made: Place) -> Floats:
    """Of all contacts that there are in the physics, on the tool [N]."""
    model, data = made.arm.world.physics
    total, one = np.zeros(3), np.zeros(6)
    for number in range(data.ncon):
        mujoco.mj_contactForce(model, data, number, one)
        total -= data.contact[number].frame.reshape(3, 3).T @ one[:3]
    return total


def pressed(made: Place, player: Player) -> tuple[float, float]:
    """What the tool was taken to feel at most before it touched, and how strongly it truly presses in the end [N]."""
    felt: list[tuple[float, float]] = []
    player.on_tick = lambda p: felt.append((p.progress.force, float(np.linalg.norm(true_force(made)))))
    player.start()
    player.run(lambda p: p.progress.force > 0.95 * EXPECTED, seconds=30.0)
    player.run(seconds=0.7)
    assert player.state in (State.RUNNING, State.PAUSED), player.reason
    assert player.walker.rate < 0.2  # it has come to rest before the force, not at the end of its path
    told, true = np.array(felt).T
    return float(np.nanmax(told[true == 0.0])), float(true[-300:].mean())


def test_a_guarded_move_stops_at_the_right_force_with_the_calibration(tmp_path: Path) -> None:
    with place(start=TURNED, **WRONG) as made:
        player = made.player(turn_and_press(), sensor=written(made, tmp_path / "force.json"), patience=5.0)
        before, force = pressed(made, player)
        assert before < 8.0  # what a tool that is sped up and slowed down pulls by itself
        assert force == pytest.approx(EXPECTED, abs=1.0)
        with Showing(player, tmp_path) as shown, StateReader(shown.path) as reader:
            shown(player)
            seen = reader.read()
            assert seen is not None
            assert seen.measured_wrench[:3] == pytest.approx(true_force(made), abs=1.5)
            assert np.linalg.norm(seen.measured_wrench[:3]) == pytest.approx(EXPECTED, abs=2.0)
            assert seen.measured_wrench[2] > 0.9 * EXPECTED  # the table pushes upwards


def test_and_not_without_it() -> None:
    with place(start=TURNED, **WRONG) as made:
        before, force = pressed(made, made.player(turn_and_press(), patience=5.0))
        assert before > 10.0  # the weight of the tool, which was tared with the probe turned aside
        assert force > EXPECTED + 4.0


def test_a_tool_that_is_not_the_calibrated_one_is_noticed_before_it_moves(tmp_path: Path) -> None:
    with place(start=TURNED, **WRONG) as made:
        file = written(made, tmp_path / "force.json", mass=0.05)
        player = made.player(through([TURNED, ASIDE]), sensor=file)
        player.start()
        assert player.run(seconds=5.0) is State.FAILED
        assert "is not the one that was calibrated" in player.reason
        assert State.EASING_IN not in {happening.state for happening in player.happenings}


def test_what_does_not_belong_to_this_arm_is_refused(tmp_path: Path) -> None:
    task = through([START, ASIDE])
    with place(**WRONG) as made:
        mine = written(made, tmp_path / "mine.json")
        other = written(made, tmp_path / "other.json", frame=99)
        with pytest.raises(ControllerMismatchError, match="no frame 99"):
            made.player(task, sensor=other)
        assert (
            made.player(task, sensor=mine)
            .calibrations[0]
            .text.startswith("calibrated force sensor: mine.json, result ")
        )
    with place() as made, pytest.raises(ControllerMismatchError, match="belongs to serial number SIM-0003"):
        made.player(task, sensor=mine)
