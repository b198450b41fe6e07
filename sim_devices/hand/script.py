"""Scripts of a hand: one move per line, or several on a line with semicolons; `#` begins a comment.

    hold 0.5                                  stay, relaxed
    reach 0.22 0.05 0.03 in 0.8               to x y z
    circle radius=40mm period=2 for 4         in plane=yz unless said otherwise
    push x=0.17 force=6N for 1                towards x with up to 6 N, and back
    tap wall x=0.2 times=5                    every=0.4 s, aiming depth=10mm behind it
    twist z=8deg for 1                        and back
    tremor 0.3mm; tighten 0.8 in 0.2          from now on
    strength 3N                               no more than this from now on
    press deadman; release deadman
    watch deadman                             from now on: dark while it is held? back there, press again, go on
    clutch 0.22 0 0 in 0.8                    elsewhere with the button held (with=index)
    let go; grasp                             hand off, hand on
    again                                     from the beginning

Numbers are SI; a unit may follow without a space.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

from sim_devices.hand.errors import ScriptError
from sim_devices.hand.holding import Again, Grasp, LetGo, Press, Release, Strength, Tighten, Tremor, Watch
from sim_devices.hand.moves import Circle, Clutch, Hold, Push, Reach, Tap, Twist
from sim_devices.hand.paths import Move

UNITS: dict[str, dict[str, float]] = {
    "length": {"": 1.0, "m": 1.0, "mm": 0.001, "cm": 0.01},
    "angle": {"": 1.0, "rad": 1.0, "deg": math.pi / 180.0},
    "time": {"": 1.0, "s": 1.0, "ms": 0.001},
    "force": {"": 1.0, "N": 1.0},
    "number": {"": 1.0},
}


class Verb(NamedTuple):
    """How a move is written."""

    make: type[Move]
    usage: str
    listed: tuple[str, ...] = ()  # what follows without a name
    named: tuple[str, ...] = ()  # what follows as name=value, or name value
    least: int = 0  # how many of those listed must be there


PLACE = ("x", "y", "z")
VERBS: dict[str, Verb] = {
    "hold": Verb(Hold, "hold T", ("seconds",), (), 1),
    "reach": Verb(Reach, "reach X Y Z [in T]", PLACE, ("in",), 3),
    "circle": Verb(Circle, "circle radius=R period=P [plane=yz] for T", (), ("radius", "period", "plane", "for")),
    "push": Verb(Push, "push [x=X] [y=Y] [z=Z] force=F for T", (), (*PLACE, "force", "for")),
    "twist": Verb(Twist, "twist [x=A] [y=A] [z=A] for T", (), (*PLACE, "for")),
    "tap wall": Verb(Tap, "tap wall x=X times=N [every=T] [depth=D]", (), (*PLACE, "times", "every", "depth")),
    "tremor": Verb(Tremor, "tremor A", ("size",), (), 1),
    "tighten": Verb(Tighten, "tighten G [in T]", ("grip",), ("in",), 1),
    "strength": Verb(Strength, "strength F", ("force",), (), 1),
    "press": Verb(Press, "press BUTTON", ("button",), (), 1),
    "release": Verb(Release, "release BUTTON", ("button",), (), 1),
    "watch": Verb(Watch, "watch BUTTON", ("button",), (), 1),
    "clutch": Verb(Clutch, "clutch [X Y Z] [in T] [with=BUTTON]", PLACE, ("in", "with")),
    "let go": Verb(LetGo, "let go"),
    "grasp": Verb(Grasp, "grasp"),
    "again": Verb(Again, "again"),
}
TEXTS = ("plane", "button", "with")
KINDS = {"grip": "number", "times": "number", "force": "force"}
TIMES = ("seconds", "in", "for", "period", "every")


def parse_script(text: str) -> list[Move]:
    """Moves from text; raises ScriptError in one line, with the number of the line."""
    moves = []
    for number, line in enumerate(text.splitlines(), start=1):
        for part in line.partition("#")[0].split(";"):
            if part.split():
                try:
                    moves.append(_parse_move(part.split()))
                except ScriptError as error:
                    raise ScriptError(f"line {number}: {error}") from None
    return moves


def moves_of(script: str | Iterable[Move]) -> list[Move]:
    """Moves, from whatever a person writes for them."""
    return parse_script(script) if isinstance(script, str) else list(script)


def _parse_move(words: list[str]) -> Move:
    name = " ".join(words[:2]) if " ".join(words[:2]) in VERBS else words[0]
    if name not in VERBS:
        raise ScriptError(f"unknown move {words[0]!r}; there are: {', '.join(VERBS)}")
    verb, rest = VERBS[name], words[len(name.split()) :]
    listed: list[str] = []
    values: dict[str, float | str] = {}
    while rest:
        key, equals, value = rest.pop(0).partition("=")
        if not equals and key in verb.named and rest:
            value = rest.pop(0)
        elif not equals:
            listed.append(key)
            continue
        if key not in verb.named or key in values:
            raise ScriptError(f"{name} takes no {key!r} here; it is written: {verb.usage}")
        values[key] = _value(name, key, value)
    if not (len(listed) in (verb.least, len(verb.listed)) and len(listed) >= verb.least):
        raise ScriptError(f"{' '.join(words)!r} cannot be read; it is written: {verb.usage}")
    for key, value in zip(verb.listed, listed, strict=False):
        values[key] = _value(name, key, value)
    return _make(verb, values)


def _make(verb: Verb, values: dict[str, float | str]) -> Move:
    """The move; words of the script become names of fields."""
    pushes = verb.make in (Push, Twist)
    fields = {"in": "seconds", "for": "stay" if pushes else "seconds", "with": "button"}
    try:
        return verb.make(**{fields.get(key, key): value for key, value in values.items()})
    except TypeError:  # something that has no default is not there
        raise ScriptError(f"something is missing; it is written: {verb.usage}") from None


def _value(verb: str, key: str, text: str) -> float | str:
    if key in TEXTS:
        return text
    kind = KINDS.get(key, "time" if key in TIMES else "angle" if verb == "twist" else "length")
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzN")
    unit = text[len(digits) :]
    try:
        value = float(digits) * UNITS[kind][unit]
    except (KeyError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        units = ", ".join(unit for unit in UNITS[kind] if unit)
        allowed = f"{'an' if kind == 'angle' else 'a'} {kind}, as a number" + (
            f" or with {units} behind it" if units else ""
        )
        raise ScriptError(f"{verb}: {key} {text!r} cannot be read; allowed: {allowed}")
    return value


def default_script(device: Literal["syntaxer", "falcon"] = "syntaxer") -> str:
    """For the default bench: to the middle, hold the dead-man, reach, circle, push, let the dead-man go."""
    return DEFAULTS[device]


DEFAULTS = {
    "syntaxer": """hold 0.3; tighten 0.5; reach 0.22 0 0 in 1.2; tremor 0.1mm
press deadman; hold 0.3
reach 0.22 0.05 0.03 in 0.8
circle radius=0.04 period=2 for 4
push x=0.17 force=5 for 1
twist z=8deg for 0.6
release deadman; hold 0.5""",
    "falcon": """hold 0.3; tighten 0.5; reach 0 0 0 in 0.8; tremor 0.1mm
press centre; hold 0.3
reach 0 0.02 0.01 in 0.6
circle radius=0.015 period=2 for 4
push x=-0.03 force=4 for 1
release centre; hold 0.5""",
}
