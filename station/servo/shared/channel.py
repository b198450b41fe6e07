"""The command channel: a ring of commands for each client, all in one file in memory; and its kernels.

Clients `send`, the servo `take`s one command at a time and `answer`s it. Why so, and not a socket: with one writer and
one reader for each ring no lock is needed, a client that dies half-way has said nothing, and looking whether there is
anything costs the servo some nanoseconds instead of a system call. Who has which ring is settled by locks on single
bytes of the file, which the system takes back when a client ends.

The emergency stop has words of its own before all rings: whoever has opened the file can ask for it, even while all
rings are taken or full, and the servo looks there first. Beside it who started the servo shows that it lives.
"""

from __future__ import annotations

import hashlib

import numpy as np

from station.kernel import (
    Bools1,
    Ints1,
    Record,
    RecordAt,
    address_of_array,
    address_of_record,
    entry,
    field,
    floats_at,
    ints_at,
    kernel,
    load_acquire,
    load_relaxed,
    store_relaxed,
    store_release,
)
from station.kernel.record import WORD
from station.servo.shared.commands import COMMANDS, MOST_NUMBERS
from station.servo.shared.memory import Address, Words, copy
from station.servo.shared.words import Reason

MAGIC = int.from_bytes(b"HAPTCMD1", "little")
VERSION = 3  # grows when the meaning of a command changes
SLOTS = 8  # clients at a time
DEPTH = 16  # commands of a client that are not answered yet: a power of two
MOST_PER_TICK = 4  # commands that the servo takes in one tick

NOTHING, NONSENSE, FULL = -1, -2, -3  # instead of a slot
_MIX = 6364136223846793005


class ChannelHeader(Record):
    """How the file begins; what clients write and what the servo writes have lines of their own."""

    magic: int = field("", "says that it is such a file")
    version: int
    commands: int = field("", "hash of what commands there are")
    joints: int
    command: int = field("words", "size of a command")
    process: int = field("", "number of the servo's process")
    epoch: int = field("ns", "when it was made, since 1970")
    rest_of_constants: Ints1 = field(shape=1)
    stop: int = field("", "any other number than before asks for an emergency stop; clients write it")
    starter: int = field("ns", "monotonic time of the starter's last sign of life; 0: nobody promised one")
    rest_of_clients: Ints1 = field(shape=6)
    stopped: int = field("", "the last number of a stop that was acted on")
    stop_tick: int = field("", "the answer to it")
    stop_reason: Reason
    rest_of_servo: Ints1 = field(shape=5)


class SlotCounters(Record):
    """How a client's place begins: each counter on a line of its own; then commands, then answers."""

    head: int = field("", "commands that the client has written")
    rest_of_head: Ints1 = field(shape=7)
    tail: int = field("", "commands that the servo has answered")
    rest_of_tail: Ints1 = field(shape=7)


class CommandHead(Record):
    """How a command begins; real numbers follow, up to the size of a command."""

    sequence: int = field("", "among the commands of this client")
    kind: int = field("", "which command")
    code: int = field("", "its whole number")
    length: int = field("", "how many real numbers it has")
    check: int = field("", "of all other words")


class Answer(Record):
    """What became of a command."""

    sequence: int = field("", "of the command")
    reason: Reason
    tick: int = field("", "in which it was decided")
    rest: int


class Intake(Record):
    """What the servo keeps for itself, out of the reach of clients."""

    shared: int = field("", "address of the file in memory")
    joints: int
    command: int = field("words", "size of a command")
    slot: int = field("words", "size of a slot")
    turn: int = field("", "the slot that is looked at first")
    malformed: int = field("", "commands so far that made no sense")
    stopped: int = field("", "the last number of an emergency stop that was acted on")
    tails: Ints1 = field("", "commands answered, by slot", shape=SLOTS)
    muted: Bools1 = field("", "while the counter of a client makes no sense", shape=SLOTS)
    taken: Ints1 = field("", "the command that was taken", shape="words")


HEADER_WORDS = ChannelHeader.fixed_size // WORD
NUMBERS = CommandHead.fixed_size // WORD  # where a command has its real numbers [words]
_STOP, _STOPPED, _STOP_TICK, _STOP_REASON = (
    ChannelHeader.fields[name].offset for name in ("stop", "stopped", "stop_tick", "stop_reason")
)
_HEAD, _TAIL, _COMMANDS = (
    SlotCounters.fields["head"].offset,
    SlotCounters.fields["tail"].offset,
    SlotCounters.fixed_size,
)
_ANSWER = Answer.fixed_size
_SEQUENCE, _REASON, _TICK = (Answer.fields[name].offset for name in ("sequence", "reason", "tick"))
_CHECK = CommandHead.fields["check"].offset // WORD

_KINDS = max(COMMANDS) + 1
_CODES = np.array([COMMANDS[kind].codes if kind in COMMANDS else 0 for kind in range(_KINDS)], np.int64)
_JOINTS = -1  # as many real numbers as joints
_REALS = np.zeros(_KINDS, np.int64)
for _kind, _command in COMMANDS.items():
    _REALS[_kind] = _JOINTS if isinstance(_command.reals, str) else _command.reals


def command_words(joints: int) -> int:
    """Size of one command [words]: whole cache lines."""
    return -(-(NUMBERS + max(joints, MOST_NUMBERS)) // 8) * 8


def slot_words(joints: int) -> int:
    """Size of one slot [words]."""
    return (_COMMANDS + DEPTH * _ANSWER) // WORD + DEPTH * command_words(joints)


def file_words(joints: int) -> int:
    """Size of everything [words]."""
    return HEADER_WORDS + SLOTS * slot_words(joints)


def header_of(words: Words) -> ChannelHeader:
    """The header of a file, as it is there."""
    return ChannelHeader(words[:HEADER_WORDS].view(np.uint8))


def commands_hash() -> int:
    """Another number for any other set of commands."""
    text = repr([(kind, item.__name__, item.codes, item.reals) for kind, item in sorted(COMMANDS.items())])
    sizes = (SLOTS, DEPTH, [reason.name for reason in Reason])
    return int.from_bytes(hashlib.sha256(f"{text}{sizes}".encode()).digest()[:8], "little", signed=True)


_head_at = RecordAt(CommandHead)


@kernel
def checksum(command: Address, words: int) -> int:
    """Of a command, without the place of the checksum itself."""
    total, said = np.int64(words), ints_at(command, words)
    for place in range(words):
        if place != _CHECK:
            total = total * _MIX + said[place]
    return int(total)


@entry
def send(slot: Address, command: Ints1) -> int:
    """Hand a command over, sealed and numbered; returns its number, or FULL."""
    head = load_relaxed(slot + _HEAD)
    if head - load_acquire(slot + _TAIL) >= DEPTH:
        return FULL
    place, words = address_of_array(command), command.size
    sealed = _head_at(place)
    sealed.sequence = head
    sealed.check = checksum(place, words)
    copy(place, slot + _COMMANDS + 8 * (head & (DEPTH - 1)) * words, words)
    store_release(slot + _HEAD, head + 1)
    return int(head)


@entry
def answer_of(slot: Address, words: int, number: int, target: Answer) -> bool:
    """Copy the answer to a command; returns whether there is one."""
    if load_acquire(slot + _TAIL) <= number:
        return False
    answers = slot + _COMMANDS + 8 * DEPTH * words
    copy(answers + (number & (DEPTH - 1)) * _ANSWER, address_of_record(target), _ANSWER // 8)
    return bool(target.sequence == number)


@kernel
def is_well_formed(command: Address, words: int, joints: int, number: int) -> bool:
    """Whether a command, already in the servo's own memory, makes sense."""
    head = _head_at(command)
    if head.sequence != number or not 0 <= head.kind < _KINDS:
        return False
    if not 0 <= head.code < _CODES[head.kind]:
        return False
    wanted = joints if _REALS[head.kind] == _JOINTS else _REALS[head.kind]
    if head.length != wanted or head.check != checksum(command, words):
        return False
    finite, numbers = True, floats_at(command + 8 * NUMBERS, wanted)
    for place in range(wanted):
        finite &= np.isfinite(numbers[place])
    return bool(finite)


@kernel
def slot_address(intake: Intake, slot: int) -> Address:
    """Where a slot is."""
    return intake.shared + 8 * (HEADER_WORDS + slot * intake.slot)


@entry(inline=True)
def answer(intake: Intake, slot: int, reason: int, tick: int) -> None:
    """Answer the command that was taken from a slot."""
    place, tail = slot_address(intake, slot), intake.tails[slot]
    target = place + _COMMANDS + 8 * DEPTH * intake.command + (tail & (DEPTH - 1)) * _ANSWER
    store_relaxed(target + _SEQUENCE, tail)
    store_relaxed(target + _REASON, reason)
    store_relaxed(target + _TICK, tick)
    intake.tails[slot] = tail + 1
    store_release(place + _TAIL, tail + 1)


@entry
def take(intake: Intake, tick: int) -> int:
    """Take the next command, by turns from all clients, to `taken`; returns its slot, or NOTHING.

    One that makes no sense is counted and answered at once: NONSENSE. A client whose counter makes none is ignored
    until it does.
    """
    words, first = intake.command, intake.turn
    for turn in range(SLOTS):
        slot = (first + turn) % SLOTS
        place = slot_address(intake, slot)
        tail, head = intake.tails[slot], load_acquire(place + _HEAD)
        if not 0 <= head - tail <= DEPTH:
            if not intake.muted[slot]:
                intake.muted[slot] = True
                intake.malformed += 1
            continue
        intake.muted[slot] = False
        if head == tail:
            continue
        intake.turn = (slot + 1) % SLOTS
        taken = address_of_array(intake.taken)
        copy(place + _COMMANDS + 8 * (tail & (DEPTH - 1)) * words, taken, words)
        if is_well_formed(taken, words, intake.joints, tail):
            return int(slot)
        intake.malformed += 1
        answer(intake, slot, Reason.MALFORMED, tick)
        return NONSENSE
    return NOTHING


@entry
def ask_stop(shared: Address, number: int) -> None:
    """Ask for an emergency stop by a number that was not used before."""
    store_release(shared + _STOP, number)


@entry
def stop_answer(shared: Address, number: int, target: Answer) -> bool:
    """Copy the answer to an emergency stop; returns whether there is one."""
    if load_acquire(shared + _STOPPED) < number:
        return False
    target.reason = load_relaxed(shared + _STOP_REASON)
    target.tick = load_relaxed(shared + _STOP_TICK)
    return True


@entry
def stop_asked(intake: Intake) -> bool:
    """Whether somebody asks for an emergency stop."""
    return bool(load_acquire(intake.shared + _STOP) != intake.stopped)


@entry
def answer_stop(intake: Intake, asked: int, reason: int, tick: int) -> None:
    """Tell all who asked what became of it."""
    shared = intake.shared
    intake.stopped = asked
    store_relaxed(shared + _STOP_REASON, reason)
    store_relaxed(shared + _STOP_TICK, tick)
    store_release(shared + _STOPPED, asked)


@entry(inline=True)
def waiting(intake: Intake) -> bool:
    """Whether somebody asks for an emergency stop, or the counter of any client says something new."""
    if stop_asked(intake):
        return True
    for slot in range(SLOTS):
        head = load_acquire(slot_address(intake, slot) + _HEAD)
        if head != intake.tails[slot]:
            return True
    return False
