"""An emulator as a process of its own: how it is run; see launch.py for how it is started from another one."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sim_devices.emulator import Emulator
from sim_devices.ends import PtyEnd, UnixEnd
from sim_devices.launch import NOTE
from sim_devices.running import noted
from sim_devices.scripts import EmulatorError
from station.clock import WALL
from station.kernel.build import progress
from station.message_threads import message_threads, schedule

if TYPE_CHECKING:
    from sim_devices.kinds import Wishes

WARM_UP = 0.02  # [s]
PRIORITY = 70  # below the servo's 80
PR_SET_TIMERSLACK = 29  # of prctl
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]


def serve(kind: str, wishes: Wishes, announce: Callable[[str], object], seconds: float, with_parent: bool) -> None:
    """Run an emulator until it is told to end: by a signal, by time, or (`with_parent`) when standard input closes.

    A serial one that belongs to a parent is at a socket, any other at a pseudo-terminal, for whatever program.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with contextlib.ExitStack() as stack:
        with progress(telling(announce, with_parent)):
            emulator, address = stack.enter_context(_made(kind, wishes, with_parent))
            stack.enter_context(noted(kind, address))
            emulator.run(WARM_UP)  # whatever is compiled or loaded at the first step: before anybody waits
        keep_time()
        announce(address)
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            emulator.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break


def telling(announce: Callable[[str], object], with_parent: bool) -> Callable[[str], object]:
    """Where a line goes that is told while an emulator gets ready: to the process that started it, or to a person."""
    return (lambda line: announce(NOTE + line)) if with_parent else (lambda line: sys.stderr.write(f"{line}\n"))


def keep_time() -> None:
    """Hardware is never kept waiting by a busy machine, so an emulator asks for real-time scheduling where it may.

    A collection of garbage would take longer than a watchdog waits, and Linux wakes most processes 50 µs late.
    """
    gc.collect()
    gc.freeze()
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)  # [ns]; where there is no such call nothing happens
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        schedule(message_threads(), os.SCHED_FIFO, PRIORITY - 1)


@contextlib.contextmanager
def _made(kind: str, wishes: Wishes, at_socket: bool) -> Iterator[tuple[Emulator, str]]:
    """An emulator for other processes, and the address that opens it there."""
    from sim_devices.kinds import SERIAL  # none of which an arm's process needs
    from sim_devices.usb_kinds import USB, served

    if kind in SERIAL:
        end = UnixEnd(kind) if at_socket else PtyEnd(kind)
        with contextlib.closing(SERIAL[kind](end, WALL, wishes)) as emulator:
            yield emulator, emulator.address
    elif kind in USB:
        with served(kind, wishes) as (emulator, address):
            yield emulator, address
    else:
        raise EmulatorError(f"there is no emulator {kind!r}; there are: {', '.join((*SERIAL, *USB))}")
