"""The command channel: clients `send`, the servo `take`s one command at a time and `answer`s it."""

from __future__ import annotations

import numpy as np

from station.servo.shared.commands import COMMANDS
from station.servo.shared.kernels.atomic import (
    Address,
    as_real,
    copy,
    load_acquire,
    load_relaxed,
    store_relaxed,
    store_release,
)
from station.servo.shared.kernels.cache import kernel
from station.servo.shared.slots import (
    A_REASON,
    A_SEQUENCE,
    A_TICK,
    ANSWER_WORDS,
    C_CHECK,
    C_CODE,
    C_KIND,
    C_LENGTH,
    C_NUMBERS,
    C_SEQUENCE,
    DEPTH,
    H_STOP,
    H_STOP_REASON,
    H_STOP_TICK,
    H_STOPPED,
    HEADER_WORDS,
    S_COMMANDS,
    S_HEAD,
    S_TAIL,
    SLOTS,
    Reason,
)

NOTHING, NONSENSE, FULL = -1, -2, -3  # instead of a slot
_MALFORMED = int(Reason.MALFORMED)
_MIX = 6364136223846793005

# Words of an intake: what the servo keeps for itself, out of the reach of clients.
I_SHARED, I_JOINTS, I_COMMAND, I_SLOT, I_NEXT, I_MALFORMED, I_STOPPED = range(7)
I_TAILS = 8  # commands answered, by slot
I_MUTED = I_TAILS + SLOTS  # 1 while the counter of a client makes no sense
I_TAKEN = I_MUTED + SLOTS  # the command that was taken

_KINDS = max(COMMANDS) + 1
_CODES = np.array([COMMANDS[kind].codes if kind in COMMANDS else 0 for kind in range(_KINDS)], np.int64)
_JOINTS = -1  # as many real numbers as joints
_REALS = np.zeros(_KINDS, np.int64)
for _kind, _command in COMMANDS.items():
    _REALS[_kind] = _JOINTS if isinstance(_command.reals, str) else _command.reals


@kernel
def checksum(command: Address, words: int) -> int:
    """Of a command, without the place of the checksum itself."""
    total = np.int64(words)
    for place in range(words):
        if place != C_CHECK:
            total = total * _MIX + load_relaxed(command + 8 * place)
    return int(total)


@kernel
def send(slot: Address, command: Address, words: int) -> int:
    """Hand a command over, sealed and numbered; returns its number, or FULL."""
    head = load_relaxed(slot + 8 * S_HEAD)
    if head - load_acquire(slot + 8 * S_TAIL) >= DEPTH:
        return FULL
    store_relaxed(command + 8 * C_SEQUENCE, head)
    store_relaxed(command + 8 * C_CHECK, checksum(command, words))
    copy(command, slot + 8 * (S_COMMANDS + (head & (DEPTH - 1)) * words), words)
    store_release(slot + 8 * S_HEAD, head + 1)
    return int(head)


@kernel
def answer_of(slot: Address, words: int, number: int, target: Address) -> bool:
    """Copy the answer to a command; returns whether there is one."""
    if load_acquire(slot + 8 * S_TAIL) <= number:
        return False
    answers = slot + 8 * (S_COMMANDS + DEPTH * words)
    copy(answers + 8 * (number & (DEPTH - 1)) * ANSWER_WORDS, target, ANSWER_WORDS)
    return bool(load_relaxed(target + 8 * A_SEQUENCE) == number)


@kernel
def is_well_formed(command: Address, words: int, joints: int, number: int) -> bool:
    """Whether a command, already in the servo's own memory, makes sense."""
    kind, length = load_relaxed(command + 8 * C_KIND), load_relaxed(command + 8 * C_LENGTH)
    if load_relaxed(command + 8 * C_SEQUENCE) != number or not 0 <= kind < _KINDS:
        return False
    if not 0 <= load_relaxed(command + 8 * C_CODE) < _CODES[kind]:
        return False
    wanted = joints if _REALS[kind] == _JOINTS else _REALS[kind]
    if length != wanted or load_relaxed(command + 8 * C_CHECK) != checksum(command, words):
        return False
    finite = True
    for place in range(length):
        finite &= np.isfinite(as_real(load_relaxed(command + 8 * (C_NUMBERS + place))))
    return finite


@kernel
def slot_address(intake: Address, slot: int) -> Address:
    """Where a slot is."""
    return int(load_relaxed(intake + 8 * I_SHARED) + 8 * (HEADER_WORDS + slot * load_relaxed(intake + 8 * I_SLOT)))


@kernel
def answer(intake: Address, slot: int, reason: int, tick: int) -> None:
    """Answer the command that was taken from a slot."""
    place, words = slot_address(intake, slot), load_relaxed(intake + 8 * I_COMMAND)
    tail = load_relaxed(intake + 8 * (I_TAILS + slot))
    target = place + 8 * (S_COMMANDS + DEPTH * words + (tail & (DEPTH - 1)) * ANSWER_WORDS)
    store_relaxed(target + 8 * A_SEQUENCE, tail)
    store_relaxed(target + 8 * A_REASON, reason)
    store_relaxed(target + 8 * A_TICK, tick)
    store_relaxed(intake + 8 * (I_TAILS + slot), tail + 1)
    store_release(place + 8 * S_TAIL, tail + 1)


@kernel
def take(intake: Address, tick: int) -> int:
    """Take the next command, by turns from all clients, to I_TAKEN; returns its slot, or NOTHING.

    One that makes no sense is counted and answered at once: NONSENSE. A client whose counter makes none is ignored
    until it does.
    """
    words, first = load_relaxed(intake + 8 * I_COMMAND), load_relaxed(intake + 8 * I_NEXT)
    for turn in range(SLOTS):
        slot = (first + turn) % SLOTS
        place = slot_address(intake, slot)
        tail, head = load_relaxed(intake + 8 * (I_TAILS + slot)), load_acquire(place + 8 * S_HEAD)
        muted = intake + 8 * (I_MUTED + slot)
        if not 0 <= head - tail <= DEPTH:
            if not load_relaxed(muted):
                store_relaxed(muted, 1)
                store_relaxed(intake + 8 * I_MALFORMED, load_relaxed(intake + 8 * I_MALFORMED) + 1)
            continue
        store_relaxed(muted, 0)
        if head == tail:
            continue
        store_relaxed(intake + 8 * I_NEXT, (slot + 1) % SLOTS)
        taken = intake + 8 * I_TAKEN
        copy(place + 8 * (S_COMMANDS + (tail & (DEPTH - 1)) * words), taken, words)
        if is_well_formed(taken, words, load_relaxed(intake + 8 * I_JOINTS), tail):
            return int(slot)
        store_relaxed(intake + 8 * I_MALFORMED, load_relaxed(intake + 8 * I_MALFORMED) + 1)
        answer(intake, slot, _MALFORMED, tick)
        return NONSENSE
    return NOTHING


@kernel
def ask_stop(shared: Address, number: int) -> None:
    """Ask for an emergency stop by a number that was not used before."""
    store_release(shared + 8 * H_STOP, number)


@kernel
def stop_answer(shared: Address, number: int, target: Address) -> bool:
    """Copy the answer to an emergency stop; returns whether there is one."""
    if load_acquire(shared + 8 * H_STOPPED) < number:
        return False
    store_relaxed(target + 8 * A_REASON, load_relaxed(shared + 8 * H_STOP_REASON))
    store_relaxed(target + 8 * A_TICK, load_relaxed(shared + 8 * H_STOP_TICK))
    return True


@kernel
def stop_asked(intake: Address) -> bool:
    """Whether somebody asks for an emergency stop."""
    asked = load_acquire(load_relaxed(intake + 8 * I_SHARED) + 8 * H_STOP)
    return bool(asked != load_relaxed(intake + 8 * I_STOPPED))


@kernel
def answer_stop(intake: Address, asked: int, reason: int, tick: int) -> None:
    """Tell all who asked what became of it."""
    shared = load_relaxed(intake + 8 * I_SHARED)
    store_relaxed(intake + 8 * I_STOPPED, asked)
    store_relaxed(shared + 8 * H_STOP_REASON, reason)
    store_relaxed(shared + 8 * H_STOP_TICK, tick)
    store_release(shared + 8 * H_STOPPED, asked)


@kernel
def waiting(intake: Address) -> bool:
    """Whether somebody asks for an emergency stop, or the counter of any client says something new."""
    if stop_asked(intake):
        return True
    for slot in range(SLOTS):
        head = load_acquire(slot_address(intake, slot) + 8 * S_HEAD)
        if head != load_relaxed(intake + 8 * (I_TAILS + slot)):
            return True
    return False
