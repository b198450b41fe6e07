"""What can go wrong between a station and those who watch it.

SharingError (ViewError, ConnectionError)
├── ShareAddressError (ValueError)   an address or key that is not allowed
└── PublicationError (ValueError)    a message that cannot be used
"""

from __future__ import annotations

from station.view.errors import ViewError


class SharingError(ViewError, ConnectionError):
    """Nobody publishes, or they do not let us in."""


class ShareAddressError(SharingError, ValueError):
    """An address or key that is not allowed."""


class PublicationError(SharingError, ValueError):
    """A message that cannot be used: malformed, truncated, of another version."""
