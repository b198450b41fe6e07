"""Measuring instruments: laser trackers, cameras, arms with a probe; lines of JSON over TCP, see docs/calibration.md.

errors.py     what can go wrong
lines.py      bytes ⇄ questions and readings
driver.py     `open_instrument`: an instrument at an address
"""

from firmware_bridge.instrument.driver import TcpInstrument, open_instrument
from firmware_bridge.instrument.errors import (
    InstrumentAddressError,
    InstrumentError,
    InstrumentLostError,
    NotSeenError,
)
from firmware_bridge.instrument.lines import About, Reading

__all__ = [
    "About",
    "InstrumentAddressError",
    "InstrumentError",
    "InstrumentLostError",
    "NotSeenError",
    "Reading",
    "TcpInstrument",
    "open_instrument",
]
