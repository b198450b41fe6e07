"""What a mechanism is asked: names, shapes and numbers are checked, and a refused request leaves no trace."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from station.errors import StationError
from station.mechanism import Along, Contact, Mechanism, MechanismError, Preference, Status
from station.mechanism.memory import MOST_CONTACTS, MOST_TASKS
from tests.mechanism.mechanisms import Array, link, made, moved, robot, shipped

DT, HAND = 1e-3, 9
STILL = [0.0] * 6
NOT_FINITE = [math.nan, math.inf, -math.inf]
Request = Callable[[Mechanism], object]

UNKNOWN_FRAMES: dict[str, Request] = {
    "pose": lambda arm: arm.pose("foot"),
    "jacobian": lambda arm: arm.jacobian("foot"),
    "jacobian_at": lambda arm: arm.jacobian_at("foot", arm.q),
    "target": lambda arm: arm.step({"foot": STILL}, DT),
    "one of several": lambda arm: arm.step({HAND: STILL, "foot": STILL}, DT),
    "lower level": lambda arm: arm.step({HAND: STILL}, DT, then=[{"foot": STILL}]),
    "contact": lambda arm: arm.step({}, DT, contacts=[Contact("foot", [0, 0, 0], [0, 0, 1], 1.0)]),
    "dexterity": lambda arm: arm.step({}, DT, prefer=Preference(dexterity="foot")),
    "reach": lambda arm: arm.reach("foot", np.eye(4)),
    "following": lambda arm: arm.following("foot"),
}
UNKNOWN_JOINTS: dict[str, Request] = {
    "step": lambda arm: arm.step({}, DT, joints={"leg 9": 0.0}),
    "set_joint": lambda arm: arm.set_joint("leg 9", 0.0),
    "posture": lambda arm: arm.step({}, DT, prefer=Preference(posture={"leg 9": 0.0})),
    "joint_number": lambda arm: arm.joint_number("leg 9"),
}


@pytest.mark.parametrize("where", UNKNOWN_FRAMES)
def test_an_unknown_frame_is_refused_with_those_there_are(where: str) -> None:
    with pytest.raises(MechanismError, match=r"robot panda has no frame 'foot'; .*0, 1, 2.*9.*flange, hand"):
        UNKNOWN_FRAMES[where](shipped("panda"))


@pytest.mark.parametrize("where", UNKNOWN_JOINTS)
def test_an_unknown_joint_is_refused_with_those_there_are(where: str) -> None:
    with pytest.raises(MechanismError, match=r"robot stewart has no joint 'leg 9'") as caught:
        UNKNOWN_JOINTS[where](shipped("stewart"))
    assert "1, 2, 3" in str(caught.value)
    assert "leg 1" in str(caught.value)
    assert "platform centre" not in str(caught.value)  # a frame, no joint


def test_a_frame_has_no_joint_and_an_id_may_be_unknown() -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="no joint 9"):
        arm.set_joint(HAND, 0.0)
    with pytest.raises(MechanismError, match="no frame 99"):
        arm.pose(99)
    assert issubclass(MechanismError, StationError)
    assert issubclass(MechanismError, ValueError)


def test_names_are_as_good_as_ids() -> None:
    one, other = shipped("stewart"), shipped("stewart")
    pose = moved(one.pose(22), [0.02, 0.01, -0.02], [0.05, 0.0, 0.1])
    for _ in range(50):
        one.step({22: pose}, DT, joints={3: 0.66})
        other.step({"platform centre": pose}, DT, joints={"leg 1": 0.66})
    np.testing.assert_array_equal(one.q, other.q)
    np.testing.assert_array_equal(one.pose("platform centre"), other.pose(22))
    assert one.joint_number("leg 6") == one.joint_number(21) == 20


@pytest.mark.parametrize("target", [0.0, [1.0, 2.0, 3.0], np.zeros((3, 4)), np.zeros((6, 1)), np.zeros((1, 4, 4)), []])
def test_a_target_of_another_shape_is_refused(target: ArrayLike) -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="shape"):
        arm.step({HAND: target}, DT)
    with pytest.raises(MechanismError, match="shape"):
        arm.step({HAND: Along(target, "x y")}, DT)
    with pytest.raises(MechanismError, match="shape"):
        arm.step({HAND: STILL}, DT, then=[{4: target}])


@pytest.mark.parametrize("values", [[0.0], [[0.0] * 7], np.zeros(8), 0.0])
def test_joint_values_of_another_shape_are_refused(values: ArrayLike) -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="7"):
        arm.q = values
    with pytest.raises(MechanismError, match="7"):
        arm.jacobian_at(HAND, values)


@pytest.mark.parametrize("bad", [[0.0, 0.0], 1.0, [[0.0, 0.0, 1.0]]])
def test_contact_vectors_of_another_shape_are_refused(bad: ArrayLike) -> None:
    arm = shipped("panda")
    for contact in (Contact(HAND, bad, [0, 0, 1], 1.0), Contact(HAND, [0, 0, 0], bad, 1.0)):
        with pytest.raises(MechanismError):
            arm.step({}, DT, contacts=[contact])


@pytest.mark.parametrize("normal", [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
def test_a_normal_is_a_unit_vector(normal: list[float]) -> None:
    with pytest.raises(MechanismError, match="unit"):
        shipped("panda").step({}, DT, contacts=[Contact(HAND, [0, 0, 0], normal, 1.0)])


@pytest.mark.parametrize("axes", ["", "w", "x y rw"])
def test_axes_that_are_none_are_refused(axes: str) -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="x y z rx ry rz"):
        arm.step({HAND: Along(arm.pose(HAND), axes)}, DT)
    with pytest.raises(MechanismError, match="x y z rx ry rz"):
        arm.reach(HAND, arm.pose(HAND), axes=axes)


@pytest.mark.parametrize("dt", [0.0, -1e-3, *NOT_FINITE])
def test_a_step_takes_a_positive_time(dt: float) -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="positive time"):
        arm.step({HAND: STILL}, dt)


@pytest.mark.parametrize("dt", [0.0, -1e-3, *NOT_FINITE])
def test_following_in_no_time_moves_nothing(dt: float) -> None:
    arm = shipped("panda")
    follow, pose, q = arm.following(HAND), moved(arm.pose(HAND), [0.01, 0.0, 0.0]), arm.q
    assert follow(pose, dt) == -1
    np.testing.assert_array_equal(arm.q, q)


@pytest.mark.parametrize("restarts", [-1, -5])
def test_a_number_of_restarts_is_not_negative(restarts: int) -> None:
    arm = shipped("panda")
    with pytest.raises(MechanismError, match="restarts"):
        arm.reach(HAND, moved(arm.pose(HAND), [9.0, 0.0, 0.0]), restarts=restarts)


def test_too_many_targets_and_contacts_are_refused() -> None:
    arm = made(robot([link(1), *(f"frame {n} {{ pos {{ {n} 0 0 }} pred 1 }}\n" for n in range(2, 12))]))
    arm.step(dict.fromkeys(range(2, 2 + MOST_TASKS), STILL), DT)
    with pytest.raises(MechanismError, match=f"at most {MOST_TASKS}"):
        arm.step(dict.fromkeys(range(2, 3 + MOST_TASKS), STILL), DT)
    with pytest.raises(MechanismError, match=f"at most {MOST_TASKS}"):
        arm.step(dict.fromkeys(range(2, 2 + MOST_TASKS), STILL), DT, joints={1: 0.0})
    contact = Contact(2, [0, 0, 0], [0, 0, 1], 1.0)
    assert len(arm.step({}, DT, contacts=[contact] * MOST_CONTACTS).multipliers) == 1 + MOST_CONTACTS
    with pytest.raises(MechanismError, match=f"at most {MOST_CONTACTS}"):
        arm.step({}, DT, contacts=[contact] * (MOST_CONTACTS + 1))


def broken(values: ArrayLike, bad: float) -> Array:
    result = np.array(values, dtype=float)
    result.flat[1] = bad
    return result


REFUSED: dict[str, Callable[[Mechanism, float], object]] = {
    "pose": lambda arm, bad: arm.step({HAND: broken(arm.pose(HAND), bad)}, DT),
    "pose along": lambda arm, bad: arm.step({HAND: Along(broken(arm.pose(HAND), bad), "x y z")}, DT),
    "twist": lambda arm, bad: arm.step({HAND: broken(STILL, bad)}, DT),
    "lower pose": lambda arm, bad: arm.step({HAND: STILL}, DT, then=[{4: broken(arm.pose(4), bad)}]),
    "joint": lambda arm, bad: arm.step({HAND: arm.pose(HAND)}, DT, joints={1: bad}),
    "q": lambda arm, bad: setattr(arm, "q", broken(arm.q, bad)),
    "reach": lambda arm, bad: arm.reach(HAND, broken(arm.pose(HAND), bad)),
    "contact point": lambda arm, bad: arm.step({}, DT, contacts=[Contact(HAND, [0, 0, bad], [0, 0, 1], 1.0)]),
    "contact normal": lambda arm, bad: arm.step({}, DT, contacts=[Contact(HAND, [0, 0, 0], [0, 0, bad], 1.0)]),
    "contact distance": lambda arm, bad: arm.step({}, DT, contacts=[Contact(HAND, [0, 0, 0], [0, 0, 1], bad)]),
    "posture": lambda arm, bad: arm.step({}, DT, prefer=Preference(posture={1: bad})),
    "jacobian_at": lambda arm, bad: arm.jacobian_at(HAND, broken(arm.q, bad)),
}


@pytest.mark.parametrize("bad", NOT_FINITE)
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_finite_is_refused_and_leaves_no_trace(what: str, bad: float) -> None:
    arm, twin = shipped("panda"), shipped("panda")
    target = moved(arm.pose(HAND), [0.05, 0.02, -0.03], [0.1, 0.0, 0.2])
    for _ in range(20):
        arm.step({HAND: target}, DT)
        twin.step({HAND: target}, DT)
    q = arm.q
    with pytest.raises(MechanismError):
        REFUSED[what](arm, bad)
    np.testing.assert_array_equal(arm.q, q)
    for _ in range(20):
        step = arm.step({HAND: target}, DT)
        np.testing.assert_allclose(step.q, twin.step({HAND: target}, DT).q, atol=1e-6)
    assert step.status is Status.OK
