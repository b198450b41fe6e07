"""Tables and figure of docs/safety.md: `python -m station.controllers.supervisor.manual`."""

from __future__ import annotations

from pathlib import Path

from station.controllers.plausibility.settings import PlausibilitySettings
from station.controllers.shaping.settings import ShapingSettings
from station.controllers.supervisor.figure import figure
from station.controllers.supervisor.kernels.layout import LAST_FAULT
from station.controllers.supervisor.settings import SupervisorSettings
from station.controllers.supervisor.table import TRANSITIONS
from station.controllers.supervisor.words import EVENTS, Event, Force, SupervisorState
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


def main(docs: Path) -> None:
    """Refresh page and figure."""
    page = docs / "safety.md"
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")
    (docs / FIGURE).write_text(figure(), encoding="utf8")


if __name__ == "__main__":
    main(Path(__file__).parents[3] / "docs")
