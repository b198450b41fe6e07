"""`station check`, `station convert`: a scene looked at, a URDF made into one."""

from __future__ import annotations

from pathlib import Path

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
@as_json
@package_path
def check(file: str, as_json: bool, package_path: tuple[Path, ...]) -> None:
    """Check FILE (.mad, .urdf, or the name of a shipped robot): joints, tree, loops, limits, devices, problems."""
    from station.check import compile_reports, describe, problem_data, report
    from station.mad import load

    try:
        path = scene_path(file)
        _announce(path)
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


@click.command()
@click.argument("source", metavar="IN.urdf", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT.mad", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite OUT.mad.")
@package_path
def convert(source: Path, target: Path, force: bool, package_path: tuple[Path, ...]) -> None:
    """Convert a URDF into a MAD file."""
    from station.mad.files import read_text, save
    from station.mad.urdf import scene_from_urdf

    if source.suffix.lower() == ".mad":
        raise MadError([Problem(str(source), 0, 0, "is a MAD file already; convert reads URDF")])
    if target.exists() and not force:  # said before the work; `save` makes sure again
        raise MadFileError([Problem(str(target), 0, 0, "exists already; overwrite it with --force")])
    _announce(source)
    scene = scene_from_urdf(read_text(source), str(source), package_path, mesh_folder=target.parent)
    save(scene, target, overwrite=force)
    for warning in scene.warnings:
        click.echo(str(warning), err=True)
    robot = scene.robots[0]
    click.echo(f"{target}: robot {robot.name}, {len(robot.links)} joints; look at it with: station check {target}")


def _announce(path: Path) -> None:
    """Say what is going on where it may take longer than two seconds."""
    size = path.stat().st_size if path.is_file() else 0
    if size > LONG_FILE:
        click.echo(f"reading {path} ({size / 1e6:.1f} MB) …", err=True)
