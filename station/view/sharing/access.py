"""Who may watch: the rules of the arm's link. Plain on this machine only, CURVE keys and an allow-list elsewhere."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

import zmq
from zmq.utils import z85

from firmware_bridge.arm.curve import ClientKeys, Endpoint, parse_endpoint
from station.devices.address import Address, parse_address
from station.errors import StationError
from station.keys import SECRET, Keys, keys_folder, read_allowed, read_keys, read_public
from station.view.sharing.errors import ShareAddressError

DOOR = "inproc://zeromq.zap.01"  # where libzmq asks who may come in, once per context (ZAP, RFC 27)
MOST_AT_ONCE = 16
ALLOWED = "watchers"  # folder of the allow-list, among the keys, unless said otherwise


class Lock(NamedTuple):
    """What a publisher needs beyond this machine."""

    own: Keys
    allowed: frozenset[bytes]  # public keys of those who may watch


def place_to_publish(url: str) -> tuple[Endpoint, Lock | None]:
    """Where to publish, `tcp://host:port?key=FILE&allowed=FOLDER`; port 0: any that is free.

    Raises:
        ShareAddressError: in one line, also for a plain address that other machines can reach.
    """
    address, endpoint = _taken_apart(url, {"key", "allowed"}, lowest_port=0)
    if not address.options and endpoint.is_loopback:
        return endpoint, None
    secret = Path(address.options.get("key") or keys_folder() / f"station{SECRET}").expanduser()
    folder = Path(address.options.get("allowed") or keys_folder() / ALLOWED).expanduser()
    if not address.options and not (secret.exists() and folder.is_dir()):
        raise ShareAddressError(
            f"{url}: a station that other machines can watch must be encrypted; make keys with: station keys station, "
            f"put the public keys of those who may watch into {folder}"
        )
    return endpoint, Lock(read_keys(secret), read_allowed(folder))


def place_to_watch(url: str) -> tuple[Endpoint, ClientKeys | None]:
    """Where a station is published, `tcp://host:port?server=FILE&key=FILE`.

    Raises:
        ShareAddressError: in one line, also for a plain address of another machine.
    """
    address, endpoint = _taken_apart(url, {"server", "key"}, lowest_port=1)
    server, own = address.options.get("server"), address.options.get("key")
    if server is None:
        if own is not None:
            raise ShareAddressError(f"{url}: key needs server too: the file with the station's public key")
        if endpoint.is_loopback:
            return endpoint, None
        raise ShareAddressError(
            f"{url}: a link to another machine must be encrypted; add ?server=FILE with the station's public key, "
            "and &key=FILE with your secret one; make keys with: station keys"
        )
    secret = Path(own).expanduser() if own else keys_folder() / f"station{SECRET}"
    return endpoint, ClientKeys(read_keys(secret), read_public(Path(server).expanduser()))


def _taken_apart(url: str, options: set[str], lowest_port: int) -> tuple[Address, Endpoint]:
    try:
        address = parse_address(url)
        if address.scheme != "tcp":
            raise ShareAddressError(f"{url}: write tcp://host:port, for example tcp://127.0.0.1:5601")
        address.allow(options)
        return address, parse_endpoint(address, lowest_port)
    except ShareAddressError:
        raise
    except StationError as error:
        raise ShareAddressError(str(error)) from None


class Guard:
    """Answers ZeroMQ's questions about keys; must be attended often, since handshakes wait for it."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], allowed: frozenset[bytes]) -> None:
        self._allowed = allowed
        self.refused = 0
        self.door: zmq.Socket[bytes] = context.socket(zmq.REP)
        self.door.linger = 0
        self.door.bind(DOOR)

    def attend(self) -> None:
        """Answer whoever knocks; never waits."""
        with contextlib.suppress(zmq.ZMQError):
            for _ in range(MOST_AT_ONCE):
                asked = self.door.recv_multipart(zmq.NOBLOCK)
                known = len(asked) == 7 and asked[5] == b"CURVE" and z85.encode(asked[6]) in self._allowed
                self.refused += not known
                code, text = (b"200", b"OK") if known else (b"400", b"unknown key")
                number = asked[1] if len(asked) > 1 else b""
                self.door.send_multipart([b"1.0", number, code, text, b"", b""], zmq.NOBLOCK)

    def close(self) -> None:
        """Leave the door."""
        self.door.close(0)
