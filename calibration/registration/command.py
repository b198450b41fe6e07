"""`station calibrate register`: where a work-piece is, from touches, and the file that moves tasks with it.

Touches are a collection whose observations hold `feature` and `point` (the centre of the tip, in the world [m]). With
--controller an arm makes them, as a file of approaches says; with --device a person does, who is asked for feature
after feature.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Collection, Held, collect, read_collection
from calibration.errors import DataError, PoseError, WrongDeviceError
from calibration.options import NOT_NEGATIVE, POSITIVE
from calibration.origin import origin
from calibration.registration.frames import frames_in
from calibration.registration.model import check_tip
from calibration.registration.near import pose_of
from calibration.results import Result, Subject
from calibration.saying import as_json, column, observed, out, progress, tell
from calibration.units import MM
from calibration.writing import finish
from station.address_option import ADDRESS

WAIT = 60.0  # for a button [s]
WHO = ("arm", "robot", "frame", "device")  # facts of a collection that a result keeps


@click.command("register")
@click.argument("piece_file", metavar="PIECE", type=click.Path(path_type=Path))
@observed
@out
@click.option("--frames", required=True, type=click.Path(path_type=Path), help="Where frames are now, for tasks.")
@click.option("--tip", required=True, metavar="MM", type=NOT_NEGATIVE, help="Radius of the tip; 0: a sharp one.")
@click.option("--find-tip", is_flag=True, help="Estimate the radius of the tip too.")
@click.option("--noise", default=0.02, metavar="MM", type=POSITIVE, help="Standard deviation of a touch.")
@click.option("--near", metavar="X,Y,Z,A", help="About where the work-piece is [mm], turned about z [°]; or A,B,C.")
@click.option(
    "--controller", metavar="URL", type=ADDRESS, help="Touch with this arm first; needs --scene and --approaches."
)
@click.option("--scene", "file", help="Scene of the arm.")
@click.option(
    "--approaches", type=click.Path(path_type=Path), help="JSON: [[feature, [x, y, z], [dx, dy, dz]], …] [m]."
)
@click.option("--reach", default=20.0, metavar="MM", type=POSITIVE, help="How far an arm feels from each beginning.")
@click.option("--device", metavar="URL", type=ADDRESS, help="Touch with this haptic device first, by its button.")
@click.option("--touch", "wanted", multiple=True, metavar="FEATURE", help="What to touch with the device, in turn.")
@as_json
def register_command(piece_file: Path, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Where the work-piece of PIECE is, from touches; then: station task move TASK --calibration FRAMES."""
    from calibration.registration import Touches, read_piece, register, write_frames

    piece, near = read_piece(piece_file), None if options["near"] is None else pose_of(options["near"])
    frames_in(options["frames"])  # what is wrong is refused now, not after everything was touched
    check_tip(options["tip"] * MM)
    subject = Subject.piece(piece_file.read_text(encoding="utf8"), piece.name)
    if options["controller"] is not None:
        _touch_with_arm(observations, subject, piece.features, options)
    elif options["device"] is not None:
        _touch_with_device(observations, subject, piece.features, options)
    held = read_collection(observations)
    if held.subject.id != subject.id:
        raise WrongDeviceError(f"{observations}: touches of {held.subject}, not of {subject}")
    _check_tip(observations, held, options["tip"])
    touches = Touches(
        points=column(observations, held.observations, "point"),
        features=tuple(str(one.values.get("feature")) for one in held.observations),
        tip=options["tip"] * MM,
        noise=options["noise"] * MM,
    )
    found = register(piece, touches, near, find_tip=options["find_tip"])
    values = {**found.data(), "measured_by": {key: held.facts[key] for key in WHO if key in held.facts}}
    result = Result(method="registration", subject=subject, values=values, data_hash=touches.hash())

    def say() -> None:
        tell(found.judgement)
        x, y, z = 1e3 * found.pose[:3, 3]
        spread = 1e3 * np.sqrt(np.diag(found.covariance)[:3])
        click.echo(f"{piece.name} at {x:.3f}, {y:.3f}, {z:.3f} mm ± {spread[0]:.3f}, {spread[1]:.3f}, {spread[2]:.3f}")
        if not found.checked:
            click.echo("just enough touches: nothing is left to check them by; touch once more")
        if found.also:
            click.echo(f"{len(found.also)} other places explain the touches as well; the nearest to --near was taken")
        if found.outliers:
            click.echo(f"touches that were left out: {', '.join(map(str, found.outliers))}")
        frames = options["frames"]
        click.echo(f"{frames}: frame {piece.name}; now: station task move TASK --calibration {frames} -o MOVED")

    def move() -> None:
        write_frames(options["frames"], piece.name, found.pose, result.applied(piece.name, out))

    finish(out, result, as_json, say, move)


def _check_tip(path: Path, held: Held, tip: float) -> None:
    known = held.facts.get("tip")
    if known is not None and not math.isclose(known, tip * MM, rel_tol=1e-9):
        raise WrongDeviceError(
            f"{path}: was touched with --tip {known / MM:g}, not {tip:g}; if that was a mistake, correct its first line"
        )


def _check_features(names: Iterable[str], known: Iterable[str]) -> None:
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise DataError(f"no feature {unknown[0]!r}; there are: {', '.join(known)}")


def _touch_with_arm(path: Path, subject: Subject, known: Iterable[str], options: dict[str, Any]) -> None:
    from calibration.opening import opened
    from calibration.registration.approaching import read_approaches, touch_all

    if options["file"] is None or options["approaches"] is None:
        raise click.UsageError("touching with an arm needs --scene FILE and --approaches FILE")
    approaches = read_approaches(options["approaches"])
    names = [one.feature for one in approaches]
    _check_features(names, known)
    with opened(options["file"], options["controller"], tell=progress) as arm:
        who = origin(arm.robot, arm.frame, arm.controller.capabilities.serial_number)
        facts = {**who, "tip": options["tip"] * MM, "features": names}
        collection = Collection(path, subject, [one.numbers for one in approaches], facts)
        touch_all(arm, collection, approaches, options["reach"] * MM, progress)


def _touch_with_device(path: Path, subject: Subject, known: Iterable[str], options: dict[str, Any]) -> None:
    from calibration.registration.touching import DeviceProbe
    from station.devices import open_device

    if not options["wanted"]:
        raise DataError(f"name what to touch with --touch, in turn; there are: {', '.join(known)}")
    _check_features(options["wanted"], known)
    with open_device(options["device"]) as device:
        able, probe = device.capabilities, DeviceProbe(device)
        facts = {"device": able.serial_number or able.model, "tip": options["tip"] * MM, "features": options["wanted"]}
        plan = [[float(number)] for number in range(len(options["wanted"]))]
        collection = Collection(path, subject, plan, facts)

        def measure(number: int, _: list[float]) -> dict[str, Any]:
            feature = options["wanted"][number]
            progress(f"touch {feature} and press the button")
            while True:
                try:
                    return {"feature": feature, "point": probe.touch(WAIT)}
                except PoseError as error:
                    if "pressed within" in str(error):
                        raise DataError(f"{error}; the same command goes on with what is missing") from None
                    progress(f"again: {error}")

        collect(collection, measure, progress)


COMMANDS = (register_command,)
