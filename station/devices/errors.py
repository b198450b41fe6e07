"""What can go wrong with a device.

StationError
└── DeviceError                               anything about a device
    ├── AddressError (ValueError)             an address that cannot be understood; lists what there is
    ├── DeviceNotFoundError (ConnectionError) nothing there: no such port, not plugged in
    ├── DeviceBusyError (ConnectionError)     another program has it
    ├── DeviceDeniedError (PermissionError)   this user may not open it
    ├── DeviceSilentError (TimeoutError)      the port opens, but nothing (or only noise) answers
    ├── DeviceMismatchError (ConnectionError) something else is there, or another version of it
    ├── DeviceLostError (ConnectionError)     it was there and is gone
    ├── SettingsError (ValueError)            a setting out of its range (parameter.py)
    └── GeometryError (ValueError)            dimensions that make no device (syntaxer/checks.py)

Only opening a device raises these. Once open, a device reports what happens by its status and never raises.
"""

from __future__ import annotations

from station.errors import StationError


class DeviceError(StationError):
    """Anything about a device; the text is one line with the cause and what to do next."""


class AddressError(DeviceError, ValueError):
    """An address that cannot be understood."""


class DeviceNotFoundError(DeviceError, ConnectionError):
    """There is nothing at this address."""


class DeviceBusyError(DeviceError, ConnectionError):
    """Another program has the device."""


class DeviceDeniedError(DeviceError, PermissionError):
    """This user may not open the device."""


class DeviceSilentError(DeviceError, TimeoutError):
    """The port opens, but no device answers on it."""


class DeviceMismatchError(DeviceError, ConnectionError):
    """Something else is at this address, or a version that this program does not speak."""


class DeviceLostError(DeviceError, ConnectionError):
    """The device was there and is gone."""
