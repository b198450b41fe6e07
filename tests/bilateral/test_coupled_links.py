"""Both ends of the link over real bytes: hand, device, servo, serial line with delay and loss, an arm that couples."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import ArmState, emulated_arm
from sim_devices.arm_links.emulator import MessageEmulator
from sim_devices.arm_links.serving import far_side
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from station.bilateral import BilateralMethod, HandEnd
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from station.controllers.words import HandWords
from station.servo.reflection import held_back
from station.servo.shared import Cause, LinkMethod, ServoState, SetReflection
from station.servo.shared.words import Reason
from tests.bilateral.test_in_servo import DOWN, HAND, PRESSED, UP, ContactBench, contact_bench, generated, until
from tests.sim_devices.arm.benches import lever, shipped

COUPLES = "serial:?couples=yes"
# Comes down half as fast: a light lever on a hard table bounces as chance has it, and from HAND's 113 mm/s one path in
# forty makes the arm stop itself at 150 N, by a difference of a rounding error.
GENTLE = HAND.replace("-0.034 in 0.6; hold 2", "-0.034 in 1.2; hold 1.4")
AGAIN = (  # lets go while it presses, and presses the dead-man again, quickly and later
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.9; reach 0.22 0 -0.034 in 0.6; hold 0.5; "
    "release deadman; hold 0.05; press deadman; hold 1; release deadman; hold 1; press deadman; hold 1; "
    "reach 0.22 0 0 in 0.6; hold 1"
)
LATER = 0.9  # what delays of the tests put off [s]


def keeps_its_limits(bench: ContactBench) -> bool:
    """Whether the arm's own log has neither reflex nor refusal, and its reference no step beyond its limits."""
    most = np.array([joint.speed for joint in bench.arm.capabilities.joints], dtype=float)
    reference = bench.arm.log.ticks["reference"]
    speeds = np.abs(reference[20:] - reference[:-20]).max(axis=0) / 0.020  # 5 % of setpoints are lost: over 20 ms
    return bench.arm.state is ArmState.ACTIVE and not bench.arm.refused and bool((speeds < 1.1 * most).all())


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_both_ends_let_contact_be_felt_and_generate_next_to_nothing(tmp_path: Path, delay: float) -> None:
    with contact_bench(tmp_path, delay, link=COUPLES) as bench:
        lost = generated(bench, PRESSED)
        assert bench.servo.part.rig.reflection.two_port
        assert bench.servo.part.state is ServoState.ENGAGED
        assert bench.shared.measured_wrench[2] > 3.0  # the table pushes the tool up
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] > 0.1  # and the hand feels it
        lost = max(lost, generated(bench, UP + LATER))
        assert lost < 0.005
        assert bench.servo.part.state is ServoState.ENGAGED
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] == pytest.approx(0.0, abs=0.1)
        assert bench.shared.measured_pose[:3, 3] == pytest.approx(bench.shared.predicted_pose[:3, 3], abs=1e-3)
        assert keeps_its_limits(bench)


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_waves_go_over_a_link_to_an_arm_that_couples(tmp_path: Path, delay: float) -> None:
    with contact_bench(tmp_path, delay, bilateral=BilateralMethod.WAVES, link=COUPLES, hand=GENTLE) as bench:
        lost, felt = generated(bench, DOWN), 0.0
        for _ in until(bench, PRESSED):
            lost = max(lost, -float(bench.shared.energy_parts[Cause.CONTACT]))
            felt = max(felt, float(bench.shared.wrench_parts[Cause.CONTACT, 2]))
        assert bench.shared.reflection_method == LinkMethod.WAVES
        assert bench.servo.part.state is ServoState.ENGAGED
        assert felt > 0.2
        assert max(lost, generated(bench, UP + LATER)) < 0.005
        assert bench.servo.part.state is ServoState.ENGAGED
        assert keeps_its_limits(bench)


def test_both_ends_talk_over_zeromq_too() -> None:
    clock, name = VirtualClock(), "inproc://coupled"
    server = ZeroMqArm(emulated_arm(lever()), name, clock)
    server.couple()
    controller = ArmController(name, clock, ZeroMqLink(name, name))
    end, heard = HandEnd(), 0
    with contextlib.closing(server), controller:
        controller.wait_until_ready()
        assert controller.capabilities.couples
        controller.activate()
        for sequence in range(1, 400):
            clock.advance(0.001)
            controller.newest()
            if controller.coupled is not None and controller.coupled.epoch == 1:
                heard += end.take_numbers(controller.coupled.packet, clock.now())
            end.tick(clock.now(), np.zeros(6), np.zeros(6))
            controller.couple(HandWords(1, 1, 1, 0, 1.0, 600.0, 5.0, np.eye(3), end.packet_numbers))
            controller.send(np.zeros(2), None, None, sequence)
        assert controller.status is ControllerStatus.ACTIVE
        assert heard > 300
        assert 0.0 < end.round_trip < 0.005
        assert server.desk.refused.total() == 0


def test_the_arm_holds_back_on_purpose_and_that_is_no_following_error(tmp_path: Path) -> None:
    """At 50 ms it stops when it meets the table, centimetres before where the hand is already."""
    with contact_bench(tmp_path, 0.05, link=COUPLES) as bench:
        held = 0.0
        assert isinstance(bench.server, MessageEmulator)
        coupling = bench.server.desk.coupling
        assert coupling is not None
        for _ in until(bench, PRESSED):
            held = max(held, float(np.abs(coupling.offsets.q).max()))
        assert held > 0.005  # some millimetres of the tool
        assert bench.servo.part.state is ServoState.ENGAGED


def test_engaging_again_in_contact_begins_where_the_arm_is(tmp_path: Path) -> None:
    with contact_bench(tmp_path, 0.05, link=COUPLES, hand=AGAIN) as bench:
        states: list[ServoState] = []
        lost = 0.0
        for _ in until(bench, 8.3):
            lost = max(lost, -float(bench.shared.energy_parts[Cause.CONTACT]))
            if not states or states[-1] is not bench.servo.part.state:
                states.append(bench.servo.part.state)
        assert states.count(ServoState.ENGAGED) == 3
        assert ServoState.FAULT not in states
        assert lost < 0.005
        assert not [event for event in bench.arm.log.events if "limit" in event.cause or "allowed" in event.cause]


def test_what_an_arm_says_it_holds_back_is_believed_within_limits(tmp_path: Path) -> None:
    with contact_bench(tmp_path, link=COUPLES) as bench:
        for _ in until(bench, DOWN):
            pass
        arm = bench.servo.part.arm
        assert arm is not None
        sample = arm.memory.sample
        assert sample.has_words
        sample.held[:] = [0.1, -9.0]
        assert [held_back(arm.memory, joint) for joint in range(2)] == [0.1, -0.25]
        sample.start += 1  # of setpoints of another start
        assert held_back(arm.memory, 0) == 0.0
        sample.start, sample.has_words = sample.start - 1, False
        assert held_back(arm.memory, 0) == 0.0


def test_the_method_is_changed_while_both_ends_run(tmp_path: Path) -> None:
    with contact_bench(tmp_path, link=COUPLES) as bench:
        for _ in until(bench, DOWN):
            pass
        arm = bench.servo.part.arm
        assert arm is not None
        assert arm.controller.coupled is not None
        before = arm.controller.coupled.epoch
        assert bench.servo.part.orders.decide(SetReflection(LinkMethod.WAVES)) is Reason.ACCEPTED
        for _ in until(bench, DOWN + 0.1):
            pass
        assert arm.controller.coupled.epoch == before + 1  # both ends with new books
        assert bench.servo.part.state is ServoState.ENGAGED


def test_an_arm_that_does_not_couple_is_sent_plain_setpoints(tmp_path: Path) -> None:
    with contact_bench(tmp_path) as bench:
        for _ in until(bench, DOWN):
            pass
        assert not bench.servo.part.rig.reflection.two_port
        assert bench.servo.part.arm is not None
        assert bench.servo.part.arm.controller.coupled is None
        assert bench.servo.part.state is ServoState.ENGAGED


@pytest.mark.parametrize("link", ["modbus://127.0.0.1:0?couples=yes", "modbus+serial:?couples=yes"])
def test_modbus_does_not_couple(link: str) -> None:
    with pytest.raises(station.StationError, match="unknown option 'couples'"):
        far_side(link, emulated_arm(lever()), VirtualClock(), end=SocketEnd("arm"))


def test_an_arm_with_passive_joints_cannot_couple() -> None:
    with pytest.raises(station.StationError, match="cannot run its end of a bilateral link"):
        far_side(COUPLES, emulated_arm(shipped("five-bar")), VirtualClock(), end=SocketEnd("arm"))
