"""`station view --watch URL`: a window on a station that runs somewhere else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

import click

from station.address_option import ADDRESS

Command = TypeVar("Command", bound=Callable[..., Any])
PATIENCE = 15.0  # for the station to say who it is [s]


def watch(url: str) -> None:
    """Wait for a published station and show it until the window is closed.

    Raises:
        SharingError: nobody publishes there, or what they publish cannot be used.
        NoGraphicsError: if there is no screen.
    """
    from station.bench import loads
    from station.view.live import show_station
    from station.view.screen import check_screen
    from station.view.sharing.watcher import WatchedStation

    check_screen()
    source = WatchedStation(url)
    with ExitStack() as stack:
        stack.callback(source.disconnect)
        greeting = source.wait(PATIENCE)
        bench = loads(greeting.scene, greeting.name)
        show_station(bench, source=source, title=f"{bench.name}: watching {source.url}")


def _watch_and_leave(context: click.Context, _parameter: click.Parameter, url: str | None) -> None:
    if url is not None and not context.resilient_parsing:
        watch(url)
        context.exit()


def watch_option(command: Command) -> Command:
    """The option that shows a station of another machine instead of a file; all others are then left out."""
    return click.option(
        "--watch",
        metavar="URL",
        type=ADDRESS,
        is_eager=True,
        expose_value=False,
        callback=_watch_and_leave,
        help="Watch a station that runs with --publish, read-only: tcp://host:port?server=FILE&key=FILE.",
    )(command)
