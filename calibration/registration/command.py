"""`station calibrate register`: where a work-piece is, from touches, and the file that moves tasks with it.

Touches are a collection whose observations hold `feature` and `point` (the centre of the tip, in the world [m]). With
--controller an arm makes them, as a file of approaches says; with --device a person does, who is asked for feature
after feature.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Collection, collect, read_collection
from calibration.errors import DataError, PoseError
from calibration.parameters import Floats
from calibration.results import Result, Subject
from calibration.saying import MM, as_json, column, observed, out, tell
from calibration.writing import finish

WAIT = 60.0  # for a button [s]


@click.command("register")
@click.argument("piece_file", metavar="PIECE", type=click.Path(path_type=Path))
@observed
@out
@click.option("--frames", required=True, type=click.Path(path_type=Path), help="Where frames are now, for tasks.")
@click.option("--tip", default=0.0, metavar="MM", help="Radius of the tip.")
@click.option("--find-tip", is_flag=True, help="Estimate the radius of the tip too.")
@click.option("--noise", default=0.02, metavar="MM", help="Standard deviation of a touch.")
@click.option("--near", metavar="X,Y,Z,A", help="About where the work-piece is [mm], turned about z [°].")
@click.option("--controller", metavar="URL", help="Touch with this arm first; needs --scene and --approaches.")
@click.option("--scene", "file", help="Scene of the arm.")
@click.option(
    "--approaches", type=click.Path(path_type=Path), help="JSON: [[feature, [x, y, z], [dx, dy, dz]], …] [m]."
)
@click.option("--reach", default=20.0, metavar="MM", help="How far an arm feels from each beginning.")
@click.option("--device", metavar="URL", help="Touch with this haptic device first, by its button.")
@click.option("--touch", "wanted", multiple=True, metavar="FEATURE", help="What to touch with the device, in turn.")
@as_json
def register_command(piece_file: Path, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Where the work-piece of PIECE is, from touches; then: station task move TASK --calibration FRAMES."""
    from calibration.registration import Touches, read_piece, register, write_frames

    piece = read_piece(piece_file)
    subject = Subject.mad(piece_file.read_text(encoding="utf8"), piece.name)
    if options["controller"] is not None:
        _touch_with_arm(observations, subject, options)
    elif options["device"] is not None:
        _touch_with_device(observations, subject, piece.features, options)
    held = read_collection(observations)
    if held.subject.id != subject.id:
        raise DataError(f"{observations}: touches of {held.subject}, not of {subject}")
    touches = Touches(
        points=column(observations, held.observations, "point"),
        features=tuple(str(one.values.get("feature")) for one in held.observations),
        tip=options["tip"] * MM,
        noise=options["noise"] * MM,
    )
    found = register(piece, touches, _near(options["near"]), find_tip=options["find_tip"])
    result = Result(method="registration", subject=subject, values=found.data(), data_hash=touches.hash())

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
        click.echo(f"{options['frames']}: {identity}; now: station task move TASK --calibration {options['frames']}")

    identity = write_frames(options["frames"], piece.name, found.pose)
    finish(out, result, as_json, say)


def _near(text: str | None) -> Floats:
    pose = np.eye(4)
    if text is None:
        return pose
    try:
        x, y, z, angle = (float(part) for part in text.split(","))
    except ValueError:
        raise DataError(f"--near {text}: give x, y, z [mm] and an angle [°] by commas") from None
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    pose[:2, :2], pose[:3, 3] = [[c, -s], [s, c]], [MM * x, MM * y, MM * z]
    return pose


def _touch_with_arm(path: Path, subject: Subject, options: dict[str, Any]) -> None:
    from calibration.opening import opened
    from calibration.registration.approaching import read_approaches, touch_all

    if options["file"] is None or options["approaches"] is None:
        raise click.UsageError("touching with an arm needs --scene FILE and --approaches FILE")
    approaches = read_approaches(options["approaches"])
    with opened(options["file"], options["controller"]) as arm:
        collection = Collection(path, subject, [one.numbers for one in approaches])
        say = lambda text: click.echo(text, err=True)  # noqa: E731
        touch_all(arm, collection, approaches, options["reach"] * MM, say)


def _touch_with_device(path: Path, subject: Subject, known: Any, options: dict[str, Any]) -> None:
    from calibration.registration.touching import DeviceProbe
    from station.devices import open_device

    unknown = [name for name in options["wanted"] if name not in known]
    if unknown or not options["wanted"]:
        raise DataError(f"name what to touch with --touch, in turn; there are: {', '.join(known)}")
    collection = Collection(path, subject, [[float(number)] for number in range(len(options["wanted"]))])
    with ExitStack() as stack:
        probe = DeviceProbe(stack.enter_context(open_device(options["device"])))

        def measure(number: int, _: list[float]) -> dict[str, Any]:
            feature = options["wanted"][number]
            click.echo(f"touch {feature} and press the button", err=True)
            while True:
                try:
                    return {"feature": feature, "point": probe.touch(WAIT)}
                except PoseError as error:
                    if "pressed within" in str(error):
                        raise DataError(f"{error}; the same command goes on with what is missing") from None
                    click.echo(f"again: {error}", err=True)

        collect(collection, measure, lambda text: click.echo(text, err=True))


COMMANDS = (register_command,)
