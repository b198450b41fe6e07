"""The serial path: kinematics against the plain walk of the tree and closed forms, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import robots
import station
from station.errors import StationError
from station.kernel.se3 import difference
from station.kernel.so3 import rotation_vector
from station.mad.placement import world_poses
from station.mad.scene import Angles, Coupling, Frame, JointValue, Robot
from station.mechanism.classic import Chain, ClassicError, NotSerialError
from station.mechanism.classic.results import Floats
from tests.classic.arms import TIP, at, link, planar, random_postures, robot, two_link

SERIAL = {"puma560": 7, "scara": 5, "ur5e": 7, "panda": 9, "macdac": 6, "redundant": 7, "robuter-ulm": 9}


def load(name: str) -> Robot:
    return station.load(f"{robots.__path__[0]}/{name}.mad").robots[0]


def differences(chain: Chain, q: Floats, h: float = 1e-6) -> Floats:
    """Jacobian by central differences."""
    columns = []
    for i in range(len(q)):
        step = np.zeros(len(q))
        step[i] = h
        columns.append(difference(chain.pose(q - step), chain.pose(q + step)) / (2 * h))
    return np.array(columns).T


@pytest.mark.parametrize(("name", "frame"), SERIAL.items())
def test_poses_are_those_of_the_tree(name: str, frame: int) -> None:
    arm = load(name)
    chain = Chain.to(arm, frame)
    for q in random_postures(chain, 10):
        poses = world_poses(arm, dict(zip(chain.joints, q.tolist(), strict=True)))
        assert np.abs(chain.pose(q) - poses[frame]).max() < 1e-12
        expected = [poses[joint][:3, 3] for joint in (*chain.joints, frame)]
        assert np.abs(chain.positions(q) - expected).max() < 1e-12
    assert np.abs(chain.pose(chain.initial) - world_poses(arm)[frame]).max() < 1e-12


@pytest.mark.parametrize(("name", "frame"), SERIAL.items())
def test_jacobian_is_the_derivative(name: str, frame: int) -> None:
    chain = Chain.to(load(name), frame)
    for q in random_postures(chain, 5):
        assert np.abs(chain.jacobian(q) - differences(chain, q)).max() < 1e-8


def test_two_links_as_in_the_book() -> None:
    chain = Chain.to(two_link(), TIP)
    q = np.radians([30.0, 60.0])
    assert chain.pose(q)[:2, 3] == pytest.approx([0.8660254, 1.5], abs=1e-7)
    jacobian = chain.jacobian(q)[:2]
    assert jacobian == pytest.approx(np.array([[-1.5, -1.0], [0.8660254, 0.0]]), abs=1e-7)
    assert np.linalg.det(jacobian) == pytest.approx(0.8660254, abs=1e-7)
    assert np.linalg.inv(jacobian) == pytest.approx(np.array([[0.0, 1.1547005], [-1.0, -1.7320508]]), abs=1e-7)


def test_exercise_one_turns_and_a_slide() -> None:
    """R z, R z, P, R z, R z: columns from points and axes."""
    quarter = math.pi / 2
    links = [
        link(1, 0),
        link(2, 1, d=0.5),
        link(3, 2, slides=True, d=0.3, alpha=-quarter),  # slides along y of link 2
        link(4, 3, alpha=quarter),
        link(5, 4, d=0.4),
    ]
    chain = Chain.to(robot(links, (0.2, 0.0, 0.0)), TIP)
    q = np.array([0.3, -0.4, 0.7, 1.1, 0.2])
    points, tip = chain.positions(q), chain.positions(q)[-1]
    z = np.array([0.0, 0.0, 1.0])
    slide = np.array([-math.sin(q[0] + q[1]), math.cos(q[0] + q[1]), 0.0])
    expected = [np.concatenate([np.cross(z, tip - points[i]), z]) for i in (0, 1, 3, 4)]
    expected.insert(2, np.concatenate([slide, np.zeros(3)]))
    assert chain.jacobian(q) == pytest.approx(np.array(expected).T, abs=1e-12)
    assert chain.jacobian(q) == pytest.approx(differences(chain, q), abs=1e-8)


def test_exercise_two_a_slide_and_a_ball() -> None:
    """A slide along x, then a ball joint as three coincident axes x, y, z, with frames that turn z onto them."""
    quarter = math.pi / 2
    links = [link(1, 11, slides=True), link(2, 1), link(3, 12), link(4, 13)]
    frames = [
        Frame(id=11, pred=0, ori=Angles(0.0, quarter, 0.0)),  # z → x
        Frame(id=12, pred=2, ori=Angles(-quarter, 0.0, 0.0)),  # z → y
        Frame(id=13, pred=3, ori=Angles(0.0, -quarter, 0.0)),  # z → z of the world
    ]
    chain = Chain.to(robot(links, (0.3, 0.2, 0.5), frames), TIP)
    q = np.array([0.4, 0.3, -0.6, 0.9])
    poses = chain.frames(q)
    ball, tip = poses[1, :3, 3], poses[-1, :3, 3]
    axes = [poses[i, :3, 2] for i in range(4)]
    c, s = math.cos(q[1]), math.sin(q[1])
    assert axes[0] == pytest.approx([1, 0, 0], abs=1e-12)
    assert axes[1] == pytest.approx([1, 0, 0], abs=1e-12)
    assert axes[2] == pytest.approx([0, c, s], abs=1e-12)  # Rx·y
    assert axes[3] == pytest.approx([math.sin(q[2]), -s * math.cos(q[2]), c * math.cos(q[2])], abs=1e-12)  # Rx·Ry·z
    expected = [np.concatenate([np.cross(axis, tip - ball), axis]) for axis in axes]
    expected[0] = np.concatenate([axes[0], np.zeros(3)])
    assert chain.jacobian(q) == pytest.approx(np.array(expected).T, abs=1e-12)


def test_power_is_the_same_on_both_sides() -> None:
    chain = Chain.to(load("puma560"), 7)
    random = np.random.default_rng(3)
    for q in random_postures(chain, 5):
        force, speeds = random.normal(size=6), random.normal(size=6)
        torques = chain.jacobian(q).T @ force
        assert force @ (chain.jacobian(q) @ speeds) == pytest.approx(torques @ speeds)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-5, 1.0, 3.0, math.pi - 1e-3, math.pi - 1e-7, math.pi - 1e-10])
def test_rotation_vector_is_exact_at_both_ends(angle: float) -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        cross = np.cross(axis, np.eye(3)).T
        rotation = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
        assert rotation_vector(rotation) == pytest.approx(angle * axis, abs=1e-9)


def test_rotation_vector_of_half_a_turn() -> None:
    assert rotation_vector(np.diag([-1.0, 1.0, -1.0])) == pytest.approx([0.0, math.pi, 0.0])


def test_a_loop_is_refused_with_its_name() -> None:
    with pytest.raises(NotSerialError, match=r"the loop link 7 – frame 8 holds link 2, 3") as caught:
        Chain.to(load("planar-hybrid"), 9)
    assert isinstance(caught.value, StationError)
    assert isinstance(caught.value, ValueError)
    assert Chain.to(load("planar-hybrid"), 1).joints == (1,)  # before the loop the arm is serial


def test_a_coupling_is_refused_with_its_links() -> None:
    arm = planar([1.0, 1.0])
    coupling = Coupling(link=2, equals=(JointValue(1, -1.0),))
    coupled = Robot(name="coupled", base=arm.base, links=arm.links, frames=arm.frames, couplings=(coupling,))
    with pytest.raises(NotSerialError, match="link 1 is coupled with link 2"):
        Chain.to(coupled, TIP)


def test_what_cannot_be_asked_lists_what_can() -> None:
    with pytest.raises(ClassicError, match="no link or frame 5; there are: 1, 2, 99"):
        Chain.to(two_link(), 5)
    still = Robot(name="still", base=two_link().base, frames=(Frame(id=3, pred=0),))
    with pytest.raises(ClassicError, match="no joint moves frame 3"):
        Chain.to(still, 3)
    chain = Chain.to(two_link(), TIP)
    with pytest.raises(ClassicError, match=r"q0 needs 2 values \(links 1, 2\)"):
        chain.start([0.0])
    with pytest.raises(ClassicError, match="not finite"):
        chain.start([0.0, math.nan])


def test_start_is_brought_within_the_stops() -> None:
    chain = Chain.to(two_link((0.0, 0.5)), TIP)
    assert chain.start([3.0, 2.0]).tolist() == [3.0, 0.5]
    assert chain.stopped(np.array([3.0, 0.5])) == (2,)


def test_errors_are_distances_and_angles() -> None:
    chain = Chain.to(two_link(), TIP)
    errors = chain.errors(np.array([0.0, 0.5]), at(1.0 + math.cos(0.5) + 3.0, math.sin(0.5) + 4.0))
    assert errors.position == pytest.approx(5.0)
    assert errors.rotation == pytest.approx(0.5)
