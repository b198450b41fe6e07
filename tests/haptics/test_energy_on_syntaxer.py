"""Energy at the hand port of the emulated syntaxer, over its real driver and bytes, whatever goes wrong on the way.

The walls are five and fifteen times as stiff as what the device says it renders. Energy is that of the plant's own
account: what the hand truly did on the handle, less the kinetic energy of the device. It is counted from the last
moment in free space on, so that what the device took on the way there pays for nothing.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.wall_cases import HARD, LOOSE, STIFF, TROUBLES, played
from benchmarks.wall_rig import Run, Trouble
from station.haptics import Method

ALLOWED = 1e-3  # [J]
LEANS = 2.2  # from when on the hand leans on the wall [s]
GUARDED = (Method.OBSERVER, Method.BOUNDING)


def at_rest(felt: Run) -> NDArray[np.bool_]:
    """While the hand leans on the wall."""
    times = felt.times - felt.times[0]
    resting: NDArray[np.bool_] = (times > LEANS) & (times < LEANS + 0.18)
    return resting


@pytest.mark.parametrize("method", GUARDED)
@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES.keys())
def test_a_hand_gets_no_energy_out_of_a_stiff_wall(method: Method, trouble: Trouble) -> None:
    felt = played(method, STIFF, trouble)
    assert felt.forces.max() > 1.0  # the wall was there
    assert felt.depth.max() > 1e-3
    assert felt.samples < 0.95 * len(felt.times) or "drop" not in trouble.faults  # they were lost
    assert np.ptp(felt.balance) < 3e-4  # the audit adds up
    assert felt.generated <= ALLOWED


@pytest.mark.parametrize("method", GUARDED)
@pytest.mark.parametrize("trouble", ["nothing", "two lost in a row"])
def test_a_hand_gets_no_energy_out_of_a_wall_far_beyond_every_bound(method: Method, trouble: str) -> None:
    assert played(method, HARD, TROUBLES[trouble]).generated <= ALLOWED


def test_without_passivity_control_the_same_walls_give_energy_to_the_hand() -> None:
    stiff, hard = (played(Method.COUPLING_ONLY, stiffness, Trouble()) for stiffness in (STIFF, HARD))
    assert stiff.generated > ALLOWED
    assert hard.generated > stiff.generated


def test_a_wall_that_is_too_stiff_shakes_a_loose_hand_and_feeds_it_on_and_on_unless_passivity_is_kept() -> None:
    shaking = played(Method.COUPLING_ONLY, HARD, Trouble(), LOOSE)
    energy, depth = (numbers[at_rest(shaking)] for numbers in (shaking.energy, shaking.depth))
    assert np.ptp(depth) > 5e-4
    assert energy[0] - energy[-1] > ALLOWED  # while the hand only holds
    calm = played(Method.OBSERVER, HARD, Trouble(), LOOSE)
    assert np.ptp(calm.depth[at_rest(calm)]) < 0.5 * np.ptp(depth)
    assert calm.generated <= ALLOWED


@pytest.mark.parametrize("method", Method)
def test_a_wall_within_the_bound_is_felt_as_it_is_set(method: Method) -> None:
    felt = played(method, 150.0, Trouble())
    resting = at_rest(felt)
    stiffness = felt.forces[resting].mean() / felt.depth[resting].mean()
    assert stiffness == pytest.approx(150.0, rel=0.02 if method is not Method.BOUNDING else 0.2)


@pytest.mark.parametrize("stiffness", [600.0, STIFF])
def test_passivity_control_does_not_make_a_wall_soft_that_rests(stiffness: float) -> None:
    felt = played(Method.OBSERVER, stiffness, Trouble())
    resting = at_rest(felt)
    assert felt.forces[resting].mean() / felt.depth[resting].mean() == pytest.approx(stiffness, rel=0.1)


def test_the_same_session_gives_the_same_numbers_twice_and_the_ledger_counts_on_no_more_than_there_is() -> None:
    first, second = (played(Method.OBSERVER, STIFF, TROUBLES["all at once"]) for _ in range(2))
    assert np.array_equal(first.energy, second.energy)
    assert np.array_equal(first.forces, second.forces)
    counted = first.times - first.times[0] > 0.35
    true, believed = first.energy[counted], first.ledger[counted]
    assert np.all(believed - believed[0] <= true - true[0] + ALLOWED)
