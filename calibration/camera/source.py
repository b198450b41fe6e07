"""Where pictures come from: an IP camera over HTTP, or files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

import numpy as np

from calibration.camera.detecting import read_picture
from calibration.camera.opencv import opencv
from calibration.errors import DataError
from calibration.leading import SensorLostError

PATIENCE = 5.0  # for a picture [s]
LARGEST = 50_000_000  # bytes of a picture
KINDS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm")


class Taken(NamedTuple):
    """A picture in grey and the serial number of its camera, if that tells it."""

    picture: Any
    serial_number: str


def take(url: str) -> Taken:
    """The picture of this moment from a camera at an address such as http://10.0.0.5/axis-cgi/jpg/image.cgi.

    Raises a SensorLostError if the camera does not answer, a DataError for what is no picture.
    """
    if not url.startswith(("http://", "https://")):
        raise DataError(f"{url}: not the address of a camera; allowed: http://host/path of its picture")
    try:
        with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - http and https only, checked above
            data = answer.read(LARGEST + 1)
            serial = str(answer.headers.get("X-Serial-Number", ""))
    except (URLError, OSError) as error:
        raise SensorLostError(f"{url}: the camera does not answer: {getattr(error, 'reason', error)}") from None
    picture = opencv().imdecode(np.frombuffer(data, dtype=np.uint8), 0) if len(data) <= LARGEST else None
    if picture is None:
        raise DataError(f"{url}: what came is no picture")
    return Taken(picture, serial)


def without_password(url: str) -> str:
    """An address without who may look at it, as a file may keep it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def pictures_in(paths: list[Path]) -> list[tuple[str, Any]]:
    """Names and pictures of files, and of all files in folders, in the order of their names."""
    files: list[Path] = []
    for path in paths:
        files += sorted(one for one in path.iterdir() if one.suffix.lower() in KINDS) if path.is_dir() else [path]
    if not files:
        raise DataError("no picture there; name files or a folder of them")
    return [(file.name, read_picture(file)) for file in files]
