"""Procedures that wait without blocking: they yield whenever there is nothing to do yet.

A thread runs such a procedure on wall time, where reading waits for the chip; on a virtual clock, where nothing waits,
it goes on a little at every call of the driver. So there is one procedure for both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from firmware_bridge.falcon.ftdi import FtdiLink
from station.clock import Clock

Result = TypeVar("Result")
Steps = Generator[None, None, Result]
Report = Callable[[str], None]  # told what is going on, for people


def pause(clock: Clock, duration: float) -> Steps[None]:
    """Let `duration` [s] pass."""
    end = clock.now() + duration
    while clock.now() < end:
        yield


def read_until(link: FtdiLink, clock: Clock, enough: Callable[[bytes], bool], timeout: float) -> Steps[bytes]:
    """Bytes that come in until there are enough of them or `timeout` [s] is over, whichever is first."""
    data = b""
    end = clock.now() + timeout
    while True:
        data += link.read()
        if enough(data) or clock.now() >= end:
            return data
        yield


def at_least(count: int) -> Callable[[bytes], bool]:
    """For `read_until`: that many bytes are enough."""
    return lambda data: len(data) >= count
