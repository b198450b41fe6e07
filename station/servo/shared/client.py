"""`CommandClient`: how a view, a task player or a script asks something of the servo, and learns what became of it."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from station.servo.shared import channel
from station.servo.shared.channel import (
    DEPTH,
    HEADER_WORDS,
    MAGIC,
    NUMBERS,
    SLOTS,
    VERSION,
    Answer,
    CommandHead,
    SlotCounters,
    command_words,
    commands_hash,
    file_words,
    header_of,
    slot_words,
)
from station.servo.shared.command import Command
from station.servo.shared.commands import EmergencyStop
from station.servo.shared.errors import BusyError, CommandError, LayoutError, NoServoError
from station.servo.shared.runtime import COMMANDS, STATE, OpenedFile, lock_byte, running
from station.servo.shared.words import Reason

PATIENCE = 0.5  # [s]
PAUSE = 0.0005  # between two looks for an answer [s]


class Acknowledgement(NamedTuple):
    """What became of a command."""

    reason: Reason
    tick: int  # of the servo, in which it was decided

    @property
    def accepted(self) -> bool:
        """Whether it was done."""
        return self.reason is Reason.ACCEPTED

    def told(self, name: str) -> str:
        """The same in words, of a command that a person knows by this name."""
        return f"{name}: {'' if self.accepted else 'refused, '}{self.reason.words}"


class CommandClient:
    """Speaks to one servo.

    If all places of clients are taken it can still ask for an emergency stop, which needs none and waits for nobody.

    Args:
        path: the servo's command file; if not given, that of the servo which was started last.
        folder: where to look for it; that of this user if not given.
    """

    def __init__(self, path: Path | None = None, folder: Path | None = None) -> None:
        self._file = OpenedFile(path or _newest(folder), writable=True)
        try:
            self._shared = self._file.words()
            self._check()
        except LayoutError:
            self._file.close()
            raise
        self._command = np.zeros(command_words(self.joints), np.int64)
        self._head = CommandHead(self._command[:NUMBERS].view(np.uint8))
        self._numbers = self._command[NUMBERS:].view(np.float64)
        self._answer = Answer()
        self._slot = self._claimed()  # address of its place; 0: none yet

    @property
    def alive(self) -> bool:
        """Whether the servo still runs."""
        return self._file.alive

    def send(self, command: Command) -> int:
        """Hand a command over; returns the number to ask with for its answer. Never waits."""
        if not self.alive:
            raise NoServoError(f"{self._file.path}: the servo has ended; start it again with: station run")
        if isinstance(command, EmergencyStop):
            return -self._ask_stop()
        numbers = command.numbers
        wanted = self.joints if isinstance(command.reals, str) else command.reals
        if len(numbers) != wanted:
            raise CommandError(f"{type(command).__name__} with {len(numbers)} numbers: this servo wants {wanted}")
        self._command[:] = 0
        self._head.kind, self._head.code, self._head.length = command.kind, command.code, len(numbers)
        self._numbers[: len(numbers)] = numbers
        self._slot = self._slot or self._claimed()
        if not self._slot:
            raise BusyError(f"{self._file.path}: {SLOTS} clients already; close one")
        number = channel.send(self._slot, self._command)
        if number == channel.FULL:
            raise BusyError(f"{DEPTH} commands are not answered yet; is the servo stopped?")
        return number

    def acknowledgement(self, number: int) -> Acknowledgement | None:
        """The answer to a command, or None as long as there is none, or if 16 later ones have replaced it."""
        if number < 0:
            if not channel.stop_answer(self._shared.ctypes.data, -number, self._answer):
                return None
        elif not channel.answer_of(self._slot, self._command.size, number, self._answer):
            return None
        return Acknowledgement(self._answer.reason, self._answer.tick)

    def _ask_stop(self) -> int:
        """Returns the number of this stop: later ones have greater ones, whoever asks."""
        number = max(time.monotonic_ns(), self._header.stop + 1)
        channel.ask_stop(self._shared.ctypes.data, number)
        return number

    def ask(self, command: Command, patience: float = PATIENCE) -> Acknowledgement:
        """Send a command and wait for its answer, `patience` [s] at most.

        Raises:
            NoServoError: no answer came.
        """
        number, end = self.send(command), time.monotonic() + patience
        while True:
            answer = self.acknowledgement(number)
            if answer is not None:
                return answer
            if time.monotonic() >= end or not self.alive:
                why = f"no answer within {patience:g} s" if self.alive else "the servo has ended"
                raise NoServoError(f"{type(command).__name__}: {why}")
            time.sleep(PAUSE)

    def close(self) -> None:
        """Give the place back; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        path = self._file.path
        header = header_of(self._shared) if self._shared.size >= HEADER_WORDS else None
        if header is None or header.magic != MAGIC:
            raise LayoutError(f"{path}: not the command channel of a servo")
        if header.version != VERSION or header.commands != commands_hash():
            raise LayoutError(f"{path}: commands of another version; use the same release for both")
        self._header, self.joints = header, header.joints
        if self._shared.size < file_words(self.joints):
            raise LayoutError(f"{path}: too short for {self.joints} joints; start the servo again")

    def _claimed(self) -> int:
        """Take a slot that no other client has; its address, or 0 if there is none."""
        for slot in range(SLOTS):
            if lock_byte(self._file.file, 1 + slot):
                start = HEADER_WORDS + slot * slot_words(self.joints)
                place = SlotCounters(self._shared[start : start + slot_words(self.joints)].view(np.uint8))
                if not 0 <= place.head - place.tail <= DEPTH:
                    place.head = place.tail  # the client before left nonsense
                return place.address
        return 0


def _newest(folder: Path | None) -> Path:
    found = running(folder)
    if not found:
        raise NoServoError("no servo runs; start one with: station run")
    return found[0].with_name(found[0].name.removesuffix(STATE) + COMMANDS)
