"""`station agent`, the end of a delayed link that runs beside the arm; and what `station execute --ahead` does."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from station.address_option import ADDRESS
from station.clock import WALL
from station.controllers import open_controller, scene_joints
from station.controllers.order import in_order_of
from station.emulated import emulated_arm, is_emulated
from station.servo.pacing import RealTimeSettings, real_time
from station.tasks.execute.ahead.far import FarEnd
from station.tasks.execute.ahead.links import Caller, Listener
from station.tasks.execute.ahead.near import NearEnd, Shown
from station.tasks.execute.gripper import tool_for
from station.tasks.execute.keyboard import Keys
from station.tasks.execute.orders import Situation, order_of
from station.tasks.execute.player import Player
from station.tasks.execute.prepare import accepted, player_for
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.words import ExecuteError, State
from station.tasks.task import TaskFile, read_calibration

STANDS = (State.HELD, State.LINK_LOST, State.PAUSED)  # and needs somebody who decides
TELL_EVERY = 0.5  # [s]
LOOK_EVERY = 0.005  # [s]

Tell = Callable[[str], object]


@click.command("agent")
@click.option(
    "--controller", required=True, metavar="URL", type=ADDRESS, help="The arm, for example tcp://127.0.0.1:5555."
)
@click.option(
    "--listen",
    required=True,
    metavar="URL",
    type=ADDRESS,
    help="Where the station calls: tcp://host:port; port 0: any.",
)
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file on this machine; else where the task says.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option("--sensor", metavar="FILE", help="What `station calibrate force` found of this arm's sensor and tool.")
@click.option("--gripper", metavar="URL", type=ADDRESS, help="Gripper for the task's actions; else that of the scene.")
@click.option("--tube", default=10.0, metavar="MM", help="How far the tool may be from the path.")
@click.option("--link-limit", default=1.0, metavar="S", help="Without a word for so long, the arm acts by itself.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
@click.option("--seconds", type=float, metavar="S", help="End after so long.")
def agent_command(controller: str, listen: str, **options: Any) -> int:
    """Beside the arm: take tasks that are sent ahead, check them, and run them on this clock. End: Ctrl-C.

    It prints the address at which it listens. Beyond this machine that needs keys: tcp://0.0.0.0:5600?key=FILE&allowed=FOLDER.
    """
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    settings = ExecuteSettings.with_tube(1e-3 * options["tube"], link_limit=options["link_limit"])
    with ExitStack() as stack:
        link = stack.enter_context(closing(Listener(listen)))
        if is_emulated(controller):
            if options["scene"] is None:
                raise ExecuteError(
                    f"{controller}: an emulated arm needs the scene that it is of; name it with --scene FILE"
                )
            controller = stack.enter_context(emulated_arm(controller, str(options["scene"])))
        arm = stack.enter_context(open_controller(controller, wait=options["wait"]))
        tools = stack.enter_context(ExitStack())
        stack.enter_context(real_time(RealTimeSettings()))

        def make(file: TaskFile) -> Player:
            prepared = accepted(file, options["scene"], calibration)
            ordered = in_order_of(arm, scene_joints(prepared.bound.mechanism.joints))
            tools.close()  # that of the task before
            tool = tool_for(tools, file.task, prepared.bound.mechanism, options["gripper"])
            player = player_for(prepared, ordered, settings, tool=tool, sensor=options["sensor"])[0]
            for one in player.calibrations:
                click.echo(one.text, err=True)
            return player

        far = FarEnd(link, make, link_limit=options["link_limit"])
        stack.callback(ease_out, far)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # an end in order, as by Ctrl-C
        stack.callback(signal.signal, signal.SIGTERM, before)
        click.echo(link.address)
        end = WALL.now() + (options["seconds"] or float("inf"))
        while WALL.now() < end:
            far.tick()
    return 0


def ease_out(far: FarEnd) -> None:
    """Leave the arm holding by itself."""
    if far.player is not None and not far.player.state.over and far.player.state is not State.READY:
        far.player.abort("the far end was ended")
        far.player.run(seconds=10.0)


def send_ahead(task: Path, url: str, speed: float, keys: Keys, tell: Tell, wait: float) -> NearEnd:
    """At the station: send a task ahead, start it, and tell until it is over; raises an ExecuteError if it is refused.

    Ctrl-C asks to abort; a second one leaves at once, and the arm to what its task says.
    """
    with closing(Caller(url)) as link:
        near = NearEnd(link, task)
        for word, value in (("prepare", 0.0), ("speed", speed), ("start", 0.0)):
            near.order(word, value)
        asked_to_abort, due, began, line = False, WALL.now(), WALL.now(), ""
        while not (near.waiting == 0 and near.shown.state is not None and near.shown.state.over):
            try:
                near.tick()
                WALL.sleep_until(WALL.now() + LOOK_EVERY)
                asked_to_abort = _press(near, keys, tell) or asked_to_abort
                _check(near, url, WALL.now() - began > wait)
                if not asked_to_abort and not keys.there and near.waiting == 0 and near.shown.state in STANDS:
                    asked_to_abort = True  # nobody is there to decide
                    near.order("abort")
            except KeyboardInterrupt:
                if asked_to_abort or near.shown.state is None:
                    raise
                asked_to_abort = True
                near.order("abort")
            if WALL.now() >= due:
                due = WALL.now() + TELL_EVERY
                before, line = line, told(near.shown, near.task.duration)
                if line != before:
                    tell(line)
        return near


def _check(near: NearEnd, url: str, waited: bool) -> None:
    """Raise an ExecuteError where nothing good can follow."""
    if near.forgotten:
        raise ExecuteError(f"{url}: who is beside the arm was started anew, and knows nothing of this task")
    if waited and not near.obeyed:
        if near.shown.silent > 1e6:
            raise ExecuteError(f"{url}: nobody answers there; start it beside the arm with: station agent")
        raise ExecuteError(f"{url}: another station leads this arm now")
    for word, why in near.answers:
        if why and word in ("prepare", "speed", "start"):
            raise ExecuteError(why)


def _press(near: NearEnd, keys: Keys, tell: Tell) -> bool:
    """Pass on what the keys say; whether it was to abort. What became of an order is told when it is known."""
    while near.news:
        word, why = near.news.popleft()
        if why:
            tell(f"{word}: {why}")
    shown, aborts = near.shown, False
    for key in keys.pressed():
        if shown.state is None:
            continue
        order = order_of(key, Situation(shown.state, shown.place, shown.override), near.task)
        if order is not None and order.word != "take over":
            near.order(*order)
            aborts = aborts or order.word == "abort"
    return aborts


def told(shown: Shown, duration: float) -> str:
    """A line about a task that runs elsewhere: predicted against measured."""
    if shown.state is None:
        return "sending the task ahead"
    apart = 0.0
    if shown.predicted is not None and shown.measured is not None:
        apart = float(abs(shown.predicted - shown.measured).max())
    delay = f"{1000.0 * shown.delay:.0f} ms there and back"
    silent = f", nothing heard for {shown.silent:.1f} s" if shown.silent > 1.0 else ""
    reason = f", {shown.reason}" if shown.reason else ""
    return (
        f"{shown.state}: told {shown.place:.2f} s, must be at {shown.predicted_place:.2f} s of {duration:.2f}, "
        f"{apart:.3f} rad | m between predicted and measured, {delay}{silent}{reason}"
    )
