"""`station check`, `station convert`: a scene looked at, a URDF made into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from station.commands.options import as_json, print_json
from station.errors import MadError, MadFileError, Problem
from station.shipped import scene_path

LONG_FILE = 300_000  # bytes

package_path = click.option(
    "--package-path",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Where the package:// names of a URDF are; may be repeated.",
)


@click.command()
@click.argument("file")
@click.option("--assemblies", is_flag=True, help="Find the ways in which a robot with loops can be assembled.")
@click.option(
    "--hold",
    type=click.Choice(["joints", "tool"]),
    default="joints",
    show_default=True,
    help="With --assemblies: what stays where it is, the driven joints or the pose of the led frame.",
)
@click.option("--all", "all_of_them", is_flag=True, help="With --assemblies: also where the robot never moves to.")
@click.option("--robot", help="With --assemblies: the robot, if several have loops.")
@click.option("--starts", type=click.IntRange(1, 1_000_000), help="With --assemblies: how often to try, at most.")
@click.option("--seed", default=1998, show_default=True, help="With --assemblies: of the random starts.")
@click.option(
    "--write",
    metavar="OUT.mad",
    type=click.Path(path_type=Path),
    help="With --assemblies: FILE as it is, with a posture for each.",
)
@click.option(
    "--picture", metavar="OUT.png", type=click.Path(path_type=Path), help="With --assemblies: all side by side."
)
@click.option("--overwrite", is_flag=True, help="Write over OUT.mad.")
@as_json
@package_path
def check(file: str, as_json: bool, package_path: tuple[Path, ...], assemblies: bool, **wanted: Any) -> None:
    """Check FILE (.mad, .urdf, or the name of a shipped robot): joints, tree, loops, limits, devices, problems."""
    from station.check import compile_reports, describe, problem_data, report
    from station.mad import load

    for option in ("all_of_them", "robot", "starts", "write", "picture"):
        if wanted[option] and not assemblies:
            raise click.UsageError(f"--{option.partition('_')[0]} goes with --assemblies")
    try:
        path = scene_path(file)
        _announce(path)
        if assemblies:
            _assemblies(path, package_path, as_json, **wanted)
            return
        scene = load(path, package_path)
    except MadError as error:
        if not as_json:
            raise
        print_json({"ok": False, "file": file, "problems": [problem_data(problem) for problem in error.problems]})
        raise click.exceptions.Exit(2) from None
    reports = compile_reports(scene)
    if as_json:
        print_json({"ok": True, **report(scene, reports)})
        return
    click.echo(describe(scene, reports))
    for warning in scene.warnings:
        click.echo(str(warning), err=True)


def _assemblies(
    path: Path,
    package_path: tuple[Path, ...],
    as_json: bool,
    *,
    hold: str,
    all_of_them: bool,
    robot: str | None,
    starts: int | None,
    seed: int,
    write: Path | None,
    picture: Path | None,
    overwrite: bool,
) -> None:
    """Find assemblies, say them, and write them where they are wanted."""
    from rich.console import Console

    from station.bench import load
    from station.check import assemblies
    from station.mad.files import read_text, write_text
    from station.mechanism.assemblies import STARTS

    if write is not None and path.suffix.lower() != ".mad":
        raise MadError([Problem(str(path), 0, 0, "is no MAD file; convert it first, postures are written into those")])
    if write is not None and write.exists() and not overwrite:  # said before the work; `write_text` makes sure again
        raise MadFileError([Problem(str(write), 0, 0, "exists already; write over it with --overwrite")])
    scene = load(path, package_path)
    with Console(stderr=True, quiet=as_json).status("looking for assemblies") as status:
        tell = assemblies.telling(status.update)
        found = assemblies.find(scene, robot, hold, starts or STARTS, seed, tell)
    if as_json:
        print_json({"ok": True, "file": str(path), **assemblies.data(found)})
    else:
        click.echo(assemblies.describe(found, scene.unit, all_of_them=all_of_them))
    if write is not None:
        write_text(write, assemblies.with_postures(read_text(path), str(path), found), overwrite=overwrite)
        click.echo(f"{write}: {len(assemblies.new_postures(found))} new postures", err=as_json)
    if picture is not None:
        count = assemblies.draw(scene, found, picture, all_of_them=all_of_them)
        click.echo(f"{picture}: {count} of them", err=as_json)


@click.command()
@click.argument("source", metavar="IN.urdf", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT.mad", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Write over OUT.mad.")
@package_path
def convert(source: Path, target: Path, overwrite: bool, package_path: tuple[Path, ...]) -> None:
    """Convert a URDF into a MAD file."""
    from station.mad.files import read_text, save
    from station.mad.urdf import scene_from_urdf

    if source.suffix.lower() == ".mad":
        raise MadError([Problem(str(source), 0, 0, "is a MAD file already; convert reads URDF")])
    if target.exists() and not overwrite:  # said before the work; `save` makes sure again
        raise MadFileError([Problem(str(target), 0, 0, "exists already; write over it with --overwrite")])
    _announce(source)
    scene = scene_from_urdf(read_text(source), str(source), package_path, mesh_folder=target.parent)
    save(scene, target, overwrite=overwrite)
    for warning in scene.warnings:
        click.echo(str(warning), err=True)
    robot = scene.robots[0]
    click.echo(f"{target}: robot {robot.name}, {len(robot.links)} joints; look at it with: station check {target}")


def _announce(path: Path) -> None:
    """Say what is going on where it may take longer than two seconds."""
    size = path.stat().st_size if path.is_file() else 0
    if size > LONG_FILE:
        click.echo(f"reading {path} ({size / 1e6:.1f} MB) …", err=True)
