"""Compiling what is missing: on all processors at once, and only what is asked for."""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from station.child import python_module
from station.kernel.kernel import ENTRIES, Kernel
from station.kernel.library import entries_in, find, folder, keep, size_of, symbol_of
from station.kernel.types import KernelTypeError, Signature

Progress = Callable[[str], object]

IDLE = 10.0  # after so long a worker without work ends [s]

_tell: list[Progress] = []  # of processes that run on and report it
_screen: list[Progress] = []  # a person at a terminal


@contextmanager
def progress(tell: Progress) -> Iterator[None]:
    """While it lasts `tell` hears a line about every kernel that is compiled."""
    _tell.append(tell)
    try:
        yield
    finally:
        _tell.remove(tell)


@contextmanager
def shown() -> Iterator[None]:
    """While it lasts a person at a terminal sees what is compiled, unless somebody hears it already."""
    if _tell or _screen or not sys.stderr.isatty():
        yield
        return
    width = 0

    def tell(line: str) -> None:
        nonlocal width
        sys.stderr.write(f"\r{line.ljust(width)}")
        sys.stderr.flush()
        width = len(line)

    _screen.append(tell)
    try:
        yield
    finally:
        _screen.remove(tell)
        sys.stderr.write(f"\r{' ' * width}\r")
        sys.stderr.flush()


def _say(line: str) -> None:
    for tell in (*_tell, *_screen):
        tell(line)


def missing(kernels: Iterable[Kernel] | None = None) -> list[Kernel]:
    """Entries that are not on disk; of all that are declared in loaded modules if none are named."""
    asked = list(ENTRIES if kernels is None else kernels)
    every = dict.fromkeys(asked)
    for one in asked:
        for other in entries_in(one):
            if other not in every:
                every[other] = None
                asked.append(other)
    return [one for one in every if find(symbol_of(one, one.signature)) is None]


def build_all(kernels: Iterable[Kernel] | None = None) -> int:
    """Compile what is missing, on all processors; returns how many that were."""
    wanted = missing(kernels)
    if not wanted:
        return 0
    with _alone():
        wanted = [one for one in wanted if find(symbol_of(one, one.signature)) is None]
        abroad = [one for one in wanted if _importable(one)]
        here = [one for one in wanted if not _importable(one)]
        if len(abroad) == 1:
            here, abroad = here + abroad, []
        _build_abroad(abroad)
        for one in here:
            _build_here(one, one.signature)
    return len(wanted)


def build(kernel: Kernel, signature: Signature) -> None:
    """Compile one that is needed now; with it what else is missing nearby, as it is likely to be needed, too.

    Nearby is its file; for a process that reports what it compiles, as one that is started to run on, its folder.
    """
    with shown():
        if kernel.is_entry and _importable(kernel):
            build_all([kernel, *_near(kernel)])
        if find(symbol_of(kernel, signature)) is None:
            build_all([one for one in entries_in(kernel) if one is not kernel])
            _build_here(kernel, signature)


def _near(kernel: Kernel) -> list[Kernel]:
    def place(one: Kernel) -> str:
        module = str(one.function.__module__)
        return module.rpartition(".")[0] if _tell else module

    return [one for one in ENTRIES if place(one) == place(kernel) and _importable(one)]


def _build_here(kernel: Kernel, signature: Signature) -> None:
    from station.kernel.compiler import object_code

    _say(f"compiling once for this machine: {kernel.function.__name__}")
    keep(symbol_of(kernel, signature), object_code(kernel, signature))


def _build_abroad(kernels: list[Kernel]) -> None:
    """Compile in processes of their own, as many as there are processors; the largest first, lest one comes last."""
    tasks = [(one.function.__module__, one.function.__qualname__) for one in sorted(kernels, key=size_of, reverse=True)]
    is_done = False
    try:
        _share_out(tasks, _hired(min(os.cpu_count() or 1, len(tasks))))
        is_done = True
    finally:
        if _tell or not is_done:
            _dismiss()


def _hired(count: int) -> list[_Worker]:
    """Workers without work: a compiler takes a second to load, and remembers what it has translated."""
    for worker in [one for one in _workers if not one.stays]:
        worker.close()
        _workers.remove(worker)
    while len(_workers) < count:
        _workers.append(_Worker())
    return _workers[:count]


def _dismiss() -> None:
    while _workers:
        _workers.pop().close()


atexit.register(_dismiss)


def _share_out(tasks: list[tuple[str, str]], workers: list[_Worker]) -> None:
    """Give every worker one task after the other, and say what is done."""
    done, total, begun = 0, len(tasks), time.monotonic()
    for worker in workers:
        worker.ask(tasks.pop(0))
    busy = list(workers)
    while busy:
        for worker in list(busy):
            answer = worker.answer()
            if answer is None:
                continue
            if "error" in answer:
                raise KernelTypeError(answer["error"])
            done += 1
            spent = time.monotonic() - begun
            _say(f"compiling once for this machine: {answer['name']}, {done} of {total}, {spent:.0f} s")
            if tasks:
                worker.ask(tasks.pop(0))
            else:
                busy.remove(worker)
        time.sleep(0.005)


class _Worker:
    """A process that compiles what it is told, one after the other."""

    def __init__(self) -> None:
        command, pipe = python_module("station.kernel.build"), subprocess.PIPE
        environment = {**os.environ, "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1"}  # it paints even what it drops
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)  # noqa: S603
        self._idle_since: float | None = None  # None: it has not answered yet
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    @property
    def stays(self) -> bool:
        """Whether it takes another task: not when it is about to end, or has."""
        since = time.monotonic() if self._idle_since is None else self._idle_since
        return self._process.poll() is None and time.monotonic() - since < 0.5 * IDLE

    def ask(self, task: tuple[str, str]) -> None:
        """Compile a kernel, by module and name."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any] | None:
        """What it said since; None: it is still at work."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            answer = dict(json.loads(line))
            self._idle_since = answer["now"]
            return answer
        if self._process.poll() is not None:
            return {"error": f"a compiling process ended with {self._process.returncode}"}
        return None

    def close(self) -> None:
        """End it, whatever it does: a file is on disk whole or not at all."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


_workers: list[_Worker] = []  # for what is asked next


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time compiles; the others wait and find it done."""
    folder().mkdir(parents=True, exist_ok=True)
    with (folder() / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _importable(kernel: Kernel) -> bool:
    """Whether another process finds it by module and name."""
    module = sys.modules.get(kernel.function.__module__)
    spec = getattr(module, "__spec__", None)
    if spec is None or module is None or module.__name__ == "__main__" or module.__name__.startswith("test"):
        return False
    return getattr(module, kernel.function.__qualname__, None) is kernel


def main() -> None:
    """A worker: reads modules and names, one a line, and compiles."""
    from station.kernel import compiler  # noqa: F401 # already while the first task is looked for

    gc.freeze()
    gc.set_threshold(100_000, 20, 100)  # a compiler makes many objects that live long: looked at less often
    while select.select([sys.stdin], [], [], IDLE)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        module, name = json.loads(line)
        try:
            kernel = getattr(importlib.import_module(module), name)
            _build_here(kernel, kernel.signature)
            answer = {"name": name}
        except Exception as error:
            answer = {"error": f"{module}.{name}: {error}"}
        sys.stdout.write(json.dumps({**answer, "now": time.monotonic()}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
