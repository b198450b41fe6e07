"""Threads in which ZeroMQ carries messages for this process.

They are begun with the first socket and schedule like any other program, also where whoever sends and waits is
real-time: on a busy machine messages would wait for them, and so would whoever shares a lock with them.
"""

from __future__ import annotations

import os
from pathlib import Path

TASKS = Path("/proc/self/task")
NAME = "ZMQbg/IO"  # as libzmq names them


def message_threads() -> list[int]:
    """Their numbers; none where the system does not tell."""
    found = []
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
        os.sched_setscheduler(thread, policy, os.sched_param(priority))
