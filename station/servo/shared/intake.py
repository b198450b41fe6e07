"""`CommandIntake`: the servo's side of the command channel. Bounded work per tick; nothing a client writes stops it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from station.servo.shared.command import Command
from station.servo.shared.commands import COMMANDS, EmergencyStop
from station.servo.shared.errors import CommandError
from station.servo.shared.kernels import commands as kernels
from station.servo.shared.runtime import COMMANDS as SUFFIX
from station.servo.shared.runtime import OwnedFile, swept_folder
from station.servo.shared.slots import (
    C_CODE,
    C_KIND,
    C_LENGTH,
    C_NUMBERS,
    H_COMMAND,
    H_EPOCH,
    H_HASH,
    H_JOINTS,
    H_MAGIC,
    H_PROCESS,
    H_STARTER,
    H_STOP,
    H_VERSION,
    MAGIC,
    MOST_PER_TICK,
    VERSION,
    Reason,
    command_words,
    commands_hash,
    file_words,
    slot_words,
)


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
    """Where commands to a servo arrive; `intake` is the address that kernels use with `take` and `answer`.

    Args:
        joints: how many joints the robot has.
        name: of this servo, the same as that of its shared state.
        folder: where to leave the file; that of this user if not given.
    """

    def __init__(self, joints: int, name: str | None = None, folder: Path | None = None) -> None:
        folder = swept_folder(folder)
        self._file = OwnedFile(folder / f"{name or f'servo-{os.getpid()}'}{SUFFIX}", 8 * file_words(joints))
        self._shared = np.frombuffer(self._file.memory, np.int64)
        self._shared[:] = 0
        self._shared[[H_MAGIC, H_VERSION, H_HASH, H_JOINTS]] = MAGIC, VERSION, commands_hash(), joints
        self._shared[[H_COMMAND, H_PROCESS, H_EPOCH]] = command_words(joints), os.getpid(), time.time_ns()
        self._own = np.zeros(kernels.I_TAKEN + command_words(joints), np.int64)
        self._own[[kernels.I_SHARED, kernels.I_JOINTS]] = self._shared.ctypes.data, joints
        self._own[[kernels.I_COMMAND, kernels.I_SLOT]] = command_words(joints), slot_words(joints)
        self._taken = self._own[kernels.I_TAKEN :]
        self.intake: int = self._own.ctypes.data
        self._file.show()

    @property
    def path(self) -> Path:
        """Where clients find it."""
        return self._file.path

    @property
    def malformed(self) -> int:
        """Commands so far that made no sense."""
        return int(self._own[kernels.I_MALFORMED])

    @property
    def starter_seen(self) -> float:
        """When who started the servo gave its last sign of life, monotonic [s]; 0: nobody promised one."""
        return int(self._shared[H_STARTER]) * 1e-9

    @property
    def waiting(self) -> bool:
        """Whether a client has sent something that was not taken yet."""
        return kernels.waiting(self.intake)

    def take(self, tick: int = 0) -> Received | None:
        """The next command, to be answered before another is taken; None if there is none that makes sense."""
        slot = kernels.take(self.intake, tick)
        return self._decoded(slot, tick) if slot >= 0 else None

    def answer(self, received: Received, reason: Reason, tick: int) -> None:
        """Tell the client what became of its command, and in which tick."""
        kernels.answer(self.intake, received.slot, int(reason), tick)

    def serve(self, decide: Callable[[Command], Reason], tick: int, most: int = MOST_PER_TICK) -> Served:
        """Take up to `most` commands, let `decide` act on each and say what became of it; emergency stops first."""
        accepted = refused = malformed = 0
        if kernels.stop_asked(self.intake):
            asked = int(self._shared[H_STOP])  # read before it is acted on: what comes later is another one
            reason = decide(EmergencyStop())
            kernels.answer_stop(self.intake, asked, int(reason), tick)
            accepted, refused = int(reason == Reason.ACCEPTED), int(reason != Reason.ACCEPTED)
        for _ in range(most):
            slot = kernels.take(self.intake, tick)
            if slot == kernels.NOTHING:
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
        kind, code, length = (int(self._taken[place]) for place in (C_KIND, C_CODE, C_LENGTH))
        numbers = self._taken[C_NUMBERS : C_NUMBERS + length].view(np.float64).tolist()
        try:
            return Received(slot, COMMANDS[kind].decoded(code, numbers))
        except CommandError:  # a client of ours would have refused it: numbers beyond what the command allows
            self._own[kernels.I_MALFORMED] += 1
            kernels.answer(self.intake, slot, int(Reason.MALFORMED), tick)
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
