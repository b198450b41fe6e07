"""Talking to a device from compiled code, without Python in between: `Device.swift`.

A driver that can do it gives two kernels by address, the record that they share with the tick, and a record of its own.
Whatever is not usual, they leave to `newest` and `command`, which see to it: a lost link, a fault, a handshake. So a
driver is complete without this, and only faster with it.

    class Wire(Record):                                     # whatever the driver needs, by the address of the record
        descriptor: int

    wire_at = RecordAt(Wire)

    @entry
    def receive(state: SwiftState, memory: int, now: float) -> Received:
        wire = wire_at(memory)
        …                                                   # bytes read from wire.descriptor
        state.pose[0, 3], state.sequence = x, sequence
        state.heard = now
        return Received.FRESH

    @entry
    def transmit(state: SwiftState, memory: int, now: float) -> Transmitted:
        …                                                   # state.wrench, or zeros unless state.force
        return Transmitted.SENT

    Swift(RECEIVE.address_of(receive), TRANSMIT.address_of(transmit), wire.address, state)

The driver keeps both records for as long as it may be asked, and sets `as_usual` and `force` as its status changes;
`firmware_bridge/linked.py` does that for drivers that build upon it.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from station.kernel import Callback, Floats1, Floats2, Record, field


class Received(IntEnum):
    """Answers of `receive`."""

    FRESH = 0  # the sample in `SwiftState` is new
    NOTHING_NEW = 1
    LOOK = 2  # call `newest`, which knows what has come


class Transmitted(IntEnum):
    """Answers of `transmit`."""

    SENT = 0
    NOT_SENT = 1  # call `command`


class SwiftState(Record):
    """What a driver and its compiled callers tell each other."""

    # The newest sample, as in `Sample`: by the driver.
    pose: Floats2 = field("m", "of the handle, device frame", shape=(4, 4))
    velocity: Floats1 = field("m/s, rad/s", "of the handle, device frame", shape=6)
    buttons: int = field("", "bit i: button i is down")
    grip: float = field("", "0 open … 1 closed")
    device_time: float = field("s", "of the sample, by the clock of the device")
    sequence: int = field("", "counts samples as the device made them")
    # How the driver is doing: by the driver.
    force: bool = field("", "forces are let through")
    as_usual: bool = field("", "READY, and the last sample was good: `receive` and `transmit` may be called")
    heard: float = field("s", "when the last good sample came", default=-math.inf)
    # What is to be sent: by the caller.
    wrench: Floats1 = field("N, N·m", "on the hand", shape=6)
    stands: bool = field("", "no robot follows the hand just now, for a light that tells the person")


RECEIVE = Callback(Received, SwiftState, int, float)  # (state, memory of the driver, now [s])
TRANSMIT = Callback(Transmitted, SwiftState, int, float)  # (state, memory of the driver, now [s])


class Swift(NamedTuple):
    """How compiled code reaches a device."""

    receive: int  # address of a kernel; after FRESH the sample is in `state`
    transmit: int  # address of a kernel; sends the wrench in `state`, zeros unless `force`
    memory: int  # address of a record of the driver's own, which both are called with
    state: SwiftState
