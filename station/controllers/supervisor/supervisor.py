"""`Supervisor`: facts in, state and orders out, every tick; a thin class over the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.controllers.supervisor.facts import Facts
from station.controllers.supervisor.kernels import layout as at
from station.controllers.supervisor.kernels.layout import Floats
from station.controllers.supervisor.kernels.tick import forget_moments, supervisor_tick
from station.controllers.supervisor.settings import SupervisorSettings, packed
from station.controllers.supervisor.words import Event, Shape, SupervisorState, Waiting

_STATES, _EVENTS, _SHAPES, _WAITING = tuple(SupervisorState), tuple(Event), tuple(Shape), tuple(Waiting)


class Decision(NamedTuple):
    """What one tick of the supervisor says."""

    state: SupervisorState
    cause: Event  # that led to this state
    waiting: Waiting  # what is missing until the hand moves the robot
    permitted: bool  # the hand may move the robot: `permitted` of `Mapping.tick`, `engaged` of the haptics
    force: bool  # the device may push: `ready` of the haptics; no longer: zero at once
    link: bool  # the arm's side answers: `link` of the haptics; no longer: force ramps down
    resync: bool  # predicted robot and shaping begin in this tick, before anything moves: see docs/safety.md
    shape: Shape
    send: bool  # setpoints are to be sent
    activate: bool  # for the arm, in this tick only
    deactivate: bool
    stop: bool
    reset: bool
    release: bool
    changed: bool  # there was a transition in this tick

    @property
    def fault(self) -> Event:
        """Why the state is FAULT; NONE in others."""
        return self.cause if self.state is SupervisorState.FAULT else Event.NONE


class LogEntry(NamedTuple):
    """One transition."""

    time: float  # [s]
    state: SupervisorState  # before
    to: SupervisorState
    cause: Event

    def __str__(self) -> str:
        return f"{self.time:.3f} s: {self.state.name} → {self.to.name}: {self.cause.words}"


class Supervisor:
    """The safety supervisor of one hand and one arm. A tick reads no clock, does not wait and never raises."""

    def __init__(self, settings: SupervisorSettings | None = None) -> None:
        self.settings = settings or SupervisorSettings()
        self.numbers: Floats = packed(self.settings)
        self.state: Floats = np.zeros(at.STATE_SIZE)
        self.outputs: Floats = np.zeros(at.OUTPUTS_SIZE)
        self.tick(Facts())  # compile or load now, not in the first real tick
        self.restart()

    def restart(self) -> None:
        """Forget all that was: OFF, and nothing in the log."""
        self.state[:] = 0.0
        forget_moments(self.state)

    def tick(self, facts: Facts) -> Decision:
        """One tick; commands in `facts` are taken away."""
        supervisor_tick(self.state, self.numbers, facts.numbers, self.outputs)
        facts.numbers[at.FIRST_COMMAND : at.LAST_COMMAND + 1] = 0.0
        return self.decision()

    def decision(self) -> Decision:
        """What the last tick said, also if it was done by a kernel."""
        out = self.outputs.tolist()
        return Decision(
            state=_STATES[int(out[at.OUT_STATE])],
            cause=_EVENTS[int(out[at.OUT_CAUSE])],
            waiting=_WAITING[int(out[at.WAITING])],
            permitted=out[at.PERMITTED] == 1.0,
            force=out[at.FORCE] == 1.0,
            link=out[at.LINK] == 1.0,
            resync=out[at.RESYNC] == 1.0,
            shape=_SHAPES[int(out[at.SHAPE])],
            send=out[at.SEND] == 1.0,
            activate=out[at.ACTIVATE] == 1.0,
            deactivate=out[at.DEACTIVATE] == 1.0,
            stop=out[at.STOP] == 1.0,
            reset=out[at.RESET_ARM] == 1.0,
            release=out[at.RELEASE_TORQUE] == 1.0,
            changed=out[at.CHANGED] == 1.0,
        )

    @property
    def transitions(self) -> int:
        """Transitions since the start; the log holds the newest 64 of them."""
        return int(self.state[at.LOG_COUNT])

    @property
    def refused(self) -> int:
        """Commands that could not be followed when they came, in all."""
        return int(self.state[at.REFUSED])

    def log(self) -> tuple[LogEntry, ...]:
        """The newest transitions, the oldest first; for the view and the recorder, not for every tick."""
        count = self.transitions
        rows = self.state[at.LOG :].reshape(at.LOG_LENGTH, at.LOG_ROW)
        numbers = range(max(0, count - at.LOG_LENGTH), count)
        return tuple(self._entry(rows[number % at.LOG_LENGTH]) for number in numbers)

    def _entry(self, row: Floats) -> LogEntry:
        time, state, to, cause = row.tolist()
        return LogEntry(time, _STATES[int(state)], _STATES[int(to)], _EVENTS[int(cause)])
