"""Contact at the arm on its way to the hand, by the method that is chosen; see `station.bilateral`.

An arm that only takes setpoints and reports has no end of the link: what comes in is observed here, with what it does
at the hand. With one that `couples` the two ends talk: packets go with setpoints and come with measurements. Stops,
obstacles and singularities are felt from the predicted robot as ever, without any delay.
"""

from __future__ import annotations

from station.bilateral.hand import station_tick
from station.bilateral.packet import NO_ECHO, PACKET_NUMBERS, take_packet
from station.bilateral.settings import LinkArchitecture
from station.bilateral.state import HandState
from station.devices.mapping.mapping import mapping_wrench
from station.kernel import Floats2, address_of_record, floats_at, kernel
from station.servo.state import NEVER, ArmMemory, PartMemory

MOST_HELD = 0.25  # of a joint, that an arm may hold back on purpose [rad | m]
SINGULAR = 1e-6  # of a mapping: it cannot be turned around
COUNTED = 2**32 - 1  # what a field of a message can count
TURNING_AXES = 6  # that are coupled if turns are, too
STATE_WORDS = HandState.fixed_size // 8


@kernel
def by_place(arm: ArmMemory) -> bool:
    """Whether the place of the arm makes a force, not only what it measures."""
    return bool(arm.link.architecture != LinkArchitecture.POSITION_FORCE)


@kernel
def held_back(arm: ArmMemory, joint: int) -> float:
    """What the arm has added to setpoints on purpose [rad | m], as far as that is believed: no following error."""
    sample = arm.sample
    if not sample.has_words or sample.start != arm.start % COUNTED:
        return 0.0
    return float(min(max(sample.held[joint], -MOST_HELD), MOST_HELD))


@kernel
def can_couple(straight: Floats2) -> bool:
    """Whether every motion of the hand is one of the robot, and the other way round."""
    size = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        size += straight[0, i] * (straight[1, j] * straight[2, k] - straight[1, k] * straight[2, j])
    return abs(size) > SINGULAR


@kernel
def take_contact(mem: PartMemory) -> None:
    """Let the end at the hand know of the newest sample; what that measured is in `measured_wrench`.

    Without a force on the tool its place may still make one; if not, nothing was heard.
    """
    arm, came = mem.arm, mem.arm.came
    mapping_wrench(mem.mapping_state, mem.measured_wrench, arm.felt)
    if arm.two_port and can_couple(arm.straight):
        _take_packet(mem, arm)
        return
    if not (arm.has_wrench or by_place(arm)):
        return
    arm.heard += 1  # controllers hand out the newest only, and may begin to count anew
    came.sequence, came.time, came.echo = float(arm.heard), arm.sample.controller_time, NO_ECHO
    # Before forces of the robot reach the hand, the way back from robot to hand means nothing.
    felt_now = by_place(arm) and mem.haptics_inputs.engaged
    for i in range(6):
        came.force[i] = arm.link.force_scale * arm.felt[i]
        came.place[i], came.speed[i], came.waves[i] = arm.end_inputs.place[i], 0.0, 0.0
        if felt_now and i < 3:
            for k in range(3):
                came.place[i] -= mem.straight_back[i, k] * (mem.target[k, 3] - arm.pose[k, 3])
    came.energy = came.wave_energy = 0.0
    take_packet(arm.end.heard, came, mem.now)


@kernel
def _take_packet(mem: PartMemory, arm: ArmMemory) -> None:
    """What the end at the arm has said."""
    sample, came = arm.sample, arm.came
    if not sample.has_words or arm.epoch == 0 or sample.epoch != arm.epoch % COUNTED:
        return  # of books that are closed
    numbers = floats_at(address_of_record(came), PACKET_NUMBERS)
    for i in range(PACKET_NUMBERS):
        numbers[i] = sample.packet[i]
    if arm.link.axes == TURNING_AXES:  # the end at the arm knows straight motion only
        for i in range(3, 6):
            came.force[i] = arm.link.force_scale * arm.felt[i]
    take_packet(arm.end.heard, came, mem.now)


@kernel
def _keep_epoch(mem: PartMemory, arm: ArmMemory) -> None:
    """New books whenever the hand begins to lead the robot; none while it does not, or by rate, or with locks."""
    for i in range(3):
        for k in range(3):
            arm.straight[i, k] = mem.mapping_state.straight[i, k]
    if not (mem.haptics_inputs.engaged and can_couple(arm.straight)):
        arm.epoch = 0
    elif arm.epoch == 0:
        arm.epochs += 1
        arm.epoch = arm.epochs
        state = floats_at(address_of_record(arm.end), STATE_WORDS)
        new = floats_at(address_of_record(arm.new_end), STATE_WORDS)
        for i in range(STATE_WORDS):
            state[i] = new[i]


@kernel
def reflect(mem: PartMemory, age: float) -> None:
    """Write what contact the hand is to feel, and show how that is doing; `age` of the newest sample [s]."""
    arm, shared = mem.arm, mem.shared
    if arm.two_port:
        _keep_epoch(mem, arm)
    mem.measured_age = age if arm.has_wrench or by_place(arm) else NEVER
    station_tick(
        arm.end,
        arm.link,
        arm.end_inputs,
        mem.haptics_state,
        mem.wrench,
        mem.sample_pose,
        mem.sample_velocity,
        mem.now,
        mem.period,
        mem.felt_wrench,
        arm.packet,
    )
    shared.reflection_status = arm.end.status
    shared.reflection_method, shared.reflection_energy = arm.link.method, arm.end.books.available


@kernel
def put_words(arm: ArmMemory) -> None:
    """What goes with the next setpoint."""
    setpoint, link = arm.setpoint, arm.link
    setpoint.start, setpoint.epoch = arm.start % COUNTED, arm.epoch % COUNTED
    setpoint.method, setpoint.architecture = link.method, link.architecture
    setpoint.force_scale, setpoint.stiffness, setpoint.impedance = link.force_scale, link.stiffness, link.impedance
    for i in range(3):
        for k in range(3):
            setpoint.straight[i, k] = arm.straight[i, k]
    numbers = floats_at(address_of_record(arm.packet), PACKET_NUMBERS)
    for i in range(PACKET_NUMBERS):
        setpoint.packet[i] = numbers[i]
