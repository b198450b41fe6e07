"""`station view`: a scene in a window, or as a picture without any screen."""

from __future__ import annotations

import math
from copy import copy
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from station.bench import load
from station.mad.units import JointType
from station.mechanism import Mechanism
from station.shipped import scene_path
from station.view.camera import TOOL_VIEW, VIEWPOINTS
from station.view.errors import ViewRequestError
from station.view.sharing.command import watch_option
from station.view.task import ReadTask, ShownTask
from station.view.theme import THEMES

STEREO = ("off", "side-by-side", "anaglyph")
VIEWS = (*VIEWPOINTS, TOOL_VIEW)


@click.command("view")
@watch_option
@click.argument("file", required=False)
@click.option(
    "--png", metavar="OUT.png", type=click.Path(path_type=Path), help="Write a picture and end; needs no screen."
)
@click.option(
    "--pose", help="A posture of the file, or joint values in its order, separated by commas [degrees or mm]."
)
@click.option(
    "--task",
    metavar="TASK.mcap",
    type=click.Path(path_type=Path),
    help="Draw the path of a task, checked anew, with all findings; FILE may then be left out.",
)
@click.option("--at", metavar="S", type=float, help="With --task: where the robot is; else at the first finding.")
@click.option("--robot", help="The robot that --pose is for, if the scene has several.")
@click.option("--size", default="1280x800", show_default=True, help="Width and height of picture or window [px].")
@click.option("--view", "viewpoint", type=click.Choice(VIEWS), default="perspective", show_default=True)
@click.option("--theme", type=click.Choice(list(THEMES)), default="light", show_default=True)
@click.option("--stereo", type=click.Choice(STEREO), default="off", show_default=True, help="With --png: two eyes.")
@click.option(
    "--scale", default=1.0, show_default=True, help="Pixels per pixel of lines and letters: 2 for fine print."
)
@click.option(
    "--package-path",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Where the package:// names of a URDF are; may be repeated.",
)
@click.pass_context
def view_command(
    context: click.Context,
    file: str | None,
    png: Path | None,
    pose: str | None,
    task: Path | None,
    at: float | None,
    robot: str | None,
    size: str,
    viewpoint: str,
    theme: str,
    stereo: str,
    scale: float,
    package_path: tuple[Path, ...],
) -> None:
    """Show FILE (.mad, .urdf, or the name of a shipped robot), to look at it and to design it.

    Drag any part of the robot, click on it to change its parameters, save with Ctrl+S; F1 lists all keys. What an
    editor saves is taken at once. A station that runs with the same robot is followed instead.
    """
    from station.view.drawing.backend import LARGEST

    width, height = size_of(size, LARGEST)
    scene, shown = _task(context, task, None if file is None else scene_path(file))
    if at is not None and shown is None:
        raise ViewRequestError("--at is a time of a task: name one with --task TASK.mcap")
    if scene is None:
        raise click.UsageError("name a FILE, or a task with --task TASK.mcap")
    bench = load(scene, package_path)
    for warning in bench.warnings:
        click.echo(str(warning), err=True)
    posture, q = None, None
    if pose is not None:
        name = robot or next((item.name for item in bench.robots), "")
        if name not in [item.name for item in bench.robots]:
            known = ", ".join(item.name for item in bench.robots)
            raise ViewRequestError(f"no robot '{name}' in {file or scene}; there are: {known}")
        posture, q = pose_of(bench[name], pose)
    if png is not None:
        from station.view.png import render_png

        drawn = render_png(
            bench,
            png,
            posture=posture,
            q=q,
            robot=robot,
            size=(width, height),
            view=viewpoint,
            theme=theme,
            scale=scale,
            stereo=stereo.replace("-", " "),
            task=shown,
            at=at,
        )
        for line in drawn.problems:
            click.echo(f"not drawn: {line}", err=True)
        click.echo(f"{png}: {width} × {height} pixels")
        return
    from station.view.window import show

    show(bench, (width, height), theme=theme, view=viewpoint, posture=posture, q=q, robot=robot, task=shown, at=at)


def command_with(read: ReadTask) -> click.Command:
    """The command, with somebody who knows how to read tasks: the view does not."""
    command = copy(view_command)
    command.context_settings = {"obj": read}
    return command


def _task(context: click.Context, task: Path | None, scene: Path | None) -> tuple[Path | None, ShownTask | None]:
    """The task to show, read by whoever knows tasks, and its scene."""
    if task is None:
        return scene, None
    read: ReadTask | None = context.obj
    if read is None:
        raise ViewRequestError("tasks are shown by the command `station view` alone")
    click.echo(f"checking {task} …", err=True)
    return read(task, scene)


def size_of(text: str, largest: int) -> tuple[int, int]:
    """Width and height from a text such as 1280x800 [px]."""
    try:
        width, height = (int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError:
        raise ViewRequestError(f"'{text}' is no size; write width and height as in 1280x800") from None
    if not (1 <= width <= largest and 1 <= height <= largest):
        raise ViewRequestError(f"a picture of {width} × {height} pixels; each side can be 1 to {largest}")
    return width, height


def pose_of(mechanism: Mechanism, text: str) -> tuple[str | None, NDArray[np.float64] | None]:
    """A posture's name, or joint values [rad | m] from numbers in degrees and mm."""
    if text in {posture.name for posture in mechanism.robot.postures}:
        return text, None
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        names = ", ".join(posture.name for posture in mechanism.robot.postures) or "none"
        raise ViewRequestError(
            f"'{text}' is neither a posture ({names}) nor joint values separated by commas"
        ) from None
    if len(values) != len(mechanism.joints):
        raise ViewRequestError(f"{len(values)} joint values; robot {mechanism.robot.name} has {len(mechanism.joints)}")
    units = [1e-3 if joint.type is JointType.PRISMATIC else math.pi / 180.0 for joint in mechanism.joints]
    return None, np.array(values) * units
