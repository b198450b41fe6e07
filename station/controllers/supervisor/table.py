"""The table of transitions: the one source of code, page and tests. A dot means: nothing happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from station.controllers.supervisor.words import EVENTS, Event, Force, SupervisorState

_COLUMNS = {"off": SupervisorState.OFF, "ready": SupervisorState.READY, "engaged": SupervisorState.ENGAGED}
_COLUMNS |= {"hold": SupervisorState.HOLD, "fault": SupervisorState.FAULT}

TABLE = """
event             | off     ready   engaged hold    fault
ESTOP             | fault   fault   fault   fault   fault
CLOCK             | fault   fault   fault   fault   .
ARM_STOPPED       | fault   fault   fault   fault   .
ARM_FAULT         | fault   fault   fault   fault   .
DEVICE_FAULT      | fault   fault   fault   fault   .
HAPTICS_FAULT     | fault   fault   fault   fault   .
CLOSURE_LOST      | fault   fault   fault   fault   .
FOLLOWING_ERROR   | fault   fault   fault   fault   .
SETPOINT_REFUSED  | fault   fault   fault   fault   .
OVERRUN           | .       .       fault   .       .
SHUTDOWN          | .       off     off     off     .
DEVICE_LOST       | .       off     hold    .       .
ARM_LOST          | .       off     hold    .       .
ARM_LEFT          | .       .       hold    .       .
STALE_TARGET      | .       .       hold    .       .
HOLD_ASKED        | .       .       hold    .       .
RELEASED          | .       .       hold    .       .
RESET             | .       .       .       .       ready
ENGAGE            | .       engaged .       engaged .
ALL_READY         | ready   .       .       .       .
STARTER_LOST      | .       .       hold    .       .
PARTNER_LOST      | .       .       hold    .       .
"""


class Transition(NamedTuple):
    """One way from a state to another."""

    state: SupervisorState
    event: Event
    to: SupervisorState


def _read(text: str) -> Iterator[Transition]:
    header, *lines = text.strip().splitlines()
    states = [_COLUMNS[name] for name in header.split("|")[1].split()]
    for line in lines:
        event, cells = line.split("|")
        for state, to in zip(states, cells.split(), strict=True):
            if to != ".":
                yield Transition(state, Event[event.strip()], _COLUMNS[to])


TRANSITIONS = tuple(_read(TABLE))

LEADS_TO = np.full((len(SupervisorState), len(Event)), -1, np.int64)  # by state and event; -1: nowhere
for _transition in TRANSITIONS:
    LEADS_TO[_transition.state, _transition.event] = _transition.to
LEADS_TO.flags.writeable = False

CUTS_FORCE = np.array([EVENTS[event].force is Force.CUT for event in Event])  # by cause of FAULT
CUTS_FORCE.flags.writeable = False
