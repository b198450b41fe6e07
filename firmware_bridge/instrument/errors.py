"""What can go wrong with a measuring instrument; every message is one line.

InstrumentError (StationError)
├── InstrumentAddressError (ValueError)    no address of an instrument
├── InstrumentLostError (ConnectionError)  not there, silent, gone, or it says what nobody understands
└── NotSeenError (ValueError)              it is there, but cannot measure this pose: go on with another
"""

from __future__ import annotations

from station.errors import StationError


class InstrumentError(StationError):
    """Anything about an instrument."""


class InstrumentAddressError(InstrumentError, ValueError):
    """An address that cannot be understood."""


class InstrumentLostError(InstrumentError, ConnectionError):
    """An instrument that is not there, or not any more."""


class NotSeenError(InstrumentError, ValueError):
    """A pose that the instrument cannot measure."""
