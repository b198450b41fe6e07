"""Scripts of faults: one per line, `kind [name=value …] [at T] [for D] [when signal > value]`.

    drop p=0.2 at 1.0 for 0.5        a fifth of all frames is lost, from 1.0 s to 1.5 s
    stuck-encoder axis=1 when x > 0.25      while (and only while) the handle is beyond 250 mm
    unplug at 3 for 1                and plugged in again one second later

`at` counts from the start of the emulator [s]; without `for` a fault stays. With `when` it acts while the condition
holds; `once` makes it stay from the first time it holds.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from station.errors import StationError


class FaultError(StationError, ValueError):
    """A fault that cannot be understood; says what is allowed."""


Kinds = Mapping[str, tuple[str, Mapping[str, float]]]  # what each does, and its numbers with their defaults

KINDS: Kinds = {
    "delay": ("everything comes late", {"ms": 50.0}),
    "jitter": ("everything comes late by a random time", {"ms": 5.0}),
    "drop": ("frames are lost", {"p": 1.0}),
    "duplicate": ("frames come twice", {"p": 1.0}),
    "reorder": ("a frame is overtaken by the next", {"p": 1.0}),
    "corrupt": ("a bit of a frame is turned", {"p": 1.0}),
    "torn": ("a frame ends early and the next one follows", {"p": 1.0, "keep": 0.5}),
    "garbage": ("random bytes before a frame", {"p": 1.0, "bytes": 20.0}),
    "silence": ("nothing is sent any more, though the link is up", {}),
    "deaf": ("nothing that is sent to it is heard", {}),
    "stuck-encoder": ("an encoder stands still", {"axis": 0.0}),
    "encoder-glitch": ("an encoder jumps for a moment", {"axis": 0.0, "counts": 5000.0}),
    "encoder-offset": ("an encoder has lost counts for good", {"axis": 0.0, "counts": 5000.0}),
    "counter-wrap": ("the counters run over", {}),
    "unplug": ("the cable is out", {}),
    "brown-out": ("the supply is too low", {"volts": 6.0}),
    "overheat": ("the motors are too hot", {"celsius": 120.0}),
    "watchdog-trip": ("the firmware's watchdog has tripped", {}),
    "restart": ("the firmware starts anew", {}),
    "other-version": ("the firmware speaks another version of the protocol", {"version": 9.0}),
    "other-device": ("something else answers at this address", {}),
}

COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault and when it acts."""

    kinds: ClassVar[Kinds] = KINDS  # that there are
    kind: str
    values: Mapping[str, float] = field(default_factory=dict)
    start: float = 0.0  # [s]
    duration: float = math.inf  # [s]
    signal: str = ""  # acts while this signal of the emulator …
    compare: str = ">"
    threshold: float = 0.0
    once: bool = False  # … or for good after the first time

    def __post_init__(self) -> None:
        if self.kind not in self.kinds:
            raise FaultError(f"unknown fault {self.kind!r}; there are: {', '.join(self.kinds)}")
        known = self.kinds[self.kind][1]
        for name, value in self.values.items():
            if name not in known:
                allowed = ", ".join(known) or "none"
                raise FaultError(f"fault {self.kind} has no number {name!r}; there are: {allowed}")
            if not math.isfinite(value):
                raise FaultError(f"fault {self.kind}: {name} is not a finite number")
        if not (math.isfinite(self.start) and self.start >= 0.0 and self.duration > 0.0):
            raise FaultError(f"fault {self.kind}: it begins at a time from 0 and lasts longer than 0 s")

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, self.kinds[self.kind][1][name])


AnyFault = TypeVar("AnyFault", bound=Fault)


def parse_faults(text: str) -> list[Fault]:
    """Faults of a device from text: lines, or several on a line with semicolons; `#` begins a comment."""
    return parsed(text, Fault)


def parsed(text: str, what: type[AnyFault]) -> list[AnyFault]:
    """The same for faults of any kinds."""
    faults = []
    for number, line in enumerate(text.replace(";", "\n").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            try:
                faults.append(_parse_line(words, what))
            except FaultError as error:
                raise FaultError(f"line {number}: {error}") from None
    return faults


def _parse_line(words: list[str], what: type[AnyFault]) -> AnyFault:
    kind, rest = words[0], words[1:]
    values: dict[str, float] = {}
    settings: dict[str, float | str | bool] = {}
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word == "once":
            settings["once"] = True
        elif word in ("at", "for") and rest:
            settings["start" if word == "at" else "duration"] = _number(rest.pop(0))
        elif word == "when" and len(rest) >= 3 and rest[1] in COMPARE:
            settings["signal"], settings["compare"] = rest.pop(0), rest.pop(0)
            settings["threshold"] = _number(rest.pop(0))
        elif equals:
            values[name] = _number(value)
        else:
            raise FaultError(
                f"cannot read {word!r}; a fault is written: "
                "kind [name=value …] [at T] [for D] [when signal > value] [once]"
            )
    return what(kind=kind, values=values, **settings)  # type: ignore[arg-type]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FaultError(f"{text!r} is not a number") from None


class FaultScript:
    """Which faults act now; told the time and the signals of an emulator, once per step of it."""

    what: ClassVar[type[Fault]] = Fault  # that may be added

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.faults = list(faults)
        self._active: dict[str, Fault] = {}
        self._latched: set[int] = set()
        self._now = 0.0

    def add(self, fault: Fault | str, now: float | None = None) -> None:
        """Add faults while running; with text, `at` counts from now."""
        moment = self._now if now is None else now
        for new in parsed(fault, self.what) if isinstance(fault, str) else [fault]:
            self.faults.append(replace(new, start=new.start + moment))

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self.faults.clear()
        self._latched.clear()
        self._active = {}

    def update(self, now: float, signals: Mapping[str, float]) -> None:
        """Look which faults act at `now` [s since the start of the emulator]."""
        self._now = now
        if self.faults or self._active:
            self._active = {fault.kind: fault for fault in self.faults if self._acts(fault, now, signals)}

    def _acts(self, fault: Fault, now: float, signals: Mapping[str, float]) -> bool:
        if not fault.start <= now < fault.start + fault.duration:
            return False
        if not fault.signal:
            return True
        if fault.signal not in signals:
            raise FaultError(f"unknown signal {fault.signal!r}; there are: {', '.join(signals)}")
        if id(fault) in self._latched:
            return True
        holds = COMPARE[fault.compare](signals[fault.signal], fault.threshold)
        if holds and fault.once:
            self._latched.add(id(fault))
        return holds

    def active(self, kind: str) -> Fault | None:
        """The fault of this kind that acts now, if any."""
        return self._active.get(kind)

    def __bool__(self) -> bool:
        return bool(self.faults)
