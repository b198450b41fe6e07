"""Two arms along one task: one place for both, and when one stops, both stand; by the arms' own logs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm.machine import ArmState
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.clock import VirtualClock
from station.controllers import Controller, in_order_of, scene_joints
from station.tasks.execute import ExecuteError, State, Together, opened_together, players_for
from station.tasks.execute.showing import Showing
from station.tasks.recording import Recording
from station.tasks.task import (
    Kind,
    Segment,
    Task,
    TaskFileError,
    changed,
    joint_limits,
    load,
    load_together,
    save,
    save_together,
)
from station.tasks.task.clips import bridge, glued
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import driven_names
from station.tasks.verify import VerifySettings, make_between, make_workbench, verify, verify_between
from station.tasks.verify.noting import write_notes
from tests.tasks.test_commands import run

HOME = np.radians([0.0, -90.0, 90.0, -90.0, -90.0, 0.0])
NAMES = ("left", "right")
_links = (f"inproc://together-{number}" for number in itertools.count())


def scene_file(folder: Path) -> Path:
    """Two UR5e, two metres apart."""
    text = robots.path("ur5e").read_text(encoding="utf8")
    head, _, robot = text.partition("robot ur5e {")
    path, made = folder / "two.mad", head
    for name, y in zip(NAMES, (0, 2000), strict=True):
        made += f"robot {name} {{" + robot.replace("base { ", f"base {{ pos {{ 0 {y} 0 }} ", 1)
    path.write_text(made, encoding="utf8")
    return path


def task_for(file: Path, robot: str, moves: list[Any], samples: int = 0) -> Task:
    """Through some places, and as long as the other's."""
    mechanism = station.load(file)[robot]
    text = scene_text(file)
    clips = [bridge(a, b, joint_limits(mechanism, share=0.5), 0.001) for a, b in itertools.pairwise(moves)]
    plain = Task(
        name="both", robot=robot, joints=driven_names(mechanism), frame=mechanism.robot.links[-1].id, period=0.001,
        q=np.array(clips[0].q), segments=(Segment(0, len(clips[0].q) - 1, Kind.FREE),),
        scene_hash=text_hash(text), scene_file=str(file), scene_text=text,
    )  # fmt: skip
    made = glued(plain, clips)
    more = samples - len(made.q)
    if more <= 0:
        return made
    return changed(  # stands at its end
        made, q=np.vstack([made.q, np.repeat(made.q[-1:], more, axis=0)]),
        segments=(*made.segments, Segment(len(made.q) - 1, len(made.q) - 1 + more, Kind.WAIT)),
    )  # fmt: skip


class Bench:
    """Two arms on one clock, and a verified task for them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.clock, self.folder, self.file = VirtualClock(), folder, scene_file(folder)
        scene = station.load(self.file)
        self.arms: dict[str, EmulatedArm] = {}
        self.controllers: dict[str, Controller] = {}
        self.servers: dict[str, ZeroMqArm] = {}
        for name in NAMES:
            self.arms[name] = emulated_arm(scene, name, ArmSettings(log_time=60.0), start=HOME)
            link = next(_links)
            self.servers[name] = ZeroMqArm(self.arms[name], link, self.clock)
            stack.callback(self.servers[name].close)
            driver = ArmController(link, self.clock, ZeroMqLink(link, link))
            stack.callback(driver.close)
            driver.wait_until_ready()
            self.controllers[name] = in_order_of(driver, scene_joints(scene[name].joints))
        far = HOME + np.array([1.0, 0.1, -0.2, 0.1, 0.2, 0.5])
        near = HOME + np.array([-0.3, 0.0, 0.1, 0.0, 0.0, 0.0])
        left = task_for(self.file, "left", [HOME, far, HOME])
        self.tasks = (left, task_for(self.file, "right", [HOME, near, HOME], len(left.q)))
        self.path = folder / "both.mcap"
        self.save()

    def save(self, **settings: Any) -> None:
        save_together(self.tasks, self.path, overwrite=True)
        files, held_to = load_together(self.path), VerifySettings(**settings)
        verdicts = []
        for file in files:
            scene = station.load(self.file)
            verdicts.append(verify(file.task, make_workbench(scene, scene[file.task.robot], held_to)))
        assert all(verdict.passed for verdict in verdicts), verdicts
        robots = make_between(station.load(self.file), NAMES, held_to)
        assert robots is not None
        between = verify_between([file.task for file in files], robots)
        assert between.passed, between
        write_notes(self.path, files, verdicts, [held_to, held_to], between)

    def together(self) -> Together:
        return players_for(opened_together(self.path), self.controllers, clock=self.clock)

    def begun(self, place: float = 0.3) -> Together:
        made = self.together()
        made.start()
        made.run(lambda one: one.walker.place >= place, seconds=20.0)
        assert made.state is State.RUNNING, made.reason
        return made

    def stand(self, *names: str, last: float = 0.1) -> bool:
        """Whether arms, all if none is named, have stood for so long [s]."""
        arms = [self.arms[name] for name in names or NAMES]
        return all(
            np.ptp(arm.log.ticks["true"][arm.log.ticks["time"] > arm.log.ticks["time"][-1] - last], axis=0).max() < 2e-3
            for arm in arms
        )

    def reference(self, name: str) -> Any:
        """What an arm was told, by time."""
        log = self.arms[name].log.ticks
        return log["time"], log["reference"]

    def assert_within_limits(self) -> None:
        for arm in self.arms.values():
            log, joints = arm.log.ticks, arm.capabilities.joints
            follows = log["state"] == float(list(ArmState).index(ArmState.ACTIVE))
            pairs = follows[1:] & follows[:-1]
            speed = np.abs(np.diff(log["reference"], axis=0))[pairs] / np.diff(log["time"])[pairs, None]
            assert pairs.sum() > 100
            assert (speed <= np.array([joint.speed for joint in joints])).all()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with ExitStack() as stack:
        yield Bench(tmp_path, stack)


def test_both_arms_get_to_their_ends_at_the_same_place_of_the_task(bench: Bench) -> None:
    made = bench.together()
    made.start()
    places = []
    while not made.state.over and bench.clock.now() < 60.0:
        made.tick()
        places.append([player.walker.place for player in made.players])
    assert made.state is State.DONE, made.reason
    assert np.ptp(np.array(places), axis=1).max() == 0.0
    for name, task in zip(NAMES, bench.tasks, strict=True):
        reading = bench.arms[name].reading()
        assert reading.state is ArmState.READY
        assert np.abs(reading.q - task.q[-1]).max() < 0.006
        assert np.abs(bench.arms[name].log.ticks["true"] - HOME).max() > 0.29  # it has moved
    bench.assert_within_limits()


def test_setpoints_of_both_are_of_the_same_moment_of_the_task(bench: Bench) -> None:
    made = bench.begun(0.4)
    for _ in range(100):
        made.tick()
        for player, task in zip(made.players, bench.tasks, strict=True):
            assert player.arm.shaped is not None
            here = made.walker.place / task.period
            wanted = task.q[int(here)] + (here % 1.0) * (task.q[int(here) + 1] - task.q[int(here)])
            assert np.abs(player.arm.shaped.q - wanted).max() < 5e-3  # 2 ms at 1.6 rad/s: shaping


def test_a_pause_is_one_of_both_and_they_go_on_together(bench: Bench) -> None:
    made = bench.begun()
    made.pause()
    made.run(seconds=1.0)
    assert made.state is State.PAUSED
    assert bench.stand()
    made.resume()
    assert made.run(seconds=60.0) is State.DONE, made.reason
    bench.assert_within_limits()


def test_one_that_is_held_holds_the_other_and_both_go_on_from_there(bench: Bench) -> None:
    made = bench.begun()
    left, right = made.players
    right._leave(lambda: right._enter(State.HELD, "too much force"), "too much force", hurry=True)
    made.run(seconds=1.5)
    assert (left.state, right.state, made.state) == (State.PAUSED, State.HELD, State.HELD)
    assert left.reason == "right: too much force"
    assert made.reason == "right: too much force"
    assert bench.stand()
    made.resume()
    assert made.run(seconds=60.0) is State.DONE, made.reason
    bench.assert_within_limits()


def test_an_arm_that_is_lost_stops_the_other(bench: Bench) -> None:
    made = bench.begun()
    bench.servers["right"].close()
    made.run(seconds=2.0)
    assert made.state is State.LINK_LOST
    assert made.players[0].state is State.PAUSED
    assert "right: the link to the arm is lost" in made.players[0].reason
    assert bench.stand("left")
    bench.assert_within_limits()


def test_an_arm_in_fault_aborts_the_other(bench: Bench) -> None:
    made = bench.begun()
    bench.controllers["left"].stop()
    assert made.run(seconds=5.0) is State.FAILED
    assert made.players[1].state is State.ABORTED
    assert made.players[1].reason.startswith("left: ")
    assert bench.stand()


def test_an_emergency_stop_is_everybodys(bench: Bench) -> None:
    made = bench.begun()
    made.players[1].emergency_stop()  # as from a window on the second arm
    made.tick()
    assert [player.state for player in made.players] == [State.FAILED, State.FAILED]
    for _ in range(500):
        made.tick()
    assert {arm.reading().state for arm in bench.arms.values()} == {ArmState.STOPPED}


def test_an_abort_eases_both_out(bench: Bench) -> None:
    made = bench.begun()
    made.abort("enough")
    assert made.run(seconds=5.0) is State.ABORTED
    assert made.reason == "left: enough; right: enough"
    assert bench.stand()
    bench.assert_within_limits()


def test_step_and_back_are_of_both(bench: Bench) -> None:
    made = bench.begun()
    made.step()
    made.run(lambda one: one.state is State.PAUSED, seconds=30.0)
    ends = sorted({segment.end for task in bench.tasks for segment in task.segments})
    assert made.walker.place == pytest.approx(ends[0] * 1e-3, abs=1e-6)
    made.back_up(0.1)
    made.run(lambda one: one.state is State.PAUSED, seconds=30.0)
    assert {round(player.walker.place, 6) for player in made.players} == {0.1}
    with pytest.raises(ExecuteError, match="a task of one robot"):
        made.take_over()


def test_every_robot_needs_its_arm_and_every_arm_a_robot(bench: Bench) -> None:
    prepared = opened_together(bench.path)
    with pytest.raises(ExecuteError, match="robot right has no arm; name it with --controller right=URL"):
        players_for(prepared, {"left": bench.controllers["left"]}, clock=bench.clock)
    with pytest.raises(ExecuteError, match="no robot up; there are: left, right"):
        players_for(prepared, {**bench.controllers, "up": bench.controllers["left"]}, clock=bench.clock)


def test_an_execution_shows_both_as_parts(bench: Bench, tmp_path: Path) -> None:
    from station.servo.shared.parts import opened_parts

    made = bench.together()
    with ExitStack() as stack:
        first = stack.enter_context(Showing(made.players[0], tmp_path, "run"))
        made.players[0].on_tick = first
        made.players[1].on_tick = stack.enter_context(Showing(made.players[1], tmp_path, "run+1"))
        made.start()
        made.run(seconds=0.2)
        with opened_parts(first.path) as states:
            assert [state.text["robot"] for state in states] == list(NAMES)
            ticks = []
            for state in states:
                snapshot = state.read()
                assert snapshot is not None
                ticks.append(int(snapshot.tick[0]))
            assert ticks[0] == ticks[1] > 10


def test_what_was_verified_apart_is_not_executed_together(bench: Bench) -> None:
    files = load_together(bench.path)
    notes = [{**file.verified, "together": "another"} for file in files]
    save_together(bench.tasks, bench.path, overwrite=True, verified=notes)
    with pytest.raises(ExecuteError, match="was not verified with these robots"):
        opened_together(bench.path)


def test_what_was_not_checked_between_the_robots_is_not_executed(bench: Bench) -> None:
    """As a release wrote it that knew nothing of distances between robots."""
    notes = [
        {key: text for key, text in file.verified.items() if not key.startswith("between")}
        for file in load_together(bench.path)
    ]
    save_together(bench.tasks, bench.path, overwrite=True, verified=notes)
    with pytest.raises(ExecuteError, match="not checked against the other robots"):
        opened_together(bench.path)


def test_a_task_of_several_is_refused_by_who_knows_of_one(bench: Bench) -> None:
    with pytest.raises(TaskFileError, match=r"a task of several robots \(left, right\)"):
        load(bench.path)


@pytest.mark.wall_clock
def test_two_robots_from_the_command_line(tmp_path: Path) -> None:
    """Verified, executed and recorded: `station verify`, `station execute --record`, both arms in one file."""
    file, path, out = scene_file(tmp_path), tmp_path / "both.mcap", tmp_path / "done.mcap"
    start = station.load(file)["left"].q
    left = task_for(file, "left", [start, start + 0.1, start])
    save(left, tmp_path / "left.mcap")
    save(task_for(file, "right", [start, start - 0.05, start]), tmp_path / "right.mcap")
    assert (
        run("task", "join", str(tmp_path / "left.mcap"), str(tmp_path / "right.mcap"), "-o", str(path)).exit_code == 0
    )
    shown = json.loads(run("task", "show", str(path), "--json").output)["robots"]
    assert shown["left"]["samples"] == shown["right"]["samples"] == len(left.q)
    assert shown["right"]["segments"][-1]["kind"] == "wait"
    assert "robot right, " in run("task", "show", str(path)).output
    twice = run("task", "join", str(path), str(tmp_path / "left.mcap"), "-o", str(tmp_path / "twice.mcap"))
    assert "robot left is in it twice" in twice.output
    assert run("execute", str(path), "--controller", "left=sim:arm", "--controller", "right=sim:arm").exit_code == 2
    told = run("verify", str(path), "--singularity", "0", "--ignore-made-up", "--clearance", "0")
    assert told.exit_code == 0, told.output
    assert "robot left:" in told.output
    assert "robot right:" in told.output
    assert "between left and right:" in told.output
    assert "NOT CHECKED" not in told.output
    assert "of which robot?" in run("execute", str(path), "--controller", "sim:arm").output
    assert "no robot up" in run("execute", str(path), "--controller", "up=sim:arm").output
    slow = "sim:arm?settings=rate=100,watchdog=0.5"  # a busy machine lets nobody tick each millisecond
    arms = ("--controller", f"left={slow}", "--controller", f"right={slow}")
    assert "one robot" in run("execute", str(path), *arms, "--device", "sim:syntaxer").output
    done = run("execute", str(path), *arms, "--tube", "50", "--record", str(out), "--json")
    assert json.loads(done.output)["state"] == "done", done.output
    with Recording(out) as recording:
        assert recording.parts == NAMES
        ticks = [recording.part(name).messages("/status")["tick"] for name in NAMES]
        assert len(ticks[0]) > 50
        assert abs(len(ticks[0]) - len(ticks[1])) <= 1
        moved = [np.ptp(recording.part(name).messages("/measured")["measured_q"], axis=0).max() for name in NAMES]
        assert moved[0] == pytest.approx(0.1, abs=0.01)
        assert moved[1] == pytest.approx(0.05, abs=0.01)
        assert recording.metadata["run"]["controller right"] == slow
