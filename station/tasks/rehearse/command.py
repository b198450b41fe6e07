"""`station rehearse`: drive the virtual robot, and keep what was driven as a task."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

import robots
import station
from station.address_option import ADDRESS
from station.devices import open_device
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.tasks.execute.keyboard import Keys
from station.tasks.rehearse.orders import read_script
from station.tasks.rehearse.session import Rehearsal
from station.tasks.task import EditError, TaskFileError, how_to_check, limits_for, read_calibration, save
from station.tasks.task.edit import smoothed
from station.tasks.task.retime import retimed
from station.tasks.window import window_beside

ORDERS = {
    "m": "mark",
    "c": "contact",
    "f": "free",
    "w": "wait 1",
    "g": "grip",
    "o": "open",
    "u": "undo",
    "y": "redo",
    "q": "end",
}
HELP = "m: mark  c: contact  f: free  w: wait 1 s  g: grip  o: open  u: undo to the last mark  y: redo  q: end"
DEVICE = "sim:syntaxer"


@click.command("rehearse")
@click.argument("file")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Task file to write.")
@click.option("--device", default=DEVICE, metavar="URL", type=ADDRESS, help="Device in the hand.")
@click.option("--name", help="Of the task; else that of the file.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--frame", help="Link or frame that follows the hand; else as the file says.")
@click.option("--posture", help="Named joint values to start from.")
@click.option("--rate", default=1000.0, metavar="HZ", help="Ticks and samples per second.")
@click.option("--seconds", type=float, metavar="S", help="End after so long.")
@click.option("--script", type=click.Path(path_type=Path), help="Orders at times: lines such as `1.5 mark grasp`.")
@click.option("--mark-button", default=-1, help="Number of a button of the device that sets a mark.")
@click.option("--reference", default="", metavar="NAME", help="Frame or obstacle that the task moves with.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option("--smooth", default=0.05, metavar="S", help="Take tremor out over so long; 0: leave it as it is.")
@click.option("--tool-speed", type=float, metavar="M/S", help="New timing with this speed of the tool at most.")
@click.option("--as-driven", is_flag=True, help="Keep the timing of the hand; it may not pass the check.")
@click.option("--window", is_flag=True, help="Show the virtual robot in a window; `station view FILE` follows it, too.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
def rehearse_command(file: str, out: Path, **options: Any) -> int:
    """Drive the virtual robot of FILE with a device and write what was driven to a task file."""
    path = robots.path(file) if not Path(file).exists() and file in robots.names() else Path(file)
    if out.exists() and not options["force"]:
        raise TaskFileError(f"{out}: exists already; write over it with --force")
    script = read_script(_text(options["script"])) if options["script"] else []
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    with ExitStack() as stack:
        keys = stack.enter_context(Keys())
        device = stack.enter_context(open_device(_patient(options["device"])))
        wanted = Wanted(**{name: options[name] for name in ("robot", "frame", "posture", "rate")})
        rig = put_together(station.load(path), device, wanted)
        servo = stack.enter_context(Servo(rig, options["rate"]))
        name = options["name"] or out.stem
        made = Rehearsal(
            servo,
            name,
            calibration,
            options["reference"],
            script,
            options["mark_button"],
            lambda text: click.echo(text, err=True),
        )
        stack.enter_context(window_beside(options["window"], str(path), servo.shared.path))
        stack.enter_context(real_time(RealTimeSettings()))
        servo.rehearse()
        click.echo(HELP if keys.there else "rehearsing; end with Ctrl-C", err=True)
        _drive(made, keys, options["seconds"])
        task = made.task()
    if options["smooth"]:
        task = smoothed(task, options["smooth"])
    if not options["as_driven"]:
        mechanism = rig.robot
        told = retimed(task, mechanism, limits_for(mechanism), options["tool_speed"])
        task = told.task
        click.echo(
            f"new timing: {told.before:.2f} s before, {task.duration:.2f} s now, "
            f"{1000.0 * told.deviation:.2f} mrad | mm from the path at most",
            err=True,
        )
    save(task, out, force=options["force"])
    click.echo(
        f"{out}: {task.duration:.2f} s, {len(task.segments)} segments, {len(task.marks)} marks; check it with: "
        f"{how_to_check(out, options['calibration'])}"
    )
    return 0


def _drive(made: Rehearsal, keys: Keys, seconds: float | None) -> None:
    servo = made.servo
    servo.pace.start()
    end = servo.clock.now() + seconds if seconds else float("inf")
    try:
        while not made.ended and servo.clock.now() < end:
            made.tick()
            if made.servo.pace.tick % 20 == 0:
                for key in keys.pressed():
                    if key in ORDERS:
                        made.say(ORDERS[key])
    except KeyboardInterrupt:
        click.echo("end", err=True)


def _patient(url: str) -> str:
    """The emulated hand waits until all is compiled."""
    if not url.startswith("sim:syntaxer") or "patient=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}patient=1"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf8")
    except (OSError, UnicodeDecodeError) as error:
        raise EditError(f"{path}: cannot be read: {error}") from None
