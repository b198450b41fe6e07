"""The end at the arm between link and machine: what it adds to setpoints, and when that is over."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pytest

from sim_devices.arm import ArmState
from sim_devices.arm.machine import Reading
from sim_devices.arm_links.coupling import FARTHEST, Coupling, Jointed, can_couple
from sim_devices.arm_links.offsets import Offsets
from station.bilateral import HandEnd, LinkArchitecture, LinkMethod, Packet
from station.controllers.controller import Capabilities, ControlledJoint, Floats
from station.controllers.words import HandWords
from station.mechanism import Mechanism
from tests.controllers.double import DoubleArm
from tests.sim_devices.arm.benches import lever

JOINTS = tuple(
    ControlledJoint(name=name, low=-1.5, high=1.5, speed=3.0, acceleration=10.0) for name in ("shoulder", "elbow")
)
TOOL = 3
SEQUENCE = Packet.fields["sequence"].offset // 8  # among the numbers of a packet
BENT = np.array([0.3, -0.6])


class Stand:
    """An arm that stands still, and whose tool is pushed upwards by as much as a test says."""

    def __init__(self) -> None:
        self.robot = lever().robots[0]
        self.capabilities = Capabilities(model="stand", joints=JOINTS, rate=1000.0, watchdog=0.05, measures_wrench=True)
        mechanism = Mechanism(self.robot)
        mechanism.q = BENT
        self._turn = mechanism.pose(TOOL)[:3, :3]
        self.q, self.force, self.state = BENT.copy(), 0.0, ArmState.READY

    def reading(self) -> Reading:
        wrench = np.zeros(6)
        wrench[:3] = self._turn.T @ np.array([0.0, 0.0, self.force])
        return Reading(self.q.copy(), np.zeros(2), np.zeros(2), wrench, self.state, "", 0, 0.0)


class Led:
    """That arm, its end, and a hand that leads it down at some speed."""

    def __init__(self) -> None:
        self.arm = Stand()
        machine = cast(Jointed, self.arm)
        assert can_couple(machine)
        self.coupling = Coupling(machine)
        self.hand, self.now, self.place = HandEnd(), 0.0, np.zeros(6)
        self.start = self.epoch = 1
        self.coupling.tick(0.0)
        self.arm.state = ArmState.ACTIVE

    def lead(self, seconds: float, speed: float = 0.0) -> Floats:
        """The last setpoint for the machine."""
        setpoint = BENT
        for _ in range(round(seconds / 0.001)):
            self.now += 0.001
            self.place[2] -= 0.001 * speed
            self.hand.tick(self.now, self.place, np.zeros(6))
            setpoint, _ = self.coupling.hear(BENT, None, self.words(), self.now)
            self.coupling.tick(self.now)
        return setpoint

    def words(self) -> HandWords:
        return HandWords(
            self.start,
            self.epoch,
            LinkMethod.PASSIVITY,
            LinkArchitecture.POSITION_FORCE,
            1.0,
            600.0,
            5.0,
            np.eye(3),
            self.hand.packet_numbers,
        )

    def held_back(self) -> Floats:
        """Lead it into something that the hand has put no energy in for."""
        self.lead(0.1)
        self.arm.force = 20.0
        self.lead(0.3, 0.1)
        held: Floats = self.lead(0.02) - BENT
        assert np.abs(held).max() > 0.005
        return held


def test_in_free_space_setpoints_are_as_they_were() -> None:
    led = Led()
    assert led.lead(0.5, 0.1) == pytest.approx(BENT, abs=1e-9)


def test_what_resists_holds_the_arm_back_and_it_says_by_how_much() -> None:
    led = Led()
    held = led.held_back()
    assert led.coupling.words.held == pytest.approx(held, abs=1e-4)
    assert (led.coupling.words.start, led.coupling.words.epoch) == (1, 1)


def test_it_is_never_held_back_by_more_than_so_far() -> None:
    led = Led()
    led.lead(0.1)
    led.arm.force = 20.0
    setpoint = led.lead(2.0, 0.2)
    mechanism = led.coupling._mechanism
    away = mechanism.jacobian(TOOL)[:3] @ (setpoint - BENT)
    assert 0.9 * FARTHEST < np.linalg.norm(away) < 1.05 * FARTHEST


def test_new_books_make_no_jump() -> None:
    led = Led()
    before = led.held_back()
    led.epoch = 2
    led.hand.reset()
    assert led.lead(0.001) - BENT == pytest.approx(before, abs=1e-3)
    led.arm.force = 0.0  # nothing in the way any more: it comes home
    assert led.lead(2.0) == pytest.approx(BENT, abs=1e-3)


def test_while_the_hand_is_away_what_is_held_back_stays() -> None:
    led = Led()
    before = led.held_back()
    led.epoch = 0
    assert led.lead(0.5) - BENT == pytest.approx(before, abs=2e-3)
    assert led.coupling.words.epoch == 0


def test_a_new_start_and_an_arm_that_is_not_active_hold_nothing_back() -> None:
    led = Led()
    led.held_back()
    led.start, led.epoch = 2, 2
    led.hand.reset()
    assert (led.lead(0.001) == BENT).all()
    led.arm.force = 0.0
    led.held_back()
    led.arm.state = ArmState.READY
    led.now += 0.001
    led.coupling.tick(led.now)
    assert not led.coupling.words.held.any()
    assert led.coupling.words.start == 0


def stand(led: Led, force: float, seconds: float) -> None:
    """The arm holds by itself, and something pushes it."""
    led.arm.state, led.arm.force = ArmState.READY, force
    for _ in range(round(seconds / 0.001)):
        led.now += 0.001
        led.coupling.tick(led.now)
    led.arm.state = ArmState.ACTIVE


def test_the_sensor_is_tared_once_and_never_by_what_is_touched_later() -> None:
    led = Led()
    stand(led, 0.6, 0.2)
    led.lead(0.05)
    assert led.coupling._force[2] == pytest.approx(0.0, abs=0.02)
    stand(led, 4.6, 2.0)  # it holds in touch with something
    led.lead(0.05)
    assert led.coupling._force[2] == pytest.approx(4.0, abs=0.02)
    led.arm.force = 0.6
    led.lead(0.05)
    assert led.coupling._force[2] == pytest.approx(0.0, abs=0.02)


def test_a_sensor_that_tells_no_number_makes_no_force_and_no_motion() -> None:
    led = Led()
    stand(led, 0.6, 0.05)
    stand(led, math.nan, 0.05)
    stand(led, 0.6, 0.2)
    led.lead(0.1)
    told = led.coupling.words.packet.copy()
    led.arm.force = math.nan
    assert led.lead(0.2, 0.05) == pytest.approx(BENT, abs=1e-9)
    assert (led.coupling.words.packet == told).all()  # nothing new: at the hand what there was gets old
    led.arm.force = 0.6
    led.lead(0.1)
    assert led.coupling.words.packet[SEQUENCE] > told[SEQUENCE]
    assert led.coupling._force[2] == pytest.approx(0.0, abs=0.02)


def test_offsets_keep_to_the_limits_of_the_joints() -> None:
    offsets, speeds = Offsets(JOINTS), []
    for _ in range(500):
        offsets.aim(np.array([0.2, -0.2]), 0.001)
        speeds.append(offsets.v.copy())
    assert offsets.q == pytest.approx([0.2, -0.2], abs=1e-3)
    assert np.abs(np.diff(speeds, axis=0)).max() / 0.001 < 10.0
    q, v = offsets.added(np.array([1.45, -1.45]), np.array([2.9, 0.0]))
    assert q.tolist() == [1.5, -1.5]
    assert v is not None
    assert np.abs(v).max() <= 3.0
    offsets.rest()
    assert not offsets.q.any()


def test_a_machine_that_knows_no_robot_cannot_couple() -> None:
    assert not can_couple(DoubleArm())
