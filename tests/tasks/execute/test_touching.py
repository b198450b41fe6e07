"""Forces, tubes, tools and the hand: what is met on the way, from the arm's own log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from firmware_bridge.robotiq.registers import Fault
from sim_devices.arm.machine import ArmState
from station.controllers.tool import ToolStatus
from station.mechanism import Mechanism
from station.tasks.execute import ExecuteError, HandLead, Player, State
from station.tasks.task import Action, Kind, Task
from station.tasks.task.clips import cut_out, glued
from station.tasks.task.edit import acting, labelled
from station.tasks.task.joints import tool_path
from station.tasks.task.model import Floats
from tests.servo.rigs import DEAD_MAN, IdealDevice
from tests.tasks.execute.places import (
    ACTIVE,
    START,
    Place,
    assert_nothing_beyond_limits,
    gripper_at,
    off_the_path,
    place,
    still,
    there_and_back,
)
from tests.tasks.making import HOME, scene_of, through

ASIDE = HOME + np.array([0.6, 0.0, 0.0, 0.0, 0.0, 0.0])
TASK = there_and_back()


def above_the_table(height: float) -> Floats:
    """Joints with the probe so high over the table [m], beside the wall."""
    mechanism = Mechanism(scene_of()["ur5e"].robot)
    mechanism.q = ASIDE
    pose = mechanism.pose(7)
    pose[2, 3] = height
    return np.array(mechanism.reach(7, pose).q)


def press(depth: float, force: float) -> Task:
    """Down to the table and so much into it [m]; contact is expected in the last part."""
    low, inside = above_the_table(0.045), above_the_table(-0.005 - depth)
    near = through([ASIDE, low], share=0.2)
    slowly, back = through([low, inside, low], share=0.01), through([low, ASIDE], share=0.2)
    clips = [cut_out(part, 0, len(part.q) - 1) for part in (near, slowly, back)]
    task = glued(near, clips)
    first, last = task.segments[1].begin, task.segments[2].end
    return labelled(task, first, last, Kind.CONTACT, name="press", force=force)


def contact_force(made: Place) -> float:
    """Largest at the tool, by the arm's log [N]."""
    return float(np.linalg.norm(made.arm.log.ticks["wrench"][:, :3], axis=1).max())


def test_a_contact_that_is_expected_is_gone_through_and_felt() -> None:
    with place() as made:
        player = made.player(press(0.0002, 80.0))
        player.start()
        assert player.run(seconds=40.0) is State.DONE, player.reason
        assert contact_force(made) > 3.0
        assert not any("no contact was felt" in happening.text for happening in player.happenings)
        assert_nothing_beyond_limits(made)


def test_a_contact_that_grows_too_strong_is_slowed_and_held() -> None:
    with place() as made:
        player = made.player(press(0.008, 25.0), patience=0.5)
        player.start()
        player.run(lambda p: p.state is State.HELD, seconds=40.0)
        assert player.state is State.HELD
        assert "contact" in player.reason
        assert contact_force(made) < 100.0  # a hard tip on a hard table: the impact alone is 40 N
        assert made.arm.reading().state is ArmState.READY  # it holds by itself
        assert_nothing_beyond_limits(made)


def test_a_contact_that_does_not_come_is_told() -> None:
    task = labelled(TASK, TASK.segments[1].begin, TASK.segments[1].end, Kind.CONTACT, name="insert")
    with place() as made:
        player = made.player(task)
        player.start()
        assert player.run(seconds=30.0) is State.DONE, player.reason
        assert any("no contact was felt in segment 1" in happening.text for happening in player.happenings)


def test_something_in_the_way_that_nobody_knew_of_holds_the_arm() -> None:
    mechanism = Mechanism(scene_of()["ur5e"].robot)
    mechanism.q = np.array(TASK.q[TASK.segments[0].end // 2])
    x, y, z = 1000.0 * mechanism.pose(7)[:3, 3]
    box = f"RAFF v2.0 W\nobstacle box {{ pos {{ {x:.0f} {y:.0f} {z - 40:.0f} }} box {{ 60 60 60 }} }}\n"
    with place(world=box) as made:
        player = made.player(TASK)
        player.start()
        player.run(lambda p: p.state in (State.HELD, State.FAILED), seconds=20.0)
        assert player.state in (State.HELD, State.FAILED), player.state
        assert any(word in player.reason for word in ("touched", "off the path", "stopped", "from where it was sent"))
        made.clock.advance(0.5)
        assert still(made)
        assert made.arm.reading().state is not ArmState.ACTIVE
        assert_nothing_beyond_limits(made)


GRASP = acting(TASK, TASK.segments[0].end, Action("grip", 0.02), 0.2)


def test_the_arm_waits_for_its_tool() -> None:
    with place() as made, gripper_at(made.clock) as gripping:
        player = made.player(GRASP, tool=gripping.tool)
        player.start()
        player.run(lambda p: p.arm.sent > 0, seconds=5.0)
        assert gripping.driver.status is ToolStatus.READY  # before the arm was asked to follow
        assert player.run(seconds=30.0) is State.DONE, player.reason
        assert gripping.width == pytest.approx(0.02, abs=1e-3)
        log = made.arm.log.ticks
        there = np.abs(log["true"] - TASK.q[TASK.segments[0].end]).max(axis=1) < 0.004
        assert there.sum() * 0.001 > 0.6  # from 85 mm to 20 mm takes longer than the task says


def test_actions_without_a_tool_are_refused_and_trouble_holds_the_arm() -> None:
    with place() as made, gripper_at(made.clock) as gripping:
        with pytest.raises(ExecuteError, match="no tool is connected"):
            made.player(GRASP)
        player = made.player(GRASP, tool=gripping.tool)
        player.start()
        player.run(lambda p: p.walker.place > 0.3, seconds=10.0)
        gripping.emulator.fingers.broken = Fault.INTERNAL
        player.run(lambda p: p.state is State.HELD, seconds=20.0)
        assert player.state is State.HELD
        assert "the gripper is fault" in player.reason
        assert_nothing_beyond_limits(made)


def test_a_tool_that_does_not_wake_up_ends_it_before_the_arm_moves() -> None:
    with place() as made, gripper_at(made.clock) as gripping:
        gripping.emulator.fingers.thing = 20.0  # something thick is between the fingers
        player = made.player(GRASP, tool=gripping.tool)
        player.start()
        assert player.run(seconds=20.0) is State.FAILED
        assert player.reason.startswith("the tool: ")
        assert player.arm.sent == 0
        assert (made.arm.log.ticks["state"] != ACTIVE).all()


@contextmanager
def hand_at(made: Place) -> Iterator[tuple[IdealDevice, HandLead]]:
    device = IdealDevice(made.clock)
    with HandLead(made.scene, made.mechanism, device, 7, made.clock) as hand:
        yield device, hand


def led(player: Player, device: IdealDevice, ticks: int, way: Floats) -> Floats:
    """Let go, press, and go so far [m] with the hand; the largest force that it felt [N]."""
    felt = np.zeros(3)
    for k in range(ticks):
        device.buttons = DEAD_MAN if k > 200 else 0
        device.place[:] = way * min(max(k - 400, 0) / 800.0, 1.0)
        player.tick()
        felt = np.maximum(felt, np.abs(device.felt[:3]))
    return felt


def test_the_hand_takes_over_without_a_jump_and_gives_back() -> None:
    with place() as made, hand_at(made) as (device, hand):
        player = made.player(TASK, hand=hand)
        player.start()
        player.run(lambda p: p.walker.place >= 0.45, seconds=10.0)
        left_at = player.walker.place
        player.take_over()
        led(player, device, 1500, np.array([0.0, 0.0, 0.04]))
        assert player.state is State.HAND
        assert hand.engaged
        log = made.arm.log.ticks
        assert np.abs(np.diff(log["reference"], axis=0)).max() < 0.004  # no jump
        assert off_the_path(made, TASK, float(log["time"][-1]) - 0.05) > 0.02  # it is elsewhere
        assert player.walker.place == left_at
        player.resume()
        assert not device.force_enabled  # forces end with the lead
        assert player.run(seconds=30.0) is State.DONE, player.reason
        states = [happening.state for happening in player.happenings]
        assert states.index(State.HAND) < len(states) - 1 - states[::-1].index(State.EASING_IN)
        assert np.abs(made.arm.reading().q - TASK.q[-1]).max() < 0.006
        assert_nothing_beyond_limits(made)


def test_a_hand_that_takes_over_feels_the_table_and_cannot_push_the_arm_into_it() -> None:
    low = through([START, above_the_table(0.06)])
    with place() as made, hand_at(made) as (device, hand):
        player = made.player(low, hand=hand)
        player.start()
        player.run(lambda p: p.walker.place >= low.duration - 0.05, seconds=20.0)
        player.take_over()
        felt = led(player, device, 2200, np.array([0.0, 0.0, -0.12]))  # 60 mm into the table, if it could
        assert felt[2] > 2.0
        log = made.arm.log.ticks
        heights = tool_path(made.mechanism, 7, np.array(log["true"]))[:, 2, 3]
        assert heights[-1] < 0.04  # it went down with the hand,
        assert heights.min() > -0.005  # but not into the table, whose top is 5 mm below 0
        player.abort()
        player.run(seconds=5.0)
        assert_nothing_beyond_limits(made)


def test_nobody_takes_over_without_a_device() -> None:
    with place() as made:
        player = made.player(TASK)
        with pytest.raises(ExecuteError, match="not possible while ready"):
            player.take_over()
        player.start()
        player.run(lambda p: p.walker.place >= 0.3, seconds=10.0)
        with pytest.raises(ExecuteError, match="no device"):
            player.take_over()
        player.abort()
        player.run(seconds=5.0)


def test_a_device_that_falls_silent_while_the_hand_leads_leaves_the_arm_standing() -> None:
    with place() as made, hand_at(made) as (device, hand):
        player = made.player(TASK, hand=hand)
        player.start()
        player.run(lambda p: p.walker.place >= 0.45, seconds=10.0)
        player.take_over()
        led(player, device, 800, np.array([0.0, 0.0, 0.04]))
        device.silent = True
        for _ in range(500):
            player.tick()
        assert still(made)
        assert_nothing_beyond_limits(made)


def test_a_sensor_that_falls_silent_on_the_way_ends_the_motion_and_is_told() -> None:
    with place() as made:
        player = made.player(TASK)
        player.start()
        player.run(lambda p: p.state is State.RUNNING and p.walker.place > 0.3)
        made.arm.faults.add("no-wrench")
        player.run(seconds=2.0)
        assert player.state is State.HELD
        assert "the force sensor has fallen silent" in player.reason
        assert still(made)
        assert_nothing_beyond_limits(made, spoilt=1)  # a fault takes messages through the emulated network


def test_a_sensor_that_tells_nothing_is_noticed_before_the_arm_moves() -> None:
    with place() as made:
        made.arm.faults.add("no-wrench")
        player = made.player(TASK)
        player.start()
        assert player.run(seconds=5.0) is State.FAILED
        assert "a force sensor that tells nothing" in player.reason
        assert State.EASING_IN not in {happening.state for happening in player.happenings}
