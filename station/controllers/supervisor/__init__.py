"""The safety supervisor: who moves the robot, and whether anything may. See docs/safety.md.

words.py       states, events, what to do next
table.py       the transitions: one source of code, page and tests
settings.py    everything that can be set
facts.py       what a tick needs to know
supervisor.py  `Supervisor`: one tick
manual.py      tables and figure of docs/safety.md
kernels/       compiled inner loops
"""

from station.controllers.supervisor.facts import ARM_FACTS, Facts
from station.controllers.supervisor.settings import SupervisorSettings
from station.controllers.supervisor.supervisor import Decision, LogEntry, Supervisor
from station.controllers.supervisor.table import TRANSITIONS, Transition
from station.controllers.supervisor.words import (
    EVENTS,
    AboutEvent,
    ArmFact,
    Event,
    Force,
    Shape,
    SupervisorState,
    Waiting,
)

__all__ = [
    "ARM_FACTS",
    "EVENTS",
    "TRANSITIONS",
    "AboutEvent",
    "ArmFact",
    "Decision",
    "Event",
    "Facts",
    "Force",
    "LogEntry",
    "Shape",
    "Supervisor",
    "SupervisorSettings",
    "SupervisorState",
    "Transition",
    "Waiting",
]
