"""`station calibrate collect` and `touch`: measurements of a robot, guided, that go on where they stopped."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.arm import ArmLead, Stood
from calibration.errors import DataError
from calibration.geometry.command import ids_of
from calibration.instrument import PERSON
from calibration.opening import LOADING
from calibration.options import NOT_NEGATIVE, POSITIVE, Finite, robot_name, speed_share
from calibration.parameters import Floats
from calibration.robot import measured_frame, robot_in
from calibration.units import DEGREE, MM
from station.address_option import ADDRESS
from station.mad.scene import Robot
from station.mad.units import JointType
from station.shipped import scene_path

TRACKER = "sim:tracker"
END = "end"

collected = click.argument("collection", metavar="OUT", type=click.Path(path_type=Path))
frame_name = click.option("--frame", help="Link or frame that is measured; else that which follows the hand.")


@click.command()
@click.argument("file")
@collected
@click.option(
    "--controller", default=PERSON, metavar="URL", type=ADDRESS, help="The arm; person: somebody moves it by hand."
)
@click.option(
    "--instrument",
    required=True,
    metavar="URL",
    type=ADDRESS,
    help="tcp://host:port, person, or sim:tracker with a sim:arm.",
)
@frame_name
@robot_name
@click.option("--encoders", metavar="ID,ID,…", help="Joints that count where loops make the others follow.")
@click.option("--poses", default=60, type=click.IntRange(4, 5000), help="How many.")
@click.option("--within", default=90.0, metavar="°", type=POSITIVE, help="Each joint so far from its value in FILE.")
@click.option("--along", metavar="MM", type=Finite(min=1.0), help="Each slide so far; else between its stops.")
@speed_share
@click.option("--ratios", is_flag=True, help="Gear ratios are to be estimated too.")
@click.option("--noise", type=POSITIVE, metavar="MM", help="Of what a person reads off, standard deviation per axis.")
@click.option("--seed", default=0, help="Of the poses to choose from.")
@click.option(
    "--wait",
    default=0.0,
    metavar="S",
    type=NOT_NEGATIVE,
    help="How long to wait for a controller that is not there yet.",
)
def collect(file: str, collection: Path, controller: str, instrument: str, wait: float, **options: Any) -> None:
    """Measure the robot of FILE at poses that tell most about it. Ctrl-C stops; the same command goes on."""
    import station
    from calibration.geometry.collecting import Lead, Wish, begin, collect_poses
    from calibration.instrument import instrument_at
    from station.collision import Surroundings
    from station.controllers import check_calibrated, open_controller, scene_joints
    from station.emulated import emulated_arm_and_tracker, is_emulated
    from station.servo.pacing import RealTimeSettings, real_time

    path = scene_path(file)
    click.echo(LOADING.format(file=file), err=True)
    scene = station.load(path)
    robot = robot_in(scene, options["name"])
    mechanism = scene[robot.name]
    wish = Wish(
        frame=measured_frame(mechanism, options["frame"]),
        poses=options["poses"],
        candidates=max(300, 5 * options["poses"]),
        within=options["within"] * DEGREE,
        along=float("inf") if options["along"] is None else options["along"] * MM,
        seed=options["seed"],
        ratios=options["ratios"],
        encoders=ids_of(options["encoders"]),
    )
    noise = None if options["noise"] is None else options["noise"] * MM
    with ExitStack() as stack:
        if is_emulated(controller):
            controller, tracker = stack.enter_context(emulated_arm_and_tracker(controller, str(path), robot.name))
            if instrument == TRACKER and not tracker:
                raise click.UsageError(
                    "--instrument sim:tracker needs an arm that says which frame is tracked: sim:arm?tracker=FRAME"
                )
            instrument = tracker if instrument == TRACKER else instrument
        measuring = stack.enter_context(closing(instrument_at(instrument, _ask, noise)))
        surroundings = Surroundings(scene, mechanism)
        lead: Lead = ByHand(robot)
        serial = ""
        if controller != PERSON:
            arm = stack.enter_context(open_controller(controller, joints=scene_joints(mechanism.joints), wait=wait))
            check_calibrated(robot, arm)
            serial = arm.capabilities.serial_number
            lead = ArmLead(scene, mechanism, arm, options["speed"], surroundings=surroundings)
        held = begin(collection, mechanism, surroundings, wish, measuring.about, serial)
        if controller != PERSON:
            stack.enter_context(real_time(RealTimeSettings()))
        if held.observations:
            click.echo(f"{collection}: goes on, {len(held.observations)} poses were measured before", err=True)
        collect_poses(held, mechanism, wish, measuring, lead, lambda text: click.echo(text, err=True))
    click.echo(
        f"{collection}: {len(held.observations)} poses; now: station calibrate geometry {file} {collection} --out …"
    )


def _ask(question: str) -> str:
    return str(click.prompt(question, prompt_suffix=": ", err=True, default="", show_default=False))


class ByHand:
    """Somebody brings the robot to a pose, and types what it shows if that is something else."""

    still = 0.0  # what was said stays

    def __init__(self, robot: Robot) -> None:
        driven = [link for link in robot.links if _driven(link)]
        slides = [link.joint is JointType.PRISMATIC for link in driven]
        self._factor = np.where(slides, MM, DEGREE) * [link.gear for link in driven]  # a display shows what is counted
        self._joints = np.zeros(len(driven))

    def go(self, joints: Floats) -> Stood:
        """Ask for it."""
        wanted = " ".join(f"{value:.3f}" for value in joints / self._factor)
        question = f"bring it to {wanted} [° | mm]; Enter, or the values it shows"
        while True:
            typed = _ask(question).replace(",", " ").split()
            values = joints if not typed else shown(typed, self._factor)
            if values is not None:
                self._joints = values
                return self.stand()
            question = f"{len(self._factor)} numbers by spaces, one for each joint [° | mm], or Enter for {wanted}"

    def stand(self) -> Stood:
        """As it was said."""
        return Stood(self._joints, 0.0)


def shown(typed: list[str], factor: Floats) -> Floats | None:
    """Joint values [rad | m] as a display shows them, if there are as many as joints, and all are finite numbers."""
    try:
        values = np.array([float(word) for word in typed])
    except ValueError:
        return None
    if values.shape != factor.shape or not np.isfinite(values).all():  # one number would count for all joints
        return None
    return np.asarray(values * factor)


def _driven(link: Any) -> bool:
    return link.joint.name != "FIXED" and not link.passive


@click.command()
@click.argument("file")
@collected
@click.option(
    "--controller",
    required=True,
    metavar="URL",
    type=ADDRESS,
    help="The arm; with ?role=observe another station leads it.",
)
@frame_name
@robot_name
@click.option("--plane", "planes", multiple=True, metavar="NAME", help="A flat surface that is touched; repeatable.")
@click.option(
    "--sphere", "spheres", multiple=True, metavar="NAME=MM", help="A ball and its radius, or ? if nobody knows it."
)
@click.option(
    "--noise", default=0.02, metavar="MM", type=POSITIVE, help="Of a touch along the normal, standard deviation."
)
def touch(file: str, collection: Path, controller: str, noise: float, **options: Any) -> None:
    """Take down the joints of an arm whenever it touches something. Ctrl-C stops; the same command goes on."""
    import station
    from calibration.collection import Collection
    from calibration.geometry.subject import robot_subject
    from station.controllers import check_calibrated, open_controller, scene_joints

    scene = station.load(scene_path(file))
    robot = robot_in(scene, options["name"])
    mechanism = scene[robot.name]
    surfaces = surfaces_of(options["planes"], options["spheres"])
    joints = scene_joints(mechanism.joints)
    with open_controller(controller, joints=joints) as arm:
        check_calibrated(robot, arm)
        lead = ArmLead(scene, mechanism, arm)
        facts = {
            "arm": arm.capabilities.serial_number,
            "frame": measured_frame(mechanism, options["frame"]),
            "encoders": [joint.id for joint in mechanism.joints if joint.active],
            "noise": noise * MM,
            "surfaces": surfaces,
        }
        held = Collection(collection, robot_subject(robot), [], facts)
        while (name := _surface(surfaces, len(held.observations))) != END:
            held.add(len(held.observations), {"joints": lead.stand().joints, "touched": name})
    click.echo(f"{collection}: {len(held.observations)} touches")


def surfaces_of(planes: tuple[str, ...], spheres: tuple[str, ...]) -> dict[str, list[Any]]:
    """Kind and radius [m] of each surface by name."""
    made: dict[str, list[Any]] = {name: ["plane", None] for name in planes}
    for text in spheres:
        name, _, radius = text.partition("=")
        try:
            made[name] = ["sphere", None if radius in ("", "?") else float(radius) * MM]
        except ValueError:
            raise DataError(f"--sphere {text}: write NAME=RADIUS in mm, such as ball=12.7, or ball=?") from None
    if not made:
        raise DataError("nothing to touch; name it with --plane NAME or --sphere NAME=MM")
    return made


def _surface(known: dict[str, list[Any]], count: int) -> str:
    names = list(known)
    while True:
        asked = names[0] if len(names) == 1 else "/".join(names)
        typed = _ask(f"{count} touches; Enter when it touches {asked}, or {END}").strip()
        if typed == END or typed in names:
            return typed
        if not typed and len(names) == 1:
            return names[0]


COMMANDS = (collect, touch)
