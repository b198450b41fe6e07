"""`station execute`: a verified task on an arm, with keys for the person who watches."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from station.address_option import ADDRESS
from station.controllers import Controller, open_controller, scene_joints
from station.errors import StationError
from station.servo.pacing import RealTimeSettings, real_time
from station.tasks.arms import arms_of, started_arms
from station.tasks.execute.gripper import tool_for
from station.tasks.execute.hand import HandLead
from station.tasks.execute.keyboard import Keys
from station.tasks.execute.orders import HELP, Situation, obey, order_of
from station.tasks.execute.player import Player
from station.tasks.execute.prepare import Prepared, opened_together, player_for
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.showing import shown_together
from station.tasks.execute.together import Together, players_for
from station.tasks.execute.words import State
from station.tasks.recording.facts import files_of, seeds
from station.tasks.recording.launch import Outcome, recorder_for
from station.tasks.recording.order import Order
from station.tasks.task import read_calibration
from station.tasks.window import window_beside

TELL_EVERY = 0.25  # [s]
ANSWER_WITHIN = 10.0  # of who is beside the arm, if no more is said [s]


@click.command("execute")
@click.argument("task", type=click.Path(path_type=Path))
@click.option(
    "--controller",
    metavar="[ROBOT=]URL",
    type=ADDRESS,
    multiple=True,
    help="The arm: tcp://127.0.0.1:5555, or sim:arm for an emulated one; one for each robot of the task.",
)
@click.option(
    "--ahead", metavar="URL", type=ADDRESS, help="Instead: send the task ahead to `station agent` at this address."
)
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file, if it is no longer where it was.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option("--sensor", metavar="FILE", help="What `station calibrate force` found of this arm's sensor and tool.")
@click.option("--device", metavar="URL", type=ADDRESS, help="Device in the hand, for taking over.")
@click.option("--gripper", metavar="URL", type=ADDRESS, help="Gripper for the task's actions; else that of the scene.")
@click.option("--speed", default=1.0, type=click.FloatRange(0.01, 1.0), help="Share of the task's speed to begin with.")
@click.option("--tube", default=10.0, metavar="MM", help="How far the tool may be from the path.")
@click.option("--wait", type=float, metavar="S", help="How long to wait for who is not there yet; --ahead: 10, else 0.")
@click.option("--window", is_flag=True, help="Show predicted and measured robot in a window.")
@click.option("--record", metavar="OUT.mcap", type=click.Path(path_type=Path), help="Record every tick.")
@click.option("--overwrite", is_flag=True, help="Write over an old recording.")
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
def execute_command(task: Path, as_json: bool, **options: Any) -> int:
    """Execute TASK, which has passed `station verify`; exit code 1 if it did not get to its end. Ctrl-C: ease out."""
    if (not options["controller"]) == (options["ahead"] is None):
        raise click.UsageError("name either the arm, --controller URL, or who is beside it, --ahead URL")
    if not options["controller"]:
        return _ahead(task, as_json, options)
    player, recorded = _executed(task, _teller(as_json), options)
    outcome = {
        "state": player.state.value,
        "reason": player.reason,
        "place": player.walker.place,
        "furthest_from_path": player.furthest,
        "recording": None if recorded is None else recorded.data,
        "happenings": [[h.time, h.state.value, h.place, h.text] for h in player.happenings],
    }
    told = f"{player.state}" + (f": {player.reason}" if player.reason else "")
    click.echo(json.dumps(outcome) if as_json else f"{told}; at most {1000.0 * player.furthest:.1f} mm off the path")
    if recorded is not None and not as_json:
        click.echo(f"recording: {recorded.text}")
    return 0 if player.state is State.DONE else 1


def _executed(
    task: Path, tell: Callable[[str], object], options: dict[str, Any]
) -> tuple[Player | Together, Outcome | None]:
    """Lead the arms along a task until it is over."""
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    prepared = opened_together(task, options["scene"], calibration)
    robots = [one.file.task.robot for one in prepared]
    urls = arms_of(options["controller"], robots)
    if len(prepared) > 1:
        for name in ("device", "gripper", "sensor"):
            if options[name]:
                raise click.UsageError(f"--{name} is for a task of one robot; this one has: {', '.join(robots)}")
    scene = prepared[0].bound.scene
    with ExitStack() as stack:
        tape = stack.enter_context(recorder_for(options["record"], options["overwrite"], _teller(False)))
        if tape is not None:
            tape.wait_until_loaded()  # an arm that is not listened to meanwhile would be taken for lost
        there = started_arms(stack, urls, str(scene.file))
        arms = {
            one.file.task.robot: _arm(stack, one, there, options) for one in prepared if one.file.task.robot in there
        }
        player = _led(stack, prepared, arms, options)
        players = player.players if isinstance(player, Together) else (player,)
        for text in dict.fromkeys(used.text for one in players for used in one.calibrations):
            tell(text)
        shown = [stack.enter_context(showing) for showing in shown_together(players)]
        if tape is not None:
            tape.begin(_order(players, shown[0].path, task, urls, options))
        stack.enter_context(window_beside(options["window"], str(scene.file), shown[0].path))
        keys = stack.enter_context(Keys())
        if keys.there:
            tell(f"{HELP}  t: take over, give back" if players[0].hand else HELP)
        stack.enter_context(real_time(RealTimeSettings()))
        player.speed(options["speed"])
        player.start()
        _run(player, keys, tell)
        for showing in shown:
            showing.close()
        return player, tape.close() if tape is not None else None


def _arm(stack: ExitStack, prepared: Prepared, urls: Mapping[str, str], options: dict[str, Any]) -> Controller:
    """The arm of one robot."""
    mechanism = prepared.bound.mechanism
    joints = scene_joints(mechanism.joints)
    url = urls[mechanism.robot.name]
    return stack.enter_context(open_controller(url, joints=joints, wait=options["wait"] or 0.0))


def _led(
    stack: ExitStack, prepared: Sequence[Prepared], arms: Mapping[str, Controller], options: dict[str, Any]
) -> Player | Together:
    """What leads one arm, or several together."""
    if len(prepared) == 1:
        return _player(stack, prepared[0], arms[prepared[0].file.task.robot], options)
    tools = {one.file.task.robot: tool_for(stack, one.file.task, one.bound.mechanism, None) for one in prepared}
    there = {robot: tool for robot, tool in tools.items() if tool is not None}
    return players_for(prepared, arms, ExecuteSettings.with_tube(1e-3 * options["tube"]), tools=there)


def _order(
    players: Sequence[Player], state: Path, task: Path, arms: Mapping[str, str], options: dict[str, Any]
) -> Order:
    """What to record of an execution: with the scene, and the task itself."""
    file = str(players[0].bench.scene.file)
    urls = {("controller" if not nth else f"controller {name}"): url for nth, (name, url) in enumerate(arms.items())}
    urls["device"] = options["device"] or ""
    run = {"file": file, **urls, "task": str(task)}
    results = dict.fromkeys(one.file for player in players for one in player.calibrations)
    return Order(
        state=str(state),
        path=str(options["record"]),
        overwrite=options["overwrite"],
        attach=(*files_of(file, urls.values(), results), str(task)),
        metadata={"run": run, "seeds": seeds(urls)},
    )


def _ahead(task: Path, as_json: bool, options: dict[str, Any]) -> int:
    """Send a task ahead and show predicted against measured until it is over."""
    from station.tasks.execute.ahead.command import send_ahead

    for name in ("device", "gripper", "scene", "calibration", "sensor", "record", "window"):
        if options[name]:
            raise click.UsageError(f"--{name} has no meaning here: with --ahead the arm is led by `station agent`")
    wait = ANSWER_WITHIN if options["wait"] is None else options["wait"]
    with Keys() as keys:
        if keys.there and not as_json:
            click.echo(HELP, err=True)
        near = send_ahead(task, options["ahead"], options["speed"], keys, _teller(as_json), wait)
    shown = near.shown
    data = {"state": str(shown.state), "reason": shown.reason, "place": shown.place, "delay": shown.delay}
    click.echo(json.dumps(data) if as_json else f"{shown.state} {shown.reason}".strip())
    return 0 if shown.state is State.DONE else 1


def _player(stack: ExitStack, prepared: Prepared, arm: Controller, options: dict[str, Any]) -> Player:
    task, (scene, mechanism) = prepared.file.task, prepared.bound
    hand = None
    if options["device"]:
        from station.devices import open_device

        device = stack.enter_context(open_device(options["device"]))
        rate = min(arm.capabilities.rate, ExecuteSettings().rate)
        hand = stack.enter_context(HandLead(scene, mechanism, device, task.frame, rate=rate))
    tool = tool_for(stack, task, mechanism, options["gripper"])
    settings = ExecuteSettings.with_tube(1e-3 * options["tube"])
    return player_for(prepared, arm, settings, tool=tool, hand=hand, sensor=options["sensor"])[0]


def _teller(as_json: bool) -> Callable[[str], object]:
    return (lambda _: None) if as_json else lambda text: click.echo(text, err=True)


def _run(player: Player | Together, keys: Keys, tell: Callable[[str], object]) -> None:
    due, line = player.clock.now(), ""
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
            before, line = line, f"{now.state}: {100.0 * now.share:.0f} %, segment {now.segment}, {left}"
            if line != before:
                tell(line)


def _press(player: Player | Together, key: str, tell: Callable[[str], object]) -> None:
    order = order_of(key, Situation(player.state, player.walker.place, player.override), player.task)
    try:
        if order is not None:
            obey(player, order)
    except StationError as error:
        tell(str(error))
