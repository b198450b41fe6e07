"""Virtual work: what the robot does in a tick against a wrench is what the hand feels along its own motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.devices.device import AxisKind
from station.devices.mapping import LockFrame, MappingSettings, Response
from station.mad.scene import ReferenceFrame
from tests.devices.mapping.hands import BUTTONS, POINTING, TWISTING, Bench, moved, pose_of

vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
sixes = st.tuples(*[st.floats(-3.0, 3.0)] * 6)
mappings = st.builds(
    MappingSettings,
    engagement=st.just(BUTTONS),
    motion=st.sampled_from([POINTING, (AxisKind.ABSOLUTE,) * 3 + (AxisKind.NONE,) * 3]),
    scale=sixes,
    seat=vectors,
    reference=st.sampled_from(list(ReferenceFrame)),
    locks=st.tuples(*[st.booleans()] * 6),
    lock_frame=st.sampled_from(list(LockFrame)),
)


@settings(max_examples=200, deadline=None)
@given(mappings, vectors, vectors, vectors, sixes)
def test_the_work_at_the_robot_is_the_work_at_the_hand(
    mapping: MappingSettings,
    way: tuple[float, float, float],
    turn: tuple[float, float, float],
    tool: tuple[float, float, float],
    wrench: tuple[float, ...],
) -> None:
    bench = Bench(mapping, robot=pose_of((0.1, 0.2, 0.3), tool))
    bench.view = pose_of(turn=(tool[1], tool[2], tool[0]))
    start = bench.engage()
    before = bench.hand
    bench.hand = pose_of(1e-3 * np.array(way), 5e-3 * np.array(turn))
    at_robot = moved(start, bench.tick()) @ np.array(wrench)
    at_hand = moved(before, bench.hand) @ bench.mapping.hand_wrench(np.array(wrench))
    assert at_hand == pytest.approx(at_robot, abs=1e-12)


def test_twice_the_motion_is_twice_the_force() -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, scale=(2.0, 2.0, 0.5, 1.0, 1.0, 1.0)))
    bench.engage()
    np.testing.assert_allclose(bench.mapping.hand_wrench(np.array([1.0, 2.0, 4.0, 0, 0, 0]))[:3], [2.0, 4.0, 2.0])


def test_incremental_axes_give_the_wrench_by_their_gain_and_frames_only() -> None:
    turned = (0.0, 0.0, np.pi / 2)
    bench = Bench(
        MappingSettings(
            engagement=BUTTONS, motion=TWISTING, scale=(9.0,) * 6, seat=turned, response=Response(feedback=0.5)
        )
    )
    bench.engage()
    felt = bench.mapping.hand_wrench(np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]))
    np.testing.assert_allclose(felt, [0.0, -0.5, 0.0, 0.5, 0.0, 0.0], atol=1e-12)


def test_nothing_is_felt_of_the_robot_unless_engaged() -> None:
    bench = Bench()
    assert not bench.mapping.hand_wrench(np.ones(6)).any()
    bench.engage()
    assert bench.mapping.hand_wrench(np.ones(6)).any()
    bench.press(3)
    assert not bench.mapping.hand_wrench(np.ones(6)).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_wrench_that_is_no_number_is_not_felt(bad: float) -> None:
    bench = Bench()
    bench.engage()
    assert not bench.mapping.hand_wrench(np.array([1.0, bad, 0, 0, 0, 0])).any()
