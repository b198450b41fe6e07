"""Threads in which messages are carried for this process: ZeroMQ's, and those of drivers and emulators.

They schedule like any other program, also where whoever sends and waits is real-time: on a busy machine messages would
wait for them, and so would whoever shares a lock with them, such as Python's own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

TASKS = Path("/proc/self/task")
NAME = "ZMQbg/IO"  # as libzmq names them


def message_threads() -> list[int]:
    """Their numbers, without the caller's own; of ZeroMQ's none where the system does not tell."""
    caller = threading.get_native_id()
    numbers = (thread.native_id for thread in threading.enumerate())
    found = [number for number in numbers if number is not None and number != caller]
    for task in TASKS.glob("[0-9]*"):
        try:
            name = (task / "comm").read_text(encoding="utf-8")
        except OSError:  # it has just ended
            continue
        if name.startswith(NAME):
            found.append(int(task.name))
    return found


def schedule(threads: list[int], policy: int, priority: int) -> None:
    """Let threads of this process run by a policy; an OSError if it may not."""
    for thread in threads:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.sched_setscheduler(thread, policy, os.sched_param(priority))
