"""An arm that has just been built has nothing left to compile: its first setpoint would wait for seconds."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from sim_devices.arm import emulated_arm, guard
from sim_devices.arm_links.coupling import Coupling
from station.bilateral.arm import arm_tick
from station.bilateral.state import ArmState
from tests.sim_devices.arm.benches import lever


def test_what_admits_setpoints_has_run_before_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    admit = Mock(wraps=guard.admit)
    monkeypatch.setattr(guard, "admit", admit)
    emulated_arm(lever())
    assert admit.called


def test_the_end_of_a_bilateral_link_has_run_before_the_first_words(monkeypatch: pytest.MonkeyPatch) -> None:
    tick = Mock(wraps=arm_tick)
    monkeypatch.setattr("station.bilateral.ends.arm_tick", tick)
    coupling = Coupling(emulated_arm(lever()))
    assert tick.called
    assert coupling.end.state == ArmState()  # nothing of it is remembered
