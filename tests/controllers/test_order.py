"""Joints by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import station
from station.controllers import ControlledJoint, in_order_of, open_controller, scene_joints
from station.controllers.errors import ControllerAddressError, ControllerMismatchError, ControllerNotFoundError
from station.controllers.order import joint_name
from station.controllers.registry import parse_controller_address
from tests.controllers.benches import zeromq
from tests.controllers.double import JOINTS


def test_setpoints_and_measurements_are_in_the_order_of_the_scene() -> None:
    bench = zeromq()
    places = [2, 0, 3, 1]
    with bench.connect() as driver:
        arm = in_order_of(driver, [JOINTS[i] for i in places])
        arm.activate()
        wanted = np.array([0.3, 0.1, 0.4, 0.2])
        for sequence in range(1, 40):
            said = arm.newest()
            arm.send(wanted, 10.0 * wanted, None, sequence)
            bench.clock.advance(0.001)
        assert (bench.arm.q == [0.1, 0.2, 0.3, 0.4]).all()
        assert np.allclose(bench.arm.v, [1.0, 2.0, 3.0, 4.0])
        assert said is not None
        assert (said.q == wanted).all()
        assert not arm.send(wanted[:2], None, None, 100)
    bench.server.close()


def test_a_gear_is_between_what_the_scene_means_and_what_the_controller_counts() -> None:
    bench = zeromq(measures_effort=True)
    gears = (2.0, 1.0, 0.1, 0.5)
    wanted = [replace(JOINTS[i], gear=gears[i]) for i in (2, 0, 3, 1)]
    with bench.connect() as driver:
        arm = in_order_of(driver, wanted)
        arm.activate()
        for sequence in range(1, 40):
            said = arm.newest()
            arm.send(np.array([0.03, 0.2, 0.4, 0.2]), np.full(4, 0.1), np.full(4, 6.0), sequence)
            bench.clock.advance(0.001)
        assert bench.arm.q == pytest.approx([0.1, 0.2, 0.3, 0.8])  # base counts half of what it turns
        assert bench.arm.v == pytest.approx([0.05, 0.1, 1.0, 0.2])
        assert bench.arm.effort == pytest.approx([12.0, 6.0, 0.6, 3.0])  # the same power
        assert said is not None
        assert said.q == pytest.approx([0.03, 0.2, 0.4, 0.2])
        assert said.v == pytest.approx(np.full(4, 0.1))
        assert said.effort == pytest.approx(np.full(4, 6.0))
        slide, base, wrist, shoulder = arm.capabilities.joints
        assert (slide.low, slide.high, slide.speed, slide.acceleration) == pytest.approx((0.0, 0.05, 0.05, 0.5))
        assert (base.low, base.high, base.jerk, base.effort) == pytest.approx((-6.0, 6.0, 200.0, 25.0))
        assert (wrist.low, wrist.speed, wrist.effort) == (None, None, None)
        assert shoulder == JOINTS[1]
        assert in_order_of(arm, wanted) is arm  # not geared twice
        assert in_order_of(driver, JOINTS) is driver  # no gear, no cost
    bench.server.close()


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        (JOINTS[:3], "not those of the scene"),
        ((*JOINTS, ControlledJoint(name="extra")), "not those of the scene"),
        ((*JOINTS[:3], ControlledJoint(name="other")), "the scene has base, shoulder, slide, other"),
        ((*JOINTS[:2], ControlledJoint(name="slide"), JOINTS[3]), "'slide' turns [rad] in the scene and slides [m]"),
    ],
)
def test_other_joints_refuse_to_start_with_one_line(joints: tuple[ControlledJoint, ...], words: str) -> None:
    bench = zeromq()
    driver = bench.connect()
    with pytest.raises(ControllerMismatchError) as caught:
        in_order_of(driver, joints)
    assert words in str(caught.value)
    assert "or open another arm" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert driver.status.value == "closed"
    bench.server.close()


def test_two_joints_of_one_name_are_refused() -> None:
    bench = zeromq(joints=(JOINTS[0], JOINTS[0]))
    driver = bench.connect()
    with pytest.raises(ControllerMismatchError, match="two joints of one name"):
        in_order_of(driver, (JOINTS[0],))
    bench.server.close()


def test_the_joints_of_a_scene_are_those_that_are_driven() -> None:
    joints = scene_joints(station.load("robots/scara.mad")["scara"].joints)
    assert [joint.name for joint in joints][:3] == ["shoulder", "elbow", "slide"]
    assert [joint.prismatic for joint in joints][:3] == [False, False, True]
    assert joint_name(4, None) == "joint 4"
    assert len(scene_joints(station.load("robots/delta.mad")["delta"].joints)) == 3


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "is not the address of a controller"),
        ("nonsense", "is not the address of a controller"),
        ("warp:9", "there are: dynamixel, modbus"),
        ("tcp://127.0.0.1", "write tcp://host:port"),
        ("tcp://127.0.0.1:0", "write tcp://host:port"),
        ("tcp://127.0.0.1:99999", "write tcp://host:port"),
        ("tcp://10.1.2.3:5555", "must be encrypted"),
        ("tcp://arm.example:5555", "must be encrypted"),
        ("tcp://0.0.0.0:5555", "must be encrypted"),
        ("tcp://127.0.0.1:5555?role=king", "role is one of"),
        ("tcp://127.0.0.1:5555?rol=observe", "unknown option 'rol'"),
        ("tcp://127.0.0.1:5555?key=x", "key needs server"),
        ("tcp://127.0.0.1:5555?server=/nowhere.key", "cannot be read"),
        ("serial:", "name the port"),
        ("serial:/dev/null?baud=1", "baud is a number"),
        ("modbus:127.0.0.1", "write modbus://host:port"),
        ("modbus://127.0.0.1:x", "write modbus://host:port"),
        ("modbus://127.0.0.1?unit=400", "unit is a number"),
        ("modbus+serial:", "name the port"),
    ],
)
def test_a_wrong_address_is_one_line_that_says_what_is_allowed(url: str, words: str) -> None:
    with pytest.raises((ValueError, ControllerNotFoundError)) as caught:
        open_controller(url)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_plus_is_part_of_a_scheme() -> None:
    address = parse_controller_address("modbus+serial:/dev/ttyUSB0?unit=3")
    assert (address.scheme, address.place, address.options) == ("modbus+serial", "/dev/ttyUSB0", {"unit": "3"})
    with pytest.raises(ControllerAddressError):
        parse_controller_address("modbus+serial:/dev/ttyUSB0?unit")
