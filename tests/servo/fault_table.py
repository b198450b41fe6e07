"""How a station ends for every fault of an arm, its link or a device: the one table of test and page.

`python -m tests.servo.fault_table` writes it into docs/emulators.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from station.servo.shared import Event

PAGE = Path(__file__).parents[2] / "docs" / "emulators.md"
MARKED = re.compile(r"(<!-- table fault-matrix -->\n).*?(<!-- end -->)", re.DOTALL)

BORNE = frozenset({"ENGAGED"})
HOLD = frozenset({"HOLD"})
FAULT = frozenset({"FAULT"})
NAMES = {"ENGAGED": "borne", "HOLD": "`HOLD`", "FAULT": "`FAULT`"}

LOST, LEFT = Event.ARM_LOST, Event.ARM_LEFT
STOPPED, UNFIT, APART = Event.ARM_STOPPED, Event.ARM_FAULT, Event.FOLLOWING_ERROR
AWAY, BROKEN = Event.DEVICE_LOST, Event.DEVICE_FAULT
LET_GO = Event.RELEASED  # a button that cannot be asked for counts as up


@dataclass(frozen=True)
class Case:
    """A fault with its numbers, how the station ends, by which cause, and where it is otherwise."""

    numbers: str
    ends: frozenset[str]
    causes: tuple[Event, ...] = ()
    but: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by row
    by_hand: tuple[str, ...] = ()  # rows where more than a reset and a press is needed afterwards
    lasts: float = 0.25  # [s]


POLLED = {"modbus": BORNE | HOLD, "modbus+serial": BORNE | HOLD}
LINK = (LOST, LEFT)

ARM_CASES: dict[str, tuple[Case, ...]] = {
    "delay": (Case("ms=5", BORNE), Case("ms=200", HOLD, LINK)),
    "jitter": (Case("ms=3", BORNE),),
    "burst": (Case("ms=15 every=100", BORNE),),
    "drop": (Case("p=0.05", BORNE, LINK, POLLED), Case("p=1", HOLD, LINK)),
    "duplicate": (Case("p=1", BORNE),),
    "reorder": (Case("p=0.3", BORNE, LINK, POLLED | {"dynamixel": BORNE | HOLD}),),
    "corrupt": (Case("p=0.05", BORNE, (*LINK, STOPPED), POLLED | {"ur": BORNE | HOLD | FAULT}),),
    "silence": (Case("", HOLD, LINK, lasts=0.3),),
    "deaf": (Case("", HOLD, LINK, lasts=0.3),),
    "freeze": (Case("", HOLD, LINK, lasts=0.3),),
    "following-error": (Case("joint=1", FAULT, (STOPPED, UNFIT, APART), {"ur": BORNE | FAULT}),),
    "stuck-joint": (Case("joint=2", FAULT, (STOPPED, UNFIT, APART), {"dynamixel": BORNE, "ur": BORNE | FAULT}),),
    "stuck-encoder": (Case("joint=2", FAULT, (STOPPED, UNFIT, APART)),),
    "encoder-offset": (Case("joint=1 by=0.04", FAULT, (APART,)),),
    "reflex": (Case("", FAULT, (STOPPED, UNFIT)),),
    "brown-out": (Case("", FAULT, (UNFIT,), by_hand=("ur",)),),
    "wrong-order": (Case("", FAULT, (STOPPED, UNFIT, APART)),),
    "restart": (Case("ms=100", FAULT, (UNFIT, *LINK), {"dynamixel": HOLD | FAULT}),),
    "clock-drift": (Case("", BORNE),),
    "wrench-offset": (Case("", BORNE),),
    "no-wrench": (Case("", BORNE, LINK, {"ur": HOLD}),),
}

CAPS = ("magellan", "spaceball", "spacemouse")

DEVICE_CASES: dict[str, tuple[Case, ...]] = {
    "delay": (Case("ms=3", BORNE), Case("ms=100", HOLD, (AWAY,), {"spaceball": BORNE})),
    "jitter": (Case("ms=2", BORNE),),
    "drop": (Case("p=0.02", BORNE), Case("p=1", HOLD, (AWAY,), lasts=0.3)),
    "duplicate": (Case("p=1", BORNE),),
    "reorder": (Case("p=0.05", BORNE, (AWAY,), {"falcon": BORNE | HOLD}),),
    "corrupt": (Case("p=0.05", BORNE, (AWAY,), {"falcon": BORNE | HOLD}),),
    "torn": (Case("p=1 keep=0.6", HOLD, (AWAY,), lasts=0.3),),
    "garbage": (Case("p=0.3", BORNE),),
    "silence": (Case("", HOLD, (AWAY,), lasts=0.3),),
    "deaf": (Case("", HOLD, (AWAY, LET_GO), {"spacemouse": BORNE, "mouse3d": BORNE}, lasts=0.3),),
    "stuck-encoder": (Case("axis=1", FAULT, (BROKEN,), dict.fromkeys((*CAPS, "mouse3d"), BORNE)),),
    "encoder-glitch": (Case("axis=1", FAULT, (BROKEN,), {"falcon": BORNE}),),
    "encoder-offset": (Case("axis=1", FAULT, (BROKEN,)),),
    "counter-wrap": (Case("", BORNE, (BROKEN,), {"falcon": FAULT}),),
    "unplug": (Case("", HOLD, (AWAY,)),),
    "brown-out": (Case("", HOLD, (AWAY, BROKEN), {"syntaxer": FAULT}, by_hand=("falcon",)),),
    "overheat": (Case("", FAULT, (BROKEN,), {"falcon": BORNE}),),
    "watchdog-trip": (Case("", HOLD, (AWAY,), {"falcon": BORNE}),),
    "restart": (Case("", HOLD, (AWAY,), by_hand=("falcon",)),),
    "other-version": (Case("", FAULT, (BROKEN, AWAY), {"falcon": HOLD, "magellan": BORNE, "spaceball": BORNE}),),
    "other-device": (
        Case("", FAULT, (BROKEN, AWAY, LET_GO), {"falcon": HOLD, "magellan": BORNE, "spaceball": BORNE | HOLD}),
    ),
}


def matrix() -> str:
    """The table of the page."""
    lines = ["| fault | an arm and its links: ends in | devices: ends in |", "|---|---|---|"]
    lines += [
        f"| `{kind}` | {_cell(ARM_CASES.get(kind, ()))} | {_cell(DEVICE_CASES.get(kind, ()))} |"
        for kind in dict.fromkeys((*ARM_CASES, *DEVICE_CASES))
    ]
    return "\n".join(lines) + "\n"


def _words(ends: frozenset[str]) -> str:
    return " or ".join(word for name, word in NAMES.items() if name in ends)


def _cell(cases: tuple[Case, ...]) -> str:
    told = []
    for case in cases:
        but = [f"{row}: {_words(ends)}" for row, ends in case.but.items()]
        hand = [f"{row}: then more than a press" for row in case.by_hand]
        more = f" ({'; '.join([*but, *hand])})" if but or hand else ""
        told.append(f"{case.numbers + ': ' if case.numbers else ''}{_words(case.ends)}{more}")
    return "; ".join(told)


if __name__ == "__main__":
    PAGE.write_text(MARKED.sub(rf"\g<1>{matrix()}\g<2>", PAGE.read_text("utf8")), "utf8")
