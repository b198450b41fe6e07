"""What can go wrong with a controller.

StationError
└── ControllerError                               anything about a controller
    ├── ControllerAddressError (ValueError)       an address that cannot be understood, or is not allowed
    ├── ControllerNotFoundError (ConnectionError) nothing there: no such port, nobody listens
    ├── ControllerBusyError (ConnectionError)     another station commands it, or another program has the port
    ├── ControllerDeniedError (PermissionError)   this user, or this key, may not open it
    ├── ControllerSilentError (TimeoutError)      the link opens, but nothing (or only noise) answers
    ├── ControllerSlowError (TimeoutError)        it answers, but too seldom or too late to be led
    ├── ControllerMismatchError (ConnectionError) other joints, another version, or something else altogether
    ├── ControllerLostError (ConnectionError)     it was there and is gone
    └── KeyFileError (ValueError)                 a key file that cannot be made or used (station/keys.py)

Only opening a controller raises these. Once open, it reports what happens by its status and never raises.
"""

from __future__ import annotations

from station.errors import StationError


class ControllerError(StationError):
    """Anything about a controller; the text is one line with the cause and what to do next."""


class ControllerAddressError(ControllerError, ValueError):
    """An address that cannot be understood, or that is not allowed as it stands."""


class ControllerNotFoundError(ControllerError, ConnectionError):
    """There is nothing at this address."""


class ControllerBusyError(ControllerError, ConnectionError):
    """Another station commands the arm, or another program has its port."""


class ControllerDeniedError(ControllerError, PermissionError):
    """This user, or this key, may not open it."""


class ControllerSilentError(ControllerError, TimeoutError):
    """The link opens, but no controller answers on it."""


class ControllerSlowError(ControllerError, TimeoutError):
    """The arm answers, but too seldom or too late to be led."""


class ControllerMismatchError(ControllerError, ConnectionError):
    """Other joints than the scene has, a version that this program does not speak, or something else altogether."""


class ControllerLostError(ControllerError, ConnectionError):
    """The controller was there and is gone."""
