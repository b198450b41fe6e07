"""Whether anybody listens where an arm is said to be: asked before anything is started that takes long."""

from __future__ import annotations

import socket
from typing import Protocol, runtime_checkable

from station.controllers.errors import ControllerNotFoundError
from station.controllers.registry import load_scheme, parse_controller_address
from station.devices.address import Address

WITHIN = 1.0  # who does not answer so soon may still be there: opening it tells [s]


@runtime_checkable
class ListeningScheme(Protocol):
    """A scheme whose arms listen at a place of a network."""

    def listens_at(self, address: Address) -> tuple[str, int] | None:
        """Host and port, None if an address has none; raises a ControllerError for what cannot be opened as it is."""


def check_listening(url: str) -> None:
    """Raise the ControllerError that opening would, if that can be known at once: a wrong address, nobody there.

    A connection is made and let go; nothing is said over it.
    """
    address = parse_controller_address(url)
    scheme: object = load_scheme(address)
    place = scheme.listens_at(address) if isinstance(scheme, ListeningScheme) else None
    if place is None:
        return
    try:
        socket.create_connection((place[0].strip("[]"), place[1]), WITHIN).close()
    except ConnectionRefusedError:
        raise ControllerNotFoundError(
            f"{url}: nobody listens there; is the arm switched on and on the network, and is this its address?"
        ) from None
    except OSError:
        return  # the driver knows more of it
