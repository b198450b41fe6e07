"""`station rehearse`: drive the virtual robot, and keep what was driven as a task."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import station
from station.address_option import ADDRESS
from station.bench import Bench
from station.devices import open_device
from station.mad.leading import leads_of
from station.mechanism import Mechanism
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import Rig, Wanted, put_together
from station.servo.servo import Servo
from station.shipped import scene_path
from station.tasks.execute.keyboard import Keys
from station.tasks.rehearse.orders import read_script
from station.tasks.rehearse.session import Rehearsal
from station.tasks.task import (
    EditError,
    RetimeError,
    Task,
    TaskFileError,
    how_to_check,
    limits_for,
    read_calibration,
    save,
)
from station.tasks.task.driven import as_driven, check_rounding
from station.tasks.task.edit import smoothed
from station.tasks.task.retime import check_tool_speed, retimed
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
@click.option(
    "--tolerance", default=2.0, metavar="MM", help="How far the tool may leave the driven path, to be within limits."
)
@click.option("--tool-speed", type=float, metavar="M/S", help="Slower where the tool would be faster than this.")
@click.option("--fastest", is_flag=True, help="New timing, as fast as all limits allow; else as the hand drove it.")
@click.option("--as-driven", is_flag=True, hidden=True)
@click.option("--window", is_flag=True, help="Show the virtual robot in a window; `station view FILE` follows it, too.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
def rehearse_command(file: str, out: Path, **options: Any) -> int:
    """Drive the virtual robot of FILE with a device and write what was driven to a task file."""
    path = scene_path(file)
    if out.exists() and not options["force"]:
        raise TaskFileError(f"{out}: exists already; write over it with --force")
    script = read_script(_text(options["script"])) if options["script"] else []
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    _check_timing(options)
    with ExitStack() as stack:
        keys = stack.enter_context(Keys())
        device = stack.enter_context(open_device(_patient(options["device"])))
        wanted = Wanted(**{name: options[name] for name in ("robot", "frame", "posture", "rate")})
        scene = station.load(path)
        rig = put_together(scene, device, wanted)
        _tell_left_out(scene, rig)
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
        stack.enter_context(window_beside(options["window"], str(path), servo.part.writer.path))
        stack.enter_context(real_time(RealTimeSettings()))
        servo.rehearse()
        click.echo(f"the hand leads {rig.followed.told}", err=True)
        click.echo(HELP if keys.there else "rehearsing; end with Ctrl-C", err=True)
        _drive(made, keys, options["seconds"])
        task = made.task()
    try:
        with Console(stderr=True).status("bringing it within the limits"):
            task, failed = _timed(task, rig.robot, options), 0
    except RetimeError as error:
        click.echo(f"{error}; kept exactly as driven, which will not pass the check", err=True)
        failed = 1
    save(task, out, force=options["force"])
    click.echo(
        f"{out}: {task.duration:.2f} s, {len(task.segments)} segments, {len(task.marks)} marks; check it with: "
        f"{how_to_check(out, options['calibration'])}"
    )
    return failed


def _tell_left_out(scene: Bench, rig: Rig) -> None:
    """One hand and one robot are rehearsed at a time; the others are named."""
    leads, _ = leads_of(scene)
    own = rig.alone.robot.name, rig.name
    others = [f"{lead.name} of {lead.robot.name}" for lead in leads if (lead.robot.name, lead.name) != own]
    if others:
        click.echo(
            f"note: only {rig.name} and {rig.alone.robot.name} are rehearsed; not: {', '.join(others)}", err=True
        )
        click.echo("note: rehearse robots one after the other (--robot), then: station task join", err=True)


def _check_timing(options: dict[str, Any]) -> None:
    """Before anybody drives: mistakes that would cost the take."""
    if options["as_driven"] and options["fastest"]:
        raise EditError("--as-driven and --fastest: only one of them; without both it is as driven")
    if options["as_driven"]:
        click.echo(
            "hint: as driven is how it is now; --as-driven may be left out, --fastest is the other way", err=True
        )
    check_tool_speed(options["tool_speed"])
    check_rounding(options["smooth"], 1e-3 * options["tolerance"])


def _timed(task: Task, robot: Mechanism, options: dict[str, Any]) -> Task:
    """Within all limits: as driven, or as fast as they allow."""
    limits, speed = limits_for(robot), options["tool_speed"]
    if options["fastest"]:
        smooth = smoothed(task, max(options["smooth"], task.period)) if options["smooth"] else task
        fast = retimed(smooth, robot, limits, speed)
        told = f"new timing: {fast.before:.2f} s driven, {fast.task.duration:.2f} s now, "
        click.echo(f"{told}{1000.0 * fast.deviation:.2f} mrad | mm from the path at most", err=True)
        return fast.task
    made = as_driven(
        task, robot, limits, smooth=options["smooth"], tolerance=1e-3 * options["tolerance"], tool_speed=speed
    )
    told = f"as driven: {made.before:.2f} s driven, {made.task.duration:.2f} s now, "
    click.echo(f"{told}the tool {1000.0 * made.deviation:.2f} mm from the driven path at most", err=True)
    return made.task


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
