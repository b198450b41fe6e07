"""Addresses of devices: `scheme:place?option=value`, for example `serial:/dev/ttyACM0` or `usb:falcon?serial=A1`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import parse_qsl

from station.devices.errors import AddressError


class Address(NamedTuple):
    """An address, taken apart."""

    url: str
    scheme: str
    place: str
    options: dict[str, str]

    def allow(self, options: Iterable[str]) -> None:
        """Refuse options that are not among these: a misspelt one must not pass unnoticed."""
        known = sorted(options)
        for name in self.options:
            if name not in known:
                allowed = f"there are: {', '.join(known)}" if known else "it takes none"
                raise AddressError(f"{self.url}: unknown option {name!r}; {allowed}")

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A number among the options, within limits."""
        text = self.options.get(name)
        if text is None:
            return default
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise AddressError(f"{self.url}: {name} is a number from {low:g} to {high:g}, not {text!r}")
        return value

    def choice(self, name: str, default: str, choices: Iterable[str]) -> str:
        """A word among the options, one of `choices`."""
        value, known = self.options.get(name, default), list(choices)
        if value not in known:
            raise AddressError(f"{self.url}: {name} is one of {', '.join(known)}, not {value!r}")
        return value


def parse_address(url: str) -> Address:
    """Take an address apart; what it means is for the scheme to say."""
    scheme, colon, rest = url.partition(":")
    if not colon or not scheme.replace("_", "").replace("-", "").isalnum():
        raise AddressError(
            f"{url!r} is not a device address; write scheme:place, for example sim:syntaxer or serial:/dev/ttyACM0"
        )
    place, mark, query = rest.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if mark else []
    except ValueError:
        raise AddressError(f"{url}: options are written ?name=value&name=value") from None
    options = dict(pairs)
    if len(options) != len(pairs):
        raise AddressError(f"{url}: an option is given twice")
    return Address(url, scheme.lower(), place, options)
