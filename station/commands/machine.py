"""`station doctor`, `station bench`, `station tour`: this machine, and what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

import robots
from station.commands.options import as_json, print_json
from station.errors import StationError
from station.version import __version__

TOUR = """\
Haptic teleoperation station {version}: drive a robot by hand and feel what it feels.

One text file (MAD) describes the bench: robots, loops, devices, controllers.

  station                               the default bench, everything emulated; end with Ctrl-C
  station run my_robot.mad --device serial:/dev/ttyACM0      the same with your robot and device
  station view macdac                   see it; --png out.png for a picture
  station check macdac                  look at a robot that comes with the station
  station check my_robot.mad            check your own file; --json for programs
  station convert arm.urdf arm.mad      start from a URDF
  station fk ur5e --frame flange        where a frame is
  station ik ur5e --frame flange --to -400,-200,500      joint values for a place
  station devices                       what is plugged in, what is emulated
  station devices sim:syntaxer          watch the emulated haptic device in a scripted hand
  station emulate arm ur5e              an emulated arm; station run ur5e --controller ADDRESS leads it
  station park ur5e --controller ADDRESS    move the arm to a posture, where it holds by itself
  station doctor                        is this machine fit for real time
  station bench                         what there is to measure; station bench shaping: figures, beside peers
  station --help                        all commands

Robots that come with it: {robots}
The language is described in docs/mad.md.
"""


@click.command()
@as_json
def doctor(as_json: bool) -> None:
    """Is this machine fit for the servo: scheduler, memory, timer, USB; says what to change (exit code 1 if unfit)."""
    from station.servo.doctor import examined, findings_data, findings_text

    found = examined()
    data = findings_data(found)
    print_json(data) if as_json else click.echo(findings_text(found))
    if not data["fit"]:
        raise click.exceptions.Exit(1)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[NAME]... [--json] [--quick] [--install-peers]")
def bench(arguments: tuple[str, ...]) -> None:
    """Side-by-side figures for this machine; without a NAME list what there is.

    Other solvers to compare with are installed by --install-peers only, into .venv-peers of the source tree.
    """
    tree = Path(__file__).resolve().parents[2]
    if not (tree / "benchmarks").is_dir():
        raise StationError("benchmarks are not installed with the program; call this from a copy of the source tree")
    code = subprocess.call([sys.executable, "-m", "benchmarks", *arguments], cwd=tree)  # noqa: S603 - ourselves
    raise click.exceptions.Exit(2 if code else 0)


@click.command()
def tour() -> None:
    """What there is, in twenty lines."""
    click.echo(TOUR.format(version=__version__, robots=", ".join(robots.names())), nl=False)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    r"""Print the script that completes commands and options in SHELL.

    \b
    bash    echo 'eval "$(station completion bash)"' >> ~/.bashrc
    zsh     echo 'eval "$(station completion zsh)"' >> ~/.zshrc
    fish    station completion fish > ~/.config/fish/completions/station.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None  # one of the choices
    click.echo(made(click.get_current_context().find_root().command, {}, "station", "_STATION_COMPLETE").source())
