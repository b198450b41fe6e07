"""`station calibrate hand-eye`: from pictures of a board, or from places of any target.

A collection whose observations hold `hand` (4×4 [m]) and either `picture` (a file beside the collection) or `seen`
(4×4 [m]). With --controller and --picture an arm goes to stations and a camera takes pictures there first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from calibration.camera.command import board_of, board_options, views_of
from calibration.collection import read_collection
from calibration.errors import DataError, WrongDeviceError
from calibration.options import POSITIVE, robot_name
from calibration.origin import carrier
from calibration.results import Result, Subject, load_result
from calibration.robot import measured_frame, robot_in
from calibration.saying import as_json, column, observed, out, progress, tell
from calibration.units import DEGREE, MM
from calibration.writing import finish
from station.address_option import ADDRESS
from station.mechanism import Mechanism

WHO = ("arm", "robot", "frame", "picture")  # facts of a collection that a result keeps


@click.command("hand-eye")
@observed
@out
@click.option("--serial", required=True, help="Serial number of the camera that the result belongs to.")
@click.option("--camera", "lens_file", type=click.Path(path_type=Path), help="Result of station calibrate camera.")
@click.option(
    "--noise", default=0.5, metavar="MM", type=POSITIVE, help="Of places of a target, standard deviation per axis."
)
@click.option(
    "--turn-noise", default=0.1, metavar="°", type=POSITIVE, help="Of its turns, standard deviation per axis."
)
@click.option("--method", default="ax=yb", help="First step: ax=xb or ax=yb.")
@click.option(
    "--controller", metavar="URL", type=ADDRESS, help="Go to stations with this arm first; needs --scene and --picture."
)
@click.option("--scene", "file", help="Scene of the arm.")
@click.option("--frame", help="Frame of the hand; else that which follows a device.")
@click.option("--picture", "picture", metavar="URL", type=ADDRESS, help="Address of the camera's picture.")
@click.option("--count", default=12, type=click.IntRange(3, 200), help="Stations.")
@click.option(
    "--within", default=25.0, metavar="°", type=POSITIVE, help="The hand turns so far about the board before it."
)
@board_options
@as_json
def hand_eye(observations: Path, out: Path, serial: str, as_json: bool, **options: Any) -> None:
    """Where a camera sits in the hand, from stations at which it saw a target that stands still."""
    from calibration.hand_eye import calibrate_hand_eye
    from calibration.hand_eye.refine import data_hash
    from station.mad.urdf.tidy import angles_of

    if options["controller"] is not None:
        _collect(observations, serial, options)
    subject, held = Subject.device(serial, "camera"), read_collection(observations)
    if (held.subject.kind, held.subject.id) != (subject.kind, subject.id):
        raise WrongDeviceError(
            f"{observations}: is of {held.subject}, not of {subject}; a camera keeps its own numbers"
        )
    hand = column(observations, held.observations, "hand")
    if held.observations and "picture" in held.observations[0].values:
        found, measured = _from_pictures(observations, held.observations, hand, serial, options)
    else:
        seen = column(observations, held.observations, "seen")
        noise = (options["noise"] * MM, options["turn_noise"] * DEGREE)
        found, measured = calibrate_hand_eye(hand, seen, noise, method=options["method"]), data_hash(hand, seen)
    values = {**found.data(), "measured_by": {key: held.facts[key] for key in WHO if key in held.facts}}
    result = Result(method="hand-eye", subject=subject, values=values, data_hash=measured)

    def say() -> None:
        tell(found.judgement)
        x, y, z = 1e3 * found.x[:3, 3]
        a, b, c = (one / DEGREE for one in angles_of(found.x[:3, :3]))
        click.echo(f"camera in the hand: {x:.3f}, {y:.3f}, {z:.3f} mm, turned by {a:.3f}, {b:.3f}, {c:.3f} °")
        if found.after is not None:
            factor, unit = (1.0, "px") if options["lens_file"] is not None else (1e3, "mm")
            click.echo(f"held back: {factor * found.after.rms:.3f} {unit} (rms)")

    finish(out, result, as_json, say)


def _from_pictures(path: Path, held: Any, hand: Any, serial: str, options: dict[str, Any]) -> tuple[Any, str]:
    from calibration.camera import Lens
    from calibration.camera.detecting import read_picture
    from calibration.hand_eye.pictures import calibrate_from_pictures, pictures_hash

    if options["lens_file"] is None:
        raise DataError("pictures need the lens of their camera: --camera RESULT, made with station calibrate camera")
    lens = Lens.of(load_result(options["lens_file"], Subject.device(serial), "camera").values["lens"])
    board = board_of(options)
    names = [str(one.values["picture"]) for one in held]
    views = views_of([(name, read_picture(path.parent / name)) for name in names], board)
    seen = {view.name for view in views}
    chosen = [number for number, name in enumerate(names) if name in seen]
    found = calibrate_from_pictures(hand[chosen], views, board, lens, method=options["method"])
    return found, pictures_hash(hand[chosen], views, lens)


def _collect(path: Path, serial: str, options: dict[str, Any]) -> None:
    from calibration.hand_eye.collecting import collect_pictures
    from calibration.opening import opened

    if options["file"] is None or options["picture"] is None:
        raise click.UsageError("an arm that goes to stations needs --scene FILE and --picture URL")
    with opened(options["file"], options["controller"], frame=options["frame"], tell=progress) as arm:
        collect_pictures(
            arm,
            path,
            Subject.device(serial, "camera"),
            options["picture"],
            board_of(options),
            count=options["count"],
            within=options["within"] * DEGREE,
            tell=progress,
        )


@click.command("mount")
@click.argument("eye", type=click.Path(path_type=Path))
@click.argument("lens_file", metavar="LENS", type=click.Path(path_type=Path))
@click.argument("file")
@click.option(
    "--serial", required=True, help="Serial number of the camera that is mounted; both results must be its own."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="New MAD file; never over one.")
@robot_name
@click.option("--frame", help="Frame of the hand; else that of EYE, else that which follows a device.")
def mount(eye: Path, lens_file: Path, file: str, serial: str, out: Path, name: str | None, frame: str | None) -> None:
    """Write FILE with the camera where EYE (hand-eye) and LENS (camera) say it is; FILE stays."""
    import numpy as np

    import station
    from calibration.camera import Lens
    from calibration.camera.mounting import mounted
    from station.mad.files import save
    from station.shipped import scene_path

    subject = Subject.device(serial)
    held, lens = load_result(eye, subject, "hand-eye"), load_result(lens_file, subject, "camera")
    scene = station.load(scene_path(file))
    robot = robot_in(scene, name)
    hand = _hand_of(eye, held, scene[robot.name], frame)
    width, height = lens.values["size"]
    notes = (held.noted(eye, serial=serial), lens.noted(lens_file, serial=serial))
    found = np.array(held.values["x"])
    made = mounted(scene, robot, hand, found, Lens.of(lens.values["lens"]), (width, height), notes)
    if out.exists():
        raise DataError(f"{out}: exists already; give another name")
    save(made, out)
    click.echo(f"{out}: camera {serial} in frame {hand} of {robot.name}, by results {held.id} and {lens.id}")


def _hand_of(path: Path, held: Result, mechanism: Mechanism, frame: str | None) -> int:
    """The frame that a camera is to be mounted in; a WrongDeviceError if hand-eye was measured with another robot."""
    who = held.values.get("measured_by", {})
    meant, known = carrier(mechanism.robot), who.get("frame")
    if who.get("robot") is None:
        progress(f"{path}: does not say with which robot it was measured; taken for {meant}")
    elif who["robot"] != meant.id:
        found = Subject("mad", str(who["robot"]))
        raise WrongDeviceError(f"{path}: was measured with the robot of {found}, not with {meant}; it is not mounted")
    hand = measured_frame(mechanism, str(known) if frame is None and known is not None else frame)
    if known is not None and hand != known:
        raise WrongDeviceError(f"{path}: tells where the camera is in frame {known}, not in {hand}; it is not mounted")
    return hand


COMMANDS = (hand_eye, mount)
