"""The states and transitions as an SVG, from the table."""

from __future__ import annotations

from typing import NamedTuple

from station.controllers.supervisor.table import TRANSITIONS
from station.controllers.supervisor.words import Event, SupervisorState

OFF, READY, ENGAGED, HOLD, FAULT = SupervisorState
WIDTH, HEIGHT = 1000, 560
BOX = (180, 56)
PLACES = {OFF: (130, 110), READY: (440, 110), ENGAGED: (850, 110), HOLD: (850, 330), FAULT: (440, 480)}
COLOURS = {OFF: "#e8e8e8", READY: "#dce8f4", ENGAGED: "#d8ecd8", HOLD: "#fbeecb", FAULT: "#f6d5cd"}
SAYS = {
    OFF: "something is missing",
    READY: "only a press is missing",
    ENGAGED: "the hand moves the robot",
    HOLD: "the robot stays",
    FAULT: "cause is kept",
}


class Arrow(NamedTuple):
    """How a group of transitions is drawn: a path, and where its words stand."""

    path: str
    x: int
    y: int
    anchor: str = "middle"


ARROWS = {
    (OFF, READY): Arrow("M 220 98 H 344", 285, 90),
    (READY, OFF): Arrow("M 350 124 H 226", 285, 158),
    (READY, ENGAGED): Arrow("M 530 110 H 754", 645, 102),
    (ENGAGED, HOLD): Arrow("M 870 138 V 296", 880, 180, "start"),
    (HOLD, ENGAGED): Arrow("M 830 302 V 144", 820, 225, "end"),
    (ENGAGED, OFF): Arrow("M 850 82 C 850 30 130 30 130 76", 480, 36),
    (HOLD, OFF): Arrow("M 760 330 H 130 V 144", 300, 322),
    (FAULT, READY): Arrow("M 440 452 V 144", 450, 230, "start"),
    (FAULT, FAULT): Arrow("M 350 496 C 270 530 270 440 344 466", 270, 490, "end"),
}
FRAME = (20, 14, 960, 388)  # around all states but FAULT: x, y, width, height
TO_FAULT = Arrow("M 480 402 V 446", 0, 0)


def groups() -> dict[tuple[SupervisorState, SupervisorState], list[Event]]:
    """Events by where they lead from where, in the order of the table."""
    found: dict[tuple[SupervisorState, SupervisorState], list[Event]] = {}
    for state, event, to in TRANSITIONS:
        found.setdefault((state, to), []).append(event)
    return found


def figure() -> str:
    """States as boxes, transitions as arrows with the events that cause them."""
    by_pair = groups()
    from_any = set.intersection(*(set(by_pair[state, FAULT]) for state in (OFF, READY, ENGAGED, HOLD)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">',
        "<style>text { font: 14px sans-serif; fill: #203040 } .n { font-weight: bold; font-size: 16px } "
        ".a { fill: none; stroke: #203040; stroke-width: 1.5; marker-end: url(#end) } "
        ".f { stroke: #c04020 } .s { font-size: 12px; fill: #506070 }</style>",
        '<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M 0 0 L 8 4 L 0 8 z" fill="#203040"/></marker>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<rect x="{FRAME[0]}" y="{FRAME[1]}" width="{FRAME[2]}" height="{FRAME[3]}" rx="12" fill="none" '
        'stroke="#b0b8c0" stroke-dasharray="6 4"/>',
    ]
    for pair, events in by_pair.items():
        if pair in ARROWS:
            parts += _arrow(ARROWS[pair], [_said(event) for event in events])
    parts += _to_fault(from_any, set(by_pair[ENGAGED, FAULT]) - from_any)
    for state, (x, y) in PLACES.items():
        parts += _box(state, x, y)
    return "\n".join([*parts, "</svg>\n"])


def _said(event: Event) -> str:
    return event.name.lower().replace("_", " ")


def _box(state: SupervisorState, x: int, y: int) -> list[str]:
    wide, high = BOX
    left, top = x - wide // 2, y - high // 2
    return [
        f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" rx="8" fill="{COLOURS[state]}" stroke="#203040"/>',
        f'<text class="n" x="{x}" y="{y - 4}" text-anchor="middle">{state.name}</text>',
        f'<text class="s" x="{x}" y="{y + 15}" text-anchor="middle">{SAYS[state]}</text>',
    ]


def _arrow(arrow: Arrow, words: list[str]) -> list[str]:
    rows = [", ".join(words[k : k + 2]) for k in range(0, len(words), 2)] if arrow.anchor == "middle" else words
    lines = [f'<path class="a" d="{arrow.path}"/>']
    for number, row in enumerate(rows):
        lines.append(f'<text x="{arrow.x}" y="{arrow.y + 18 * number}" text-anchor="{arrow.anchor}">{row}</text>')
    return lines


def _to_fault(from_any: set[Event], from_engaged: set[Event]) -> list[str]:
    """One arrow for all states, as the same events lead to FAULT from each; the rest is told in words."""
    words = [_said(event) for event in sorted(from_any)]
    rows = [", ".join(words[k : k + 4]) for k in range(0, len(words), 4)]
    rows.append(f"while ENGAGED also: {', '.join(_said(event) for event in sorted(from_engaged))}")
    lines = [f'<path class="a f" d="{TO_FAULT.path}"/>', '<text x="550" y="440" class="n">from any state:</text>']
    for number, row in enumerate(rows):
        lines.append(f'<text x="550" y="{460 + 18 * number}">{row}</text>')
    return lines
