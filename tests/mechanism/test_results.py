"""What a mechanism gives: copies of its own state, the same for any kind of numbers."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from station.mechanism import Along, Contact, Mechanism
from tests.mechanism.mechanisms import Array, moved, planar_2r, same_state, shipped

DT, HAND = 1e-3, 9
PUSH = [0.1, 0.0, 0.05, 0.0, 0.2, 0.0]


def test_joint_values_are_copies() -> None:
    arm = shipped("panda")
    q, velocity, pose = arm.q, arm.velocity, arm.pose(HAND)
    q += 1.0
    velocity += 1.0
    pose += 1.0
    assert not np.allclose(arm.q, q)
    np.testing.assert_array_equal(arm.velocity, 0.0)
    assert not np.allclose(arm.pose(HAND), pose)
    assert isinstance(arm.joints, tuple)


def test_later_steps_change_no_earlier_result() -> None:
    arm = shipped("panda")
    first = arm.step({HAND: PUSH}, DT)
    kept = [np.array(part) for part in (first.q, first.velocity, first.multipliers)]
    for _ in range(100):
        arm.step({HAND: PUSH}, DT, contacts=[Contact(HAND, arm.pose(HAND)[:3, 3], [0, 0, -1], 0.0)])
    for before, now in zip(kept, (first.q, first.velocity, first.multipliers), strict=True):
        np.testing.assert_array_equal(before, now)
    with pytest.raises(AttributeError):
        first.q = arm.q  # type: ignore[misc]


def test_writing_into_a_result_moves_nothing() -> None:
    arm, twin = shipped("panda"), shipped("panda")
    for _ in range(10):
        result = arm.step({HAND: PUSH}, DT)
        result.q[:], result.velocity[:], result.multipliers[:] = 9.0, 9.0, 9.0
        twin.step({HAND: PUSH}, DT)
    np.testing.assert_array_equal(arm.q, twin.q)
    found = arm.reach(HAND, moved(arm.pose(HAND), [0.01, 0.0, 0.0]))
    found.q[:] = 9.0
    assert np.abs(arm.q).max() < 4.0


def test_a_target_is_read_at_once_and_never_written() -> None:
    arm, twin = shipped("panda"), shipped("panda")
    target = moved(arm.pose(HAND), [0.05, 0.0, 0.0])
    for _ in range(20):
        given = target.copy()
        arm.step({HAND: given}, DT)
        np.testing.assert_array_equal(given, target)
        given[:] = np.nan
        twin.step({HAND: target}, DT)
    np.testing.assert_array_equal(arm.q, twin.q)


def test_two_mechanisms_of_one_robot_are_independent() -> None:
    one = shipped("delta")
    other = Mechanism(one.robot)
    start = other.q
    for _ in range(100):
        one.step({"centre": [0.1, 0.0, 0.1, 0, 0, 0]}, DT)
    one.set_joint("arm 1", 0.2)
    np.testing.assert_array_equal(other.q, start)
    np.testing.assert_array_equal(other.velocity, 0.0)
    assert not np.allclose(one.q, start)


@pytest.mark.parametrize("how", ["copy", "pickle"])
def test_a_copy_is_independent_or_refused(how: str) -> None:
    arm = shipped("panda")
    try:
        twin = copy.deepcopy(arm) if how == "copy" else pickle.loads(pickle.dumps(arm))
    except TypeError:
        return
    q = arm.q
    for _ in range(10):
        twin.step({HAND: PUSH}, DT)
    np.testing.assert_array_equal(arm.q, q)
    assert not np.allclose(twin.q, q)


def test_a_pose_after_a_twist_is_no_continuation_of_it() -> None:
    limits = "limits { -170 170 } acceleration 300"
    arm, twin = planar_2r(0.5, 0.4, limits, limits), planar_2r(0.5, 0.4, limits, limits)
    arm.q = [0.3, 0.8]
    for _ in range(20):
        arm.step({3: arm.pose(3)}, DT)
    for _ in range(100):
        arm.step({3: [0.05, 0.1, 0.0, 0.0, 0.0, 0.1]}, DT)
    same_state(arm, twin)
    pose = moved(arm.pose(3), [0.01, 0.0, 0.0])
    for _ in range(20):
        np.testing.assert_allclose(arm.step({3: pose}, DT).q, twin.step({3: pose}, DT).q, atol=1e-12)


def test_following_is_a_step_without_a_result() -> None:
    arm, twin = shipped("panda"), shipped("panda")
    follow, pose = arm.following("hand"), arm.pose(HAND)
    for k in range(200):
        pose[0, 3] += 1e-4 * np.sin(0.1 * k)
        assert follow(pose, DT) == twin.step({HAND: pose}, DT).status
        np.testing.assert_array_equal(arm.q, twin.q)
    good = pose.copy()
    pose[1, 3] = np.nan
    assert follow(pose, DT) == -1
    np.testing.assert_array_equal(arm.q, twin.q)
    assert follow(good, DT) >= 0
    assert np.isfinite(arm.q).all()


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Mechanism:
    """A mechanism that has done everything once; from here on compiling, half a minute in a servo loop, is an error."""
    arm = shipped("panda")
    pose, contact = arm.pose(HAND), Contact(HAND, [0, 0, 0], [0, 0, 1], 9.0)
    arm.step({HAND: pose}, DT)
    arm.step({HAND: PUSH}, DT)
    arm.step({HAND: pose, 4: PUSH}, DT, joints={1: 0.0}, contacts=[contact])
    arm.reach(HAND, pose)
    arm.following(HAND)(pose, DT)

    def refuse(_kernel: object, types: object) -> None:
        raise AssertionError(f"would compile for {types}")

    monkeypatch.setattr("numba.core.dispatcher.Dispatcher.compile", refuse)
    return arm


def frozen(values: Array) -> Array:
    values.flags.writeable = False
    return values


def test_no_kind_of_target_compiles_anything(compiled: Mechanism) -> None:
    pose = compiled.pose(HAND)
    kinds = [pose.tolist(), pose.astype(np.float32), np.asfortranarray(pose), pose[::1], np.eye(4, dtype=int), PUSH]
    for target in [*kinds, frozen(pose.copy()), frozen(np.array(PUSH)), np.array(PUSH * 2)[::2], Along(pose, "x y")]:
        compiled.step({HAND: target}, DT)
        compiled.step({HAND: target, 4: target}, DT)
        compiled.step({4: target}, DT, then=[{HAND: target}])


@pytest.mark.parametrize("dt", [1, np.float32(1e-3), np.float64(1e-3), np.int64(1)])
def test_no_kind_of_time_compiles_anything(compiled: Mechanism, dt: float) -> None:
    compiled.step({HAND: PUSH}, dt)
    compiled.step({HAND: compiled.pose(HAND)}, dt)
    compiled.step({}, dt, joints={1: 0})
    compiled.following(HAND)(compiled.pose(HAND), dt)


def test_no_kind_of_tolerance_compiles_anything(compiled: Mechanism) -> None:
    compiled.reach(HAND, frozen(compiled.pose(HAND)), metres=1, radians=1)
