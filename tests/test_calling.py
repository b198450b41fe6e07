"""Compiled functions called by address."""

from __future__ import annotations

import numba
import pytest
from numba import types

from station.calling import Signature, address_of, by_address

MOVE = Signature(types.Tuple((types.int64, types.float64, types.boolean)), types.int64, types.float64)
NOTHING = Signature(types.none, types.int64)

call_move, call_nothing = by_address(MOVE), by_address(NOTHING)


@numba.njit
def move(steps, length):  # type: ignore[no-untyped-def]
    return steps + 1, 0.5 * length, steps > 3


@numba.njit
def nothing(_number):  # type: ignore[no-untyped-def]
    return


@numba.njit
def both(move_at, nothing_at, steps):  # type: ignore[no-untyped-def]
    call_nothing(nothing_at, (steps,))
    return call_move(move_at, (steps, 3.0))


def test_a_function_at_an_address_gives_what_it_gives_by_name() -> None:
    places = address_of(move, MOVE), address_of(nothing, NOTHING)
    assert both(*places, 7) == move(7, 3.0) == (8, 1.5, True)
    assert both(*places, 1) == (2, 1.5, False)


def test_one_address_after_the_other_without_compiling_again() -> None:
    @numba.njit
    def other(steps, length):  # type: ignore[no-untyped-def]
        return steps - 1, 2.0 * length, steps > 100

    nowhere = address_of(nothing, NOTHING)
    both(address_of(move, MOVE), nowhere, 1)
    compiled = len(both.signatures)
    assert both(address_of(other, MOVE), nowhere, 7) == (6, 6.0, False)
    assert len(both.signatures) == compiled


def test_a_function_that_returns_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="nothing returns none"):
        address_of(nothing, Signature(types.int64, types.int64))
