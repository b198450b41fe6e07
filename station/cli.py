"""The `station` command."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

import click

from station.child import environment
from station.commands.devices import devices, emulate, keys
from station.commands.kinematics import fk, ik
from station.commands.machine import bench, doctor, tour
from station.commands.running import episode, park, release, run
from station.commands.scenes import check, convert
from station.errors import StationError
from station.interrupts import Interrupted, take_signals
from station.version import __version__

SELDOM = 100_000  # objects after which garbage is looked for; at Python's own 700 that is a tenth of loading


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="station %(version)s")
@click.pass_context
def station(context: click.Context) -> None:
    """Haptic teleoperation station: drive a robot by hand and feel what it feels.

    Without a command it runs the default bench: an emulated syntaxer in a scripted hand leads an emulated arm.
    """
    if context.invoked_subcommand is None:
        context.invoke(run)


for command in (check, convert, fk, ik, devices, emulate, keys, run, episode, park, release, doctor, bench, tour):
    station.add_command(command)


def _passed_on(name: str, module: str, about: str) -> None:
    """A command of another module, `NAME_command`, which is loaded only when it is called."""

    @station.command(name, help=about, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def passed_on(arguments: tuple[str, ...]) -> None:
        command: click.Command = getattr(import_module(module), f"{name}_command")
        code = command.main(list(arguments), prog_name=f"station {name}", standalone_mode=False)
        if isinstance(code, int) and code:
            raise click.exceptions.Exit(code)


_passed_on(
    "view", "station.run.viewing", "Show FILE in a window, which follows a running station, or --png: as a picture."
)
_passed_on("facts", "station.run.recordings", "What a recording says of where it comes from, calibrations too.")
_passed_on("replay", "station.run.recordings", "Show a recorded run again, with pause, seek and speed.")
_passed_on("report", "station.run.recordings", "Write one page about a recorded run: plots, tables, pictures.")
_passed_on("export", "station.run.recordings", "Write a recording as tables: --csv or --parquet.")
_passed_on("recover", "station.run.recordings", "Make a recording whole whose recorder was killed.")
_passed_on("rehearse", "station.tasks.rehearse.command", "Drive the virtual robot and keep what was driven as a task.")
_passed_on("task", "station.tasks.task.command", "Look at a task, edit it, or move it with its work-piece.")
_passed_on("verify", "station.tasks.verify.command", "Check a task at every instant, before it is executed.")
_passed_on("execute", "station.tasks.execute.command", "Execute a verified task on an arm.")
_passed_on("calibrate", "calibration.command", "From measurements to corrected parameters, with uncertainties.")
_passed_on("beside", "station.tasks.execute.ahead.command", "Beside an arm: take tasks that are sent ahead.")


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
