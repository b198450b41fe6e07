"""What commands have in common."""

from __future__ import annotations

import json
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")


def print_json(data: dict[str, Any]) -> None:
    """Data for programs, as it can be read."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
