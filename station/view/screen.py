"""Whether there is a screen for a window. Asked before Qt is: without one, Qt ends the whole process."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from station.view.errors import NoGraphicsError

INSTEAD = "pictures need no screen: station view FILE --png out.png"
TIMEOUT = 2.0  # [s]


def check_screen() -> None:
    """Raises NoGraphicsError in one line, if no window can be opened."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0]
    if platform and platform not in ("xcb", "wayland"):
        return  # somebody knows what they want: offscreen, vnc, a frame buffer
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    display = os.environ.get("DISPLAY")
    if not display:
        raise NoGraphicsError(f"no screen (DISPLAY is not set); {INSTEAD}")
    if not _answers(display):
        raise NoGraphicsError(f"no screen answers at DISPLAY={display}; {INSTEAD}")


def _answers(display: str) -> bool:
    host, _, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 (where X servers have their sockets)
        return any(
            _connects(socket.AF_UNIX, address)
            for address in (f"\0{path}", path)
            if address[0] == "\0" or Path(path).exists()
        )
    return _connects(socket.AF_INET, (host, 6000 + int(number)))


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family) as trial:
        trial.settimeout(TIMEOUT)
        try:
            trial.connect(address)
        except OSError:
            return False
    return True
