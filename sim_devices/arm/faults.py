"""Faults of an arm and of the network before it, in the language of `sim_devices.faults`.

    delay ms=200 at 2 for 3; drop p=0.05; stuck-joint joint=1 when speed > 0.3 once

Joints are counted from 0, in the order of the arm's controller.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from sim_devices.faults import Fault, FaultError, FaultScript, parse_faults

# Every kind of fault: what it does, and its numbers with their defaults.
ARM_KINDS: dict[str, tuple[str, dict[str, float]]] = {
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

STAND_IN = "silence"  # a kind without numbers: the rest of a line is read by the parser of devices


@dataclass(frozen=True, kw_only=True)
class ArmFault(Fault):
    """One fault of an arm and when it acts."""

    def __post_init__(self) -> None:
        if self.kind not in ARM_KINDS:
            raise FaultError(f"unknown fault {self.kind!r}; there are: {', '.join(ARM_KINDS)}")
        known = ARM_KINDS[self.kind][1]
        for name, value in self.values.items():
            if name not in known:
                allowed = ", ".join(known) or "none"
                raise FaultError(f"fault {self.kind} has no number {name!r}; there are: {allowed}")
            if not math.isfinite(value):
                raise FaultError(f"fault {self.kind}: {name} is not a finite number")
        if not (math.isfinite(self.start) and self.start >= 0.0 and self.duration > 0.0):
            raise FaultError(f"fault {self.kind}: it begins at a time from 0 and lasts longer than 0 s")

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, ARM_KINDS[self.kind][1][name])


def parse_arm_faults(text: str) -> list[ArmFault]:
    """Faults from text: lines, or several on a line with semicolons; `#` begins a comment."""
    faults = []
    for number, line in enumerate(text.replace(";", "\n").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            faults.append(_parse(words))
        except FaultError as error:
            said = str(error).removeprefix("line 1: ")
            raise FaultError(f"line {number}: {said}") from None
    return faults


def _parse(words: list[str]) -> ArmFault:
    kind, rest = words[0], words[1:]
    values: dict[str, float] = {}
    timing = []
    for word in rest:
        name, equals, value = word.partition("=")
        if equals and name.replace("_", "").isalpha():
            values[name] = _number(value)
        else:
            timing.append(word)
    ArmFault(kind=kind, values=values)  # what is wrong with the fault itself comes first
    when = parse_faults(" ".join([STAND_IN, *timing]))[0]
    told = {field.name: getattr(when, field.name) for field in fields(when)}
    return ArmFault(**{**told, "kind": kind, "values": values})


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FaultError(f"{text!r} is not a number") from None


class ArmFaultScript(FaultScript):
    """Which faults of an arm act now."""

    def __init__(self, faults: Iterable[ArmFault] | str = ()) -> None:
        super().__init__(parse_arm_faults(faults) if isinstance(faults, str) else faults)

    def add(self, fault: Fault | str, now: float | None = None) -> None:
        """Add faults while running; with text, `at` counts from now."""
        moment = self._now if now is None else now
        for new in parse_arm_faults(fault) if isinstance(fault, str) else [fault]:
            self.faults.append(replace(new, start=new.start + moment))
