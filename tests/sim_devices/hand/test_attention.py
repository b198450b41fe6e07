"""A hand that looks at the light: let down in mid-move, it goes back there, presses again, and goes on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sim_devices.hand import Arm, Hand, ScriptError
from sim_devices.hand.attention import BACK, PATIENCE, SETTLE, SURE
from sim_devices.hand.hand import NOTICE
from station.kernel import Floats
from tests.sim_devices.hand.handles import Handle

SCRIPT = (
    "watch deadman; tighten 0.5; hold 0.3; press deadman; hold 0.5; reach 0.2 0.08 0 in 0.8; hold 1; release deadman"
)
MID_REACH = 1.4  # [s]
NOTICED = Arm().reaction  # [s]
AWAY = BACK + SETTLE + SURE  # what it costs to be let down, and to be helped at the first press [s]


def lived(hand: Hand, seconds: float, lit: Callable[[float, int], bool]) -> tuple[Floats, Floats]:
    """Places along y [m] and the dead-man, a row per millisecond; `lit` by time and buttons."""
    handle, rows = Handle(), []
    for _ in range(round(1000 * seconds)):
        down = hand.buttons(handle.now)
        hand.lit = lit(handle.now, down)
        handle.live(hand, 0.001)
        rows.append((handle.position[1], down & 1))
    places, buttons = np.array(rows).T
    return places, buttons


def let_down(at: float, until: float) -> Callable[[float, int], bool]:
    """A device that takes the force away for a time [s], and gives it again at a press after that, not before."""
    taken = False

    def lit(now: float, down: int) -> bool:
        nonlocal taken
        if at <= now < until:
            taken = True
        elif not down & 1:
            taken = False
        return bool(down & 1) and not taken

    return lit


def test_it_returns_to_where_it_was_let_down_presses_again_and_goes_on() -> None:
    alone, _ = lived(Hand(SCRIPT), 6.0, lambda _, down: bool(down & 1))
    places, buttons = lived(Hand(SCRIPT), 6.0, let_down(MID_REACH, MID_REACH + 0.05))
    there = alone[round(1000 * MID_REACH)]
    presses = np.flatnonzero(np.diff(buttons) > 0)
    assert presses.size == 2
    assert abs(places[presses[1]] - there) < 0.002
    assert abs(places[round(1000 * MID_REACH) + 200] - there) > 0.01  # it had gone on before it noticed
    assert abs(places[-1] - alone[-1]) < 0.002
    held = np.flatnonzero(buttons)
    assert (held[-1] - held[0]) / 1000 - 2.3 == pytest.approx(NOTICED + AWAY, abs=4 * NOTICE)  # nothing is left out


def test_it_tries_until_it_is_helped() -> None:
    _, buttons = lived(Hand(SCRIPT), 8.0, let_down(MID_REACH, MID_REACH + 3.0))
    presses = np.flatnonzero(np.diff(buttons) > 0)
    assert presses.size == 4
    assert np.diff(presses[1:]) == pytest.approx(1000 * (SETTLE + PATIENCE), abs=2)


def test_a_press_that_is_not_heeded_is_repeated_before_anything_moves() -> None:
    places, buttons = lived(Hand(SCRIPT), 6.0, let_down(0.0, 0.7))
    presses = np.flatnonzero(np.diff(buttons) > 0)
    assert presses.size == 2
    assert np.abs(places[: presses[1] + 100]).max() < 0.001
    assert places[-1] == pytest.approx(0.08, abs=0.004)


def test_without_the_word_it_does_not_look() -> None:
    blind = SCRIPT.replace("watch deadman; ", "")
    places, buttons = lived(Hand(blind), 6.0, let_down(MID_REACH, 3.0))
    alone, alone_buttons = lived(Hand(blind), 6.0, lambda _, down: bool(down & 1))
    np.testing.assert_array_equal(places, alone)
    np.testing.assert_array_equal(buttons, alone_buttons)


def test_a_script_is_not_taken_back_over_its_beginning() -> None:
    """Let down right after it began again with the button held, it goes on in the round that it is in."""
    hand = Hand("watch deadman; press deadman; hold 1; reach 0.2 0.05 0 in 0.5; reach 0.2 0 0 in 0.5; again")
    places, buttons = lived(hand, 9.0, let_down(1.95, 2.02))
    assert np.flatnonzero(np.diff(buttons) > 0).size == 1  # one more press than that at the start
    assert places.max() == pytest.approx(0.05, abs=0.01)
    peaks = np.flatnonzero((places[1:-1] > places[:-2]) & (places[1:-1] >= places[2:]) & (places[1:-1] > 0.03))
    assert 3 <= peaks.size <= 4


def test_a_device_without_a_light_is_refused() -> None:
    with pytest.raises(ScriptError, match=r"^watch: this device has no light to look at; allowed: with a syntaxer$"):
        Hand(SCRIPT, has_light=False)
