"""Tables and figure of docs/safety.md: `python -m station.controllers.supervisor.manual`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from station.controllers.plausibility import PlausibilitySettings
from station.controllers.shaping import ShapingSettings
from station.controllers.supervisor.state import SupervisorSettings
from station.controllers.supervisor.table import TRANSITIONS
from station.controllers.supervisor.words import EVENTS, LAST_FAULT, Event, Force, SupervisorState
from station.devices.mapping.manual import MARKED, table

SETTINGS = (SupervisorSettings, ShapingSettings, PlausibilitySettings)
FIGURE = "pictures/safety-states.svg"
FORCES = {Force.CUT: "zero in the same tick", Force.RAMPS: "ramps down", Force.STAYS: "as it was"}

# The test that proves what an event does; besides, every event is tried in every state.
PROOFS: dict[Event, str] = {
    Event.ESTOP: "test_an_emergency_stop_reaches_the_arm_in_the_same_tick_from_every_state",
    Event.CLOCK: "test_time_that_goes_back_is_a_fault_and_can_be_reset",
    Event.ARM_STOPPED: "test_a_reset_waits_a_while_for_the_cause_to_go",
    Event.ARM_FAULT: "test_a_fault_is_left_only_by_reset_and_only_when_its_cause_is_gone",
    Event.DEVICE_FAULT: "test_the_force_is_cut_where_it_cannot_be_trusted",
    Event.HAPTICS_FAULT: "test_the_force_is_cut_where_it_cannot_be_trusted",
    Event.CLOSURE_LOST: "test_a_fault_is_left_only_by_reset_and_only_when_its_cause_is_gone",
    Event.FOLLOWING_ERROR: "test_an_arm_that_hits_something_ends_in_a_fault_and_holds",
    Event.SETPOINT_REFUSED: "test_a_setpoint_that_must_not_be_sent_is_replaced_by_a_stop",
    Event.OVERRUN: "test_a_few_late_ticks_are_no_overrun_and_many_are",
    Event.SHUTDOWN: "test_after_a_shutdown_nothing_engages_any_more",
    Event.DEVICE_LOST: "test_losing_the_device_cuts_the_force_at_once_and_the_arm_holds",
    Event.ARM_LOST: "test_losing_the_arm_ramps_the_force_down_and_the_robot_stays",
    Event.ARM_LEFT: "test_an_arm_whose_watchdog_spoke_is_not_followed_by_surprise",
    Event.STALE_TARGET: "test_a_stale_target_stops_the_arm",
    Event.HOLD_ASKED: "test_a_dead_man_held_through_a_hold_does_not_engage_again",
    Event.RELEASED: "test_while_held_robot_brakes_then_the_arm_is_told_to_hold_by_itself",
    Event.RESET: "test_an_emergency_stop_is_left_by_a_reset_of_station_and_arm",
    Event.ENGAGE: "test_engaging_begins_at_the_measured_pose",
    Event.ALL_READY: "test_a_device_that_is_not_ready_yet_keeps_the_station_off",
    Event.STARTER_LOST: "test_a_starter_that_does_not_answer_ends_engagement_until_a_fresh_press",
    Event.PARTNER_LOST: "test_a_partner_that_is_lost_ends_engagement_until_a_fresh_press",
}


def transitions() -> str:
    """Where each event leads from each state."""
    leads = {(state, event): to for state, event, to in TRANSITIONS}
    lines = ["| event | " + " | ".join(state.name for state in SupervisorState) + " |"]
    lines.append("|---" * (1 + len(SupervisorState)) + "|")
    for event in PROOFS:
        cells = [leads.get((state, event)) for state in SupervisorState]
        names = [f"→ {to.name}" if to is not None else "" for to in cells]
        lines.append(f"| `{event.name}` | " + " | ".join(names) + " |")
    return "\n".join(lines) + "\n"


def faults() -> str:
    """What each fault does, what a person does next, and the test."""
    lines = [
        "| cause of FAULT | how it is noticed | force on the hand | what to do next | proved by |",
        "|---" * 5 + "|",
    ]
    for event in PROOFS:
        if event <= LAST_FAULT:
            about = EVENTS[event]
            row = (f"`{event.name}`: {about.words}", about.when, FORCES[about.force], about.what_next)
            lines.append("| " + " | ".join(row) + f" | `{PROOFS[event]}` |")
    return "\n".join(lines) + "\n"


def others() -> str:
    """The events that are no faults."""
    lines = ["| event | how it is noticed | force on the hand | what to do next | proved by |", "|---" * 5 + "|"]
    for event in PROOFS:
        if event > LAST_FAULT:
            about = EVENTS[event]
            row = (f"`{event.name}`: {about.words}", about.when, FORCES[about.force], about.what_next)
            lines.append("| " + " | ".join(row) + f" | `{PROOFS[event]}` |")
    return "\n".join(lines) + "\n"


def refreshed(text: str) -> str:
    """The page with all its tables made anew."""
    tables = {settings.__name__: table(settings) for settings in SETTINGS}
    tables |= {"Transitions": transitions(), "Faults": faults(), "Events": others()}
    return MARKED.sub(lambda found: found[1] + tables[found[2]] + found[3], text)


# The figure ---------------------------------------------------------------------------------------------------------

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


def main(docs: Path) -> None:
    """Refresh page and figure."""
    page = docs / "safety.md"
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")
    (docs / FIGURE).write_text(figure(), encoding="utf8")


if __name__ == "__main__":
    main(Path(__file__).parents[3] / "docs")
