from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from station.haptics import Cue, Cues, HapticRenderer, HapticSettings, Inputs, SettingsError
from station.haptics.effects import cue_length, cue_wave

CUES = [cue for cue in Cue if cue is not Cue.NONE]
TIMES = np.arange(0.0, 0.25, 1e-4)


def wave(cue: Cue) -> np.ndarray:
    return np.array([cue_wave(cue, float(t)) for t in TIMES])


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_is_short_bounded_and_has_no_impulse(cue: Cue) -> None:
    assert 0.0 < cue_length(cue) <= 0.2 + 1e-12
    assert np.abs(wave(cue)).max() <= 1.0
    assert np.abs(wave(cue)).max() > 0.9
    assert abs(wave(cue).sum() * 1e-4) < 1e-6
    assert cue_wave(cue, cue_length(cue) + 1e-6) == 0.0


def test_cues_are_told_apart() -> None:
    for one, other in combinations(CUES, 2):
        difference = np.sqrt(np.mean((wave(one) - wave(other)) ** 2))
        assert difference > 0.1, (one, other)


def test_cues_stronger_than_half_a_newton_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"force is 0\.6"):
        Cues(force=0.6)


@pytest.mark.parametrize("speed", [0.0, 0.05, 0.2])
def test_a_cue_gives_the_hand_less_than_a_millijoule(speed: float) -> None:
    for cue in CUES:
        renderer, inputs = HapticRenderer(HapticSettings(cues=Cues(force=0.5))), Inputs()
        largest = 0.0
        for k in range(400):
            inputs.hand[2] = inputs.proxy[2] = speed * 1e-3 * k
            if k == 100:
                inputs.play(cue)
            inputs.at(1e-3 * k, fresh=True)
            answer = renderer.tick(inputs)
            largest = max(largest, float(np.abs(answer.wrench).max()))
            assert answer.energy.rendered + answer.energy.dissipated > -1e-3
        assert 0.1 < largest <= 0.5 + 1e-9
        assert np.abs(answer.wrench).max() == 0.0
