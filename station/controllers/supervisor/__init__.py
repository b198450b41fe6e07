"""The safety supervisor: who moves the robot, and whether anything may. See docs/safety.md.

words.py       states, events, what to do next
table.py       the transitions: one source of code, page and tests
state.py       settings, facts, memory and decision of a tick
conditions.py  what is true in this tick, and the dead-man
supervisor.py  `Supervisor` and `supervisor_tick`: one tick
manual.py      tables and figure of docs/safety.md
"""

from station.controllers.supervisor.state import (
    ARM_FACTS,
    Decision,
    Facts,
    SupervisorLimits,
    SupervisorMemory,
    SupervisorSettings,
)
from station.controllers.supervisor.supervisor import LogEntry, Supervisor, give_orders, judge, supervisor_tick
from station.controllers.supervisor.table import TRANSITIONS, Transition
from station.controllers.supervisor.words import (
    EVENTS,
    AboutEvent,
    ArmFact,
    Event,
    Force,
    Shape,
    Stopped,
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
    "Stopped",
    "Supervisor",
    "SupervisorLimits",
    "SupervisorMemory",
    "SupervisorSettings",
    "SupervisorState",
    "Transition",
    "Waiting",
    "give_orders",
    "judge",
    "supervisor_tick",
]
