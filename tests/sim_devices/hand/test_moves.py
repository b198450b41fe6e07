"""What a hand does with a handle, move by move."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.hand import Hand
from sim_devices.hand.moves import Circle, Push, Reach, Tap, Twist
from sim_devices.hand.paths import STILL, Move, minimum_jerk
from station.kernel import Floats
from tests.sim_devices.hand.handles import Force, Handle

TIGHT = "tighten 1 in 0.05; "


def wall_at(x: float) -> Force:
    """A wall that pushes back to larger x."""

    def force(place: Floats, speed: Floats) -> Floats:
        depth = x - float(place[0])
        return np.array([max(2000.0 * depth - 10.0 * float(speed[0]), 0.0) if depth > 0.0 else 0.0, 0.0, 0.0])

    return force


@pytest.mark.parametrize(
    "move",
    [
        Reach(0.1, -0.05, 0.2, 0.7),
        Circle(0.04, 2.0, 4.0),
        Circle(0.04, 2.0, 0.3, "xy"),
        Push(6.0, 1.0, x=-0.05),
        Twist(1.0, y=0.1, z=-0.1),
        Tap(3.0, x=0.2),
    ],
)
def test_every_way_is_smooth_and_its_speed_is_its_change(move: Move) -> None:
    start, step = (0.22, 0.01, 0.02, 0.0, 0.0, 0.0), 1e-5
    for time in np.linspace(step, move.takes - step, 97):
        before, here, after = (np.array(move.aim(float(time) + d, start).place) for d in (-step, 0.0, step))
        np.testing.assert_allclose(move.aim(float(time), start).speed, (after - before) / (2.0 * step), atol=2e-3)
        assert np.abs(after - here).max() < 1e-4
    assert move.aim(0.0, start).place == pytest.approx(start)
    assert move.aim(move.takes, start).speed == pytest.approx(STILL, abs=1e-9)


def test_minimum_jerk_begins_and_ends_at_rest() -> None:
    assert minimum_jerk(0.0, 2.0) == (0.0, 0.0)
    assert minimum_jerk(1.0, 2.0)[0] == pytest.approx(0.5)
    assert minimum_jerk(1.0, 2.0)[1] == pytest.approx(1.875 / 2.0)
    assert minimum_jerk(2.0, 2.0) == (1.0, 0.0)


def test_a_reach_arrives() -> None:
    handle = Handle()
    handle.live(Hand(TIGHT + "reach 0.22 0.05 0.03 in 0.8; hold 10"), 2.0)
    np.testing.assert_allclose(handle.position, (0.22, 0.05, 0.03), atol=2e-3)
    assert np.abs(handle.velocity).max() < 5e-3


def test_a_whole_number_of_circles_ends_where_it_began() -> None:
    handle = Handle()
    rows = handle.live(Hand(TIGHT + "circle radius=0.04 period=2 for 4; hold 5"), 5.0)
    middle = np.array([0.2, -0.04, 0.0])
    late = np.linalg.norm(rows[1000:3500, :3] - middle, axis=1)
    assert late.min() > 0.034
    assert late.max() < 0.046
    np.testing.assert_allclose(handle.position, (0.2, 0.0, 0.0), atol=2e-3)


def test_a_push_into_a_wall_builds_up_to_its_force_and_goes_back() -> None:
    handle = Handle()
    hand = Hand("tighten 0.5; push x=0.15 force=4 for 1.5; hold 5")
    rows = handle.live(hand, 2.0, wall_at(0.18))
    assert rows[-1, 3] == pytest.approx(-4.0, abs=0.3)
    assert rows[:, 3].min() > -9.0  # more than 4 N only as the masses meet the wall
    rows = handle.live(hand, 1.5, wall_at(0.18))
    assert handle.position[0] == pytest.approx(0.2, abs=3e-3)


def test_a_gentle_hand_leans_on_what_is_in_its_way_with_no_more_than_its_strength() -> None:
    rows = Handle().live(Hand("tighten 0.5; strength 2; reach 0.15 0 0 in 0.5; hold 5"), 3.0, wall_at(0.18))
    assert rows[-1, 3] == pytest.approx(-2.0, abs=0.1)
    strong = Handle().live(Hand("tighten 0.5; reach 0.15 0 0 in 0.5; hold 5"), 3.0, wall_at(0.18))
    assert strong[-1, 3] < -4.0


def test_leaning_in_begins_only_after_the_time_to_react() -> None:
    hand = Hand("push x=0.15 force=30 for 3", seed=0)
    places = []
    for step in range(600):
        hand.force((0.2, 0.0, 0.0), (0.0, 0.0, 0.0), step * 0.001)
        places.append(hand.target[0])
    planned = [hand.timeline.aim(hand.timeline.at(step * 0.001)).place[0] for step in range(600)]
    apart = np.abs(np.array(places) - np.array(planned))
    assert apart[:170].max() == 0.0
    assert apart[-1] > 0.005


def test_taps_meet_the_wall_as_often_as_said() -> None:
    handle = Handle(place=(0.23, 0.0, 0.0))
    rows = handle.live(Hand("tighten 0.7; tap wall x=0.2 times=5 every=0.5; hold 5"), 3.0, wall_at(0.2))
    touching = rows[:, 0] < 0.2
    assert int((touching[1:] & ~touching[:-1]).sum()) == 5
    assert handle.position[0] == pytest.approx(0.23, abs=3e-3)


def test_a_twist_turns_a_spring_and_comes_back() -> None:
    hand, angle = Hand(TIGHT + "twist z=8deg for 1; hold 5"), 0.0
    turned, rate = [], 0.0
    for step in range(3000):
        wrench = hand.wrench(step * 0.001, np.zeros(3), [0.0, 0.0, angle], [0.0, 0.0, 0.0, 0.0, 0.0, rate])
        rate += 0.001 / 4e-4 * (wrench[5] - 0.41 * angle - 0.003 * rate)
        angle += 0.001 * rate
        turned.append(angle)
    assert np.degrees(max(turned)) == pytest.approx(8.0, rel=0.25)  # the spring of the joystick holds against it
    assert abs(np.degrees(angle)) < 0.3


def test_let_go_gives_exactly_nothing_and_grasp_takes_it_where_it_is() -> None:
    hand, handle = Hand("hold 0.2; let go; hold 0.3; grasp; tighten 1; hold 10"), Handle()
    pull = lambda place, speed: np.array([0.0, 0.0, -1.0])  # noqa: E731
    handle.live(hand, 0.201, pull)
    rows = handle.live(hand, 0.29, pull)
    assert not rows[:, 3:].any()
    fallen = handle.position.copy()
    handle.live(hand, 2.0)
    assert handle.position[2] < -0.01
    assert np.linalg.norm(handle.position - fallen) < 0.06  # it is caught near there, not drawn back to the start


def test_the_same_script_and_seed_give_the_same_forces() -> None:
    script = "tremor 0.3mm; reach 0.22 0.05 0.03 in 0.8"
    rows = [Handle().live(Hand(script, seed), 1.0) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert (rows[0] != rows[2]).any()


def test_again_goes_on_from_where_it_ended() -> None:
    hand, handle = Hand(TIGHT + "reach 0.2 0.05 0 in 0.5; reach 0.2 0 0 in 0.5; again"), Handle()
    rows = handle.live(hand, 4.0)
    assert hand.duration == float("inf")
    assert int(((rows[1:, 1] > 0.025) & (rows[:-1, 1] <= 0.025)).sum()) == 4
    assert np.abs(np.diff(rows[:, 1])).max() < 5e-4  # no jump between the rounds
