"""Who may talk to whom over ZeroMQ: plain on this machine only, CURVE keys everywhere else."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import NamedTuple

import zmq

from station.controllers.errors import ControllerAddressError
from station.devices.address import Address
from station.keys import SECRET, Keys, read_allowed, read_keys, read_public


class Endpoint(NamedTuple):
    """Host and port of a tcp address."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"tcp://{self.host}:{self.port}"

    def at(self, port: int) -> str:
        """Another port of the same host."""
        return f"tcp://{self.host}:{port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it can be reached from this machine only."""
        name = self.host.strip("[]")
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost"


def parse_endpoint(address: Address, lowest_port: int = 1) -> Endpoint:
    """Host and port of `tcp://host:port`."""
    host, colon, port = address.place.removeprefix("//").rpartition(":")
    good = address.place.startswith("//") and colon and host and port.isdecimal() and not set(host) & set("/@?# ")
    if not good or not lowest_port <= int(port) <= 65535:
        raise ControllerAddressError(f"{address.url}: write tcp://host:port, for example tcp://127.0.0.1:5555")
    return Endpoint(host, int(port))


class ClientKeys(NamedTuple):
    """What a station needs for an encrypted link."""

    own: Keys
    server: bytes  # public key of the arm


def client_keys(address: Address, endpoint: Endpoint) -> ClientKeys | None:
    """Keys as the options `server` and `key` name them; None for a plain link, which only loopback may be."""
    server, own = address.options.get("server"), address.options.get("key")
    if server is None:
        if own is not None:
            raise ControllerAddressError(f"{address.url}: key needs server too: the file with the arm's public key")
        if endpoint.is_loopback:
            return None
        raise ControllerAddressError(
            f"{address.url}: a link to another machine must be encrypted; make keys with: station keys, "
            "then add ?server=FILE with the arm's public key"
        )
    return ClientKeys(read_keys(Path(own or f"station{SECRET}")), read_public(Path(server)))


def secure_client(socket: zmq.Socket[bytes], keys: ClientKeys | None) -> None:
    """Encrypt a socket that connects."""
    if keys is not None:
        socket.curve_publickey, socket.curve_secretkey = keys.own
        socket.curve_serverkey = keys.server


class ServerKeys(NamedTuple):
    """What whoever listens needs for an encrypted link."""

    own: Keys
    allowed: frozenset[bytes]  # public keys of those who may come in


def server_keys(address: Address, endpoint: Endpoint) -> ServerKeys | None:
    """Keys as the options `key` and `allowed` name them; None for a plain link, which only loopback may be."""
    key, allowed = address.options.get("key"), address.options.get("allowed")
    if key is None and allowed is None and endpoint.is_loopback:
        return None
    if key is None or allowed is None:
        raise ControllerAddressError(
            f"{address.url}: a place that other machines can reach must be encrypted; make keys with: station keys, "
            "then add ?key=FILE with the secret key and &allowed=FOLDER with the public keys of who may come in"
        )
    return ServerKeys(read_keys(Path(key)), read_allowed(Path(allowed)))


def secure_server(socket: zmq.Socket[bytes], keys: ServerKeys | None) -> None:
    """Encrypt a socket that listens; who may come in is asked of a doorkeeper of its context."""
    if keys is not None:
        socket.curve_server = True
        socket.curve_publickey, socket.curve_secretkey = keys.own
