"""`station fk`, `station ik`: one-off kinematics."""

from __future__ import annotations

import click

from station.commands.options import as_json, print_json
from station.shipped import scene_path


@click.command()
@click.argument("file")
@click.option("--frame", help="Link or frame, by id or name; all if not given.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option(
    "--joints",
    metavar="V,V,…",
    help="Joint values in the order of the file, ° and mm (with loops also of driven joints alone); else the file's.",
)
@as_json
def fk(file: str, frame: str | None, robot: str | None, joints: str | None, as_json: bool) -> None:
    """Forward kinematics of FILE: where links and frames are."""
    from station.kinematics import forward

    answer = forward(scene_path(file), robot, frame, joints)
    print_json(answer.data) if as_json else click.echo(answer.text)


@click.command()
@click.argument("file")
@click.option("--frame", required=True, help="Link or frame, by id or name.")
@click.option(
    "--to", "target", required=True, metavar="X,Y,Z[,A,B,C]", help="Target: mm and °; without angles a position."
)
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--joints", metavar="V,V,…", help="Joint values to start from.")
@click.option("--method", default="station", help="station, or one of the books: pinv, dls, transpose, ccd, fabrik.")
@as_json
def ik(file: str, frame: str, target: str, robot: str | None, joints: str | None, method: str, as_json: bool) -> None:
    """Inverse kinematics of FILE: joint values that bring a frame to a place, or as near as it gets (exit code 1)."""
    from station.kinematics import inverse

    answer = inverse(scene_path(file), robot, frame, target, joints, method)
    print_json(answer.data) if as_json else click.echo(answer.text)
    if not answer.reached:
        raise click.exceptions.Exit(1)
