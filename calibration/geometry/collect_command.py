"""`station calibrate collect` and `touch`: measurements of a robot, guided, that go on where they stopped."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.arm import ArmLead, Stood
from calibration.errors import DataError
from calibration.geometry.command import ids_of, robot_in
from calibration.parameters import Floats
from calibration.saying import DEGREE, MM
from station.mad.scene import Robot
from station.mad.units import JointType
from station.shipped import scene_path

NOBODY = "person"
TRACKER = "sim:tracker"
END = "end"

collected = click.argument("collection", metavar="OUT", type=click.Path(path_type=Path))
robot_name = click.option("--robot", "name", help="Robot, if the scene has several.")
frame_name = click.option("--frame", help="Link or frame that is measured; else that which follows the hand.")


@click.command()
@click.argument("file")
@collected
@click.option("--controller", default=NOBODY, metavar="URL", help="The arm; person: somebody moves it by hand.")
@click.option(
    "--instrument", required=True, metavar="URL", help="tcp://host:port, person, or sim:tracker with a sim:arm."
)
@frame_name
@robot_name
@click.option("--encoders", metavar="ID,ID,…", help="Joints that count where loops make the others follow.")
@click.option("--poses", default=60, type=click.IntRange(4, 5000), help="How many.")
@click.option("--within", default=90.0, metavar="°", help="Each joint so far from its value in FILE.")
@click.option("--speed", default=0.25, metavar="SHARE", type=click.FloatRange(0.01, 1.0), help="Of the arm's limits.")
@click.option("--ratios", is_flag=True, help="Gear ratios are to be estimated too.")
@click.option("--noise", type=float, metavar="MM", help="Of what a person reads off, standard deviation per axis.")
@click.option("--seed", default=0, help="Of the poses to choose from.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
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
    scene = station.load(path)
    robot = robot_in(scene, options["name"])
    mechanism = scene[robot.name]
    wish = Wish(
        frame=measured_frame(robot, mechanism.frame_id, options["frame"]),
        poses=options["poses"],
        candidates=max(300, 5 * options["poses"]),
        within=options["within"] * DEGREE,
        seed=options["seed"],
        ratios=options["ratios"],
        encoders=ids_of(options["encoders"]),
    )
    noise = None if options["noise"] is None else options["noise"] * MM
    with ExitStack() as stack:
        if is_emulated(controller):
            controller, tracker = stack.enter_context(emulated_arm_and_tracker(controller, str(path), robot.name))
            instrument = tracker if instrument == TRACKER else instrument
        measuring = stack.enter_context(closing(instrument_at(instrument, _ask, noise)))
        surroundings = Surroundings(scene, mechanism)
        lead: Lead = ByHand(robot)
        serial = ""
        if controller != NOBODY:
            arm = stack.enter_context(open_controller(controller, joints=scene_joints(mechanism.joints), wait=wait))
            check_calibrated(robot, arm)
            serial = arm.capabilities.serial_number
            lead = ArmLead(scene, mechanism, arm, options["speed"], surroundings=surroundings)
        held = begin(collection, mechanism, surroundings, wish, measuring.about, serial)
        if controller != NOBODY:
            stack.enter_context(real_time(RealTimeSettings()))
        if held.observations:
            click.echo(f"{collection}: goes on, {len(held.observations)} poses were measured before", err=True)
        collect_poses(held, mechanism, wish, measuring, lead, lambda text: click.echo(text, err=True))
    click.echo(
        f"{collection}: {len(held.observations)} poses; now: station calibrate geometry {file} {collection} --out …"
    )


def measured_frame(robot: Robot, frame_id: Any, name: str | None) -> int:
    """The frame that is measured: as asked, else that which follows a device, else the last tool, frame or link."""
    if name is not None:
        return int(frame_id(int(name) if name.isdecimal() else name))
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            return constraint.targets[0].id
    last = (robot.tools or robot.frames or robot.links)[-1]
    return int(last.id)


def _ask(question: str) -> str:
    return str(click.prompt(question, prompt_suffix=": ", err=True, default="", show_default=False))


class ByHand:
    """Somebody brings the robot to a pose, and types what it shows if that is something else."""

    def __init__(self, robot: Robot) -> None:
        slides = [link.joint is JointType.PRISMATIC for link in robot.links if _driven(link)]
        self._factor = np.where(slides, MM, DEGREE)
        self._joints = np.zeros(len(slides))

    def go(self, joints: Floats) -> Stood:
        """Ask for it."""
        wanted = " ".join(f"{value:.3f}" for value in joints / self._factor)
        while True:
            typed = _ask(f"bring it to {wanted} [° | mm]; Enter, or the values it shows").replace(",", " ").split()
            try:
                values = np.array([float(word) for word in typed]) * self._factor if typed else joints
            except ValueError:
                continue
            if np.isfinite(values).all():
                self._joints = np.asarray(values)
                return self.stand()

    def stand(self) -> Stood:
        """As it was said."""
        return Stood(self._joints, 0.0)


def _driven(link: Any) -> bool:
    return link.joint.name != "FIXED" and not link.passive


@click.command()
@click.argument("file")
@collected
@click.option(
    "--controller", required=True, metavar="URL", help="The arm; with ?role=observe another station leads it."
)
@frame_name
@robot_name
@click.option("--plane", "planes", multiple=True, metavar="NAME", help="A flat surface that is touched; repeatable.")
@click.option(
    "--sphere", "spheres", multiple=True, metavar="NAME=MM", help="A ball and its radius, or ? if nobody knows it."
)
@click.option("--noise", default=0.02, metavar="MM", help="Of a touch along the normal, standard deviation.")
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
            "frame": measured_frame(robot, mechanism.frame_id, options["frame"]),
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
