"""`station execute`: a verified task on an arm, with keys for the person who watches."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from station.controllers import Controller, open_controller, scene_joints
from station.errors import StationError
from station.servo.pacing import RealTimeSettings, real_time
from station.tasks.execute.gripper import Gripper
from station.tasks.execute.hand import HandLead
from station.tasks.execute.keyboard import Keys
from station.tasks.execute.player import Player
from station.tasks.execute.prepare import Prepared, opened, player_for
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.words import State
from station.tasks.task import read_calibration

TELL_EVERY = 0.25  # [s]
HELP = "space: pause, resume  s: step  b: back to the last mark  + -: speed  t: take over, give back  a: abort  e: stop"


@click.command("execute")
@click.argument("task", type=click.Path(path_type=Path))
@click.option("--controller", required=True, metavar="URL", help="The arm, for example tcp://127.0.0.1:5555.")
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file, if it is no longer where it was.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option("--device", metavar="URL", help="Device in the hand, for taking over.")
@click.option("--gripper", metavar="URL", help="Gripper for the task's actions; else that of the scene.")
@click.option("--speed", default=1.0, type=click.FloatRange(0.01, 1.0), help="Share of the task's speed to begin with.")
@click.option("--tube", default=10.0, metavar="MM", help="How far the tool may be from the path.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
def execute_command(task: Path, controller: str, as_json: bool, **options: Any) -> int:
    """Execute TASK, which has passed `station verify`; exit code 1 if it did not get to its end. Ctrl-C: ease out."""
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    prepared = opened(task, options["scene"], calibration)
    with ExitStack() as stack:
        joints = scene_joints(prepared.bound.mechanism.joints)
        arm = stack.enter_context(open_controller(controller, joints=joints, wait=options["wait"]))
        player = _player(stack, prepared, arm, options)
        keys = stack.enter_context(Keys())
        if keys.there and not as_json:
            click.echo(HELP, err=True)
        stack.enter_context(real_time(RealTimeSettings()))
        player.speed(options["speed"])
        player.start()
        _run(player, keys, (lambda _: None) if as_json else lambda text: click.echo(text, err=True))
    outcome = {
        "state": player.state.value,
        "reason": player.reason,
        "place": player.walker.place,
        "furthest_from_path": player.furthest,
        "happenings": [[h.time, h.state.value, h.place, h.text] for h in player.happenings],
    }
    done = player.state is State.DONE
    told = f"{player.state}" + (f": {player.reason}" if player.reason else "")
    click.echo(json.dumps(outcome) if as_json else f"{told}; at most {1000.0 * player.furthest:.1f} mm off the path")
    return 0 if done else 1


def _player(stack: ExitStack, prepared: Prepared, arm: Controller, options: dict[str, Any]) -> Player:
    task, (scene, mechanism) = prepared.file.task, prepared.bound
    settings = ExecuteSettings(tube=1e-3 * options["tube"], contact_tube=max(0.03, 3e-3 * options["tube"]))
    hand = tool = None
    if options["device"]:
        from station.devices import open_device

        device = stack.enter_context(open_device(options["device"]))
        hand = HandLead(scene, mechanism, device, task.frame)
    grippers = [item.gripper.address for item in mechanism.robot.tools if item.gripper is not None]
    url = options["gripper"] or next((address for address in grippers if address), None)
    if url and any(segment.action is not None for segment in task.segments):
        from station.controllers.tools import open_tool

        tool = Gripper(stack.enter_context(open_tool(url)))
    return player_for(prepared, arm, settings, tool=tool, hand=hand)[0]


def _run(player: Player, keys: Keys, tell: Callable[[str], object]) -> None:
    due = player.clock.now()
    while not player.state.over:
        try:
            player.tick()
            for key in keys.pressed():
                _press(player, key, tell)
        except KeyboardInterrupt:
            player.abort("Ctrl-C")
        if not keys.there and player.state in (State.HELD, State.LINK_LOST):
            tell(player.reason)
            player.abort(player.reason)  # nobody is there to decide
        if player.clock.now() >= due:
            due = player.clock.now() + TELL_EVERY
            now = player.progress
            left = f"{now.left:.1f} s left" if now.left < 1e6 else now.reason
            tell(f"{now.state}: {100.0 * now.share:.0f} %, segment {now.segment}, {left}")


def _press(player: Player, key: str, tell: Callable[[str], object]) -> None:
    orders: dict[str, Callable[[], object]] = {
        " ": lambda: player.pause() if player.state in (State.RUNNING, State.BACKING) else player.resume(),
        "s": player.step,
        "b": lambda: player.back_up(_last_mark(player)),
        "+": lambda: player.speed(min(player.override + 0.1, 1.0)),
        "-": lambda: player.speed(max(player.override - 0.1, 0.0)),
        "t": lambda: player.resume() if player.state is State.HAND else player.take_over(),
        "a": player.abort,
        "e": player.emergency_stop,
    }
    try:
        orders.get(key, lambda: None)()
    except StationError as error:
        tell(str(error))


def _last_mark(player: Player) -> float:
    """Place of the mark before this one, or the begin [s]."""
    period, here = player.task.period, player.walker.place
    return max((mark.sample * period for mark in player.task.marks if mark.sample * period < here - 0.2), default=0.0)
