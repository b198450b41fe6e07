"""Layout of the command channel: a ring of commands for each client, all in one file; places in words.

Why so, and not a socket: with one writer and one reader for each ring no lock is needed, a client that dies half-way
has said nothing, and looking whether there is anything costs the servo some nanoseconds instead of a system call. Who
has which ring is settled by locks on single bytes of the file, which the system takes back when a client ends.

The emergency stop has words of its own before all rings: whoever has opened the file can ask for it, even while all
rings are taken or full, and the servo looks there first. Beside it who started the servo shows that it lives.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum

from station.servo.shared.commands import COMMANDS, MOST_NUMBERS

MAGIC = int.from_bytes(b"HAPTCMD1", "little")
VERSION = 3  # grows when the meaning of a command changes
SLOTS = 8  # clients at a time
DEPTH = 16  # commands of a client that are not answered yet: a power of two
MOST_PER_TICK = 4  # commands that the servo takes in one tick

# Header.
H_MAGIC, H_VERSION, H_HASH, H_JOINTS, H_COMMAND, H_PROCESS, H_EPOCH = range(7)
H_STOP = 8  # any other number than before asks for an emergency stop; clients write it
H_STARTER = 9  # monotonic time of the last sign of life of who started the servo [ns]; 0: nobody promised one
H_STOPPED, H_STOP_TICK, H_STOP_REASON = 16, 17, 18  # the last of these numbers that was acted on, and the answer
HEADER_WORDS = 24

# A slot: two counters, each on a cache line of its own, then commands, then answers.
S_HEAD = 0  # commands that the client has written
S_TAIL = 8  # commands that the servo has answered
S_COMMANDS = 16

# A command.
C_SEQUENCE, C_KIND, C_CODE, C_LENGTH, C_CHECK, C_NUMBERS = range(6)

# An answer.
A_SEQUENCE, A_REASON, A_TICK = range(3)
ANSWER_WORDS = 4


class Reason(IntEnum):
    """Why a command was refused."""

    ACCEPTED = 0
    MALFORMED = 1  # makes no sense: unknown, of the wrong length, not a number
    WRONG_STATE = 2  # not in this state of the supervisor
    DEAD_MAN = 3  # the dead-man is not held
    NO_DEVICE = 4  # the device is lost or not ready
    NO_CONTROLLER = 5  # the controller is lost or not ready
    FAULT = 6  # the cause of the fault is still there
    OUT_OF_RANGE = 7  # beyond the limits of this robot or device
    NO_SUCH_FRAME = 8
    NOT_POSSIBLE = 9  # not with this device or robot
    EPISODE = 10  # one goes on already, or none does
    TAKEN = 11  # another client holds the dead-man

    @property
    def words(self) -> str:
        """For a person."""
        return _REASONS[self]


_REASONS = {
    Reason.ACCEPTED: "done",
    Reason.MALFORMED: "it made no sense to the station",
    Reason.WRONG_STATE: "not in this state",
    Reason.DEAD_MAN: "the dead-man is not held",
    Reason.NO_DEVICE: "the device is not ready",
    Reason.NO_CONTROLLER: "the arm is not ready",
    Reason.FAULT: "there is a fault: reset first",
    Reason.OUT_OF_RANGE: "beyond what this robot or device allows",
    Reason.NO_SUCH_FRAME: "the robot has no such frame",
    Reason.NOT_POSSIBLE: "not with this device or robot",
    Reason.EPISODE: "an episode goes on already, or none does",
    Reason.TAKEN: "somebody else holds the dead-man",
}


def command_words(joints: int) -> int:
    """Size of one command [words]: whole cache lines."""
    return -(-(C_NUMBERS + max(joints, MOST_NUMBERS)) // 8) * 8


def slot_words(joints: int) -> int:
    """Size of one slot [words]."""
    return S_COMMANDS + DEPTH * (command_words(joints) + ANSWER_WORDS)


def file_words(joints: int) -> int:
    """Size of everything [words]."""
    return HEADER_WORDS + SLOTS * slot_words(joints)


def commands_hash() -> int:
    """Another number for any other set of commands."""
    text = repr([(kind, item.__name__, item.codes, item.reals) for kind, item in sorted(COMMANDS.items())])
    sizes = (SLOTS, DEPTH, [reason.name for reason in Reason])
    return int.from_bytes(hashlib.sha256(f"{text}{sizes}".encode()).digest()[:8], "little", signed=True)
