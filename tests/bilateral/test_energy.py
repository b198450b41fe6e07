"""Energy at the hand, over all delays: what passivity keeps, and what happens without it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.delayed_wall import DELAYS
from benchmarks.delayed_wall_plant import MOST, play
from benchmarks.delayed_wall_probe import GENERATED, GRIPS, cases, generated, probe, script

CASES = cases(MOST)
PROTECTED = [name for name in CASES if not name.startswith("direct")]
WALLS = (300.0, 3000.0, 20_000.0)  # [N/m]


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("case", PROTECTED)
def test_next_to_no_energy_is_generated_with_passivity(case: str, delay: float) -> None:
    """Taps, fast reversals, pressing and leaving; loose and tight grip; jitter, 5 % lost, doubled, overtaken."""
    for stiffness in WALLS:
        for grip in GRIPS:
            session = play(CASES[case], stiffness, script(delay).wanted, delay, grip)
            assert generated(session, session.energy, delay) <= GENERATED
            assert generated(session, session.ledger, delay) <= GENERATED  # the forces alone: no help by the device
            assert session.ledger.min() > -GENERATED  # and from the beginning on


@pytest.mark.parametrize("delay", DELAYS)
def test_without_it_a_wall_shakes_the_hand(delay: float) -> None:
    for grip in GRIPS:
        found = probe(CASES["direct, P-F"], 2000.0, delay, grip)
        assert found.generated > 100.0 * GENERATED
        assert not found.rests


@pytest.mark.parametrize("seed", [2, 3, 4])
@pytest.mark.parametrize("case", PROTECTED)
def test_other_networks_generate_none_either(case: str, seed: int) -> None:
    session = play(CASES[case], 3000.0, script(0.05).wanted, 0.05, "loose", seed)
    assert generated(session, session.ledger, 0.05) <= GENERATED


@pytest.mark.parametrize("case", PROTECTED)
def test_pressed_at_50_ms_hand_and_arm_come_to_rest(case: str) -> None:
    for grip in GRIPS:
        assert probe(CASES[case], 2000.0, 0.05, grip).rests


def test_the_ledger_agrees_with_the_plant() -> None:
    """What the station counts is what the forces truly did, but for encoder steps."""
    session = play(CASES["passivity station, P-F"], 2000.0, script(0.02).wanted, 0.02)
    way = np.diff(session.hand)
    true = -np.concatenate([[0.0], np.cumsum(session.force[1:] * way)])
    assert np.abs(true[:-1] - session.ledger[1:]).max() < 5e-4  # it learns of a way one tick later


@pytest.mark.parametrize("case", ["passivity both ends, P-F", "passivity both ends, 4-ch", "waves, P-F", "waves, P-P"])
def test_drift_is_there_in_contact_and_gone_afterwards(case: str) -> None:
    hand = script(0.1)
    session = play(CASES[case], 2000.0, hand.wanted, 0.1)
    assert session.drift[hand.further].mean() > 2e-3
    assert session.drift[-1] < 2e-4
    assert abs(session.arm[-1] - session.hand[-1]) < 1e-3
