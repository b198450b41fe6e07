"""`station run`, `station park`, `station release`: a robot is led, and comes to rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from station.address_option import ADDRESS, address_in
from station.commands.options import as_json
from station.shipped import scene_path

NOBODY = "none"  # as a controller: the predicted robot alone
METHODS = ("coupling-only", "observer-controller", "energy-bounding")
LINK_METHODS = ("direct", "passivity", "waves")
ARCHITECTURES = ("position-force", "position-position", "four-channel")


def _look_for_arm(controller: str | None, wait: float) -> None:
    """Say at once that nobody is there, before anything is loaded or started that takes long; not while waiting."""
    if controller is None or controller == NOBODY or wait:
        return  # and nothing is loaded
    from station.controllers.presence import check_listening
    from station.emulated import is_emulated

    if not is_emulated(controller):
        check_listening(controller)


@click.command()
@click.argument("file", required=False)
@click.option(
    "--device",
    metavar="[NAME=]URL",
    type=ADDRESS,
    multiple=True,
    help="Device in the hand, of several by its name in the file; else as the file says, at its port or emulated.",
)
@click.option(
    "--controller",
    metavar="[NAME=]URL",
    type=ADDRESS,
    multiple=True,
    help="The arm's side, of several by its robot or own name: sim:arm, tcp://10.0.0.7:5555, none; else the file's.",
)
@click.option(
    "--gripper",
    metavar="URL",
    type=ADDRESS,
    help="Such as robotiq:/dev/ttyUSB0 or sim:gripper; none; else as the file says.",
)
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
@click.option("--rate", default=1000.0, metavar="HZ", help="Ticks per second.")
@click.option("--seconds", type=float, metavar="S", help="End after so long; without a terminal 10 s.")
@click.option("--headless", is_flag=True, help="Without a window; --json has none either.")
@click.option("--sound", is_flag=True, help="Hear contact (loudness), limits (pitch) and faults.")
@click.option(
    "--publish", metavar="URL", type=ADDRESS, help="Let others watch: tcp://host:port, beyond this machine with keys."
)
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--frame", help="Link or frame that follows the hand; else as the file says.")
@click.option("--posture", help="Named joint values to start from.")
@click.option("--method", type=click.Choice(METHODS), help="How the forces are kept stable.")
@click.option("--bilateral", type=click.Choice(LINK_METHODS), help="How contact at the arm is reflected to the hand.")
@click.option("--architecture", type=click.Choice(ARCHITECTURES), help="What is reflected; else the measured force.")
@click.option("--sensor", metavar="FILE", help="What `station calibrate force` found of this arm's sensor and tool.")
@click.option("--press", type=float, metavar="N", help="Press no harder than this on what the tool meets; else 140.")
@click.option("--spin", default=0.0, metavar="µS", help="Watch the clock for so long before a tick: sharper, but busy.")
@click.option("--priority", default=80, help="Of real-time scheduling, 1 to 99; 0: ordinary.")
@click.option("--core", default=-1, help="The only processor for the servo; -1: any.")
@click.option("--report", type=click.Path(path_type=Path), help="Where the report goes, .html or .png.")
@click.option("--no-report", is_flag=True, help="Write none.")
@click.option("--record", metavar="OUT.mcap", type=click.Path(path_type=Path), help="Record everything at full rate.")
@click.option("--overwrite", is_flag=True, help="Write over an old recording.")
@click.option("--task", metavar="TEXT", help="What the episodes of the recording are about.")
@click.option(
    "--episode-button", metavar="NAME", help="Button of the device that begins an episode, and ends it with success."
)
@click.option("--discard-button", metavar="NAME", help="Button that discards the episode, or the one just ended.")
@as_json
def run(file: str | None, as_json: bool, **options: Any) -> None:
    """Teleoperate the robot of FILE (.mad, .urdf, or the name of a shipped robot); without one the default bench.

    End: Ctrl-C.
    """
    for controller in options["controller"]:
        _look_for_arm(address_in(controller)[1], options["wait"])
    from station.run.places import DEFAULT_BENCH
    from station.run.start import Start

    path = scene_path(file) if file else DEFAULT_BENCH
    with Start(quiet=as_json) as start:  # the servo loads while this process does; it does nothing without a job
        from station.bench import load

        scene = load(path)  # what is wrong with it is told first
        from station.run.episodes import wishes_of
        from station.run.gripping import gripper_of
        from station.run.options import job_of, seconds_of
        from station.servo.rig import robot_of

        lines: list[str] = []
        episodes, seconds = wishes_of(options), seconds_of(options["seconds"])
        job = job_of(str(path), options, lines.append)
        for name, url in job.controllers.items() if not options["controller"] else ():
            with job.placed("controller", name):
                _look_for_arm(url, options["wait"])
        gripper = gripper_of(robot_of(scene, job.wanted.robot), options["gripper"])
        start.launch(job, gripper)
        from station.run.session import RunFailedError, Showing, run_session

        shown = {
            name: options[name]
            for name in ("report", "no_report", "record", "overwrite", "headless", "publish", "sound")
        }
        showing = Showing(as_json=as_json, gripper=gripper, episodes=episodes, lines=tuple(lines), **shown)
        try:
            run_session(job, seconds, showing, start)
        except RunFailedError as error:
            click.echo(str(error), err=True)
            raise click.exceptions.Exit(1) from None


@click.command()
@click.argument("file", required=False)
@click.option("--controller", metavar="URL", type=ADDRESS, help="The arm; else the emulated one that runs here.")
@click.option("--posture", help="Named joint values of the file; else park, else home.")
@click.option("--speed", default=0.25, metavar="SHARE", type=click.FloatRange(0.01, 1.0), help="Of the arm's limits.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
def park(
    file: str | None, controller: str | None, posture: str | None, speed: float, robot: str | None, wait: float
) -> None:
    """Move the arm of FILE (else of the default bench) to a posture, then let it hold by itself. Ctrl-C stops it."""
    _look_for_arm(controller, wait)
    from rich.console import Console

    from station.bench import load
    from station.controllers import open_controller, scene_joints
    from station.run.park import park as move
    from station.run.parking_way import arm_at, destination_of
    from station.run.places import DEFAULT_BENCH
    from station.servo.rig import robot_of

    scene = load(scene_path(file) if file else DEFAULT_BENCH)
    chosen = robot_of(scene, robot)
    mechanism = scene[chosen.name]
    destination = destination_of(chosen, mechanism, posture)
    joints, url = scene_joints(mechanism.joints), arm_at(controller)
    with (
        Console(stderr=True).status("looking for the arm") as status,
        open_controller(url, joints=joints, wait=wait) as arm,
    ):
        parked = move(scene, mechanism, arm, destination, speed, tell=status.update)
    click.echo(f"parked at posture {parked.posture!r}, {parked.error:.4f} rad or m from it; the arm holds by itself")


@click.command()
@click.option("--controller", metavar="URL", type=ADDRESS, help="The arm; else the emulated one that runs here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
def release(controller: str | None, yes: bool, wait: float) -> None:
    """Take the torque of the arm away, so that it can be moved by hand. It may fall: park it first."""
    from station.controllers import open_controller
    from station.run.park import release as let_go
    from station.run.parking_way import arm_at

    url = arm_at(controller)
    if not yes and click.prompt("the arm may fall: type yes", default="no", show_default=False, err=True) != "yes":
        click.echo("not released", err=True)
        raise click.exceptions.Exit(1)
    with open_controller(url, wait=wait) as arm:
        let_go(arm)
    click.echo("torque released")


@click.command()
@click.argument("step", type=click.Choice(["start", "success", "failure", "discard"]))
@click.option("--task", metavar="TEXT", help="What the episodes from now on are about.")
def episode(step: str, task: str | None) -> None:
    """Say where an episode of the run that goes on begins, and how it ended; for pedals, scripts and other programs."""
    from station.servo.shared import CommandClient, Episode, EpisodeStep, SetTask

    wanted = None if task is None else SetTask(task)
    with CommandClient() as client:
        if wanted is not None:
            client.ask(wanted)
        answer = client.ask(Episode(EpisodeStep[step.upper()]))
    click.echo(answer.told(step), err=not answer.accepted)
    if not answer.accepted:
        raise click.exceptions.Exit(1)
