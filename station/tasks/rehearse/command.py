"""`station rehearse`: drive the virtual robot, and keep what was driven as a task."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

import station
from station.address_option import ADDRESS, address_in
from station.bench import Bench, System
from station.devices import open_device
from station.devices.software.nobody import Nobody
from station.mad.joined import join
from station.mad.leading import leads_of
from station.mad.scene import NULL_DEVICE
from station.mechanism import Mechanism
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import Rig, RigError, Wanted, put_all_together, put_together, robots_of
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
    changed,
    how_to_check,
    limits_for,
    read_calibration,
    save_together,
)
from station.tasks.task.driven import as_driven_together, check_rounding
from station.tasks.task.edit import apart, combined, smoothed
from station.tasks.task.retime import check_tool_speed, retimed_together
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
    "\t": "robot",
}
HELP = "m: mark  c: contact  f: free  w: wait 1 s  g: grip  o: open  u: undo to the last mark  y: redo  q: end"
HELP_SEVERAL = f"{HELP}  tab: next robot, for c, f, g and o"
DEVICE = "sim:syntaxer"


@click.command("rehearse")
@click.argument("file")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Task file to write.")
@click.option(
    "--device",
    default=(DEVICE,),
    metavar="[HAND=]URL",
    type=ADDRESS,
    multiple=True,
    help="Device in the hand; of several, each with the name that the file gives it.",
)
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
@click.option("--overwrite", is_flag=True, help="Write over an existing file.")
def rehearse_command(file: str, out: Path, **options: Any) -> int:
    """Drive the virtual robots of FILE with devices and write what was driven to a task file."""
    path = scene_path(file)
    if out.exists() and not options["overwrite"]:
        raise TaskFileError(f"{out}: exists already; write over it with --overwrite")
    script = read_script(_text(options["script"])) if options["script"] else []
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    _check_timing(options)
    with ExitStack() as stack:
        keys = stack.enter_context(Keys())
        wanted = Wanted(**{name: options[name] for name in ("robot", "frame", "posture", "rate")})
        scene = station.load(path)
        rigs = _rigs(stack, scene, wanted, options["device"])
        servo = stack.enter_context(Servo(rigs, options["rate"]))
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
        _tell_who_leads(servo, made)
        several = len(made.led) > 1
        click.echo((HELP_SEVERAL if several else HELP) if keys.there else "rehearsing; end with Ctrl-C", err=True)
        _drive(made, keys, options["seconds"])
        tasks = made.tasks()
    try:
        with Console(stderr=True).status("bringing it within the limits"):
            tasks, failed = _timed(tasks, scene, options), 0
    except RetimeError as error:
        click.echo(f"{error}; kept exactly as driven, which will not pass the check", err=True)
        failed = 1
    save_together(tasks, out, overwrite=options["overwrite"])
    task, whose = tasks[0], f"robots {', '.join(task.robot for task in tasks)}, " if len(tasks) > 1 else ""
    click.echo(
        f"{out}: {whose}{task.duration:.2f} s, {len(task.segments)} segments, {len(task.marks)} marks; check it with: "
        f"{how_to_check(out, options['calibration'])}"
    )
    return failed


def _rigs(stack: ExitStack, scene: Bench, wanted: Wanted, asked: Sequence[str]) -> tuple[Rig, ...]:
    """What is led and by what: one part for one device, all parts of the file for several."""
    leads, _ = leads_of(scene, [robot.name for robot in robots_of(scene, wanted.robot)])
    hands = list(dict.fromkeys(lead.name for lead in leads if lead.device.id != NULL_DEVICE))
    urls: dict[str, str] = {}
    for text in asked:
        name, url = address_in(text)
        if name is None and len(asked) > 1:
            raise RigError(f"--device {url}: of which hand? write HAND={url}; there are: {', '.join(hands)}")
        if name is not None and name not in hands:
            raise RigError(f"--device {text}: no hand {name!r} leads here; there are: {', '.join(hands) or 'none'}")
        if name in urls:
            raise RigError(f"--device {text}: hand {name} has a device already, {urls[name]}")
        urls[name or ""] = url
    opened = {name: stack.enter_context(open_device(_patient(url))) for name, url in urls.items()}
    if list(opened) == [""]:
        return (put_together(scene, opened[""], wanted),)
    return put_all_together(scene, opened, wanted, {})


def _tell_who_leads(servo: Servo, made: Rehearsal) -> None:
    """Which hand leads what; hands and robots that are left out are named."""
    scene, hands = servo.part.rig.scene, [part for part in servo.parts if not isinstance(part.device, Nobody)]
    for part in hands:
        who = "the hand" if len(hands) == 1 else f"hand {part.name}"
        robot = "" if len(made.led) == 1 else f" of {part.rig.alone.robot.name}"
        click.echo(f"{who} leads {part.followed.told}{robot}", err=True)
    own = {(part.rig.alone.robot.name, part.name) for part in hands}
    leads, _ = leads_of(scene)
    others = [f"{lead.name} of {lead.robot.name}" for lead in leads if (lead.robot.name, lead.name) not in own]
    rehearsed = " and ".join(robot.name for robot in made.led)
    if others:
        click.echo(f"note: rehearsed: {rehearsed}; hands without a device: {', '.join(others)}", err=True)
        click.echo(
            "note: name the device of each hand (--device HAND=URL), or rehearse robots one after the other", err=True
        )


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


def _timed(tasks: list[Task], scene: Bench, options: dict[str, Any]) -> list[Task]:
    """Within all limits: as driven, or as fast as they allow; of several robots, all at the same time."""
    names, speed = tuple(task.robot for task in tasks), options["tool_speed"]
    robots = scene[names[0]] if len(names) == 1 else Mechanism(join(scene, names))
    whole = System(robots, names)
    frames, limits = [whole.frame_id(task.robot, task.frame) for task in tasks], limits_for(robots)
    before = tasks[0].duration
    if options["fastest"]:
        if options["smooth"]:
            smooth = smoothed(combined(tasks, frames[0]), max(options["smooth"], tasks[0].period))
            tasks = [changed(task, q=q) for task, q in zip(tasks, apart(np.asarray(smooth.q), tasks), strict=True)]
        made, off = retimed_together(tasks, robots, limits, frames, speed)
        told = f"new timing: {before:.2f} s driven, {made[0].duration:.2f} s now, "
        click.echo(f"{told}{1000.0 * off:.2f} mrad | mm from the path at most", err=True)
        return made
    made, off = as_driven_together(
        tasks, robots, limits, frames, smooth=options["smooth"], tolerance=1e-3 * options["tolerance"], tool_speed=speed
    )
    told = f"as driven: {before:.2f} s driven, {made[0].duration:.2f} s now, "
    click.echo(f"{told}the tool {1000.0 * off:.2f} mm from the driven path at most", err=True)
    return made


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
