"""Faults of an arm and of the network before it, in the language of `sim_devices.faults`.

    delay ms=200 at 2 for 3; drop p=0.05; stuck-joint joint=1 when speed > 0.3 once

Joints are counted from 0, in the order of the arm's controller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from sim_devices.faults import Fault, FaultScript
from sim_devices.faults.script import Kinds, parsed

ARM_KINDS: Kinds = {
    "delay": ("messages come late", {"ms": 50.0}),
    "jitter": ("messages come late by a random time", {"ms": 5.0}),
    "burst": ("messages are held back, then come all at once, again and again", {"ms": 100.0, "every": 1000.0}),
    "drop": ("messages are lost", {"p": 1.0}),
    "duplicate": ("messages come twice", {"p": 1.0}),
    "reorder": ("a message is overtaken by the next", {"p": 1.0}),
    "corrupt": ("a bit of a message is turned", {"p": 1.0}),
    "silence": ("no message comes through, though the link is up", {}),
    "deaf": ("setpoints that are sent to it are not heard", {}),
    "freeze": ("connected but dead: it says the same again and again and does nothing", {}),
    "following-error": ("a drive gives only a share of its effort", {"joint": 0.0, "share": 0.02}),
    "stuck-joint": ("a joint is jammed", {"joint": 0.0}),
    "stuck-encoder": ("an encoder stands still", {"joint": 0.0}),
    "encoder-offset": ("an encoder has lost counts [rad | m]", {"joint": 0.0, "by": 0.05}),
    "reflex": ("the arm stops by reflex", {}),
    "brown-out": ("the supply is too low", {"volts": 24.0}),
    "wrong-order": ("two joints are swapped; with names=1 it says so", {"joint": 0.0, "other": 1.0, "names": 0.0}),
    "restart": ("the controller starts anew", {"ms": 500.0}),
    "clock-drift": ("the arm's clock runs too fast", {"ppm": 200.0}),
    "wrench-offset": ("the tool sensor has shifted, along x of the tool", {"newton": 20.0}),
    "no-wrench": ("the tool sensor is silent", {}),
}


@dataclass(frozen=True, kw_only=True)
class ArmFault(Fault):
    """One fault of an arm and when it acts."""

    kinds: ClassVar[Kinds] = ARM_KINDS


def parse_arm_faults(text: str) -> list[ArmFault]:
    """Faults from text: lines, or several on a line with semicolons; `#` begins a comment."""
    return parsed(text, ArmFault)


class ArmFaultScript(FaultScript):
    """Which faults of an arm act now."""

    what = ArmFault

    def __init__(self, faults: Iterable[ArmFault] | str = ()) -> None:
        super().__init__(parse_arm_faults(faults) if isinstance(faults, str) else faults)
