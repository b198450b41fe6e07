"""`CommandIntake`: the servo's side of the command channel. Bounded work per tick; nothing a client writes stops it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from station.servo.shared import channel
from station.servo.shared.channel import (
    MAGIC,
    MOST_PER_TICK,
    NOTHING,
    NUMBERS,
    VERSION,
    CommandHead,
    Intake,
    command_words,
    commands_hash,
    file_words,
    header_of,
    slot_words,
)
from station.servo.shared.command import Command
from station.servo.shared.commands import COMMANDS, EmergencyStop
from station.servo.shared.errors import CommandError
from station.servo.shared.runtime import COMMANDS as SUFFIX
from station.servo.shared.runtime import OwnedFile, swept_folder
from station.servo.shared.words import Reason


class Received(NamedTuple):
    """A command that waits for its answer."""

    slot: int
    command: Command


class Served(NamedTuple):
    """Commands of one tick."""

    accepted: int
    refused: int
    malformed: int


class CommandIntake:
    """Where commands to a servo arrive; `state` is what kernels use with `take` and `answer`.

    Args:
        joints: how many joints the robot has.
        name: of this servo, the same as that of its shared state.
        folder: where to leave the file; that of this user if not given.
    """

    def __init__(self, joints: int, name: str | None = None, folder: Path | None = None) -> None:
        folder = swept_folder(folder)
        self._file = OwnedFile(folder / f"{name or f'servo-{os.getpid()}'}{SUFFIX}", 8 * file_words(joints))
        words = np.frombuffer(self._file.memory, np.int64)
        words[:] = 0
        header = self.header = header_of(words)
        header.magic, header.version, header.commands, header.joints = MAGIC, VERSION, commands_hash(), joints
        header.command, header.process, header.epoch = command_words(joints), os.getpid(), time.time_ns()
        self.state = Intake(
            shared=words.ctypes.data,
            joints=joints,
            command=command_words(joints),
            slot=slot_words(joints),
            words=command_words(joints),
        )
        self._head = CommandHead(self.state.taken[:NUMBERS].view(np.uint8))
        self._numbers = self.state.taken[NUMBERS:].view(np.float64)
        self._file.show()

    @property
    def path(self) -> Path:
        """Where clients find it."""
        return self._file.path

    @property
    def malformed(self) -> int:
        """Commands so far that made no sense."""
        return self.state.malformed

    @property
    def starter_seen(self) -> float:
        """When who started the servo gave its last sign of life, monotonic [s]; 0: nobody promised one."""
        return self.header.starter * 1e-9

    @property
    def waiting(self) -> bool:
        """Whether a client has sent something that was not taken yet."""
        return channel.waiting(self.state)

    def take(self, tick: int = 0) -> Received | None:
        """The next command, to be answered before another is taken; None if there is none that makes sense."""
        slot = channel.take(self.state, tick)
        return self._decoded(slot, tick) if slot >= 0 else None

    def answer(self, received: Received, reason: Reason, tick: int) -> None:
        """Tell the client what became of its command, and in which tick."""
        channel.answer(self.state, received.slot, reason, tick)

    def serve(self, decide: Callable[[Command], Reason], tick: int, most: int = MOST_PER_TICK) -> Served:
        """Take up to `most` commands, let `decide` act on each and say what became of it; emergency stops first."""
        accepted = refused = malformed = 0
        if channel.stop_asked(self.state):
            asked = self.header.stop  # read before it is acted on: what comes later is another one
            reason = decide(EmergencyStop())
            channel.answer_stop(self.state, asked, reason, tick)
            accepted, refused = int(reason == Reason.ACCEPTED), int(reason != Reason.ACCEPTED)
        for _ in range(most):
            slot = channel.take(self.state, tick)
            if slot == NOTHING:
                break
            received = self._decoded(slot, tick) if slot >= 0 else None
            if received is None:
                malformed += 1
                continue
            reason = decide(received.command)
            self.answer(received, reason, tick)
            accepted += reason == Reason.ACCEPTED
            refused += reason != Reason.ACCEPTED
        return Served(accepted, refused, malformed)

    def _decoded(self, slot: int, tick: int) -> Received | None:
        head = self._head
        numbers = self._numbers[: head.length].tolist()
        try:
            return Received(slot, COMMANDS[head.kind].decoded(head.code, numbers))
        except CommandError:  # a client of ours would have refused it: numbers beyond what the command allows
            self.state.malformed += 1
            channel.answer(self.state, slot, Reason.MALFORMED, tick)
            return None

    def close(self) -> None:
        """Remove it; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
