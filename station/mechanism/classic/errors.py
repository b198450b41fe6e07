"""What can go wrong here.

StationError
└── ClassicError (ValueError)       a question that cannot be asked so: unknown names, wrong shapes, values out of place
    ├── NotSerialError              the path to the frame is part of a loop or coupled with other joints
    └── OutsideDomainError          the method cannot treat this mechanism or this kind of target
"""

from __future__ import annotations

from station.errors import StationError


class ClassicError(StationError, ValueError):
    """A question to the methods of the books that cannot be asked so."""


class NotSerialError(ClassicError):
    """The path from the base to the frame is not a free serial chain; the message names links and constraint."""


class OutsideDomainError(ClassicError):
    """The method cannot treat this mechanism or target; the message names links and offsets."""
