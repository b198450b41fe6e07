"""docs/real_arm.md names commands, options and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import click

from station.cli import station
from station.controllers.registry import controller_schemes

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "real_arm.md").read_text(encoding="utf8")
COMMANDS = [line.partition("#")[0] for line in re.findall(r"(?:^    |`)(station [a-z][^`\n]*)", PAGE, re.MULTILINE)]


def test_every_command_and_option_exists() -> None:
    assert len(COMMANDS) > 10
    for line in COMMANDS:
        words = line.split()
        command = station.get_command(click.Context(station), words[1])
        assert command is not None, line
        known = {name for one in command.params if isinstance(one, click.Option) for name in one.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_every_kind_of_link_exists_and_every_page_is_there() -> None:
    schemes = {
        match.partition("+")[0] for match in re.findall(r"`(tcp|serial|ur|dynamixel|modbus(?:\+serial)?):", PAGE)
    }
    assert schemes == {"tcp", "serial", "ur", "dynamixel", "modbus"}
    assert schemes <= set(controller_schemes())
    for name in re.findall(r"\]\((\w+\.md)\)", PAGE):
        assert (DOCS / name).is_file()
