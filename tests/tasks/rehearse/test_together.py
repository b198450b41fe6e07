"""Two hands, two robots, one task: rehearsed in one servo, verified, executed on two emulated arms."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import robots
import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import EmulatedArm, World, emulated_arm
from sim_devices.arm.machine import ArmState
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.bench import Bench, System
from station.clock import VirtualClock
from station.controllers import Controller, in_order_of, scene_joints
from station.devices import open_device
from station.devices.device import Device
from station.mad.joined import join
from station.mechanism import Mechanism
from station.servo.rig import Wanted, put_all_together, put_together
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.tasks.execute import ExecuteError, State, Together, opened_together, players_for
from station.tasks.rehearse import Rehearsal, obey, read_script
from station.tasks.rehearse.take import Take
from station.tasks.task import Action, EditError, Kind, Segment, Task, changed, limits_for, load_together, save_together
from station.tasks.task.driven import as_driven_together
from station.tasks.task.hashing import text_hash
from station.tasks.verify import Check, VerifySettings, make_between, make_workbench, verify, verify_between
from station.tasks.verify.noting import write_notes
from tests.servo.rigs import DEAD_MAN, IdealDevice
from tests.tasks.making import HOME, task_of
from tests.tasks.test_commands import run

BAR = robots.path("two_arms_bar")
NAMES = ("left", "right")
# Each hand engages, moves, and lets go; the right one later and in another way.
HANDS = {
    "left": "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; reach 0.22 0.06 0.03 in 0.6; "
    "hold 0.3; reach 0.22 0 0 in 0.6; hold 1",
    "right": "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.8; press deadman; hold 0.3; reach 0.22 -0.04 0.05 in 0.7; hold 2",
}
_links = (f"inproc://rehearsed-together-{number}" for number in itertools.count())


def scene_file(folder: Path, apart: int = 2000) -> Path:
    """Two UR5e with a hand each [mm]."""
    text = robots.path("ur5e").read_text(encoding="utf8").replace("device 1 { type spaceball }", "")
    head, _, robot = text.partition("robot ur5e {")
    made = head + "".join(f'device {nth} {{ name "{name}" }}\n' for nth, name in enumerate(NAMES, 1))
    for nth, (name, y) in enumerate(zip(NAMES, (0, apart), strict=True), 1):
        placed = robot.replace("base { ", f"base {{ pos {{ 0 {y} 0 }} ", 1)
        made += f"robot {name} {{{placed.replace('device ( 0 1 )', f'device ( 0 {nth} )')}\n"
    path = folder / "two.mad"
    path.write_text(made, encoding="utf8")
    return path


def put_home(scene: Bench) -> None:
    for robot in scene.robots:
        scene[robot.name].q = HOME


@contextmanager
def rehearsal(scene: Bench, folder: Path, devices: Mapping[str, Device], clock: VirtualClock, script: str = "") -> Any:
    rigs = put_all_together(scene, devices, Wanted(), {})
    with Servo(rigs, clock=clock, folder=folder) as servo:
        yield Rehearsal(servo, "both", script=read_script(script))


def timed(tasks: list[Task], scene: Bench) -> list[Task]:
    """As `station rehearse` does."""
    names = tuple(task.robot for task in tasks)
    whole = System(Mechanism(join(scene, names)), names)
    frames = [whole.frame_id(task.robot, task.frame) for task in tasks]
    return as_driven_together(tasks, whole.mechanism, limits_for(whole.mechanism), frames, smooth=0.05)[0]


def verified(file: Path, tasks: list[Task], path: Path, **settings: Any) -> None:
    """Saved, with all that was checked noted in it; it must pass."""
    held_to = VerifySettings(**settings)
    save_together(tasks, path, overwrite=True)
    files = load_together(path)
    verdicts = []
    for task in tasks:
        scene = station.load(file)
        verdicts.append(verify(task, make_workbench(scene, scene[task.robot], held_to, frame=task.frame)))
    robots = make_between(station.load(file), [task.robot for task in tasks], held_to)
    assert robots is not None
    between = verify_between(tasks, robots)
    assert all(one.passed for one in (*verdicts, between)), [one.findings for one in (*verdicts, between)]
    write_notes(path, files, verdicts, [held_to] * len(files), between)


def controllers(
    stack: ExitStack, scene: Bench, arms: Mapping[str, EmulatedArm], clock: VirtualClock
) -> dict[str, Controller]:
    found = {}
    for name, arm in arms.items():
        link = next(_links)
        stack.callback(ZeroMqArm(arm, link, clock).close)
        driver = ArmController(link, clock, ZeroMqLink(link, link))
        stack.callback(driver.close)
        driver.wait_until_ready()
        found[name] = in_order_of(driver, scene_joints(scene[name].joints))
    return found


def assert_within_limits(arms: Mapping[str, EmulatedArm]) -> None:
    """By the arms' own logs."""
    active = float(list(ArmState).index(ArmState.ACTIVE))
    for arm in arms.values():
        log, joints = arm.log.ticks, arm.capabilities.joints
        pairs = (log["state"][1:] == active) & (log["state"][:-1] == active)
        speed = np.abs(np.diff(log["reference"], axis=0))[pairs] / np.diff(log["time"])[pairs, None]
        assert pairs.sum() > 100
        assert (speed <= np.array([joint.speed for joint in joints])).all()


# Two robots, two scripted hands -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Task]]:
    folder, clock = tmp_path_factory.mktemp("two"), VirtualClock()
    file = scene_file(folder)
    scene = station.load(file)
    put_home(scene)
    with ExitStack() as stack:
        devices = {
            name: stack.enter_context(open_device("sim:syntaxer?" + urlencode({"hand": words}), clock))
            for name, words in HANDS.items()
        }
        script = "0.2 mark begin\n0.9 mark there\n0.9 wait 0.2\n1.0 grip right 20 0.3\n"
        made = stack.enter_context(rehearsal(scene, folder, devices, clock, script))
        while clock.now() < 3.6:
            made.tick()
        return file, made.tasks()


def test_two_hands_become_one_task_of_two_robots(rehearsed: tuple[Path, list[Task]]) -> None:
    left, right = rehearsed[1]
    assert (left.robot, right.robot) == NAMES
    assert left.q.shape == right.q.shape
    assert [mark.name for mark in left.marks] == ["begin", "there"] == [mark.name for mark in right.marks]
    assert [mark.sample for mark in left.marks] == [mark.sample for mark in right.marks]
    kinds = [[segment.kind for segment in task.segments] for task in (left, right)]
    assert kinds == [
        [Kind.FREE, Kind.WAIT, Kind.FREE, Kind.WAIT, Kind.FREE],
        [Kind.FREE, Kind.WAIT, Kind.FREE, Kind.ACTION, Kind.FREE],
    ]
    assert right.segments[3].action == Action("grip", 0.02)
    for task in (left, right):
        assert np.ptp(task.q, axis=0).max() > 0.03
        assert np.abs(np.diff(task.q, axis=0)).max() < 0.005
        assert task.device.rate == 1000.0


def test_rehearse_verify_execute_with_two_hands_and_two_arms(
    rehearsed: tuple[Path, list[Task]], tmp_path: Path
) -> None:
    file, driven = rehearsed
    plain = [  # no gripper is there: it waits instead
        changed(task, segments=tuple(s._replace(kind=Kind.WAIT, action=None) if s.action else s for s in task.segments))
        for task in driven
    ]
    tasks, path, clock = timed(plain, station.load(file)), tmp_path / "both.mcap", VirtualClock()
    assert len(tasks[0].q) == len(tasks[1].q)
    verified(file, tasks, path)
    scene = station.load(file)
    start = HOME + 0.1  # off the begin: they ease in together
    arms = {name: emulated_arm(scene, name, ArmSettings(log_time=60.0), start=start) for name in NAMES}
    with ExitStack() as stack:
        made = players_for(opened_together(path), controllers(stack, scene, arms, clock), clock=clock)
        made.start()
        places = []
        while made.state in (State.STARTING, State.EASING_IN):
            made.tick()
            if all(player.state is State.EASING_IN for player in made.players):
                places.append([player._ease.place for player in made.players if player._ease is not None])
        assert len(places) > 200
        assert np.ptp(places, axis=1).max() == 0.0  # one place on the way, too
        assert made.run(seconds=60.0) is State.DONE, made.reason
    for name, task in zip(NAMES, tasks, strict=True):
        assert np.abs(arms[name].reading().q - task.q[-1]).max() < 0.006
    assert_within_limits(arms)


def test_robots_that_would_meet_on_the_way_in_do_not_set_out(tmp_path: Path) -> None:
    """The task itself is free; where the arms are measured, the straight ways to it cross."""
    file, path, clock = scene_file(tmp_path, 900), tmp_path / "both.mcap", VirtualClock()
    turns = {"left": np.array([-1.0, 0, 0, 0, 0, 0]), "right": np.array([0.5, 0, 0, 0, 0, 0])}
    s = np.linspace(0.0, 1.0, 2001)[:, None]
    bump = 0.05 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    scene = station.load(file)
    tasks = []
    for name, turn in turns.items():
        plain = task_of(HOME + turn + bump * np.eye(6)[0] * (1 if name == "left" else -1), "bench")
        text = file.read_text(encoding="utf8")
        tasks.append(changed(plain, robot=name, scene_file=str(file), scene_text=text, scene_hash=text_hash(text)))
    verified(file, tasks, path)
    # Each arm stands beyond the other one's way.
    away = {"left": HOME + np.array([-2.67, 0, 0, 0, 0, 0]), "right": HOME + np.array([2.118, 0, 0, 0, 0, 0])}
    arms = {name: emulated_arm(scene, name, ArmSettings(log_time=10.0), start=away[name]) for name in NAMES}
    with ExitStack() as stack:
        made = players_for(opened_together(path), controllers(stack, scene, arms, clock), clock=clock)
        with pytest.raises(
            ExecuteError, match=r"the way of the arms to where the task begins is not free: left .* right"
        ):
            made.start()
        assert {arm.reading().state for arm in arms.values()} == {ArmState.READY}


def test_undo_takes_all_robots_back_to_the_mark(tmp_path: Path) -> None:
    clock, scene = VirtualClock(1.0), station.load(scene_file(tmp_path))
    put_home(scene)
    hands = {name: IdealDevice(clock) for name in NAMES}
    with rehearsal(scene, tmp_path, hands, clock) as made:
        lead(made, hands, 200, {"left": (0.0, 0.02, 0.0), "right": (0.0, 0.0, 0.03)})
        assert made.say("mark a")
        there = [scene[name].q for name in NAMES]
        lead(made, hands, 300, {"left": (0.0, 0.0, 0.05), "right": (0.04, 0.0, 0.0)})
        assert max(np.abs(scene[name].q - q).max() for name, q in zip(NAMES, there, strict=True)) > 0.01
        assert made.say("undo a")
        for name, q in zip(NAMES, there, strict=True):
            np.testing.assert_allclose(scene[name].q, q, atol=1e-12)
        assert all(part.state is ServoState.HOLD for part in made.servo.parts)
        for hand in hands.values():
            hand.buttons = 0
        lead(made, hands, 300, {"left": (0.0, 0.0, 0.02), "right": (0.0, 0.0, 0.02)})
        for task in made.tasks():
            assert np.abs(np.diff(task.q, axis=0)).max() < 0.005  # no jump


def lead(made: Rehearsal, hands: Mapping[str, IdealDevice], ticks: int, by: Mapping[str, Any]) -> None:
    """Press, and lead each hand evenly by so much, with soft ends [m]."""
    for _ in range(10):
        made.tick()
    for hand in hands.values():
        hand.buttons = DEAD_MAN
    for _ in range(10):
        made.tick()
    starts = {name: hand.place.copy() for name, hand in hands.items()}
    for k in range(ticks):
        s = (k + 1) / ticks
        for name, way in by.items():
            hands[name].place = starts[name] + (3 * s**2 - 2 * s**3) * np.array(way)
            hands[name].velocity = 6 * s * (1 - s) * np.array(way) / (ticks * 1e-3)
        made.tick()
    for name in by:
        hands[name].velocity = np.zeros(3)


def test_orders_of_a_tool_are_of_the_robot_that_they_name_or_of_the_chosen_one() -> None:
    one = task_of(np.stack([HOME, HOME]))
    made = Take(one, changed(one, robot="other"))
    q = np.concatenate([HOME, HOME])
    for k in range(100):
        made.see(q + 1e-4 * k)
    assert obey(made, "contact 20").text == "contact ur5e 20"
    obey(made, "grip other 15 0.5")
    obey(made, "lost retreat")
    obey(made, "robot")
    assert made.chosen == "other"
    obey(made, "open 80")
    for k in range(100):
        made.see(q + 1e-2 + 1e-4 * k)
    obey(made, "free ur5e")
    for k in range(100):
        made.see(q + 2e-2 + 1e-4 * k)
    first, second = made.tasks()
    assert [s.kind for s in first.segments] == [Kind.FREE, Kind.WAIT, Kind.WAIT, Kind.CONTACT, Kind.FREE]
    assert [s.kind for s in second.segments] == [Kind.FREE, Kind.ACTION, Kind.ACTION, Kind.FREE]
    assert [s.action.word for s in second.segments if s.action] == ["grip", "open"]
    with pytest.raises(EditError, match="no robot 'up' is rehearsed; there are: ur5e, other"):
        obey(made, "robot up")


@pytest.mark.wall_clock
def test_the_command_takes_a_device_for_each_hand(tmp_path: Path) -> None:
    file, out = scene_file(tmp_path), tmp_path / "both.mcap"
    named = [f"{name}=sim:syntaxer?{urlencode({'hand': words})}" for name, words in HANDS.items()]
    words = ["rehearse", str(file), "-o", str(out), "--posture", "home", "--seconds", "4"]
    told = run(*words, "--device", named[0], "--device", named[1])
    assert told.exit_code in (0, 1), told.output  # a busy machine may make a hand abrupt
    assert "robots left, right, " in told.output
    shown = json.loads(run("task", "show", str(out), "--json").output)["robots"]
    assert set(shown) == set(NAMES)
    assert shown["left"]["samples"] == shown["right"]["samples"]
    again = [*words, "--overwrite"]
    assert "of which hand?" in run(*again, "--device", "sim:syntaxer", "--device", "sim:syntaxer").output
    assert "no hand 'up' leads here; there are: left, right" in run(*again, "--device", "up=sim:syntaxer").output
    twice = run(*again, "--device", "left=sim:syntaxer", "--device", "left=sim:syntaxer")
    assert "hand left has a device already" in twice.output


# Two arms that hold a bar -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """The bar, led by both hands."""
    clock, folder = VirtualClock(1.0), tmp_path_factory.mktemp("bar")
    hands = {"1": IdealDevice(clock), "2": IdealDevice(clock)}
    scene = station.load(BAR)
    with rehearsal(scene, folder, hands, clock) as made:
        lead(made, hands, 1500, {"1": (0.02, 0.0, 0.06), "2": (0.02, 0.0, 0.02)})
        for _ in range(300):
            made.tick()
        return timed(made.tasks(), station.load(BAR))


def test_what_ties_the_robots_stays_together_as_rehearsed(carried: list[Task], tmp_path: Path) -> None:
    verified(BAR, carried, tmp_path / "bar.mcap", made_up=False)
    assert [task.robot for task in carried] == ["left", "right"]
    assert all(np.ptp(task.q, axis=0).max() > 0.02 for task in carried)


def test_one_hand_leads_both_arms_that_hold_a_bar(tmp_path: Path) -> None:
    clock, scene = VirtualClock(1.0), station.load(BAR)
    hand = IdealDevice(clock)
    with Servo(put_together(scene, hand, Wanted(robot="left")), clock=clock, folder=tmp_path) as servo:
        made = Rehearsal(servo, "bar")
        lead(made, {"1": hand}, 600, {"1": (0.0, 0.0, 0.03)})
        tasks = made.tasks()
    assert [task.robot for task in tasks] == ["left", "right"]
    between = make_between(station.load(BAR), NAMES, VerifySettings())
    assert between is not None
    assert verify_between(tasks, between).passed


def test_a_tie_that_is_torn_is_found(carried: list[Task]) -> None:
    left, right = carried
    q = np.array(right.q)
    q[400:600, 5] += 0.02 * np.hanning(200)  # the right wrist turns a little by itself
    between = make_between(station.load(BAR), NAMES, VerifySettings())
    assert between is not None
    verdict = verify_between([left, changed(right, q=q)], between)
    finding = next(one for one in verdict.findings if one.check is Check.CLOSURE)
    assert "left frame 9 and right tool 7" in finding.text
    assert 0.4 < finding.begin < 0.43


@contextmanager
def bar(path: Path, start: Mapping[str, Any]) -> Iterator[tuple[Together, Mapping[str, EmulatedArm]]]:
    """Two arms of one physics that hold the bar, and the task for them."""
    clock, scene = VirtualClock(), station.load(BAR)
    world = World(scene, ArmSettings(log_time=60.0), start=start) if start else World(scene, ArmSettings(log_time=60.0))
    with ExitStack() as stack:
        made = players_for(opened_together(path), controllers(stack, scene, world.arms, clock), clock=clock)
        yield made, world.arms


def bar_gap(arms: Mapping[str, EmulatedArm], what: str) -> float:
    """Largest gap between the end of the bar and the flange that holds it, by the arms' own logs [m]."""
    scene = station.load(BAR)
    logs = [arms[name].log.ticks for name in NAMES]
    count = min(len(log[what]) for log in logs)
    gaps = []
    for k in range(0, count, 20):
        here, there = (
            scene[name].pose_at(frame, log[what][k]) for name, frame, log in zip(NAMES, (9, 7), logs, strict=True)
        )
        gaps.append(float(np.linalg.norm(here[:3, 3] - there[:3, 3])))
    return max(gaps)


def test_two_arms_carry_the_bar_along_the_task_without_tearing_it(carried: list[Task], tmp_path: Path) -> None:
    """The task begins elsewhere than the arms stand: backwards, they ease in along the loop to its end first."""
    path = tmp_path / "bar.mcap"
    back = [
        changed(
            task, q=np.ascontiguousarray(task.q[::-1]), marks=(),
            segments=(Segment(0, len(task.q) - 1, Kind.FREE),),
        )
        for task in carried
    ]  # fmt: skip
    assert max(np.abs(task.q[0] - task.q[-1]).max() for task in back) > 0.02
    verified(BAR, back, path, made_up=False)
    with bar(path, {}) as (made, arms):
        made.start()
        made.run(lambda one: one.walker.place > 0.5, seconds=30.0)
        # What they were told: straight in the joints of each, the way in would be open by 0.32 mm.
        assert bar_gap(arms, "reference") < 5e-5
        right = made.players[1]
        right._leave(lambda: right._enter(State.HELD, "too much force"), "too much force")  # one alone is off its path
        made.run(seconds=1.5)
        assert [player.state for player in made.players] == [State.PAUSED, State.HELD]
        made.resume()
        assert made.run(seconds=60.0) is State.DONE, made.reason
        assert_within_limits(arms)
        assert bar_gap(arms, "reference") < 3e-4  # one has stopped by itself


def test_tied_arms_that_do_not_fit_where_they_are_do_not_set_out(carried: list[Task], tmp_path: Path) -> None:
    path, clock, scene = tmp_path / "bar.mcap", VirtualClock(), station.load(BAR)
    verified(BAR, carried, path, made_up=False)
    off = {"left": carried[0].q[0], "right": carried[1].q[0] + 0.05}
    text = BAR.read_text(encoding="utf8").replace("constraint { robot left frame 9  robot right tool 7 }", "")
    loose = station.loads(text.replace("pos { 0 -300 0 }", "pos { 0 -3000 0 }"))  # no arm is in the other's way
    arms = {name: emulated_arm(loose, name, ArmSettings(log_time=10.0), start=off[name]) for name in NAMES}
    with ExitStack() as stack:
        made = players_for(opened_together(path), controllers(stack, scene, arms, clock), clock=clock)
        with pytest.raises(ExecuteError, match=r"left frame 9 and right tool 7 are tied, .* mm .* park them"):
            made.start()
        assert {arm.reading().state for arm in arms.values()} == {ArmState.READY}


@pytest.mark.wall_clock
def test_the_bar_from_the_command_line(carried: list[Task], tmp_path: Path) -> None:
    """Verified against both arms, and executed on them: emulated ones that are tied share one physics."""
    path = tmp_path / "bar.mcap"
    save_together(carried, path)
    slow = "sim:arm?settings=rate=100,watchdog=0.5"  # a busy machine lets nobody tick each millisecond
    arms = ("--controller", f"left={slow}", "--controller", f"right={slow}")
    told = run("verify", str(path), "--ignore-made-up", *arms)
    assert told.exit_code == 0, told.output
    assert "m left frame 9 and right tool 7 at " in told.output
    done = run("execute", str(path), *arms, "--tube", "50", "--json")
    assert json.loads(done.output)["state"] == "done", done.output
