"""`ADDRESS`: the type of options that take an address of a device, a controller or another station."""

from __future__ import annotations

import click


def given_address(text: str) -> str:
    """The text as it is, for the scheme to say what it means; an empty one, as an unset variable gives, is refused."""
    if not text.strip():
        raise click.BadParameter("the address is empty (an unset variable?); leave the option out, or write an address")
    return text


def address_in(text: str) -> tuple[str | None, str]:
    """`NAME=URL`; the name is None where there is only an address, which may itself have an equals sign in it."""
    name, equals, url = text.partition("=")
    return (name, url) if equals and name and ":" not in name and "/" not in name else (None, text)


ADDRESS = given_address
