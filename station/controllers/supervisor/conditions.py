"""What is true in this tick, as bits of events; and the dead-man: fresh press, and the wait for the arm.

A press is fresh if the dead-man was seen up, with everything ready, since the hand last moved the robot. So a button
that is stuck, or held through a loss, never engages. What is no number, or a number that nobody knows, is on the safe
side.
"""

from __future__ import annotations

import math

from station.controllers.supervisor.state import NEVER, Facts, SupervisorLimits, SupervisorMemory
from station.controllers.supervisor.words import LAST_FAULT, ArmFact, Event, Stopped, SupervisorState
from station.kernel import kernel

FAULT_BITS = (2 << LAST_FAULT) - 2  # all events that are faults
# Faults of the haptics that are no loss of the device: NOT_FINITE, CLOCK, TOO_MANY_ROWS and NO_ROTATION of its `Fault`,
# which this layer does not know; a test holds them together.
HAPTICS_BITS = 1 | 8 | 16 | 32


@kernel
def time_passed(memory: SupervisorMemory, now: float) -> float:
    """Time since the last tick [s]; negative if the clock went back or is no number."""
    if not math.isfinite(now):
        return -1.0
    passed = now - memory.now if memory.started else 0.0
    memory.now, memory.started = now, True
    return passed


@kernel
def device_is_there(limits: SupervisorLimits, facts: Facts) -> bool:
    """Whether the device is ready and its newest sample fresh."""
    return facts.device_ready and abs(facts.sample_age) <= limits.sample_limit


@kernel
def arm_is_there(limits: SupervisorLimits, facts: Facts) -> bool:
    """Whether the arm measures and its newest measurement is fresh; so it is if there is no arm at all."""
    if facts.arm_fact == ArmFact.NONE:
        return True
    speaks = facts.arm_fact == ArmFact.READY or facts.arm_fact == ArmFact.ACTIVE
    return speaks and abs(facts.measured_age) <= limits.measured_limit


@kernel
def all_is_ready(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts) -> bool:
    """Whether nothing but the person is missing."""
    may = not memory.shut and not facts.starter_silent and not facts.partner_lost
    return may and device_is_there(limits, facts) and arm_is_there(limits, facts)


@kernel
def conditions(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, passed: float) -> int:
    """All events but ENGAGE, as bits; `passed` is the time since the last tick [s], negative if it is not known."""
    arm, stopped = facts.arm_fact, _shaping_has_stopped(memory, facts)
    raised = _faults(facts, stopped) | _bit(Event.CLOCK, passed < 0.0)
    raised |= _bit(Event.OVERRUN, _overrun(memory, limits, facts, passed))
    resetting = memory.now < memory.reset_until
    raised |= _bit(Event.RESET, resetting and raised & FAULT_BITS == 0 and not _slows_down(memory, limits, facts))
    there = arm_is_there(limits, facts)
    told_apart = arm == ArmFact.STOPPED or arm == ArmFact.FAULT  # from a loss
    raised |= _bit(Event.ARM_LOST, not there and not told_apart)
    raised |= _bit(Event.ARM_LEFT, there and arm == ArmFact.READY)
    raised |= _bit(Event.DEVICE_LOST, not device_is_there(limits, facts))
    raised |= _bit(Event.STALE_TARGET, stopped == Stopped.STALE)
    raised |= _bit(Event.SHUTDOWN, memory.shut)
    raised |= _bit(Event.HOLD_ASKED, facts.asked_hold)
    raised |= _bit(Event.RELEASED, not facts.dead_man)
    raised |= _bit(Event.ALL_READY, all_is_ready(memory, limits, facts))
    raised |= _bit(Event.STARTER_LOST, facts.starter_silent)
    raised |= _bit(Event.PARTNER_LOST, facts.partner_lost)
    memory.last_stopped = facts.stopped_for
    return raised


@kernel
def _bit(event: Event, happens: bool) -> int:
    """The bit of an event, if it happens."""
    return 1 << event if happens else 0


@kernel
def _faults(facts: Facts, stopped: Stopped) -> int:
    """Events that are faults and are told as such."""
    raised = _bit(Event.ESTOP, facts.asked_estop)
    raised |= _bit(Event.ARM_STOPPED, facts.arm_fact == ArmFact.STOPPED)
    raised |= _bit(Event.ARM_FAULT, facts.arm_fact == ArmFact.FAULT)
    raised |= _bit(Event.DEVICE_FAULT, facts.device_bad)
    bits = facts.haptics_faults
    raised |= _bit(Event.HAPTICS_FAULT, not 0 <= bits < 256 or bits & HAPTICS_BITS != 0)
    raised |= _bit(Event.CLOSURE_LOST, facts.closure_lost)
    raised |= _bit(Event.SETPOINT_REFUSED, stopped == Stopped.REFUSED)
    known = stopped == Stopped.FINE or stopped == Stopped.REFUSED or stopped == Stopped.STALE
    return raised | _bit(Event.FOLLOWING_ERROR, not known)  # also for what is unknown


@kernel
def _slows_down(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts) -> bool:
    """Whether the arm still follows on its way to a stop: a reset would be overtaken by what it is about to say."""
    return facts.arm_fact == ArmFact.ACTIVE and memory.now - memory.left_at <= limits.rest_within


@kernel
def _shaping_has_stopped(memory: SupervisorMemory, facts: Facts) -> Stopped:
    """What shaping has stopped for in this very tick; it stays stopped until it is started anew."""
    return facts.stopped_for if facts.stopped_for != memory.last_stopped else Stopped.FINE


@kernel
def _overrun(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, passed: float) -> bool:
    """Count late ticks while the hand moves the robot; they leak away over the window."""
    if memory.state != SupervisorState.ENGAGED:
        memory.late_count = 0.0
        return False
    leaked = max(0.0, passed) * limits.late_most / limits.late_window
    memory.late_count = max(0.0, memory.late_count - leaked) + (1.0 if facts.late else 0.0)
    return memory.late_count > limits.late_most


# The dead-man ----------------------------------------------------------------------------------------------------


@kernel
def disarm(memory: SupervisorMemory) -> None:
    """Forget the press: the dead-man must be let go and pressed anew."""
    memory.armed, memory.fresh, memory.requested = False, False, False


@kernel
def may_engage(memory: SupervisorMemory, limits: SupervisorLimits, facts: Facts, ready: bool) -> bool:
    """Follow the dead-man; returns whether the hand is to move the robot from this tick on."""
    waiting = memory.state == SupervisorState.READY or memory.state == SupervisorState.HOLD
    if not (waiting and ready):
        disarm(memory)
        return False
    if not facts.dead_man:
        memory.armed, memory.fresh, memory.requested = True, False, False
        return False
    if not memory.armed:
        return False
    pressed = not memory.fresh
    memory.fresh = True
    if facts.asked_hold:
        disarm(memory)
        return False
    if (pressed and limits.by_press) or facts.asked_engage:
        _request(memory)
    if not memory.requested:
        return False
    if facts.arm_fact == ArmFact.ACTIVE and not facts.follows and not memory.led:
        # It is not where it is being sent. It must not be sent back by a leap: it stops, holds, and begins anew.
        memory.leaving = True
    mine = facts.arm_fact == ArmFact.NONE or (facts.arm_fact == ArmFact.ACTIVE and not memory.leaving)
    if mine and facts.partners_follow:
        return True
    if memory.now - memory.requested_at > limits.start_within:  # the arm does not want: press again
        disarm(memory)
        memory.refused += 1
    return False


@kernel
def note_leaving(memory: SupervisorMemory, facts: Facts) -> None:
    """Forget that the arm was to cease to follow, once it has; a lost one may still follow."""
    follows = facts.arm_fact == ArmFact.ACTIVE or facts.arm_fact == ArmFact.LOST or facts.arm_partly
    if memory.leaving and not follows:
        memory.leaving, memory.asked_at = False, NEVER


@kernel
def _request(memory: SupervisorMemory) -> None:
    """Begin to wait for the arm."""
    if not memory.requested:
        memory.requested, memory.requested_at, memory.asked_at = True, memory.now, NEVER
