"""Keys for links to other machines: each side has a public key file to give away and a secret one to keep.

The files are those of ZeroMQ's CURVE certificates, so other programs can read them. An arm keeps a folder with the
public keys of the stations that it lets in: its allow-list.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

import zmq
import zmq.auth

from station.controllers.errors import ControllerError

PUBLIC, SECRET = ".key", ".key_secret"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class KeyFileError(ControllerError, ValueError):
    """A key file that cannot be made or used; one line that says why."""


class KeyFiles(NamedTuple):
    """Where the two halves of a key lie."""

    public: Path  # to be given to the other side
    secret: Path  # to be kept


class Keys(NamedTuple):
    """Both halves of a key, as ZeroMQ takes them."""

    public: bytes
    secret: bytes


def keys_folder() -> Path:
    """Where keys are kept unless said otherwise."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "haptic-station" / "keys"


def located(file: Path) -> Path:
    """The file or folder itself if it is there, seen from the working folder; else that of this user's keys.

    `station keys` writes to the folder of this user's keys: what it made is found by its bare name.
    """
    place = file.expanduser()
    kept = keys_folder() / place
    return kept if not place.exists() and kept.exists() else place


def make_keys(name: str, folder: Path | None = None, replace: bool = False) -> KeyFiles:
    """Make a new pair of key files; existing ones are kept unless `replace`."""
    if not NAME.fullmatch(name):
        raise KeyFileError(f"{name!r} cannot name a key; use letters, digits, and _ . - after the first")
    place = keys_folder() if folder is None else folder
    files = KeyFiles(place / f"{name}{PUBLIC}", place / f"{name}{SECRET}")
    for file in files:
        if file.exists() and not replace:
            raise KeyFileError(f"{file} is there already; choose another name, or replace it on purpose")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        before = os.umask(0o077)  # nobody else may ever read the secret, not even for a moment
        try:
            zmq.auth.create_certificates(place, name)
        finally:
            os.umask(before)
        files.public.chmod(0o644)
    except OSError as error:
        raise KeyFileError(f"{place}: keys cannot be written there ({error.strerror})") from None
    return files


def read_public(file: Path) -> bytes:
    """The public key in a file of either kind."""
    return _read(located(file))[0]


def read_keys(file: Path) -> Keys:
    """Both halves, from the file that is kept secret; refused if others may read it."""
    file = located(file)
    public, secret = _read(file)
    if secret is None:
        raise KeyFileError(f"{file} holds no secret key; name the file that ends in {SECRET}")
    if file.stat().st_mode & 0o077:
        raise KeyFileError(f"{file} can be read by others; run: chmod 600 {file}")
    return Keys(public, secret)


def read_allowed(folder: Path) -> frozenset[bytes]:
    """The public keys in a folder: an allow-list. A folder that is not there, or a bad file in it, is an error."""
    folder = located(folder)
    if not folder.is_dir():
        raise KeyFileError(f"{folder} is no folder; make one and put the public keys of stations into it")
    return frozenset(read_public(file) for file in sorted(folder.glob(f"*{PUBLIC}")))


def opened_by(secret: Path, allowed: Path) -> dict[str, str]:
    """Options `server` and `key` by which a station of this user comes in where `secret` and `allowed` are used.

    Names that hold in any folder. Without a key of this user in the allow-list there is no `key`: it lies elsewhere.
    """
    public = located(secret).with_suffix(PUBLIC)
    options = {"server": _anywhere(public if public.exists() else located(secret))}
    guests = read_allowed(allowed)
    for file in (file for folder in (Path(), keys_folder()) for file in sorted(folder.glob(f"*{SECRET}"))):
        with contextlib.suppress(KeyFileError):
            if read_keys(file).public in guests:
                return {**options, "key": _anywhere(file)}
    return options


def _anywhere(file: Path) -> str:
    """A name for a file that holds in every working folder: the bare one among this user's keys."""
    place = file.absolute()
    return place.name if place.parent == keys_folder().absolute() else str(place)


def _read(file: Path) -> tuple[bytes, bytes | None]:
    try:
        public, secret = zmq.auth.load_certificate(file)
    except OSError as error:
        why = error.strerror or f"it is neither here nor in {keys_folder()}"
        raise KeyFileError(f"{file} cannot be read: {why}; make keys with: station keys NAME") from None
    except ValueError:
        raise KeyFileError(f"{file} holds no key; make keys with: station keys") from None
    for half in (public, secret):
        if half is not None and len(half) != 40:  # of Z85
            raise KeyFileError(f"{file}: its key is damaged; make keys with: station keys")
    return public, secret
