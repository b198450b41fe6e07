"""What the supervisor says, for a person."""

from __future__ import annotations

from typing import NamedTuple

from station.servo.shared import Event, ServoState, Snapshot, Waiting
from station.servo.shared.words import DEAD_MAN, naming_button, to_engage
from station.view.moment import Link, Moment

GREY, BLUE, GREEN, AMBER, RED = "#5c6370", "#2f6fb0", "#2e8b57", "#b8860b", "#b3261e"


def badge(colour: str) -> str:
    """Style of white letters on a colour: as legible in the dark theme as in the light one."""
    return f"background: {colour}; color: white; font-weight: 700; padding: 4px 8px; border-radius: 4px;"


COLOURS = {
    ServoState.OFF: GREY,
    ServoState.READY: BLUE,
    ServoState.ENGAGED: GREEN,
    ServoState.HOLD: AMBER,
    ServoState.FAULT: RED,
}
WAITING = {
    Waiting.NOTHING: "",
    Waiting.DEVICE: "waits for the device",
    Waiting.ARM: "waits for the arm",
    Waiting.START: "waits for the arm to become active",
    Waiting.RELEASE: "let go of the dead-man first",
    Waiting.PRESS: to_engage(DEAD_MAN),
    Waiting.ENGAGE: "waits for: engage",
    Waiting.RESET: "waits for: reset",
    Waiting.CAUSE: "the cause of the fault is still there",
    Waiting.PARTNER: "waits for another hand or arm that it depends on",
}


class Said(NamedTuple):
    """State of a station as it is shown."""

    state: str  # one word
    colour: str  # of its ground
    cause: str  # what led to it
    next: str  # what a person does next; empty if nothing
    waiting: str  # what is missing until the hand moves the robot


ELSEWHERE = "its device leads another frame now; let it lead here: key L"
NOBODY = Said("NO STATION", GREY, "no station runs", "start one with: station run", "")


def said(moment: Moment) -> Said:
    """The state of a moment; numbers that stand for nothing are told as such."""
    snapshot = moment.snapshot
    if snapshot is None:
        return NOBODY._replace(state="STARTING", cause=str(moment.link), next="") if moment.joints else NOBODY
    state = _state(snapshot)
    event, waiting = int(snapshot.cause[0]), int(snapshot.waiting[0])
    known = event in Event._value2member_map_
    cause = Event(event).words if known else f"unknown cause {event}"
    reason = snapshot.reason_text
    dead_man = moment.text.get("dead_man", DEAD_MAN)
    what_next = naming_button(Event(event).what_next, dead_man) if known else ""
    missing = WAITING[Waiting(waiting)] if waiting in Waiting._value2member_map_ else f"unknown ({waiting})"
    missing = to_engage(dead_man) if waiting == Waiting.PRESS else naming_button(missing, dead_man)
    if moment.text.get("part") and not (moment.leads or moment.nobody or moment.text.get("replay")):
        what_next, missing = "", ELSEWHERE
    answer = Said(*state, cause + (f" ({reason})" if reason else ""), what_next, missing)
    if moment.link is not Link.FOLLOWING:
        return answer._replace(state=f"{answer.state}?", colour=GREY, cause=f"{moment.link}; before: {answer.cause}")
    return answer


def _state(snapshot: Snapshot) -> tuple[str, str]:
    number = int(snapshot.state[0])
    if number not in ServoState._value2member_map_:
        return f"UNKNOWN {number}", RED
    return ServoState(number).name, COLOURS[ServoState(number)]
