"""An execution shows itself as a servo does, and a window's emergency stop acts on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm.machine import ArmState
from station.servo.shared import CommandClient, EmergencyStop, GripperCode, Hold, Reset, ServoState, StateReader
from station.servo.shared.words import ControllerCode, Emulated
from station.tasks.execute import State
from station.tasks.execute.showing import Showing
from station.tasks.task import Action
from station.tasks.task.edit import acting
from tests.tasks.execute.places import gripper_at, place, there_and_back

TASK = there_and_back()


def test_predicted_commanded_and_measured_are_shown_while_it_runs(tmp_path: Path) -> None:
    with place() as made:
        player = made.player(TASK)
        with Showing(player, tmp_path) as shown, StateReader(shown.path) as reader:
            player.on_tick = shown
            player.start()
            player.run(lambda p: p.walker.place >= 0.45, seconds=10.0)
            now = reader.read()
            assert now is not None
            assert now.state[0] == ServoState.ENGAGED
            assert now.controller_status[0] == ControllerCode.ACTIVE
            assert Emulated(int(now.emulated[0])) == Emulated.CONTROLLER
            assert np.array_equal(now.predicted_q, player.walker.at(player.walker.place).q)
            assert np.array_equal(now.measured_q, player.arm.measured)
            assert player.arm.shaped is not None
            assert np.array_equal(now.commanded_q, player.arm.shaped.q)
            made.mechanism.q = player.arm.measured
            assert np.allclose(now.measured_pose, made.mechanism.pose(TASK.frame), atol=1e-9)
            assert 0.0 < np.abs(now.predicted_pose - now.measured_pose).max() < 0.05
            assert reader.text["task"] == TASK.name
            assert player.run(seconds=30.0) is State.DONE
            last = reader.read()
            assert last is not None
            assert last.state[0] == ServoState.READY
        assert not shown.path.exists()


def test_the_gripper_is_shown_while_it_runs(tmp_path: Path) -> None:
    grasp = acting(TASK, TASK.segments[0].end, Action("grip", 0.02), 0.3)
    with place() as made, gripper_at(made.clock) as gripping:
        player = made.player(grasp, tool=gripping.tool)
        with Showing(player, tmp_path) as shown, StateReader(shown.path) as reader:
            player.on_tick = shown
            player.start()
            assert player.run(seconds=30.0) is State.DONE, player.reason
            now = reader.read()
        assert now is not None
        assert now.gripper_status[0] == GripperCode.READY
        assert now.gripper_width[0] == pytest.approx(gripping.width, abs=1e-3)
        assert now.gripper_command[0] == 0.02
        assert now.gripper_time[0] == now.time[0]


def test_stop_and_hold_by_a_window_act_on_the_task_and_nothing_else_does(tmp_path: Path) -> None:
    with place() as made:
        player = made.player(TASK)
        with Showing(player, tmp_path) as shown:
            player.on_tick = shown
            player.start()
            player.run(lambda p: p.walker.place >= 0.3, seconds=10.0)
            with CommandClient(folder=tmp_path) as client:
                for command, accepted in ((Hold(), True), (Reset(), False), (EmergencyStop(), True)):
                    ticket = client.send(command)
                    player.tick()
                    answer = client.acknowledgement(ticket)
                    assert answer is not None
                    assert answer.accepted == accepted
                    if isinstance(command, Hold):
                        assert player.state is State.PAUSED
        assert player.state is State.FAILED
        made.clock.advance(0.5)
        assert made.arm.reading().state is ArmState.STOPPED
