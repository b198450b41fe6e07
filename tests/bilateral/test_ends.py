"""The two ends by themselves: what goes wrong on the way, and what is felt when nothing does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_devices.arm.network import NetworkSettings
from station.bilateral import (
    PACKET_BYTES,
    Architecture,
    ArmEnd,
    BilateralMethod,
    BilateralSettings,
    BilateralStatus,
    HandEnd,
    Packet,
    SettingsError,
)
from station.bilateral.packet import NO_ECHO
from tests.bilateral.rigs import PERIOD, Link, six

BOTH = BilateralSettings(two_port=True, force=20.0, cutoff=1000.0)
DIRECT = replace(BOTH, method=BilateralMethod.DIRECT)
WAVES = replace(BOTH, method=BilateralMethod.WAVES)
METHODS = pytest.mark.parametrize("setup", [DIRECT, BOTH, WAVES], ids=["direct", "passivity", "waves"])


# Without trouble ---------------------------------------------------------------------------------------------


def test_without_delay_a_wall_is_felt_as_it_is() -> None:
    link = Link(BOTH, stiffness=500.0)
    link.stay(0.05)
    link.lead(0.01, 2.0)
    pressed = link.stay(0.2)
    assert pressed.force == pytest.approx(-500.0 * 0.01, rel=0.02)
    left = link.lead(0.002, 2.0)  # slowly: two ends that tick one after the other are late by some ticks
    assert left.force == pytest.approx(-500.0 * 0.002, rel=0.1)  # what was put in comes back
    assert link.lead(-0.01, 0.2).force == pytest.approx(0.0, abs=1e-6)


def test_in_free_space_nothing_is_felt_and_the_arm_follows() -> None:
    link = Link(BOTH, network=NetworkSettings(delay=0.05))
    link.stay(0.2)
    for moment in link.play(lambda time: -0.01 - 0.02 * math.sin(6.0 * time), 0.5):
        assert moment.force == 0.0
    link.stay(0.3)
    assert link.arm_place == pytest.approx(link.place, abs=1e-5)


def test_waves_follow_in_free_space_at_the_price_of_a_drag() -> None:
    link = Link(WAVES, network=NetworkSettings(delay=0.05))
    link.stay(0.2)
    dragged = link.lead(-0.06, 0.5)
    assert dragged.force == pytest.approx(WAVES.impedance * 0.1, rel=0.1)
    link.stay(0.5)
    assert link.arm_place == pytest.approx(-0.06, abs=2e-4)


def test_waves_feel_as_stiff_as_impedance_over_delay() -> None:
    link = Link(WAVES, stiffness=1000.0, network=NetworkSettings(delay=0.05))
    link.stay(0.2)
    link.lead(0.01, 0.5)
    pressed = link.stay(3.0)
    way = 0.05 + WAVES.wave_time + 1.5 * PERIOD  # with the time in which waves are used up
    felt = 1.0 / (1.0 / 1000.0 + way / WAVES.impedance)
    assert -pressed.force / 0.01 == pytest.approx(felt, rel=0.1)


@METHODS
def test_forces_and_ways_are_scaled(setup: BilateralSettings) -> None:
    link = Link(replace(setup, force_scale=0.1, position_scale=3.0, impedance=40.0), stiffness=500.0, start=0.0)
    link.stay(0.05)
    link.lead(0.004, 0.5)
    pressed = link.stay(1.0)
    assert pressed.force == pytest.approx(0.1 * pressed.contact, rel=0.05)
    if setup is not WAVES:  # these give way by themselves
        assert pressed.arm == pytest.approx(0.012, rel=0.01)


@pytest.mark.parametrize("architecture", list(Architecture))
def test_every_architecture_pushes_back(architecture: Architecture) -> None:
    link = Link(replace(BOTH, architecture=architecture), stiffness=1000.0)
    link.stay(0.05)
    link.lead(0.01, 0.3)
    pressed = link.stay(1.0)
    softest = 1.0 / (1.0 / 1000.0 + 1.0 / BOTH.stiffness)  # with the spring of position-position
    assert 0.9 * softest * 0.01 < -pressed.force < 1.05 * 1000.0 * 0.01


def test_position_position_makes_both_forces_alike() -> None:
    link = Link(replace(BOTH, architecture=Architecture.POSITION_POSITION), stiffness=1000.0)
    link.stay(0.05)
    link.lead(0.01, 0.3)
    pressed = link.stay(1.5)
    assert pressed.force == pytest.approx(pressed.contact, rel=0.05)


def test_the_force_is_limited_and_says_so() -> None:
    link = Link(replace(DIRECT, force=2.0), stiffness=5000.0)
    link.stay(0.05)
    assert link.lead(0.01, 0.1).force == pytest.approx(-2.0)
    assert BilateralStatus.LIMITED in link.hand.status


def test_the_round_trip_is_measured() -> None:
    link = Link(BOTH, network=NetworkSettings(delay=0.03))
    link.stay(0.3)
    assert link.hand.round_trip == pytest.approx(0.06, abs=0.003)
    assert math.isnan(HandEnd().round_trip)


# Packets that are lost, late, doubled, broken ---------------------------------------------------------------------


@pytest.mark.parametrize("setup", [BOTH, WAVES], ids=["passivity", "waves"])
@settings(max_examples=15, deadline=None)
@given(
    delay=st.floats(0.0, 0.1),
    jitter=st.floats(0.0, 0.05),
    loss=st.floats(0.0, 0.6),
    duplicate=st.floats(0.0, 0.5),
    seed=st.integers(0, 1000),
    speed=st.floats(1.0, 12.0),
)
def test_no_network_makes_energy(
    setup: BilateralSettings, delay: float, jitter: float, loss: float, duplicate: float, seed: int, speed: float
) -> None:
    network = NetworkSettings(delay=delay, jitter=jitter, loss=loss, duplicate=duplicate, in_order=False)
    link = Link(setup, 2000.0, network, seed)
    lowest = 0.0
    for _ in link.play(lambda time: -0.01 + 0.015 * math.sin(speed * time) * math.sin(40.0 * time), 1.5):
        lowest = min(lowest, link.energy)
    assert lowest > -0.005


def test_what_was_lost_is_not_missing_in_the_books() -> None:
    """A link that loses every second packet ends with the same energies and places as one that loses none."""
    ends = []
    for loss in (0.0, 0.5):
        link = Link(BOTH, 500.0, NetworkSettings(delay=0.01, loss=loss), seed=3)
        link.stay(0.1)
        link.lead(0.01, 0.5)
        link.stay(0.3)
        ends.append((link.hand.state.books.given, link.arm.state.books.taken, link.arm_place))
    assert ends[1][1] == pytest.approx(ends[1][0], rel=0.01)  # the arm knows all that the hand has given
    assert ends[1][2] == pytest.approx(ends[0][2], abs=1e-4)


def test_late_and_doubled_packets_are_counted_and_not_used() -> None:
    end, packet = HandEnd(DIRECT), Packet()
    for sequence, force in ((1, -1.0), (4, -2.0), (3, -9.0), (4, -9.0)):
        packet.sequence, packet.force[0] = sequence, force
        end.take(packet, 0.01)
    assert end.counts == (4, 2, 2, 0)
    for tick in range(50):
        wrench = end.tick(0.01 + tick * 1e-4, six(0.0), six(0.0))
    assert wrench[0] == pytest.approx(-2.0, rel=1e-3)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e12])
def test_packets_that_are_no_numbers_are_refused(bad: float) -> None:
    for place in range(PACKET_BYTES // 8):
        hand, arm = HandEnd(BOTH), ArmEnd(BOTH)
        for end in (hand, arm):
            packet = Packet(sequence=1.0)
            packet.numbers[place] = bad
            if packet.sequence == 1e12:
                continue  # a sequence may be large
            assert not end.take(packet, 0.0)
            assert end.counts.refused == 1
            assert np.isfinite(end.tick(0.001, six(0.0), six(0.0))).all()


def test_a_clock_may_count_from_1970() -> None:
    """Of either side; and whatever it counts from, jitter and round trip are known."""
    hand, arm, since = HandEnd(WAVES), ArmEnd(WAVES), 1.79e9
    for tick in range(1, 100):
        now = tick * PERIOD
        hand.tick(now, six(0.0), six(0.0))
        assert arm.take(hand.packet, since + now)
        arm.tick(since + now, six(0.0), six(0.0))
        assert arm.status == BilateralStatus.GOOD
        assert hand.take(arm.packet, now + 0.5 * PERIOD)
    assert hand.round_trip == pytest.approx(0.5 * PERIOD, abs=1e-5)
    assert hand.take(Packet(sequence=1000.0, time=since, echo=NO_ECHO), now)  # of a controller without an end


def test_bytes_of_another_length_are_refused() -> None:
    end = HandEnd(BOTH)
    assert not end.take_bytes(b"", 0.0)
    assert not end.take_bytes(bytes(PACKET_BYTES + 1), 0.0)
    assert not end.take_bytes(bytes(PACKET_BYTES), 0.0)  # sequence 0: nobody sends it
    assert end.counts.refused == 3


@METHODS
def test_own_inputs_that_are_no_numbers_give_no_force_and_poison_nothing(setup: BilateralSettings) -> None:
    link = Link(setup, 500.0)
    link.stay(0.05)
    link.lead(0.01, 0.2)
    before = link.stay(0.5)
    told = link.arm.reference.copy()
    assert (link.hand.tick(math.nan, six(0.0), six(0.0)) == 0.0).all()
    assert (link.hand.tick(link.time, six(math.nan), six(0.0)) == 0.0).all()
    assert link.hand.status is BilateralStatus.NOT_FINITE
    assert (link.arm.tick(link.time, six(math.inf), six(0.0)) == told).all()
    assert link.arm.status is BilateralStatus.NOT_FINITE
    assert link.stay(0.1).force == pytest.approx(before.force, rel=0.05)


# Silence -----------------------------------------------------------------------------------------------------


@METHODS
def test_a_link_that_falls_silent_fades_the_force_and_stops_the_arm(setup: BilateralSettings) -> None:
    link = Link(setup, 500.0, NetworkSettings(delay=0.01))
    link.stay(0.1)
    link.lead(0.01, 0.3)
    assert link.stay(1.0).force < -1.0
    link.cut = True
    link.stay(setup.fresh + 0.01)
    assert BilateralStatus.STALE in link.hand.status
    assert BilateralStatus.STALE in link.arm.status
    force, held = abs(link.wrench[0]), link.arm_place
    for moment in link.play(lambda time: 0.01 + 0.02 * time, setup.old):
        assert abs(moment.force) <= force + 1e-9 or setup is WAVES  # a wave's drag grows with the speed
        assert moment.arm == pytest.approx(held, abs=2e-4)
    assert link.tick(link.place).force == 0.0


@METHODS
def test_nothing_is_felt_before_anything_is_heard(setup: BilateralSettings) -> None:
    link = Link(setup, 500.0)
    link.cut = True
    for moment in link.play(lambda time: 0.01 * math.sin(10.0 * time), 0.3):
        assert moment.force == 0.0
        assert moment.arm == -0.01
    assert link.hand.status == BilateralStatus.SILENT | BilateralStatus.STALE


def test_an_arm_that_has_heard_nothing_yet_is_nowhere() -> None:
    """Its place has nothing to do with that of the hand until both are put together."""
    hand, arm = (end(replace(DIRECT, architecture=Architecture.POSITION_POSITION)) for end in (HandEnd, ArmEnd))
    arm.tick(0.0, six(0.7), six(0.0))
    hand.take(arm.packet, 0.001)
    assert (hand.tick(0.001, six(0.2), six(0.0)) == 0.0).all()


def test_a_link_that_comes_back_catches_up_without_a_jump() -> None:
    link = Link(BOTH, 500.0, NetworkSettings(delay=0.01))
    link.stay(0.1)
    link.cut = True
    link.lead(-0.06, 0.4)
    link.cut = False
    before, largest = link.arm_place, 0.0
    for moment in link.play(lambda _time: -0.06, 1.0):
        largest, before = max(largest, abs(moment.arm - before)), moment.arm
    assert largest <= BOTH.speed * PERIOD * 1.0001
    assert link.arm_place == pytest.approx(-0.06, abs=1e-4)


# Both ends together ------------------------------------------------------------------------------------------


def test_an_arm_without_energy_stays_at_the_wall_and_comes_after() -> None:
    """The hand has gone far into the wall before it feels anything: the arm waits for what the hand pays."""
    setup = replace(BOTH, arm_allowance=0.002)
    link = Link(setup, 2000.0, NetworkSettings(delay=0.2))
    link.stay(0.5)
    link.lead(0.02, 0.1)
    link.stay(0.25)
    assert BilateralStatus.HELD_BACK in link.arm.status
    assert BilateralStatus.DRIFTING in link.arm.status
    assert link.arm_place < 0.006  # not the 20 mm of the hand, which would be 40 N
    link.lead(-0.02, 0.2)
    link.stay(1.0)
    assert link.arm.drift[0] < 1e-4


def test_surroundings_that_move_push_the_hand_only_if_they_may() -> None:
    pushed = []
    for active in (False, True):
        link = Link(replace(BOTH, active=active), 1000.0, start=0.0)
        link.stay(0.05)
        given = 0.0
        for tick in range(1000):  # a conveyor: the wall comes nearer, and a soft hand gives way
            push = 0.02 * min(1.0, tick / 500)
            link.tick(link.place + 1e-4 * link.wrench[0])
            link.contact = -link.stiffness * max(link.arm_place + push, 0.0)
            given = max(given, -link.energy)
        pushed.append(given)
    assert pushed[0] < 0.002
    assert pushed[1] > 5.0 * pushed[0]


def test_three_axes_leave_torques_alone_and_six_do_not() -> None:
    for turns in (False, True):
        end, packet = HandEnd(replace(DIRECT, turns=turns, torque=1.0)), Packet(sequence=1.0)
        packet.force[4] = 0.3
        end.take(packet, 0.0)
        for tick in range(20):
            wrench = end.tick(tick * PERIOD, np.zeros(6), np.zeros(6))
        assert wrench[4] == pytest.approx(0.3 if turns else 0.0, rel=1e-3)


# Settings ----------------------------------------------------------------------------------------------------


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(SettingsError, match="waves need an arm side"):
        BilateralSettings(method=BilateralMethod.WAVES)
    with pytest.raises(SettingsError, match="both ways already"):
        replace(WAVES, architecture=Architecture.FOUR_CHANNEL)
    with pytest.raises(SettingsError, match="old is"):
        BilateralSettings(fresh=0.5, old=0.4)
    with pytest.raises(SettingsError, match=r"impedance is 0 \[N·s/m\]"):
        BilateralSettings(impedance=0.0)


def test_another_method_begins_with_new_books() -> None:
    link = Link(BOTH, 500.0)
    link.stay(0.05)
    link.lead(0.01, 0.2)
    assert link.hand.energy.net > 0.0
    link.hand.change(replace(BOTH, force=1.0))
    assert link.hand.energy.net > 0.0
    link.hand.change(DIRECT)
    assert link.hand.energy == (0.0, 0.0, 0.0)
