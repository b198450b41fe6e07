"""`run_tick`: a whole tick in compiled code, interrupted only where Python has a part in it.

It returns what is needed next, one of the numbers below, and for which part; the servo sees to that and calls it again
from there. In the usual tick, with devices and arms that compiled code can talk to, nothing is needed until it is DONE.
All parts go through a stage before the next begins: a robot moves when all who lead it are heard, and forces go out
before any setpoint is made.
"""

from __future__ import annotations

import numpy as np

from station.collision.gjk import refine
from station.controllers.shaping import shape_together
from station.controllers.supervisor import Decision, SupervisorState
from station.devices.age import delay_of
from station.devices.swift import RECEIVE, TRANSMIT, Received, Transmitted
from station.kernel import entry, kernel
from station.mechanism.step import step
from station.servo.arm_tick import hear_arm, hear_of_arm, make_setpoint, send_setpoint, tell_shaping
from station.servo.decide import ask_solver, is_same, map_hand, supervise, tell_obstacles
from station.servo.feel import feel
from station.servo.locks import keep_locks
from station.servo.pacing.clock import now as time_now
from station.servo.pacing.pace import mark, wait
from station.servo.pacing.state import Stage
from station.servo.pacing.statistics import finish
from station.servo.shared.channel import waiting
from station.servo.show import show_tick
from station.servo.state import NEVER, PartMemory, TickMemory, part_at, tied_at

# What is needed next, in the order of a tick.
BEGIN = 0
WAIT = 1  # for the moment of the tick, on a clock of Python's or while other threads of Python run
DEVICE = 2  # its newest sample
COMMANDS = 3  # somebody has sent some
CHANGE = 4  # something of the robots or around them
ARM = 5  # its newest measurement, if compiled code cannot ask for it, or not now
OBEY = 6  # the supervisor's orders to the arm
REFINE = 7  # a distance that only the collision library can tell
FORCE = 8  # let it through from now on, or not any more
PUSH = 9  # the wrench to the device
SETPOINT = 10  # to an arm that compiled code cannot reach, or not now
UPKEEP = 11  # of a link to an arm that compiled code talks to
RARELY = 12  # what changes rarely
DONE = 13

NANO = 1e-9  # [s/ns]


@entry
def run_tick(tick: TickMemory, after: int) -> int:
    """Go on with the tick after what was needed last, BEGIN at first; returns what is needed next, at the end DONE.

    What is needed is for the part `tick.part`; each stage goes on with the part after it.
    """
    need = DONE
    if after < WAIT:
        if tick.waits_in_python:
            return WAIT
        wait(tick.pace)
    if after <= OBEY:
        need = _find_out(tick, after)
    if need == DONE and after <= REFINE:
        need = _move(tick, after)
    if need == DONE and after <= FORCE:
        need = _feel(tick, after)
    if need == DONE and after <= PUSH:
        need = _push(tick, _from(tick, after, PUSH))
    if need == DONE and after <= SETPOINT:
        need = _send(tick, after)
    if need == DONE and after <= RARELY:
        need = _look_after(tick, after)
    if need == DONE:
        _publish(tick)
    return need


@kernel
def _find_out(tick: TickMemory, after: int) -> int:
    """What hands, people and arms do and want, and what follows from it."""
    need = DONE
    if after <= DEVICE:
        need = _sense(tick, _from(tick, after, DEVICE))
    if need == DONE and after <= COMMANDS:
        need = _take_commands(tick, after)
    if need == DONE and after < CHANGE and tick.changing:
        tick.part = 0
        return CHANGE
    if need == DONE and after <= ARM:
        need = _hear_arms(tick, _from(tick, after, ARM))
    return _supervise(tick, after) if need == DONE else need


@kernel
def _from(tick: TickMemory, after: int, stage: int) -> int:
    """The part that a stage goes on with."""
    return tick.part + 1 if after == stage else 0


@kernel
def _sense(tick: TickMemory, first: int) -> int:
    """Take the newest sample of every device."""
    for nth in range(first, tick.parts.size):
        mem = part_at(tick.parts[nth])
        if not mem.leads:
            mem.fresh, mem.device_ready, mem.device_bad, mem.force_enabled = False, False, False, False
        elif not _ask_device(mem):
            tick.part = nth
            return DEVICE
    return DONE


@kernel
def _ask_device(mem: PartMemory) -> bool:
    """The newest sample of a device by compiled code; False: Python has to look."""
    if mem.nobody:
        mem.fresh, mem.device_ready, mem.sample_arrival = True, True, time_now(mem.pace) * NANO
        mem.device_time = mem.sample_arrival
        mem.sequence += 1
        return True
    if mem.receive == 0:
        return False
    said = mem.swift
    if not said.as_usual:
        return False
    moment = time_now(mem.pace) * NANO
    answer = RECEIVE(mem.receive, said, mem.driver, moment)
    if answer == Received.LOOK:
        return False
    mem.fresh = answer == Received.FRESH
    if answer == Received.FRESH:
        pose, velocity = mem.sample_pose, mem.sample_velocity
        for i in range(4):
            for j in range(4):
                pose[i, j] = said.pose[i, j]
        for i in range(6):
            velocity[i] = said.velocity[i]
        mem.sample_buttons, mem.grip = said.buttons, said.grip
        mem.device_time, mem.sequence = said.device_time, said.sequence
        mem.sample_arrival = moment
    mem.device_ready, mem.device_bad = True, False
    mem.force_enabled = said.force
    return True


@kernel
def _take_commands(tick: TickMemory, after: int) -> int:
    """The moment of this tick, and what was asked."""
    if after < COMMANDS:
        now = mark(tick.pace, Stage.DEVICE) * NANO
        for nth in range(tick.parts.size):
            mem = part_at(tick.parts[nth])
            # A device that lets go of the force, as by its watchdog, is as good as lost: a person has to press anew.
            taken = mem.was_engaged and mem.pushes and not mem.force_enabled
            mem.ready = mem.device_ready and not taken
            mem.now = now
    for nth in range(_from(tick, after, COMMANDS), tick.parts.size):
        if waiting(part_at(tick.parts[nth]).intake):
            tick.part = nth
            return COMMANDS
    return DONE


@kernel
def _hear_arms(tick: TickMemory, first: int) -> int:
    """How every arm is doing."""
    for nth in range(first, tick.parts.size):
        mem = part_at(tick.parts[nth])
        if mem.owns_arm and not hear_arm(mem):
            tick.part = nth
            return ARM
    return DONE


@kernel
def _supervise(tick: TickMemory, after: int) -> int:
    """What follows from all of it, for every part."""
    if after < OBEY:
        for nth in range(tick.parts.size):
            mem = part_at(tick.parts[nth])
            if mem.has_arm and not mem.owns_arm:
                hear_of_arm(mem)
            moment = mem.now
            elapsed = max(moment - mem.last, 0.5 * mem.period)
            mem.step_time, mem.last = min(elapsed, mem.longest_step), moment
        supervise(tick)
    for nth in range(_from(tick, after, OBEY), tick.parts.size):
        mem = part_at(tick.parts[nth])
        if mem.owns_arm and (mem.resync or mem.arm.runs_away or _has_orders(mem.decision)):
            tick.part = nth
            return OBEY
    return DONE


@kernel
def _has_orders(decision: Decision) -> bool:
    """Whether the supervisor wants something of the arm besides setpoints."""
    return decision.stop or decision.activate or decision.deactivate or decision.reset_arm or decision.release


@kernel
def _move(tick: TickMemory, after: int) -> int:
    """The hands mapped, and the predicted robots moved."""
    if after < REFINE:
        for nth in range(tick.parts.size):
            map_hand(part_at(tick.parts[nth]))
    for nth in range(_from(tick, after, REFINE), tick.parts.size):
        mem = part_at(tick.parts[nth])
        if not mem.steps:
            continue
        led = mem.led
        ask_solver(tick, led, mem.step_time)
        if led.has_locks:
            keep_locks(led, mem.step_time)
        if led.has_obstacles:
            tell_obstacles(led, mem.step_time)
        status, position_error, rotation_error, condition, gave_way = step(
            led.robot, led.tasks, led.first_rank, led.contacts, mem.step_time
        )
        led.solver_status, led.condition = status, condition
        led.position_error, led.rotation_error = position_error, rotation_error
        led.gave_way = gave_way
        if led.has_obstacles:
            led.unanswered = refine(led.robot, led.surroundings)
            if led.unanswered != 0:
                tick.part = nth
                return REFINE
    return DONE


@kernel
def _feel(tick: TickMemory, after: int) -> int:
    """What every hand is to feel."""
    if after < FORCE:
        mark(tick.pace, Stage.SOLVE)
        for nth in range(tick.parts.size):
            feel(part_at(tick.parts[nth]))
        mark(tick.pace, Stage.HAPTICS)
    for nth in range(_from(tick, after, FORCE), tick.parts.size):
        mem = part_at(tick.parts[nth])
        decision = mem.decision
        begins_or_ends = (decision.state == SupervisorState.ENGAGED) != mem.was_engaged
        too_much = not decision.force and mem.force_enabled
        if begins_or_ends or too_much:
            tick.part = nth
            return FORCE
    return DONE


@kernel
def _push(tick: TickMemory, first: int) -> int:
    """The wrench to every hand."""
    for nth in range(first, tick.parts.size):
        mem = part_at(tick.parts[nth])
        if mem.leads and not _push_device(mem):
            tick.part = nth
            return PUSH
    return DONE


@kernel
def _push_device(mem: PartMemory) -> bool:
    """The wrench to a device by compiled code; False: Python has to do it."""
    if mem.nobody:
        return True
    if mem.transmit == 0:
        return False
    said = mem.swift
    said.stands = not mem.was_engaged
    if not said.as_usual:
        return False
    wrench = mem.wrench
    for i in range(6):
        said.wrench[i] = wrench[i]
    moment = time_now(mem.pace) * NANO
    if TRANSMIT(mem.transmit, said, mem.driver, moment) != Transmitted.SENT:
        return False
    mem.force_enabled = said.force
    return True


@kernel
def _send(tick: TickMemory, after: int) -> int:
    """The setpoint to every arm."""
    if after < SETPOINT:
        sent = mark(tick.pace, Stage.SEND)  # forces are out; setpoints count for this stage, too
        for nth in range(tick.parts.size):
            mem = part_at(tick.parts[nth])
            mem.sent = sent
            if mem.owns_arm:
                tell_shaping(mem, newest_hand(tick, mem))
        for nth in range(tick.tied.size):
            shape_together(tied_at(tick.tied[nth]))
    sends = False
    for nth in range(_from(tick, after, SETPOINT), tick.parts.size):
        mem = part_at(tick.parts[nth])
        sends = sends or mem.owns_arm
        if mem.owns_arm and make_setpoint(mem) and not send_setpoint(mem):
            tick.part = nth
            return SETPOINT
    if sends or after == SETPOINT:
        mark(tick.pace, Stage.SEND)
    return DONE


@kernel
def newest_hand(tick: TickMemory, mem: PartMemory) -> float:
    """When the newest sample came of the hands that lead a robot [s]; if none does, of the part's own."""
    newest = mem.arrival
    if mem.decision.state != SupervisorState.ENGAGED and mem.facts.led_by_others:
        newest = -NEVER
        for nth in range(tick.parts.size):
            other = part_at(tick.parts[nth])
            if is_same(mem, other) and other.decision.state == SupervisorState.ENGAGED:
                newest = max(newest, other.arrival)
    return newest


@kernel
def _look_after(tick: TickMemory, after: int) -> int:
    """Forces and setpoints are out: what is due now and then, by Python, one of both at most."""
    for nth in range(_from(tick, after, after) if after >= UPKEEP else 0, tick.parts.size):
        mem = part_at(tick.parts[nth])
        tick.part = nth
        if tick.pace.tick % mem.slowly == mem.rarely or mem.device_changed:
            return RARELY
        if mem.owns_arm and mem.arm.receive != 0 and mem.now >= mem.arm.upkeep_at:
            return UPKEEP
    return DONE


@kernel
def _publish(tick: TickMemory) -> None:
    """Everything into shared state, and the tick counted."""
    pace = tick.pace
    latency = -1
    for nth in range(tick.parts.size):
        mem = part_at(tick.parts[nth])
        show_tick(mem)
        if mem.fresh:
            arrival = mem.sample_arrival
            held_up = delay_of(mem.delay, mem.device_time, arrival)
            latency = max(latency, int(np.rint((held_up - arrival) / NANO + mem.sent)))
    mark(pace, Stage.PUBLISH)
    late = finish(pace, latency)
    for nth in range(tick.parts.size):
        part_at(tick.parts[nth]).facts.late = late
