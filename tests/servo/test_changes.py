"""Robots and what is around them, changed while a hand leads: no jump, recorded, as if the file had been so."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from station.collision import Surroundings
from station.controllers.supervisor import SupervisorState
from station.kernel import Floats
from station.mad.scene import Parameters
from station.mechanism import Mechanism
from station.servo.shared import ServoState
from station.servo.shared.command import Command
from station.servo.shared.commands import AddConstraint, LockJoint, MoveObstacle, SetGeometry, SwitchConstraint
from station.servo.shared.errors import CommandError
from station.servo.shared.words import Acting, Cause, Edit, EditState, Reason
from tests.servo.arm_benches import arm_bench
from tests.servo.rigs import GANTRY, Bench, ideal, loaded
from tests.servo.test_parts import gantries, hands_on

ARM = """RAFF v2.0 Arm
device 1 {{ scale {{ 1 1 1 }} }}
robot arm {{ base {{ }}
  link 1 {{ parameters {{ 0 300 0 0 }}    type revolute  pred 0 }}
  link 2 {{ parameters {{ 40 0 90 0 }}   type revolute  pred 1 }}
  link 3 {{ parameters {{ -70 0 0 {upper} }}   type revolute  pred 2 }}
  link 4 {{ parameters {{ 0 0 0 {fore} }}  type fixed  pred 3 }}
  tool 5 {{ pos {{ {tool} 0 0 }} pred 4 }}
  constraint {{ tool 5 device ( 0 1 ) axes ( x y z ) }} }}"""

FOUR_BAR = """RAFF v2.0 FourBar
device 1 { scale { 1 1 1 } }
robot bars { base { }
  link 1 { parameters { 90 0 0 0 }     type revolute  pred 0 }
  link 2 { parameters { -70 0 0 100 }  type revolute  pred 1  passive }
  link 3 { parameters { 90 0 0 200 }   type revolute  pred 0  passive }
  frame 4 { pos { 200 0 0 } pred 2 }
  frame 5 { pos { 120 0 0 } pred 3 }
  constraint { frame 4 frame 5 axes ( x y ) }
  constraint { frame 4 device ( 0 1 ) } }"""

WITH_BOX = (
    GANTRY.replace("20 20", "200 200").replace("pred 3 }", "pred 3 collision { sphere 20 } }")
    + """
obstacle wall { box { 40 400 400 } pos { 200 0 0 } }"""
)


class Watched:
    """The largest motions in any tick, and steps of the force but for the buzz of a limit that is met."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.motion = self.force = self.frame = 0.0

    def ticks(self, count: int) -> None:
        bench, shared = self._bench, self._bench.shared
        for _ in range(count):
            q, force, at = shared.predicted_q.copy(), self._push, shared.predicted_pose[:3, 3].copy()
            bench.ticks()
            self.motion = max(self.motion, float(np.abs(shared.predicted_q - q).max()))
            self.force = max(self.force, float(np.abs(self._push - force).max()))
            self.frame = max(self.frame, float(np.linalg.norm(shared.predicted_pose[:3, 3] - at)))

    @property
    def _push(self) -> Floats:
        return self._bench.force - self._bench.shared.wrench_parts[Cause.CUES, :3]


def arm(upper: float = 400, fore: float = 350, tool: float = 50) -> str:
    return ARM.format(upper=upper, fore=fore, tool=tool)


def until_done(bench: Bench, watched: Watched, most: int = 20_000) -> int:
    count = 0
    watched.ticks(1)
    while bench.shared.edit_state == EditState.GOING:
        watched.ticks(1)
        count += 1
        assert count < most
    return count


def state_of(bench: Bench) -> EditState:
    return EditState(bench.shared.edit_state)


def numbers_of(bench: Bench, frame: int, **changed: float) -> tuple[float, ...]:
    """Of a link of the bench, some of them changed, by the names of the file [m, rad]."""
    numbers = bench.robot.geometry.numbers(frame)
    for name, value in changed.items():
        numbers[Parameters._fields.index(name)] = value
    return tuple(numbers.tolist())


def ask(bench: Bench, command: Command) -> Reason:
    return bench.servo.part.orders.decide(command)


def assert_same_robot(bench: Bench, text: str) -> None:
    """The robot of a bench is that of another file, and its tool where the same joints bring that one."""
    other = Mechanism(loaded(text).robots[0])
    np.testing.assert_array_equal(bench.robot.memory.before, other.memory.before)
    np.testing.assert_array_equal(bench.robot.memory.frame_offset, other.memory.frame_offset)
    other.q = bench.robot.q
    frame = bench.servo.part.followed.id
    np.testing.assert_allclose(bench.shared.predicted_pose, other.pose(frame), atol=1e-12)
    assert bench.robot.robot.links == other.robot.links or text.count("base {") > 1


def test_a_link_gets_longer_under_the_hand(tmp_path: Path) -> None:
    with ideal(arm(), tmp_path) as bench:
        bench.engage()
        bench.ticks(50)
        at, before = bench.shared.predicted_pose.copy(), bench.robot.q
        watched = Watched(bench)
        values = numbers_of(bench, 3, d=0.45)
        assert ask(bench, SetGeometry(3, values)) is Reason.ACCEPTED
        assert until_done(bench, watched) > 500  # 50 mm at 0.1 m/s at most
        watched.ticks(20)
        assert bench.servo.part.state is SupervisorState.ENGAGED
        np.testing.assert_allclose(bench.shared.predicted_pose[:3, 3], at[:3, 3], atol=1e-6)  # the hand holds it
        assert np.abs(bench.robot.q - before).max() > 0.05
        assert watched.motion < 1e-3  # [rad] in a tick
        assert watched.frame < 1e-6  # [m]
        assert watched.force < 0.01  # [N]
        assert_same_robot(bench, arm(upper=450))
        shared = bench.shared
        assert (shared.edit, shared.edit_kind, shared.edit_of) == (1, Edit.GEOMETRY, 3)
        assert shared.edit_state == EditState.DONE
        np.testing.assert_array_equal(shared.edit_numbers[:6], values)


def test_the_hand_goes_on_meanwhile(tmp_path: Path) -> None:
    with ideal(arm(), tmp_path) as bench:
        bench.engage()
        at, watched = bench.shared.predicted_pose[:3, 3].copy(), Watched(bench)
        assert ask(bench, SetGeometry(4, numbers_of(bench, 4, d=0.30))) is Reason.ACCEPTED
        for _ in range(300):
            bench.device.place = bench.device.place + np.array([0.0, 0.0, 0.0001])
            bench.device.velocity = np.array([0.0, 0.0, 0.1])
            watched.ticks(1)
        bench.device.velocity = np.zeros(3)
        assert ask(bench, SetGeometry(4, numbers_of(bench, 4, d=0.38, alpha=0.2))) is Reason.ACCEPTED  # on the way
        assert ask(bench, SetGeometry(5, (0.08, 0.0, 0.01, 0.0, 0.0, 0.0))) is Reason.ACCEPTED
        until_done(bench, watched)
        watched.ticks(50)
        np.testing.assert_allclose(bench.shared.predicted_pose[:3, 3], at + np.array([0.0, 0.0, 0.03]), atol=1e-5)
        assert watched.frame < 2.5e-4
        assert watched.motion < 3e-3
        assert watched.force < 0.3
        assert bench.shared.edit == 3
        text = arm(fore=380).replace("parameters { 0 0 0 380 }", f"parameters {{ 0 0 {math.degrees(0.2)!r} 380 }}")
        text = text.replace("pos { 50 0 0 }", "pos { 80 0 10 }")
        other = Mechanism(loaded(text).robots[0])
        np.testing.assert_allclose(bench.robot.memory.before, other.memory.before, atol=1e-15)
        np.testing.assert_allclose(bench.robot.memory.frame_offset, other.memory.frame_offset, atol=1e-15)


def test_a_robot_that_nobody_holds_keeps_its_joints(tmp_path: Path) -> None:
    with ideal(arm(), tmp_path) as bench:
        bench.ticks(20)
        before, watched = bench.robot.q, Watched(bench)
        assert ask(bench, SetGeometry(0, (0.05, 0.0, 0.0, 0.0, 0.0, 0.3))) is Reason.ACCEPTED  # its base
        until_done(bench, watched)
        np.testing.assert_allclose(bench.robot.q, before, atol=1e-9)
        assert watched.frame < 1e-3
        moved = arm().replace("base { }", f"base {{ pos {{ 50 0 0 }} ori {{ 0 0 {math.degrees(0.3)!r} }} }}")
        other = Mechanism(loaded(moved).robots[0])
        other.q = bench.robot.q
        np.testing.assert_allclose(bench.shared.predicted_pose, other.pose(5), atol=1e-9)


def test_loops_stay_closed(tmp_path: Path) -> None:
    with ideal(FOUR_BAR, tmp_path) as bench:
        bench.engage()
        watched, open_by = Watched(bench), 0.0
        assert ask(bench, SetGeometry(2, numbers_of(bench, 2, d=0.12))) is Reason.ACCEPTED
        watched.ticks(1)
        while bench.shared.edit_state == EditState.GOING:
            watched.ticks(1)
            open_by = max(open_by, *bench.robot.closure_error)
        assert bench.shared.edit_state == EditState.DONE
        assert open_by < 1e-9
        assert watched.motion < 3e-3
        assert watched.force < 0.5
        assert bench.servo.part.state is SupervisorState.ENGAGED
        np.testing.assert_allclose(bench.robot.geometry.numbers(2)[3], 0.12, atol=0.0)


def test_a_loop_that_cannot_be_closed_stops_the_change(tmp_path: Path) -> None:
    with ideal(FOUR_BAR, tmp_path) as bench:
        bench.engage()
        watched = Watched(bench)
        assert ask(bench, SetGeometry(2, numbers_of(bench, 2, d=1.0))) is Reason.ACCEPTED
        until_done(bench, watched)
        watched.ticks(200)
        assert state_of(bench) is EditState.STOPPED
        assert bench.servo.part.state is SupervisorState.ENGAGED
        assert max(bench.robot.closure_error) < 1e-9
        assert 0.1 < bench.robot.geometry.numbers(2)[3] < 1.0
        assert watched.motion < 0.02
        assert ask(bench, SetGeometry(2, numbers_of(bench, 2, d=0.1))) is Reason.ACCEPTED  # and back
        until_done(bench, watched)
        assert state_of(bench) is EditState.DONE


def test_a_locked_joint_stands_and_is_freed_softly(tmp_path: Path) -> None:
    with ideal(GANTRY.replace("20 20", "200 200"), tmp_path) as bench:
        bench.engage()
        watched = Watched(bench)
        for tick in range(200):  # along z, which the first joint moves
            bench.device.place, bench.device.velocity = np.array([0, 0, 1e-4 * tick]), np.array([0, 0, 0.1])
            if tick == 100:
                at = bench.robot.q[0]
                assert ask(bench, LockJoint(0, on=True)) is Reason.ACCEPTED
            watched.ticks(1)
        bench.device.velocity = np.zeros(3)
        watched.ticks(100)
        assert abs(bench.robot.q[0] - at) < 0.005  # it braked
        locked = bench.robot.q[0]
        assert bench.shared.joint_locked.tolist() == [2, 0, 0]  # the hand pulls
        assert bench.shared.joint_acting.tolist() == [0, 0, 0]
        assert bench.shared.acting & Acting.JOINT_STOP
        assert abs(bench.force[2]) > 0.5  # and feels it
        assert watched.motion < 2e-4
        assert watched.force < 0.5
        bench.lead([0.03, 0.0, 0.02], 0.3)
        assert bench.robot.q[0] == locked
        assert abs(bench.shared.predicted_pose[1, 3] + 0.03) < 1e-4  # the others go on
        again = Watched(bench)
        assert ask(bench, LockJoint(0, on=False)) is Reason.ACCEPTED
        again.ticks(5)
        assert again.motion < 1e-5
        again.ticks(2000)
        assert abs(bench.shared.predicted_pose[2, 3] - bench.device.place[2]) < 1e-6
        assert again.motion < 1e-3
        assert again.force < 0.2
        assert bench.shared.joint_locked.tolist() == [0, 0, 0]
        assert not bench.servo.robots[0].memory.has_locks
        np.testing.assert_array_equal(bench.robot.memory.q_max, 0.2)


def test_a_joint_with_an_acceleration_brakes_by_it(tmp_path: Path) -> None:
    scene = GANTRY.replace("limits { -20 20 }", "limits { -200 200 } speed 500 acceleration 1000")
    with ideal(scene, tmp_path) as bench:
        bench.engage()
        for tick in range(300):
            bench.device.place, bench.device.velocity = np.array([0, 0, 2e-4 * tick]), np.array([0, 0, 0.2])
            if tick == 200:
                at, v = bench.robot.q[0], bench.robot.velocity[0]
                assert ask(bench, LockJoint(0, on=True)) is Reason.ACCEPTED
            before = bench.robot.velocity
            bench.ticks()
            assert np.abs(bench.robot.velocity - before).max() < 1.0e-3 * 1.001  # [m/s]: 1 m/s² for 1 ms
        bench.ticks(300)
        np.testing.assert_allclose(bench.robot.q[0] - at, v * v / 2.0, rtol=0.05)
        assert bench.robot.velocity[0] == 0.0


def test_a_joint_locked_at_its_stop_fades_and_does_not_kick(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        bench.engage()
        bench.lead([0.0, 0.0, 0.0195], 0.3)
        bench.ticks(200)
        assert bench.shared.wrench_parts[Cause.STOPS].any()
        watched = Watched(bench)
        assert ask(bench, LockJoint(0, on=True)) is Reason.ACCEPTED
        watched.ticks(500)
        assert not bench.shared.wrench_parts[Cause.STOPS].any()
        assert ask(bench, LockJoint(0, on=False)) is Reason.ACCEPTED
        watched.ticks(2000)
        assert bench.shared.wrench_parts[Cause.STOPS].any()
        assert watched.force < 0.2


def test_a_locked_joint_in_a_loop_holds_the_loop(tmp_path: Path) -> None:
    with ideal(FOUR_BAR, tmp_path) as bench:
        bench.engage()
        assert ask(bench, LockJoint(1, on=True)) is Reason.ACCEPTED
        bench.ticks(5)
        before = bench.robot.q
        bench.lead([0.0, 0.03, 0.0], 0.3)
        np.testing.assert_allclose(bench.robot.q, before, atol=1e-9)
        assert ask(bench, LockJoint(1, on=False)) is Reason.ACCEPTED
        bench.ticks(2000)
        assert np.abs(bench.robot.q - before).max() > 0.01
        assert max(bench.robot.closure_error) < 1e-9


def test_an_obstacle_comes_slowly_and_pushes_softly(tmp_path: Path) -> None:
    with ideal(WITH_BOX, tmp_path) as bench:
        bench.engage()
        bench.ticks(50)
        at, watched = bench.shared.predicted_pose[:3, 3].copy(), Watched(bench)
        pose = (1.0, 0.0, 0.0, 0.02, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        assert ask(bench, MoveObstacle(0, pose)) is Reason.ACCEPTED
        until_done(bench, watched)
        watched.ticks(300)
        assert bench.shared.predicted_pose[0, 3] < at[0] - 0.02  # it was pushed away, and the hand feels that
        assert bench.force[0] != 0.0
        assert watched.motion < 3e-4
        assert watched.force < 0.5
        assert bench.shared.obstacle_distance > -1e-3
        surroundings, other = bench.servo.robots[0].surroundings, loaded(WITH_BOX.replace("{ 200 0 0 }", "{ 20 0 0 }"))
        assert surroundings is not None
        there = Surroundings(other, other["gantry"])
        for found, expected in zip(surroundings.distances(), there.distances(bench.robot.q), strict=True):
            assert abs(found.distance - expected.distance) < 1e-6
        shared = bench.shared
        assert (shared.edit, shared.edit_kind, shared.edit_of) == (1, Edit.OBSTACLE, 0)
        np.testing.assert_array_equal(shared.edit_numbers, pose)


def test_changes_that_come_at_once_are_each_in_a_record(tmp_path: Path) -> None:
    with ideal(arm(), tmp_path) as bench:
        bench.ticks(5)
        for joint in range(3):
            assert ask(bench, LockJoint(joint, on=True)) is Reason.ACCEPTED
        seen = []
        for _ in range(4):
            bench.ticks()
            seen.append((bench.shared.edit, bench.shared.edit_of, bench.shared.edit_numbers[0]))
        assert seen == [(1, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0), (3, 2, 1.0)]
        assert bench.shared.edit_state == EditState.DONE
        assert not bench.servo.memory.changing


def test_what_cannot_be_changes_nothing(tmp_path: Path) -> None:
    with ideal(arm(), tmp_path) as bench:
        bench.ticks(5)
        before, q = bench.robot.memory.before.copy(), bench.robot.q
        pose = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        assert ask(bench, SetGeometry(17, (0.0,) * 6)) is Reason.NO_SUCH_FRAME
        assert ask(bench, LockJoint(3, on=True)) is Reason.OUT_OF_RANGE
        assert ask(bench, MoveObstacle(0, pose)) is Reason.OUT_OF_RANGE
        bench.ticks(20)
        np.testing.assert_array_equal(bench.robot.memory.before, before)
        np.testing.assert_allclose(bench.robot.q, q, atol=1e-12)
        assert (bench.shared.edit, bench.shared.edit_state) == (0, EditState.NONE)
    with ideal(WITH_BOX, tmp_path) as bench:
        assert ask(bench, MoveObstacle(0, (2.0, *pose[1:]))) is Reason.OUT_OF_RANGE  # stretched
        assert ask(bench, MoveObstacle(1, pose)) is Reason.OUT_OF_RANGE


@pytest.mark.parametrize(
    "make",
    [
        lambda: SetGeometry(3, (0.0,) * 5),
        lambda: SetGeometry(3, (math.nan,) * 6),
        lambda: SetGeometry(-1, (0.0,) * 6),
        lambda: LockJoint(-1, on=True),
        lambda: MoveObstacle(0, (0.0,) * 11),
    ],
)
def test_absurd_numbers_are_refused_where_they_are_made(make: Callable[[], Command]) -> None:
    with pytest.raises(CommandError):
        make()


def test_robots_that_are_tied_go_along(tmp_path: Path) -> None:
    with ideal("two_arms_bar", tmp_path) as bench:
        part, watched = bench.servo.part, Watched(bench)
        bench.engage()
        name = part.rig.alone.robot.name
        inside = part.rig.scene.system(name).frame_id(name, 3)
        numbers = bench.robot.geometry.numbers(inside)
        numbers[3] += 0.01
        assert ask(bench, SetGeometry(3, tuple(numbers.tolist()))) is Reason.ACCEPTED  # by its own id
        until_done(bench, watched)
        assert state_of(bench) is EditState.DONE
        np.testing.assert_array_equal(bench.robot.geometry.numbers(inside), numbers)
        assert max(bench.robot.closure_error) < 1e-9
        assert watched.motion < 2e-3
        assert part.state is SupervisorState.ENGAGED


def test_an_obstacle_is_moved_for_all_and_a_lock_is_of_one(tmp_path: Path) -> None:
    scene = gantries("left", "right") + "obstacle wall { box { 40 400 400 } pos { 900 0 0 } }"
    with hands_on(scene, tmp_path, "left", "right") as bench:
        left, right = bench.servo.parts
        bench.press("left", "right")
        pose = (1.0, 0.0, 0.0, 0.89, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        assert right.orders.decide(MoveObstacle(0, pose)) is Reason.ACCEPTED
        assert left.orders.decide(LockJoint(2, on=True)) is Reason.ACCEPTED
        bench.ticks(800)
        assert (left.shared.edit, right.shared.edit) == (2, 1)
        assert [bool(part.shared.joint_locked.any()) for part in (left, right)] == [True, False]
        assert {left.shared.edit_state, right.shared.edit_state} == {EditState.DONE}
        for robot in bench.servo.robots:
            assert robot.surroundings is not None
            walls = [k for k, solid in enumerate(robot.surroundings.solids) if solid.name == "wall"]
            for wall in walls:
                np.testing.assert_array_equal(robot.surroundings.table.solid_offset[wall][:, 3], [0.89, 0.0, 0.0])


def test_bodies_go_along_with_the_part_that_carries_them(tmp_path: Path) -> None:
    scene = arm().replace("type fixed  pred 3 }", "type fixed  pred 3  collision { sphere 30 } }")
    scene += "\nobstacle wall { box { 40 400 400 } pos { 2000 0 0 } }"
    longer = scene.replace("{ 0 0 0 350 }", "{ 0 0 0 400 }")
    with ideal(scene, tmp_path) as bench:
        bench.engage()
        assert ask(bench, SetGeometry(4, numbers_of(bench, 4, d=0.4))) is Reason.ACCEPTED
        until_done(bench, Watched(bench))
        surroundings, other = bench.servo.robots[0].surroundings, loaded(longer)
        assert surroundings is not None
        found = {pair.pair.body: pair.distance for pair in surroundings.distances()}
        there = {pair.pair.body: pair.distance for pair in Surroundings(other, other["arm"]).distances(bench.robot.q)}
        assert abs(found["link 4"] - there["link 4"]) < 1e-9


def test_an_arm_keeps_its_geometry_and_a_lock_holds_it(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(1.5)
        assert bench.state() is ServoState.ENGAGED
        assert ask(bench, SetGeometry(3, numbers_of(bench, 3, d=0.5))) is Reason.NOT_POSSIBLE
        assert ask(bench, LockJoint(0, on=True)) is Reason.ACCEPTED
        bench.until(1.6)
        locked = bench.shared.predicted_q[0]
        bench.until(1.9)
        assert bench.shared.predicted_q[0] == locked
        assert abs(bench.shared.measured_q[0] - locked) < 2e-3
        bench.until(2.3)
        assert bench.state() is ServoState.HOLD
        before, largest = bench.shared.predicted_q.copy(), 0.0
        while bench.servo.clock.now() < 4.0:  # engages again, where the arm is
            bench.ticks()
            largest = max(largest, float(np.abs(bench.shared.predicted_q - before).max()))
            before = bench.shared.predicted_q.copy()
        assert bench.state() is ServoState.ENGAGED
        assert bench.shared.joint_locked[0] > 0
        assert abs(bench.shared.predicted_q[0] - locked) < 2e-3
        assert largest < 5e-3  # [rad]: the arm sags, and nothing else jumps


# Constraints ------------------------------------------------------------------------------------------------------

OPEN_BARS = FOUR_BAR.replace("axes ( x y ) }", "axes ( x y ) off }").replace("{ 120 0 0 }", "{ 130 0 0 }")
CLOSED_BARS = FOUR_BAR.replace("{ 120 0 0 }", "{ 130 0 0 }")


def test_a_constraint_of_the_file_is_closed_under_the_hand(tmp_path: Path) -> None:
    with ideal(OPEN_BARS, tmp_path) as bench:
        bench.engage()
        assert (bench.robot.mobility, bench.shared.constraints_on) == (3, 0)
        at, watched = bench.shared.predicted_pose[:3, 3].copy(), Watched(bench)
        assert ask(bench, SwitchConstraint(0, on=True)) is Reason.ACCEPTED
        open_by, gaps = 0.0, []
        watched.ticks(1)
        while bench.shared.edit_state == EditState.GOING:
            watched.ticks(1)
            gaps.append(bench.shared.edit_gap[0])
            open_by = max(open_by, *bench.robot.closure_error)
        assert state_of(bench) is EditState.DONE
        assert bench.servo.part.state is SupervisorState.ENGAGED
        assert gaps[0] > 0.03
        assert gaps[-1] == 0.0
        assert max(np.diff(gaps)) < 1e-4  # it closes, from the gap of the start on
        assert open_by < 1e-9
        assert watched.motion < 2e-3  # [rad] in a tick
        assert watched.force < 0.1  # [N]
        assert watched.frame < 2e-4
        moved = np.linalg.norm(bench.shared.predicted_pose[:3, 3] - at)
        assert 0.03 < moved < 0.045  # as near to where the hand holds it as the loop lets it be
        assert bench.force.any()
        other = Mechanism(loaded(CLOSED_BARS).robots[0])
        assert bench.robot.mobility == other.mobility == 1
        assert bench.robot.memory.closure_rank == other.memory.closure_rank
        assert bench.robot.robot.constraints[0].holds
        assert (bench.shared.constraints_on, bench.shared.edit_kind) == (1, Edit.CONSTRAINT)
        assert bench.shared.edit_numbers[:6].tolist() == [1.0, 0.0, 4.0, 0.0, 5.0, 0b000011]
        bench.lead([0.0, 0.03, 0.0], 0.5)
        bench.ticks(200)
        assert max(bench.robot.closure_error) < 1e-9
        other.q = bench.robot.q
        np.testing.assert_allclose(other.q, bench.robot.q, atol=1e-9)  # closed as that robot is


def test_a_constraint_that_is_removed_frees_softly(tmp_path: Path) -> None:
    with ideal(CLOSED_BARS, tmp_path) as bench:
        bench.engage()
        bench.lead([0.0, 0.03, 0.0], 0.3)
        bench.ticks(300)
        behind = np.linalg.norm(bench.device.place + np.zeros(3) - bench.shared.predicted_pose[:3, 3])
        assert bench.force.any()  # the hand pulls at the loop
        watched = Watched(bench)
        assert ask(bench, SwitchConstraint(0, on=False)) is Reason.ACCEPTED
        watched.ticks(50)
        assert (bench.robot.mobility, bench.shared.constraints_on) == (3, 0)
        assert watched.motion < 2e-4
        until_done(bench, watched)
        assert watched.motion < 3e-3
        assert watched.force < 0.5
        assert np.linalg.norm(bench.force) < 1e-3  # it is where the hand wants it
        assert behind > 0.0
        assert bench.servo.part.state is SupervisorState.ENGAGED
        np.testing.assert_array_equal(bench.robot.memory.v_max, bench.servo.robots[0].speeds)
        assert not bench.robot.robot.constraints[0].holds


def test_a_constraint_between_two_frames_is_added_and_removed(tmp_path: Path) -> None:
    with ideal("ur5e", tmp_path) as bench:
        bench.engage()
        low = bench.robot.pose(0)
        watched = Watched(bench)
        ends = (0, 0, 0, bench.servo.part.followed.id)
        height = float(bench.shared.predicted_pose[2, 3])
        assert ask(bench, SetGeometry(0, (0.0, 0.0, height - 0.02, 0.0, 0.0, 0.0))) is Reason.ACCEPTED
        until_done(bench, watched)  # the base comes nearer; the hand holds the tool
        assert ask(bench, AddConstraint(ends, 0b100)) is Reason.ACCEPTED  # z: the tool in the plane of the base
        until_done(bench, watched)
        assert state_of(bench) is EditState.DONE
        assert watched.motion < 3e-3
        assert bench.robot.mobility == 5
        assert bench.shared.constraints_on == 1
        bench.lead([0.03, 0.02, 0.04], 0.5)
        bench.ticks(100)
        assert max(bench.robot.closure_error) < 1e-9
        np.testing.assert_allclose(bench.robot.pose(ends[3])[2, 3], bench.robot.pose(0)[2, 3], atol=1e-9)
        assert bench.robot.pose(0)[2, 3] != low[2, 3]
        assert ask(bench, SwitchConstraint(0, on=False)) is Reason.ACCEPTED
        until_done(bench, watched)
        assert bench.robot.mobility == 6
        assert bench.robot.memory.matrix.shape[0] == 0  # as fast as ever
        assert watched.motion < 4e-3
        assert watched.force < 0.5


def test_a_gap_that_cannot_be_closed_is_left_open(tmp_path: Path) -> None:
    with ideal(OPEN_BARS.replace("90 0 0 200", "90 0 0 600"), tmp_path) as bench:
        bench.engage()
        watched = Watched(bench)
        assert ask(bench, SwitchConstraint(0, on=True)) is Reason.ACCEPTED
        until_done(bench, watched)
        assert state_of(bench) is EditState.STOPPED
        assert 0.17 < bench.shared.edit_gap[0] < 0.5  # and says by how much: 470 mm away, and the bars reach 300
        assert (bench.robot.mobility, bench.shared.constraints_on) == (3, 0)
        assert watched.motion < 0.02
        assert bench.servo.part.state is SupervisorState.ENGAGED
        bench.ticks(50)
        assert ask(bench, SwitchConstraint(0, on=False)) is Reason.ACCEPTED  # it is off: nothing to do
        until_done(bench, watched)
        assert state_of(bench) is EditState.DONE


def test_a_constraint_that_would_hold_the_led_frame_fast_is_not_taken(tmp_path: Path) -> None:
    with ideal(arm().replace("  tool 5", "  frame 6 { pos { 500 200 300 } pred 0 }\n  tool 5", 1), tmp_path) as bench:
        bench.engage()
        before = bench.robot.q
        assert ask(bench, AddConstraint((0, 6, 0, 5), 0b111)) is Reason.ACCEPTED  # three joints, three rows
        until_done(bench, Watched(bench))
        assert state_of(bench) is EditState.STOPPED
        assert (bench.robot.mobility, bench.shared.constraints_on) == (3, 0)
        np.testing.assert_allclose(bench.robot.q, before, atol=1e-6)


def test_a_loop_is_switched_off_on_its_way_and_on_again(tmp_path: Path) -> None:
    with ideal(OPEN_BARS, tmp_path) as bench:
        bench.engage()
        watched = Watched(bench)
        for on in (True, False, True):
            assert ask(bench, SwitchConstraint(0, on=on)) is Reason.ACCEPTED
            watched.ticks(150)
        until_done(bench, watched)
        assert state_of(bench) is EditState.DONE
        assert bench.shared.constraints_on == 1
        assert max(bench.robot.closure_error) < 1e-9
        assert watched.motion < 3e-3
        assert watched.force < 0.5
        assert bench.shared.edit == 3


def test_two_arms_let_go_of_their_bar_and_take_it_again(tmp_path: Path) -> None:
    with hands_on("two_arms_bar", tmp_path, "1", "2") as bench:
        left, right = bench.servo.parts
        robot = bench.servo.robots[0].mechanism
        bench.press("1", "2")
        assert left.orders.decide(SwitchConstraint(0, on=False)) is Reason.ACCEPTED
        bench.ticks(1500)
        assert {left.shared.edit_state, right.shared.edit_state} == {EditState.DONE}
        assert (left.shared.constraints_on, right.shared.constraints_on, robot.mobility) == (0, 0, 12)
        at = right.shared.predicted_pose[:3, 3].copy()
        bench.move("2", (0.0, 0.02, 0.01), 0.5)  # one alone
        bench.ticks(100)
        assert np.linalg.norm(right.shared.predicted_pose[:3, 3] - at) > 0.01
        before, largest = robot.q, 0.0
        assert right.orders.decide(SwitchConstraint(0, on=True)) is Reason.ACCEPTED
        bench.ticks()
        while left.shared.edit_state == EditState.GOING:
            bench.ticks()
            largest, before = max(largest, float(np.abs(robot.q - before).max())), robot.q
        assert left.shared.edit_state == EditState.DONE
        assert (robot.mobility, left.shared.edit, right.shared.edit) == (6, 2, 2)
        assert max(robot.closure_error) < 1e-9
        assert largest < 3e-3


def test_several_constraints_are_switched_one_after_the_other(tmp_path: Path) -> None:
    with ideal("stewart", tmp_path) as bench:
        bench.engage()
        watched = Watched(bench)
        for number in (0, 2):
            assert ask(bench, SwitchConstraint(number, on=False)) is Reason.ACCEPTED
        until_done(bench, watched)
        assert bench.shared.constraints_on == 0b11010
        assert bench.robot.mobility > 6
        for number in (0, 2):
            assert ask(bench, SwitchConstraint(number, on=True)) is Reason.ACCEPTED
        until_done(bench, watched)
        assert (bench.shared.constraints_on, bench.robot.mobility) == (0b11111, 6)
        assert watched.motion < 3e-3


def test_constraints_that_are_added_at_once_have_places_of_their_own(tmp_path: Path) -> None:
    with ideal("ur5e", tmp_path) as bench:
        bench.ticks(5)
        for held in (0b1, 0b10, 0b100, 0b1000):
            assert ask(bench, AddConstraint((0, 5, 0, 6), held)) is Reason.ACCEPTED
        assert ask(bench, AddConstraint((0, 5, 0, 6), 0b10000)) is Reason.NOT_POSSIBLE  # as many as there can be
        seen = []
        for _ in range(4):
            bench.ticks()
            seen.append((bench.shared.edit_of, bench.shared.edit_numbers[5]))
        assert seen == [(0, 1.0), (1, 2.0), (2, 4.0), (3, 8.0)]
        assert [one is not None and one.rows for one in bench.robot.loops.constraints] == [1, 1, 1, 1]


def test_constraints_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with ideal(FOUR_BAR, tmp_path) as bench:
        assert ask(bench, SwitchConstraint(1, on=True)) is Reason.OUT_OF_RANGE  # nobody has added one
        assert ask(bench, AddConstraint((0, 4, 0, 17))) is Reason.NO_SUCH_FRAME
        assert ask(bench, AddConstraint((1, 4, 0, 5))) is Reason.NOT_POSSIBLE  # no such robot
        assert ask(bench, AddConstraint((0, 4, 0, 2))) is Reason.NOT_POSSIBLE  # no joint between them
        bench.ticks(5)
        assert bench.shared.edit == 0
    with pytest.raises(CommandError):
        AddConstraint((0, 4, 0, 5), 0)
    with hands_on(gantries("left", "right"), tmp_path, "left", "right") as two:
        assert two.servo.part.orders.decide(AddConstraint((0, 4, 1, 4))) is Reason.NOT_POSSIBLE  # they are not tied


def test_constraints_of_an_arm_are_as_they_are(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(1.2)
        assert ask(bench, AddConstraint((0, 0, 0, 6), 0b100)) is Reason.NOT_POSSIBLE
