"""Commands that refuse: what they say, and emulated arms for them on a virtual clock."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calibration import opening
from calibration.errors import CalibrationError
from calibration.robot import measured_frame
from sim_devices.arm import ArmSettings
from tests.calibration.arms import arm_on_a_clock
from tests.calibration.test_sensor_commands import run
from tests.calibration.test_sensor_links import BLOCK, HEAVY


def refused(*words: object) -> CalibrationError:
    """What a command says that is refused, in one line."""
    error = run(*words, fails=True).exception
    assert isinstance(error, CalibrationError), repr(error)
    assert "\n" not in str(error)
    return error


def emulated_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands find an emulated arm on a virtual clock behind `seed:N`, and one with a block in reach at `block:N`."""

    @contextlib.contextmanager
    def opened(file: str, controller: str, frame: str | None = None, **__: Any) -> Iterator[opening.OpenArm]:
        kind, seed = controller.split(":")
        settings, world = (ArmSettings(encoder_bits=24), BLOCK) if kind == "block" else (HEAVY, "")
        with arm_on_a_clock(settings, world=world, seed=int(seed), scene=Path(file)) as (arm, _):
            yield arm._replace(frame=measured_frame(arm.mechanism, frame))

    monkeypatch.setattr(opening, "opened", opened)
