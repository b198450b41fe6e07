"""What `run_tick` is connected to: addresses of parts and memories, and numbers of the tick under way.

The parts are compiled each on its own and called by address (`station.calling`); so a change of one costs only its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from station.calling import Signature, address_of, by_address
from station.devices.swift import Swift
from station.mechanism.kernels.step import step
from station.servo.kernels.decide import decide, supervise
from station.servo.kernels.feel import feel
from station.servo.kernels.show import show_tick
from station.servo.shared.kernels.commands import waiting

_I, _F, _B, _NONE = types.int64, types.float64, types.boolean, types.none

SUPERVISE = Signature(_B, _I, _F, _B, _B, _I, _F)
DECIDE = Signature(_NONE, _I, _I, _F, _B, _B, _I, _F, _F, _I)
STEP = Signature(types.Tuple((_I, _F, _F, _F, _B)), _I, _I, _I, _I, _F)
FEEL = Signature(_NONE, _I, _I, _F, _F, _B, _B, _F, _F)
SHOW = Signature(_NONE, _I, _I, _I, _I, _I, _I, _F, _F, _I, _B, _B, _F, _I)
WAITING = Signature(_B, _I)

call_supervise, call_decide, call_step = by_address(SUPERVISE), by_address(DECIDE), by_address(STEP)
call_feel, call_show, call_waiting = by_address(FEEL), by_address(SHOW), by_address(WAITING)

# Words: addresses of memories, then of parts; 0: there is none.
PACE, MEMORY, ROBOT, SHARED, LINK, INTAKE, DELAY, NUMBERS = range(8)
SWIFT_RECEIVE, SWIFT_TRANSMIT, SWIFT_MEMORY, SWIFT_NUMBERS = 8, 9, 10, 11
P_SUPERVISE, P_DECIDE, P_STEP, P_FEEL, P_SHOW, P_WAITING = 12, 13, 14, 15, 16, 17
WAITS_IN_PYTHON, HAS_ARM, HAS_OBSTACLES = 18, 19, 20  # 1: Python has a part in every tick
WORDS = 21

# Numbers of the tick under way: the sample,
FRESH, BUTTONS, GRIP, DEVICE_TIME, ARRIVAL, SEQUENCE = range(6)
# the device,
DEVICE_READY, DEVICE_BAD, DEVICE_CODE, DEVICE_CHANGED = 6, 7, 8, 9  # CHANGED: another status than in the tick before
FORCE_ENABLED = 10
# time,
NOW, STEP_TIME, LAST, SENT = 11, 12, 13, 14  # SENT: when the force was out [ns], the others [s]
PERIOD, LONGEST_STEP, DAY = 15, 16, 17  # constants; DAY: time of the day at the clock's zero [s]
# the supervisor and the solver.
READY, RESYNC, CONTACTS = 18, 19, 20
WAS_ENGAGED, PUSHES = 21, 22  # PUSHES: the device let forces through when the hand took hold
STOP_BUTTON = 23  # of the device, an emergency stop; -1: none
NUMBERS_SIZE = 24


class Wiring:
    """Both arrays of one servo; `address` is what `run_tick` is called with."""

    def __init__(self, **memories: int) -> None:
        self.words = np.zeros(WORDS, np.int64)
        self.array = np.zeros(NUMBERS_SIZE)
        self.numbers = memoryview(self.array.data).cast("B").cast("d")  # single ones are reached faster
        self.words[NUMBERS] = self.array.ctypes.data
        for name, address in memories.items():
            self.words[globals()[name]] = address
        for place, part, signature in (
            (P_SUPERVISE, supervise, SUPERVISE),
            (P_DECIDE, decide, DECIDE),
            (P_STEP, step, STEP),
            (P_FEEL, feel, FEEL),
            (P_SHOW, show_tick, SHOW),
            (P_WAITING, waiting, WAITING),
        ):
            self.words[place] = address_of(part, signature)
        self.address: int = self.words.ctypes.data
        self._kept: Any = None

    def connect(self, swift: Swift | None) -> None:
        """Talk to this device, as long as all is as usual with it."""
        if swift is self._kept:
            return
        self._kept = swift  # its memory must live as long as it is in use here
        places = [SWIFT_RECEIVE, SWIFT_TRANSMIT, SWIFT_MEMORY, SWIFT_NUMBERS]
        self.words[places] = (
            (0, 0, 0, 0) if swift is None else (swift.receive, swift.transmit, swift.memory, swift.numbers.ctypes.data)
        )
