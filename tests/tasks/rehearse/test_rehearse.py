"""Rehearse, re-time, verify, execute: the hand drives the virtual robot, the arm does the same afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from scipy.spatial import cKDTree

import station
from sim_devices.arm.machine import ArmState
from station.clock import VirtualClock
from station.devices import open_device
from station.mechanism import Mechanism
from station.run.places import BENCH_HAND
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.tasks.execute import State
from station.tasks.rehearse import Rehearsal, read_script
from station.tasks.task import Kind, Task, limits_for, load, save
from station.tasks.task.driven import as_driven
from station.tasks.task.edit import smoothed
from station.tasks.task.joints import closed_path, tool_path, whole_path
from station.tasks.task.model import changed
from station.tasks.task.retime import retimed
from station.tasks.verify import Check, VerifySettings, make_workbench, verify
from tests.servo.rigs import DEAD_MAN, IdealDevice
from tests.tasks.execute.places import Place, assert_nothing_beyond_limits, off_the_path, place
from tests.tasks.execute.sending import Far
from tests.tasks.making import robot_file

# Engaged from 0.7 s on, away and back; the dead-man is let go in between.
HAND = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.3; reach 0.22 0.05 0.03 in 0.6; hold 0.3; "
    "release deadman; hold 0.4; press deadman; hold 0.3; reach 0.22 0 0.01 in 0.6; hold 1"
)

# To and fro without a rest, faster than the arm, and let go on the way.
JERKY = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; "
    + "; ".join(f"reach 0.22 {0.06 * (-1) ** k} {0.04 * (-1) ** (k // 2)} in 0.15; hold 0.1" for k in range(8))
    + "; release deadman; hold 0.4; press deadman; hold 0.2; reach 0.22 0 0 in 0.3; hold 1"
)


@contextmanager
def rehearsal(folder: Path, script: str, hand: str = HAND) -> Iterator[Rehearsal]:
    clock, scene = VirtualClock(), station.load(robot_file("bench"))
    with (
        open_device("sim:syntaxer?" + urlencode({"hand": hand}), clock) as device,
        Servo(put_together(scene, device, Wanted()), clock=clock, folder=folder) as servo,
    ):
        yield Rehearsal(servo, "try", script=read_script(script))


def rehearsed(folder: Path, script: str, seconds: float = 3.6) -> Task:
    with rehearsal(folder, script) as made:
        while made.servo.clock.now() < seconds and not made.ended:
            made.tick()
        return made.task()


def ready(task: Task, made: Place) -> Task:
    """Smoothed, and with a timing that keeps all limits."""
    smooth = smoothed(task, 0.05)
    smooth = changed(smooth, q=closed_path(made.mechanism, np.array(smooth.q)))
    return retimed(smooth, made.mechanism, limits_for(made.mechanism), tool_speed=0.25).task


def test_the_hand_becomes_a_task(tmp_path: Path) -> None:
    task = rehearsed(tmp_path, "0.2 mark begin\n0.9 mark there: the far end\n0.9 wait 0.2\n1.8 contact 30\n")
    assert [mark.name for mark in task.marks] == ["begin", "there"]
    assert Kind.WAIT in [segment.kind for segment in task.segments]
    assert task.segments[-1].kind is Kind.CONTACT
    assert np.abs(np.diff(task.q, axis=0)).max() < 0.005
    assert np.ptp(task.q, axis=0).max() > 0.05
    assert task.device.rate == 1000.0
    assert task.device.longest_gap < 0.02
    save(task, tmp_path / "task.mcap")
    assert load(tmp_path / "task.mcap").hash


def test_undo_puts_the_robot_back_and_the_hand_takes_it_again_without_a_jump(tmp_path: Path) -> None:
    with rehearsal(tmp_path, "0.35 mark a\n1.2 undo a\n") as made:
        states = []
        while made.servo.clock.now() < 3.6:
            made.tick()
            states.append(made.servo.part.state)
        task = made.task()
    assert ServoState.HOLD in states
    assert states[-1] is ServoState.ENGAGED  # by the fresh press
    assert np.abs(np.diff(task.q, axis=0)).max() < 0.005
    assert [mark.name for mark in task.marks] == ["a"]


@pytest.mark.parametrize(("hand", "seconds", "as_long"), [("bench", 16.0, True), ("jerky", 5.0, False)])
def test_what_was_driven_passes_the_check_as_it_was_driven(
    hand: str, seconds: float, as_long: bool, tmp_path: Path
) -> None:
    """The scripted hand of the default bench, and one that is abrupt and lets go in mid-motion."""
    words = f"@{BENCH_HAND}" if hand == "bench" else JERKY
    with rehearsal(tmp_path, "0.9 mark there\n0.9 wait 0.2\n", words) as made:
        while made.servo.clock.now() < seconds:
            made.tick()
        driven, scene, arm = made.task(), made.servo.part.rig.scene, made.servo.part.rig.robot
    bench = make_workbench(scene, arm, VerifySettings(), frame=driven.frame)
    assert {finding.check for finding in verify(driven, bench).findings} >= {Check.JERK}
    final = as_driven(driven, arm, limits_for(arm), smooth=0.05)
    verdict = verify(final.task, bench)
    assert verdict.passed, verdict.findings
    assert final.deviation <= 0.002
    assert off_what_was_driven(arm, final.task, driven) < 0.0025  # of samples that are some tenths of a mm apart
    assert driven.duration <= final.task.duration < (1.05 if as_long else 1.3) * driven.duration
    assert np.abs(final.task.q[final.task.mark("there").sample] - driven.q[driven.mark("there").sample]).max() < 1e-9


def off_what_was_driven(arm: Mechanism, final: Task, driven: Task) -> float:
    """Largest distance of either path of the tool from the other [m]."""
    one, two = (tool_path(arm, task.frame, whole_path(arm, task.q).q)[:, :3, 3] for task in (final, driven))
    return float(max(np.max(cKDTree(b).query(a)[0]) for a, b in ((one, two), (two, one))))


def test_a_hand_that_lets_go_in_mid_motion_leaves_no_gap_in_the_take(tmp_path: Path) -> None:
    with rehearsal(tmp_path, "", JERKY) as made:
        while made.servo.clock.now() < 5.0:
            made.tick()
        task = made.task()
    assert np.abs(np.diff(task.q, axis=0)).max() < 0.005


def on_path(made: Place, task: Task) -> float:
    """When the arm got to the begin of the path, by its log [s]."""
    log = made.arm.log.ticks
    return float(log["time"][np.argmax(np.abs(log["true"] - task.q[0]).max(axis=1) < 0.002)])


def assert_executed(made: Place, rehearsed: Task, final: Task, tube: float) -> None:
    """By the arm's own log: within the tube of the path that was verified and of what the hand drove [m]."""
    assert made.arm.reading().state is ArmState.READY  # it holds by itself
    assert np.abs(made.arm.reading().q - final.q[-1]).max() < 0.006
    on = on_path(made, final)
    assert off_the_path(made, final, on) < tube
    assert off_the_path(made, rehearsed, on) < tube + 0.002  # tremor was taken out of it
    assert_nothing_beyond_limits(made, spoilt=1)  # switched on, an arm may be told a count of its own encoder


def test_rehearse_verify_execute_on_the_default_bench(bench_task: Task, tmp_path: Path) -> None:
    with place() as made:
        final = ready(bench_task, made)
        player = made.player(final)
        player.start()
        assert player.run(seconds=30.0) is State.DONE, player.reason
        assert_executed(made, bench_task, final, 0.002)


def test_the_same_sent_ahead_over_half_a_second_with_losses(bench_task: Task, tmp_path: Path) -> None:
    with place() as made:
        final = ready(bench_task, made)
        far = Far(made, tmp_path, final, 0.5, 0.05)
        far.begin()
        far.until(lambda: far.near.shown.state is State.DONE, 60.0)
        assert far.near.delay > 1.0
        assert_executed(made, bench_task, final, 0.002)


def test_rehearse_verify_execute_on_the_cross_delta(delta_task: Task) -> None:
    with place("cross-delta") as made:
        final = ready(delta_task, made)
        player = made.player(final, verified={"made_up": False})
        player.start()
        assert player.run(seconds=60.0) is State.DONE, player.reason
        assert_executed(made, delta_task, final, 0.004)


def test_the_cross_delta_over_half_a_second_with_losses(delta_task: Task, tmp_path: Path) -> None:
    with place("cross-delta") as made:
        final = ready(delta_task, made)
        far = Far(made, tmp_path, final, 0.5, 0.05, {"made_up": False})
        far.begin()
        far.until(lambda: far.near.shown.state is State.DONE, 60.0)
        assert_executed(made, delta_task, final, 0.004)


@pytest.fixture(scope="module")
def bench_task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """What the emulated hand drove at the emulated syntaxer."""
    return rehearsed(tmp_path_factory.mktemp("bench"), "0.2 mark begin\n0.9 mark there\n0.9 wait 0.2\n")


@pytest.fixture(scope="module")
def delta_task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """A robot with loops, driven along a curve."""
    clock, scene = VirtualClock(), station.load(robot_file("cross-delta"))
    device = IdealDevice(clock)
    folder = tmp_path_factory.mktemp("delta")
    with Servo(put_together(scene, device, Wanted()), clock=clock, folder=folder) as servo:
        made = Rehearsal(servo, "delta")
        for _ in range(50):
            made.tick()
        device.buttons = DEAD_MAN
        for k in range(3000):
            t = min(k / 2500.0, 1.0)
            device.place[:] = 0.08 * np.sin(np.pi * t) ** 2 * np.array([1.0, 0.5, -0.5])
            made.tick()
        task = made.task()
    assert np.ptp(task.q, axis=0).max() > 0.03
    return task
