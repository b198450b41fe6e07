"""What can be told of counters that misbehave."""

from __future__ import annotations

import pytest

from station.devices.falcon.encoders import STUCK_TRAVEL, EncoderCheck, Reading, difference, within_reach


def walk(check: EncoderCheck, count: int, rate: tuple[int, int, int], start: int = 0) -> list[Reading]:
    """So many milliseconds at so many counts per millisecond."""
    return [
        check.take((rate[0] * step, rate[1] * step, rate[2] * step), 0.001 * step)
        for step in range(start, start + count)
    ]


def test_a_moving_hand_continues() -> None:
    assert walk(EncoderCheck(), 50, (5, -3, 40)) == [Reading.FIRST] + [Reading.CONTINUES] * 49


def test_a_glitch_is_held_back_and_forgotten() -> None:
    check = EncoderCheck()
    walk(check, 10, (2, 2, 2))
    assert check.take((20, 5020, 20), 0.010) is Reading.SUSPECT
    assert check.take((22, 22, 22), 0.011) is Reading.CONTINUES


def test_a_jump_is_believed_the_second_time() -> None:
    check = EncoderCheck()
    walk(check, 10, (2, 2, 2))
    assert check.take((520, 20, 20), 0.010) is Reading.SUSPECT
    assert check.take((522, 22, 22), 0.011) is Reading.JUMPED
    assert check.take((524, 24, 24), 0.012) is Reading.CONTINUES


def test_counts_that_never_agree_are_never_believed() -> None:
    check = EncoderCheck()
    walk(check, 10, (0, 0, 0))
    for step in range(10, 40):
        assert check.take((3000 * (step % 7) + 2000, 0, 0), 0.001 * step) is Reading.SUSPECT


def test_a_counter_that_runs_over_goes_on() -> None:
    check = EncoderCheck()
    assert check.take((32760, -32760, 0), 0.0) is Reading.FIRST
    assert check.take((-32766, 32766, 0), 0.001) is Reading.CONTINUES


@pytest.mark.parametrize(("new", "old", "moved"), [(5, 3, 2), (-32768, 32767, 1), (32767, -32768, -1), (0, 0, 0)])
def test_differences_go_the_short_way(new: int, old: int, moved: int) -> None:
    assert difference(new, old) == moved


def test_a_stuck_counter_is_found_once_both_others_have_travelled() -> None:
    check = EncoderCheck()
    walk(check, STUCK_TRAVEL // 5 + 3, (5, 0, -5))
    assert check.stuck == 1


def test_a_counter_that_moves_by_one_is_not_stuck() -> None:
    check = EncoderCheck()
    for step in range(1000):
        check.take((5 * step % 3000, step // 50, 5 * step % 3000), 0.001 * step)
        assert check.stuck is None


def test_a_motion_of_one_leg_alone_does_not_make_the_others_stuck() -> None:
    check = EncoderCheck()
    walk(check, 500, (5, 0, 0))
    assert check.stuck is None


def test_nothing_is_expected_after_forgetting() -> None:
    check = EncoderCheck()
    walk(check, 10, (2, 2, 2))
    check.forget()
    assert check.take((9000, 0, 0), 5.0) is Reading.FIRST


def test_time_that_stands_still_does_no_harm() -> None:
    check = EncoderCheck()
    check.take((0, 0, 0), 1.0)
    assert check.take((1, 1, 1), 1.0) is Reading.CONTINUES
    assert check.take((2, 2, 2), 0.5) is Reading.CONTINUES


def test_reach_is_a_range_of_counts() -> None:
    assert within_reach((-1463, 1056, 0))
    assert not within_reach((32760, 0, 0))


def test_after_a_pause_a_set_must_agree_with_the_one_before_it() -> None:
    check = EncoderCheck()
    walk(check, 10, (2, 2, 2))
    check.note((300, 20, 20))
    assert check.take((20, 20, 20), 0.030) is Reading.SUSPECT
    assert check.take((22, 20, 20), 0.031) is Reading.CONTINUES


def test_the_very_first_set_can_be_compared_too() -> None:
    check = EncoderCheck()
    check.note((0, 0, 0))
    assert check.take((5000, 0, 0), 0.0) is Reading.SUSPECT
    assert check.take((5001, 0, 0), 0.001) is Reading.FIRST
