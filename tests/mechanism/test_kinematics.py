"""Poses and Jacobians: against the plain walk of the tree, finite differences, and pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]
import pytest

from station.mad.placement import world_poses
from station.mad.scene import Link, Robot
from station.mad.units import JointType
from station.mechanism import Mechanism
from tests.mechanism.mechanisms import SHIPPED, Array, anywhere, by_link, difference, put, shipped
from tests.robots.elementary import move, placed, turn_x, turn_y, turn_z

STRIDE = 1e-6  # of central differences [rad | m]


def configurations(arm: Mechanism, count: int) -> list[Array]:
    rng = np.random.default_rng(7)
    return [arm.q, *(anywhere(arm, rng) for _ in range(count))]


def differences(arm: Mechanism, q: Array) -> dict[int, Array]:
    """Jacobian of everything by central differences of the reference walk."""
    jacobians = {name: np.zeros((6, len(q))) for name in world_poses(arm.robot)}
    for joint in range(len(q)):
        side = np.zeros(len(q))
        side[joint] = STRIDE
        before = world_poses(arm.robot, by_link(arm, q - side))
        after = world_poses(arm.robot, by_link(arm, q + side))
        for name, jacobian in jacobians.items():
            jacobian[:, joint] = difference(before[name], after[name]) / (2.0 * STRIDE)
    return jacobians


@pytest.mark.parametrize("name", SHIPPED)
def test_everything_is_where_the_plain_walk_has_it(name: str) -> None:
    arm = shipped(name)
    for q in configurations(arm, 20):
        put(arm, q)
        expected = world_poses(arm.robot, by_link(arm, q))
        assert expected.keys() == arm._frames.keys()
        for frame, pose in expected.items():
            np.testing.assert_allclose(arm.pose(frame), pose, rtol=0, atol=1e-13 * 20)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_jacobian_is_the_derivative_of_the_pose(name: str) -> None:
    arm = shipped(name)
    for q in configurations(arm, 2):
        for frame, expected in differences(arm, q).items():
            np.testing.assert_allclose(arm.jacobian_at(frame, q), expected, rtol=0, atol=1e-8)
    for frame, expected in differences(arm, arm.q).items():
        np.testing.assert_allclose(arm.jacobian(frame), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_jacobian_elsewhere_moves_nothing(name: str) -> None:
    arm = shipped(name)
    frame = max(arm._frames)
    pose, jacobian, q = arm.pose(frame), arm.jacobian(frame), arm.q
    arm.jacobian_at(frame, anywhere(arm, np.random.default_rng(3)))
    np.testing.assert_array_equal(arm.pose(frame), pose)
    np.testing.assert_array_equal(arm.jacobian(frame), jacobian)
    np.testing.assert_array_equal(arm.q, q)


def test_the_base_stands_still() -> None:
    arm = shipped("panda")
    np.testing.assert_array_equal(arm.jacobian(0), np.zeros((6, 7)))


class Judge:
    """The same robot in pinocchio, out of elementary transforms."""

    def __init__(self, robot: Robot) -> None:
        base = robot.base
        at_base = move(*base.pos) @ turn_z(base.ori.c) @ turn_y(base.ori.b) @ turn_x(base.ori.a)
        self.model = pin.Model()
        self.frames: dict[int, int] = {}
        seats: dict[int, tuple[int, Array]] = {0: (0, at_base)}
        items = {item.id: item for item in robot.placed()}
        while len(seats) <= len(items):
            for name, item in items.items():
                if name not in seats and item.pred in seats:
                    joint, pose = seats[item.pred]
                    if isinstance(item, Link) and item.joint is not JointType.FIXED:
                        seats[name] = self._add(item, joint, pose)
                    else:
                        seats[name] = joint, pose @ placed(item)
        for name, (joint, pose) in seats.items():
            self.frames[name] = self.model.addFrame(pin.Frame(str(name), joint, pin.SE3(pose), pin.OP_FRAME))
        self.data = self.model.createData()

    def _add(self, item: Link, parent: int, pose: Array) -> tuple[int, Array]:
        p = item.parameters
        before = pose @ turn_z(p.gamma) @ move(0, 0, p.epsil) @ turn_x(p.alpha) @ move(p.d, 0, 0)
        if item.joint is JointType.REVOLUTE:
            joint = self.model.addJoint(parent, pin.JointModelRZ(), pin.SE3(before), str(item.id))
            return joint, move(0, 0, p.r)
        joint = self.model.addJoint(parent, pin.JointModelPZ(), pin.SE3(before @ turn_z(p.theta)), str(item.id))
        return joint, np.eye(4)

    def look(self, joints: dict[int, float]) -> None:
        q = np.array([joints[int(name)] for name in list(self.model.names)[1:]])
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)

    def pose(self, frame: int) -> Array:
        return np.array(self.data.oMf[self.frames[frame]].homogeneous)

    def jacobian(self, frame: int, order: list[int]) -> Array:
        """World axes, linear first; columns in the order of the given links."""
        own = pin.getFrameJacobian(self.model, self.data, self.frames[frame], pin.LOCAL_WORLD_ALIGNED)
        return np.array(own[:, [self.model.getJointId(str(link)) - 1 for link in order]])


@pytest.mark.parametrize("name", SHIPPED)
def test_poses_and_jacobians_are_those_of_pinocchio(name: str) -> None:
    """Loops stay open here: a robot is a tree to both."""
    arm = shipped(name)
    judge, order = Judge(arm.robot), [joint.id for joint in arm.joints]
    rng = np.random.default_rng(11)
    for _ in range(20):
        q = anywhere(arm, rng)
        put(arm, q)
        judge.look(by_link(arm, q))
        for frame in arm._frames:
            np.testing.assert_allclose(arm.pose(frame), judge.pose(frame), rtol=0, atol=1e-12)
            np.testing.assert_allclose(arm.jacobian(frame), judge.jacobian(frame, order), rtol=0, atol=1e-12)
