"""An emulator as a process of its own: how it is run, and how it is started from another one."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

from sim_devices.emulator import Emulator
from sim_devices.ends import PtyEnd, UnixEnd
from sim_devices.kinds import SERIAL, Wishes
from sim_devices.running import noted
from sim_devices.scripts import EmulatorError
from sim_devices.usb_kinds import USB, served
from station.child import python_module
from station.clock import WALL
from station.devices.errors import DeviceSilentError
from station.errors import StationError
from station.message_threads import message_threads, schedule

WARM_UP = 0.02  # [s]
PRIORITY = 70  # below the servo's 80
PR_SET_TIMERSLACK = 29  # of prctl
LOOK_AGAIN = 0.1  # time between two looks whether it should end [s]
START_TIMEOUT = 120.0  # the first start on a machine compiles the plant [s]


def serve(kind: str, wishes: Wishes, announce: Callable[[str], object], seconds: float, with_parent: bool) -> None:
    """Run an emulator until it is told to end: by a signal, by time, or (`with_parent`) when standard input closes.

    A serial one that belongs to a parent is at a socket, any other at a pseudo-terminal, for whatever program.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with _made(kind, wishes, with_parent) as (emulator, address), noted(kind, address):
        emulator.run(WARM_UP)  # whatever is compiled or loaded at the first step: before anybody waits for an answer
        keep_time()
        announce(address)
        end = WALL.now() + seconds
        while not stop.is_set() and WALL.now() < end:
            emulator.run(min(LOOK_AGAIN, end - WALL.now()))
            if with_parent and select.select([sys.stdin], [], [], 0.0)[0] and not sys.stdin.read(1):
                break


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
    if kind in SERIAL:
        end = UnixEnd(kind) if at_socket else PtyEnd(kind)
        with contextlib.closing(SERIAL[kind](end, WALL, wishes)) as emulator:
            yield emulator, emulator.address
    elif kind in USB:
        with served(kind, wishes) as (emulator, address):
            yield emulator, address
    else:
        raise EmulatorError(f"there is no emulator {kind!r}; there are: {', '.join((*SERIAL, *USB))}")


@contextlib.contextmanager
def started(kind: str, wishes: Wishes) -> Iterator[str]:
    """Start an emulator in a process of its own, hand out its address, and end it afterwards."""
    arguments = ["--hand", wishes.hand, "--faults", wishes.faults, "--seed", str(wishes.seed)]
    arguments += ["--rate", str(wishes.rate), "--with-parent", *(["--patient"] if wishes.patient else [])]
    arguments += ["--serial", wishes.serial, *(["--ideal"] if wishes.ideal else [])]
    arguments += [] if wishes.wrong is None else ["--wrong", str(wishes.wrong)]
    with announced([kind, *arguments], "sim_devices", f"emulator {kind}", DeviceSilentError) as address:
        yield address


@contextlib.contextmanager
def announced(arguments: Sequence[str], module: str, what: str, error: type[StationError]) -> Iterator[str]:
    """Run a module of ours that announces its address and ends when its standard input closes; gives the address."""
    process = subprocess.Popen(  # noqa: S603 our own program
        python_module(module, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for who started it, and may still need it to come to rest
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        ready = select.select([process.stdout], [], [], START_TIMEOUT)[0]
        address = process.stdout.readline().strip() if ready else ""
        if not address:
            process.kill()
            words = process.stderr.read().strip().splitlines()
            raise error(f"{what} did not start: {words[-1] if words else 'no reason given'}")
        yield address
    finally:
        process.stdin.close()  # it ends by itself …
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:  # … or else
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()
