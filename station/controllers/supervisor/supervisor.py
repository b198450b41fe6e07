"""`Supervisor`: facts in, decision out, every tick; `supervisor_tick` is the same for kernels."""

from __future__ import annotations

from dataclasses import asdict
from typing import NamedTuple

from station.controllers.supervisor.conditions import (
    FAULT_BITS,
    all_is_ready,
    arm_is_there,
    conditions,
    device_is_there,
    disarm,
    may_engage,
    note_leaving,
    time_passed,
)
from station.controllers.supervisor.state import (
    LOG_LENGTH,
    NEVER,
    Decision,
    Facts,
    SupervisorLimits,
    SupervisorMemory,
    SupervisorSettings,
)
from station.controllers.supervisor.table import CUTS_FORCE, LEADS_TO
from station.controllers.supervisor.words import ArmFact, Event, Shape, SupervisorState, Waiting
from station.kernel import entry, kernel

BY_PRIORITY = tuple(event for event in Event if event is not Event.NONE)  # the worst first


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
        self.limits = SupervisorLimits(**asdict(self.settings))
        self.memory, self.outputs = SupervisorMemory(), Decision()
        self.tick(Facts())  # compile or load now, not in the first real tick
        self.restart()

    def restart(self) -> None:
        """Forget all that was: OFF, and nothing in the log."""
        self.memory.reset()

    def tick(self, facts: Facts) -> Decision:
        """One tick; commands in `facts` are taken away."""
        supervisor_tick(self.memory, self.limits, facts, self.outputs)
        return self.decision()

    def decision(self) -> Decision:
        """What the last tick said, also if it was done by a kernel; a copy."""
        return self.outputs.copy()

    @property
    def transitions(self) -> int:
        """Transitions since the start; the log holds the newest 64 of them."""
        return self.memory.transitions

    @property
    def refused(self) -> int:
        """Commands that could not be followed when they came, in all."""
        return self.memory.refused

    def log(self) -> tuple[LogEntry, ...]:
        """The newest transitions, the oldest first; for the view and the recorder, not for every tick."""
        count = self.transitions
        return tuple(self._entry(number % LOG_LENGTH) for number in range(max(0, count - LOG_LENGTH), count))

    def _entry(self, row: int) -> LogEntry:
        memory = self.memory
        state, to = SupervisorState(memory.log_state[row]), SupervisorState(memory.log_to[row])
        return LogEntry(float(memory.log_time[row]), state, to, Event(memory.log_cause[row]))


@entry
def supervisor_tick(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, decision: Decision) -> None:
    """One tick; takes commands away. At most one transition, that of the worst event."""
    judge(memory, limits, facts, decision)
    give_orders(memory, limits, facts, decision)


@kernel
def judge(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, decision: Decision) -> None:
    """The first half of a tick: what has happened, and the state that it leads to."""
    passed = time_passed(memory, facts.now)
    if passed < 0.0:  # moments of another time mean nothing
        memory.asked_at, memory.reset_until, memory.left_at = NEVER, NEVER, NEVER
    _take_commands(memory, limits, facts)
    note_leaving(memory, facts)
    raised = conditions(memory, limits, facts, passed)
    if may_engage(memory, limits, facts, all_is_ready(memory, limits, facts)):
        raised |= 1 << Event.ENGAGE
    memory.raised = raised
    decision.changed = False
    for event in BY_PRIORITY:
        if raised >> event & 1 == 1 and _is_news(memory, event):
            _go(memory, event)
            decision.changed = True
            break
    decision.state, decision.cause = memory.state, memory.cause
    decision.fault = memory.cause if memory.state == SupervisorState.FAULT else Event.NONE


@kernel
def _take_commands(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts) -> None:
    """Commands that last longer than a tick: a shutdown for ever, a reset for a while."""
    if facts.asked_shutdown:
        memory.shut = True
    if memory.state != SupervisorState.FAULT:
        memory.reset_until = NEVER
    elif facts.asked_reset:
        memory.reset_until = memory.now + limits.reset_within


@kernel
def _is_news(memory: SupervisorMemory, event: Event) -> bool:
    """Whether an event leads somewhere from here, or to the same state for another cause."""
    to = LEADS_TO[memory.state, event]
    return to >= 0 and (to != memory.state or event != memory.cause)


@kernel
def _go(memory: SupervisorMemory, event: Event) -> None:
    """Make a transition and write it down."""
    was, to, row = memory.state, LEADS_TO[memory.state, event], memory.transitions % LOG_LENGTH
    memory.log_time[row], memory.log_state[row] = memory.now, was
    memory.log_to[row], memory.log_cause[row] = to, event
    memory.transitions += 1
    memory.state, memory.cause, memory.since = to, event, memory.now
    if was == SupervisorState.ENGAGED:
        memory.left_at, memory.asked_at = memory.now, NEVER
    if to == SupervisorState.FAULT:
        memory.reset_until, memory.asked_at = NEVER, NEVER
    if to != SupervisorState.ENGAGED:
        disarm(memory)


@kernel
def _count_refusals(memory: SupervisorMemory, facts: Facts, decision: Decision) -> None:
    """Commands that could not be followed when they came."""
    refused = facts.asked_engage and memory.state != SupervisorState.ENGAGED and not memory.requested
    if refused or (facts.asked_release and not decision.release):
        memory.refused += 1
    if facts.asked_reset and memory.state != SupervisorState.FAULT and not decision.changed:
        memory.refused += 1


@kernel
def _forget_commands(facts: Facts) -> None:
    """Each counts for one tick."""
    facts.asked_engage, facts.asked_hold, facts.asked_reset = False, False, False
    facts.asked_estop, facts.asked_shutdown, facts.asked_release = False, False, False


# What device, mapping, shaping and arm are told in this tick ------------------------------------------------------


@kernel
def give_orders(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, decision: Decision) -> None:
    """The second half of a tick: fill the decision from the state, once those of other parts are known, too."""
    engaged, has_arm = memory.state == SupervisorState.ENGAGED, facts.arm_fact != ArmFact.NONE
    led = engaged or facts.led_by_others
    parking = engaged and facts.asked_park
    decision.permitted = engaged and not parking
    off = memory.state == SupervisorState.OFF and not _fades(memory, limits)
    cut = off or (memory.state == SupervisorState.FAULT and CUTS_FORCE[memory.cause]) or facts.asked_estop
    decision.force = device_is_there(limits, facts) and not cut
    decision.link = arm_is_there(limits, facts)
    starts = (memory.requested or facts.wanted_by_others) and facts.arm_fact != ArmFact.ACTIVE
    decision.resync = has_arm and ((led and not memory.led) or (starts and not led))
    memory.led = led
    decision.shape = Shape.PARK if parking else Shape.FOLLOW if led else _shape_at_rest(facts)
    decision.send = has_arm and decision.shape != Shape.IDLE
    _ask_arm(memory, limits, facts, decision)
    decision.waiting = _missing(memory, limits, facts)
    _count_refusals(memory, facts, decision)
    _forget_commands(facts)


@kernel
def _fades(memory: SupervisorMemory, limits: SupervisorLimits) -> bool:
    """Whether the force may still ramp down at the end of a run."""
    return memory.cause == Event.SHUTDOWN and memory.now - memory.since <= limits.rest_within


@kernel
def _shape_at_rest(facts: Facts) -> Shape:
    """While the hand does not move the robot: brake, as long as the arm may still be following."""
    follows = facts.arm_fact == ArmFact.ACTIVE or facts.arm_fact == ArmFact.LOST or facts.arm_partly
    return Shape.BRAKE if follows else Shape.IDLE


@kernel
def _ask_arm(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, decision: Decision) -> None:
    """Wishes for the arm, each for one tick; what it does not do is asked again."""
    arm, now = facts.arm_fact, memory.now
    again = now - memory.asked_at >= limits.repeat
    engaged, resetting = memory.state == SupervisorState.ENGAGED or facts.led_by_others, now < memory.reset_until
    wanted = memory.requested or facts.wanted_by_others
    at_rest = facts.at_rest or now - memory.left_at > limits.rest_within
    stopped_by_estop = memory.state == SupervisorState.FAULT and memory.cause == Event.ESTOP
    stopping = stopped_by_estop and arm != ArmFact.STOPPED and not resetting
    decision.stop = arm != ArmFact.NONE and (facts.asked_estop or (stopping and again))
    decision.activate = wanted and arm == ArmFact.READY and again and not (decision.stop or stopped_by_estop)
    unwanted = not engaged and (not wanted or memory.leaving)
    follows = arm == ArmFact.ACTIVE or facts.arm_partly
    decision.deactivate = follows and unwanted and at_rest and again
    if decision.deactivate:  # that it still follows may be old news from now on
        memory.leaving = True
    if decision.stop or decision.activate or decision.deactivate:
        memory.asked_at = now
    needs_reset = arm == ArmFact.STOPPED or arm == ArmFact.FAULT
    # While an emergency stop is pressed the arm stays stopped, its brakes on, whatever else is asked. Otherwise again
    # and again: an arm that has not come to a stand yet refuses.
    decision.reset_arm = resetting and needs_reset and not facts.asked_estop and (facts.asked_reset or again)
    if decision.reset_arm:
        memory.asked_at = now
    may_release = arm != ArmFact.NONE and not follows and not engaged and not wanted
    decision.release = facts.asked_release and may_release


@kernel
def _missing(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts) -> Waiting:
    """What is missing until the hand moves the robot: the first thing to be done."""
    if memory.state == SupervisorState.ENGAGED:
        return Waiting.NOTHING
    if memory.state == SupervisorState.FAULT:
        return Waiting.CAUSE if memory.raised & FAULT_BITS != 0 else Waiting.RESET
    if not device_is_there(limits, facts):
        return Waiting.DEVICE
    if not arm_is_there(limits, facts):
        return Waiting.ARM
    if facts.partner_lost:
        return Waiting.PARTNER
    if memory.requested:
        return Waiting.START
    if not facts.dead_man:
        return Waiting.PRESS
    return Waiting.ENGAGE if memory.fresh else Waiting.RELEASE
