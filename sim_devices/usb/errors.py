"""The errors of pyusb as libusb raises them: same class, same number, same words."""

from __future__ import annotations

import errno

from usb.core import USBError, USBTimeoutError  # type: ignore[import-untyped]


def _error(text: str, libusb_code: int, number: int) -> OSError:
    error: OSError = USBError(text, libusb_code, number)
    return error


def no_device() -> OSError:
    """It has been unplugged."""
    return _error("No such device (it may have been disconnected)", -4, errno.ENODEV)


def access_denied() -> OSError:
    """This user may not open it."""
    return _error("Access denied (insufficient permissions)", -3, errno.EACCES)


def busy() -> OSError:
    """Somebody else has the interface."""
    return _error("Resource busy", -6, errno.EBUSY)


def stalled() -> OSError:
    """The device refuses a request."""
    return _error("Pipe error", -9, errno.EPIPE)


def input_output() -> OSError:
    """The transfer broke off; what a hub reports in the moment of unplugging."""
    return _error("Input/Output Error", -1, errno.EIO)


def timed_out() -> OSError:
    """Nothing came, or nothing was taken, in the time allowed."""
    error: OSError = USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
    return error
