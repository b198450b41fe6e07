"""Kernels: called from Python, by each other and by address; what does not fit is refused, never run."""

from __future__ import annotations

import gc
import math
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from station.kernel import (
    Bools1,
    Bytes1,
    Callback,
    CFunction,
    Floats,
    Floats1,
    Floats2,
    Ints1,
    Kernel,
    KernelTypeError,
    Record,
    entry,
    field,
    kernel,
)
from station.kernel import library as libraries


class Pair(Record):
    """Two numbers."""

    x: float = field("m")
    y: float = field("m")


@kernel
def square(x: float) -> float:
    return x * x


@entry
def distance(a: Floats1, b: Floats1) -> float:
    return math.sqrt(square(a[0] - b[0]) + square(a[1] - b[1]))


@entry
def twice_the_distance(a: Floats1, b: Floats1) -> float:
    return 2.0 * distance(a, b)


@entry
def everything(
    whole: int, real: float, truth: bool, pair: Pair, ints: Ints1, bytes_: Bytes1, bools: Bools1
) -> tuple[int, float, bool, tuple[float, float]]:
    return whole + ints[0] + bytes_[0], real + 0.5, truth and bools[0], (pair.x, pair.y)


@entry
def nothing(table: Floats2) -> None:
    table[0, 0] = 1.0


@entry
def fails(a: Floats1, b: Floats1) -> None:
    a[:] = b


@entry
def sums(count: int) -> float:
    made = np.zeros(count)
    for i in range(count):
        made[i] = i
    return float(made.sum())


MOVE = Callback(tuple[int, float], int, float)


@entry
def move(steps: int, length: float) -> tuple[int, float]:
    return steps + 1, 0.5 * length


@entry
def call_move(place: int, steps: int) -> float:
    number, length = MOVE(place, steps, 3.0)
    return float(number + length)


_sleep = CFunction("i4", "i4", symbol="usleep")
_absolute = CFunction("i4", "i4", symbol="abs")


@entry(nogil=True)
def sleep(micros: int) -> int:
    return int(_sleep(micros))


@entry
def absolute(whole: int) -> int:
    return int(_absolute(whole))


def test_kernels_call_each_other_in_one_piece_and_apart() -> None:
    a, b = np.zeros(2), np.array([3.0, 4.0])
    assert distance(a, b) == 5.0
    assert twice_the_distance(a, b) == 10.0
    assert square(3.0) == 9.0
    assert square(3) == 9  # as a whole number: kernels that are no entries take what they are given


def test_all_kinds_of_values_cross_the_border() -> None:
    ints, some_bytes, bools = np.array([5]), np.array([7], np.uint8), np.array([True])
    answer = everything(1, 2.0, True, Pair(x=3.0, y=4.0), ints, some_bytes, bools)
    assert answer == (13, 2.5, True, (3.0, 4.0))
    assert [type(part) for part in answer] == [int, float, bool, tuple]
    assert everything(np.int64(1), 2, np.False_, Pair(), ints, some_bytes, bools)[:3] == (13, 2.5, False)  # type: ignore[arg-type]
    table = np.zeros((2, 2))
    assert nothing(table) is None
    assert table[0, 0] == 1.0


wrongly: Any = SimpleNamespace(distance=distance, move=move, everything=everything, square=square)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: wrongly.distance(np.zeros(2)), "distance takes 2 arguments: a, b"),
        (lambda: wrongly.distance(1.0, 2.0), "distance: a is a C-contiguous array of float64 with 1 dimension"),
        (lambda: wrongly.distance(np.zeros(2), np.zeros((2, 2))), "distance: b is a C-contiguous array"),
        (lambda: wrongly.distance(np.zeros(2), np.zeros(4)[::2]), "distance: b is a C-contiguous array"),
        (lambda: wrongly.distance(np.zeros(2), np.zeros(2, int)), "distance: b is a C-contiguous array"),
        (lambda: wrongly.distance(np.zeros(2), np.zeros(2, ">f8")), "distance: b is a C-contiguous array"),
        (lambda: wrongly.distance(np.zeros(2), [0.0, 1.0]), "distance: b is a C-contiguous array"),
        (lambda: wrongly.move(1.5, 2.0), "'float' object cannot be interpreted as an integer"),
        (lambda: wrongly.move(1, "x"), "must be real number, not str"),
        (lambda: wrongly.everything(1, 2.0, True, 3, 4, 5, 6), "everything: pair is a Pair"),
        (lambda: wrongly.square("x"), "kernels take numbers, arrays, tuples and records"),
        (lambda: wrongly.square(np.zeros(4)[::2]), "wanted: one piece of numbers"),
    ],
)
def test_wrong_arguments_are_refused(call: object, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()  # type: ignore[operator]


def test_an_error_in_machine_code_reaches_python() -> None:
    with pytest.raises(RuntimeError, match="fails raised"):
        fails(np.zeros(2), np.zeros(3))


def test_by_address_the_whole_signature_is_checked() -> None:
    assert call_move(MOVE.address_of(move), 4) == 6.5
    with pytest.raises(
        KernelTypeError, match=r"distance> is \(f8\[:\], f8\[:\]\) -> f8, wanted: \(i8, f8\) -> \(i8, f8\)"
    ):
        MOVE.address_of(distance)
    with pytest.raises(KernelTypeError, match="by kernels only"):
        MOVE(1, 2)
    other = Callback(tuple[int, float], int, int)  # returns the same, takes something else
    with pytest.raises(KernelTypeError, match="wanted"):
        other.address_of(move)


def test_functions_of_c_by_their_symbol() -> None:
    assert absolute(-4) == 4


def test_memory_that_a_kernel_makes_is_given_back() -> None:
    sums(100_000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        assert sums(100_000) == 4999950000.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # [kB]; 800 MB if it were kept


def test_other_threads_run_while_an_entry_without_gil_waits() -> None:
    sleep(1)
    ended: list[float] = []

    def wait() -> None:
        sleep(300_000)
        ended.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    turns = 0
    while not ended and turns < 10_000_000:
        turns += 1
    thread.join()
    assert turns > 1000  # it would be 1, if the waiting held the lock


@kernel
def untyped(a: Floats, factor: float) -> float:
    return float(a[0] * factor)


def test_a_kernel_whose_annotations_leave_something_open_takes_what_fits() -> None:
    assert untyped(np.array([2.0]), 3.0) == 6.0
    with pytest.raises(KernelTypeError, match=r"untyped: .* say how many dimensions"):
        _ = untyped.signature  # type: ignore[attr-defined]


def test_what_numba_refuses_is_said_with_the_kernel() -> None:
    @kernel
    def wrong(x: float) -> float:
        return x.no_such_thing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(KernelTypeError, match=r"(?s)wrong>: .*no_such_thing"):
        wrong(1.0)


def test_without_a_linker_object_files_are_loaded_by_llvmlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "folder", lambda: tmp_path)
    monkeypatch.setattr(libraries, "linker", lambda: None)

    def shifted(x: float) -> float:
        return x + 1.0

    def shifted_twice(x: float) -> float:
        return float(once(once(x)))

    once = Kernel(shifted, is_entry=True, inline=False)
    assert Kernel(shifted_twice, is_entry=True, inline=False)(1.0) == 3.0
    assert len(list(tmp_path.glob("*.o"))) == 2
    assert not list(tmp_path.glob("*.so"))


def test_a_process_that_only_runs_kernels_does_not_load_the_compiler() -> None:
    code = (
        "import sys, station; arm = station.load('ur5e')['ur5e']; arm.reach(6, arm.pose(6));"
        "print([name for name in ('numba', 'llvmlite') if name in sys.modules])"
    )
    run = [sys.executable, "-c", code]
    subprocess.run(run, check=True, capture_output=True)  # compiled by now
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip() == "[]"
