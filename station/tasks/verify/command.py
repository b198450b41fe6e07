"""`station verify`: check a task before it is executed."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.progress import Progress

from station.address_option import ADDRESS
from station.bench import Bench
from station.tasks.arms import arms_of, started_arms
from station.tasks.task import Bound, TaskFile, bind, load_together, read_calibration
from station.tasks.task.model import Floats
from station.tasks.verify.between import make_between, verify_between
from station.tasks.verify.checks import make_workbench, verify
from station.tasks.verify.held import held_by
from station.tasks.verify.noting import write_notes
from station.tasks.verify.results import Verdict
from station.tasks.verify.settings import RobustSettings, VerifySettings
from station.tasks.verify.text import robustness_text, verdict_text

if TYPE_CHECKING:
    from station.tasks.verify.robust import Robustness


@click.command("verify")
@click.argument("task", type=click.Path(path_type=Path))
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file, if it is no longer where it was.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option(
    "--controller",
    metavar="[ROBOT=]URL",
    type=ADDRESS,
    multiple=True,
    help="Check against this arm, too: its limits, its rate, where it stands; one for each robot.",
)
@click.option("--limit-fraction", default=0.9, help="Part of speed, acceleration and jerk that may be used.")
@click.option("--clearance", default=0.5, metavar="MM", help="Least distance from obstacles, other robots and itself.")
@click.option(
    "--payload",
    default="0",
    metavar="KG|FILE",
    help="Held by the tool besides what the scene says: a mass, or a result of station calibrate payload.",
)
@click.option("--tie", default=0.1, metavar="MM", help="How far what ties robots to each other may be open.")
@click.option("--singularity", default=0.02, help="Least over largest gain of the tool.")
@click.option("--ignore-made-up", is_flag=True, help="Bodies whose shapes the file does not say may touch each other.")
@click.option("--variants", default=0, help="Also check so many variants with wrong calibration and tracking error.")
@click.option("--seed", default=0, help="Of the variants.")
@click.option("--workers", type=int, help="Processes for the variants; else one per processor.")
@click.option("--no-note", is_flag=True, help="Do not note the outcome in the file; then it cannot be executed.")
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
def verify_command(task: Path, as_json: bool, **options: Any) -> int:
    """Check TASK at every instant; exit code 1 if it does not pass."""
    files = load_together(task)
    arms = arms_of(options["controller"], [file.task.robot for file in files])
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    bounds = [bind(file.task, options["scene"], calibration) for file in files]
    with ExitStack() as stack:
        arms = started_arms(stack, arms, str(bounds[0].scene.file))
        checked = [
            _checked(file, bound, arms.get(file.task.robot), options) for file, bound in zip(files, bounds, strict=True)
        ]
    robots = make_between(checked[0].scene, [file.task.robot for file in files], checked[0].settings)
    between = None if robots is None else verify_between([file.task for file in files], robots)
    if between is not None and options["variants"]:
        between = between.noting(
            ["variants are those of each robot: distances between robots were not checked in them"]
        )
    passed = all(one.verdict.passed for one in checked) and (between is None or between.passed)
    if not options["no_note"]:
        write_notes(task, files, [one.verdict for one in checked], [one.settings for one in checked], between)
    if as_json:
        told = {file.task.robot: one.data for file, one in zip(files, checked, strict=True)}
        data = checked[0].data if len(files) == 1 else {"robots": told}
        others = {} if between is None else {"between": between.data}
        click.echo(json.dumps({**data, **others, "passed": passed}))
        return 0 if passed else 1
    for file, one in zip(files, checked, strict=True):
        if len(files) > 1:
            click.echo(f"robot {file.task.robot}:")
        click.echo(verdict_text(one.verdict))
        if one.robustness is not None:
            click.echo(robustness_text(one.robustness))
    if between is not None:
        names = " and ".join(robot.name for robot in checked[0].scene.robots)
        click.echo(f"between {names}:\n{verdict_text(between)}")
    if not passed and len(files) == 1:
        click.echo(f"see where, on the robot: station view --task {task}", err=True)
    return 0 if passed else 1


class Checked(NamedTuple):
    """What was found of one robot."""

    scene: Bench
    settings: VerifySettings
    verdict: Verdict
    robustness: Robustness | None  # None: not asked for

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        return {**self.verdict.data, "robustness": None if self.robustness is None else self.robustness.data}


def _checked(file: TaskFile, bound: Bound, controller: str | None, options: dict[str, Any]) -> Checked:
    """Check the task of one robot."""
    held = held_by(options["payload"], bound.mechanism)
    if held.payload_arm:
        x, y, z = (1e3 * value for value in held.payload_at)
        place = f"{x:.1f}, {y:.1f}, {z:.1f} mm of frame {held.payload_frame}"
        click.echo(f"held: {held.payload:.3f} kg at {place}, as the arm {held.payload_arm} has measured", err=True)
    settings = VerifySettings(
        share=options["limit_fraction"],
        clearance=1e-3 * options["clearance"],
        tie=1e-3 * options["tie"],
        **held._asdict(),
        singularity=options["singularity"],
        made_up=not options["ignore_made_up"],
    )
    arm, measured = _arm(controller, bound) if controller else (None, None)
    verdict = verify(file.task, make_workbench(bound.scene, bound.mechanism, settings, arm, file.task.frame), measured)
    found = None
    if options["variants"] and verdict.passed:
        from station.tasks.verify.robust import Case, robustness

        robust = RobustSettings(variants=options["variants"], seed=options["seed"])
        case = Case(file.task, str(options["scene"] or file.task.scene_file), settings, robust, arm)
        with Progress(console=Console(stderr=True)) as bar:
            job = bar.add_task("variants", total=robust.variants)
            found = robustness(case, options["workers"], lambda done: bar.advance(job, done))
    return Checked(bound.scene, settings, verdict, found)


def _arm(url: str, bound: Bound) -> tuple[Any, Floats]:
    """What an arm can do, and where it stands; it is not asked to move."""
    from station.clock import WALL
    from station.controllers import check_calibrated, open_controller, scene_joints
    from station.tasks.task.errors import TaskError

    mechanism = bound.mechanism
    with ExitStack() as stack:
        controller = stack.enter_context(open_controller(url, joints=scene_joints(mechanism.joints)))
        check_calibrated(mechanism.robot, controller)
        end = WALL.now() + 3.0
        while (said := controller.newest()) is None:
            if WALL.now() > end:
                raise TaskError(f"{url}: the arm does not say where it is: {controller.reason}")
            WALL.sleep_until(WALL.now() + 0.005)
        return controller.capabilities, said.q
