"""Every state times every event, from the one table, and the table itself against what safety demands."""

from __future__ import annotations

import pytest

from station.controllers.supervisor import EVENTS, TRANSITIONS, Event, SupervisorState
from station.controllers.supervisor.conditions import HAPTICS_BITS
from station.controllers.supervisor.words import LAST_FAULT
from tests.controllers.supervisor.bench import HAPPENINGS, Bench

LEADS_TO = {(state, event): to for state, event, to in TRANSITIONS}
FAULTS = [event for event in Event if 0 < event <= LAST_FAULT]
EVERY = [(state, event) for state in SupervisorState for event in Event if event is not Event.NONE]


@pytest.mark.parametrize(("state", "event"), EVERY, ids=lambda word: word.name.lower())
def test_every_event_in_every_state_leads_where_the_table_says(state: SupervisorState, event: Event) -> None:
    bench = Bench()
    bench.bring_to(state)
    before = bench.supervisor.transitions
    HAPPENINGS[event](bench)
    to = LEADS_TO.get((state, event))
    assert bench.last.state is (to if to is not None else state)
    if to is None:
        assert bench.supervisor.transitions == before
    else:
        entry = bench.supervisor.log()[-1]
        assert (entry.state, entry.to, entry.cause) == (state, to, event)
        assert bench.last.cause is event


def test_every_event_can_be_made_to_happen_and_has_words() -> None:
    assert set(HAPPENINGS) == set(EVENTS) - {Event.NONE} == set(Event) - {Event.NONE}
    for event in FAULTS:
        assert event.words
        assert event.what_next.endswith(("reset", "measured pose", "report it"))


@pytest.mark.parametrize("event", FAULTS, ids=lambda event: event.name.lower())
def test_every_fault_leads_to_fault_while_engaged(event: Event) -> None:
    assert LEADS_TO[SupervisorState.ENGAGED, event] is SupervisorState.FAULT


def test_only_a_press_engages_and_only_a_reset_leaves_fault() -> None:
    to_engaged = {(t.state, t.event) for t in TRANSITIONS if t.to is SupervisorState.ENGAGED}
    assert to_engaged == {(SupervisorState.READY, Event.ENGAGE), (SupervisorState.HOLD, Event.ENGAGE)}
    leaving = {t.event for t in TRANSITIONS if t.state is SupervisorState.FAULT and t.to is not SupervisorState.FAULT}
    assert leaving == {Event.RESET}


def test_every_event_but_those_of_a_person_ends_engagement() -> None:
    staying = {event for event in Event if event and (SupervisorState.ENGAGED, event) not in LEADS_TO}
    assert staying == {Event.RESET, Event.ENGAGE, Event.ALL_READY}


def test_states_have_the_numbers_that_recordings_and_other_programs_know() -> None:
    numbers = {state.name: int(state) for state in SupervisorState}
    assert numbers == {"OFF": 0, "READY": 1, "ENGAGED": 2, "HOLD": 3, "FAULT": 4}


def test_fault_bits_are_those_of_the_haptics() -> None:
    from station.haptics import Fault

    lost = Fault.DEVICE_LOST | Fault.STALE_SAMPLE
    every = Fault(0)
    for fault in Fault:
        every |= fault
    assert every & ~lost == HAPTICS_BITS
