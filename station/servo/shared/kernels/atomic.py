"""Words that two processes use at once: loads and stores that compiler and processor keep in order.

The order is that of C11. A store with `release` makes all that was written before visible to whoever sees it by a load
with `acquire`. Copies go word by word and are atomic, too, so that a torn word or an invented one is impossible.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from station.servo.shared.kernels.cache import kernel

Address = int  # in bytes; a multiple of 8

_WORD = 8  # [bytes]


def _loading(order: str) -> Any:
    """A function that loads a word in some order."""

    def load(_context: Any, _address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
            return builder.load_atomic(pointer, order, _WORD)

        return types.int64(types.int64), generate

    return intrinsic(load)


def _storing(order: str) -> Any:
    """A function that stores a word in some order."""

    def store(_context: Any, _address: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
            builder.store_atomic(arguments[1], pointer, order, _WORD)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return intrinsic(store)


def _fencing(order: str) -> Any:
    """A function that lets no load or store pass, as far as the order says."""

    def fence(_context: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            builder.fence(order)
            return context.get_dummy_value()

        return types.void(), generate

    return intrinsic(fence)


@intrinsic  # type: ignore[untyped-decorator]
def as_real(_context: Any, _word: Any) -> Any:
    """The bits of a word as a real number."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


load_acquire = _loading("acquire")
load_relaxed = _loading("monotonic")
store_release = _storing("release")
store_relaxed = _storing("monotonic")
fence_acquire = _fencing("acquire")
fence_release = _fencing("release")


@kernel
def copy(source: Address, target: Address, words: int) -> None:
    """Copy whole words; in no order among themselves."""
    for place in range(words):
        store_relaxed(target + 8 * place, load_relaxed(source + 8 * place))
