"""The `station` command: what there is, by what people want; a command is loaded only when it is called."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import NamedTuple

import click

from station.child import environment
from station.errors import StationError
from station.interrupts import Interrupted, take_signals
from station.version import __version__

SELDOM = 100_000  # objects after which garbage is looked for; at Python's own 700 that is a tenth of loading


class Offer(NamedTuple):
    """A command: the click command `NAME` or `NAME_command` of a module."""

    name: str
    module: str
    about: str  # one line, for the list of all


# The only place where a command is registered.
OFFERS = {
    "Run": (
        Offer("run", "station.commands.running", "Teleoperate a robot; alone: the default bench."),
        Offer("park", "station.commands.running", "Move the arm to a posture, where it holds by itself."),
        Offer("release", "station.commands.running", "Take the torque of the arm away."),
        Offer("episode", "station.commands.running", "Begin or end an episode of the run that goes on."),
    ),
    "Tasks": (
        Offer("rehearse", "station.tasks.rehearse.command", "Drive the virtual robot, keep what was driven as a task."),
        Offer("task", "station.tasks.task.command", "Show a task, edit it, join tasks, move it with its work-piece."),
        Offer("verify", "station.tasks.verify.command", "Check a task at every instant, before it is executed."),
        Offer("execute", "station.tasks.execute.command", "Execute a verified task on an arm."),
        Offer("agent", "station.tasks.execute.ahead.command", "Beside an arm: take tasks that are sent ahead."),
    ),
    "Recordings": (
        Offer("replay", "station.run.recordings", "Show a recorded run again, with pause, seek and speed."),
        Offer("report", "station.run.recordings", "Write one page about a recorded run: plots, tables, pictures."),
        Offer("export", "station.run.recordings", "Write a recording as tables: --csv or --parquet."),
        Offer("info", "station.run.recordings", "Where a recording comes from: station, scene, calibrations."),
        Offer("recover", "station.run.recordings", "Repair a recording whose recorder was killed."),
    ),
    "Look": (
        Offer("view", "station.run.viewing", "Show a robot or a running station in a window, or as a picture."),
        Offer("check", "station.commands.scenes", "Check a file: joints, loops, mobility, limits, devices."),
        Offer("fk", "station.commands.kinematics", "Where a frame is."),
        Offer("ik", "station.commands.kinematics", "Joint values for a pose."),
        Offer("tour", "station.commands.machine", "What there is, in twenty lines."),
    ),
    "Tools": (
        Offer("calibrate", "calibration.command", "From measurements to corrected parameters, with uncertainties."),
        Offer("devices", "station.commands.devices", "What is plugged in, what is emulated; watch a device."),
        Offer("emulate", "station.commands.devices", "An emulated device or arm on its own."),
        Offer("convert", "station.commands.scenes", "From URDF to MAD, and from version to version."),
        Offer("keys", "station.commands.devices", "Keys for links beyond this machine."),
        Offer("doctor", "station.commands.machine", "Is this machine fit for the servo, and what to change."),
        Offer("bench", "station.commands.machine", "Side-by-side figures for this machine."),
        Offer("completion", "station.commands.machine", "Completion for bash, zsh or fish."),
    ),
}
# Names of release 0.1 → now: of commands, and of options of all commands or of one.
FORMER = {"beside": "agent", "facts": "info"}
FORMER_OPTIONS = {
    "--force": "--overwrite",
    "run --share": "--publish",
    "verify --share": "--limit-fraction",
}


class Offered(click.Group):
    """All commands, listed by what they are for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Names, in the order of the list."""
        return [offer.name for offers in OFFERS.values() for offer in offers]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take former names of options with a hint."""
        name, command, words = super().resolve_command(ctx, args)
        known = words[: words.index("--")] if "--" in words else words
        return name, command, [_renamed(str(name), word) for word in known] + words[len(known) :]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load it; None if there is none."""
        name = FORMER.get(cmd_name, cmd_name)
        if name != cmd_name:
            click.echo(f"station: {cmd_name} is called {name} now", err=True)
        module = next((one.module for offers in OFFERS.values() for one in offers if one.name == name), None)
        if module is None:
            return None
        loaded = import_module(module)
        command: click.Command = getattr(loaded, f"{name}_command", None) or getattr(loaded, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of all, without loading any."""
        for title, offers in OFFERS.items():
            with formatter.section(title):
                formatter.write_dl([(offer.name, offer.about) for offer in offers])

    def invoke(self, ctx: click.Context) -> None:
        """A number that a command returns is its exit code."""
        code = super().invoke(ctx)
        if isinstance(code, int) and code:
            raise click.exceptions.Exit(code)


def _renamed(command: str, word: str) -> str:
    """A word of the command line, an option by the name that it has now."""
    option, equals, value = word.partition("=")
    now = FORMER_OPTIONS.get(f"{command} {option}") or FORMER_OPTIONS.get(option)
    if now is None:
        return word
    click.echo(f"station {command}: {option} is called {now} now", err=True)
    return f"{now}{equals}{value}"


@click.group(cls=Offered, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="station %(version)s")
@click.pass_context
def station(context: click.Context) -> None:
    r"""Haptic teleoperation station: drive a robot by hand and feel what it feels.

    Without a command it runs the default bench: an emulated syntaxer in a scripted hand leads an emulated arm.

    \b
    station run ur5e                                     everything emulated
    station run arm.mad --device serial:/dev/ttyACM0     your robot and device
    station COMMAND -h                                   options of a command
    """
    if context.invoked_subcommand is None:
        from station.commands.running import run

        context.invoke(run)


def main() -> None:
    """Run the command; a user's mistake is told in words and ends with exit code 2, never in a traceback."""
    take_signals()
    os.environ.update(environment())  # before numpy is loaded
    gc.set_threshold(SELDOM)
    try:
        code = station(prog_name="station", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:  # a group of commands alone: what there is
        click.echo(error.format_message(), err=True)
        code = 2
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "station"
        click.echo(f"station: {error.format_message().rstrip('.')}; see {command} --help", err=True)
        code = 2
    except StationError as error:
        click.echo(str(error), err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort) as error:
        click.echo("stopped", err=True)
        signalled = next((one for one in (error, error.__cause__) if isinstance(one, Interrupted)), None)
        code = signalled.code if signalled else 130  # click makes an Abort of it
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
