"""`station task`: look at a task, or make another one of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from station.tasks.task import (
    Action,
    EditError,
    Kind,
    LinkLoss,
    Task,
    TaskFile,
    bind,
    how_to_check,
    joint_limits,
    limits_for,
    load,
    load_together,
    read_calibration,
    save,
    save_together,
)
from station.tasks.task import edit as edits
from station.tasks.task.binding import Bound
from station.tasks.task.driven import TOLERANCE, as_driven
from station.tasks.task.hashing import facts_of
from station.tasks.task.joints import closed_path
from station.tasks.task.model import changed
from station.tasks.task.moving import how_far, moved
from station.tasks.task.retime import retimed

OPERATIONS = """trim FROM TO          keep what is between two places
cut FROM TO           leave out what is between two places
to MARK               keep what is up to a mark
wait AT SECONDS       stand still
act AT WORD VALUE SECONDS    let the tool do something: act grasp grip 0.02 1
mark AT NAME          a mark more
contact FROM TO [FORCE]      contact is expected there
free FROM TO          and not there
lost finish|hold|retreat     what the arm does if the link is lost
smooth SECONDS        take tremor out
repeat TIMES          the whole several times
insert AT FILE        another task in the middle
ease [MM]             the same timing, rounded by so much at most; slower only where limits demand it
retime [M/S]          as fast as all limits allow, or with this speed of the tool
Places are seconds, or names of marks."""


@click.group("task")
def task_command() -> None:
    """Look at a task file, edit it, move it with its work-piece, or join tasks of several robots."""


@task_command.command("show")
@click.argument("task", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
def show(task: Path, as_json: bool) -> None:
    """What is in TASK: segments, marks, hashes, and whether it was verified."""
    files = load_together(task)
    if as_json:
        told = {
            file.task.robot: {**facts_of(file.task), "hash": file.hash, "verified": dict(file.verified)}
            for file in files
        }
        click.echo(json.dumps(told[files[0].task.robot] if len(files) == 1 else {"robots": told}))
        return
    for file in files:
        _show(file)


def _show(file: TaskFile) -> None:
    """What one robot does."""
    one = file.task
    checked = "verified" if file.verified.get("hash") == file.hash else "not verified"
    if file.verified.get("passed") == "no":
        checked = "did not pass its check"
    click.echo(f"{one.name}: robot {one.robot}, {one.duration:.2f} s at {1.0 / one.period:.0f} Hz, {checked}")
    click.echo(
        f"content {file.hash[:12]}, scene {one.scene_hash[:12]} ({one.scene_file}), calibration {one.calibration}"
        + ("" if one.reference is None else f", moves with {one.reference.name}")
    )
    for number, segment in enumerate(one.segments):
        times = f"{segment.begin * one.period:8.3f} to {segment.end * one.period:8.3f} s"
        words = f"{segment.name} {segment.comment}".strip()
        click.echo(f"  {number:3} {times}  {segment.kind:8} lost: {segment.on_link_loss:8} {words}")
    for mark in one.marks:
        click.echo(f"  mark {mark.name} at {mark.sample * one.period:.3f} s  {mark.comment}")


@task_command.command("edit", epilog=OPERATIONS)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("operations", metavar="OPERATION…", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="File to write.")
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file, if it is no longer where it was.")
@click.option("--calibration", type=click.Path(path_type=Path), help="JSON file with the frames as they are now.")
@click.option("--overwrite", is_flag=True, help="Write over an existing file.")
def edit(source: Path, operations: tuple[str, ...], out: Path, overwrite: bool, **options: Any) -> None:
    """Make OUT of IN by operations, one after the other, each in quotes: "trim 0.5 grasp" "smooth 0.05" "retime"."""
    task = load(source).task
    calibration = read_calibration(options["calibration"]) if options["calibration"] else None
    bound = bind(task, options["scene"], calibration)
    for words in operations:
        task = edited(task, words, bound)
    save(task, out, overwrite=overwrite)
    check = how_to_check(out, options["calibration"])
    click.echo(f"{out}: {task.duration:.2f} s, {len(task.segments)} segments; check it with: {check}")


@task_command.command("join")
@click.argument("sources", metavar="TASK…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="File to write.")
@click.option("--overwrite", is_flag=True, help="Write over an existing file.")
def join(sources: tuple[Path, ...], out: Path, overwrite: bool) -> None:
    """Make OUT of tasks of different robots of one scene: all begin at the same time, the shorter ones wait."""
    tasks = edits.joined([file.task for source in sources for file in load_together(source)])
    save_together(tasks, out, overwrite=overwrite)
    names = ", ".join(task.robot for task in tasks)
    click.echo(f"{out}: {tasks[0].duration:.2f} s, robots {names}; check it with: {how_to_check(out, None)}")


@task_command.command("move")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option("--calibration", required=True, type=click.Path(path_type=Path), help="Where the frames are now.")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="File to write.")
@click.option("--scene", type=click.Path(path_type=Path), help="Scene file, if it is no longer where it was.")
@click.option("--overwrite", is_flag=True, help="Write over an existing file.")
def move(source: Path, calibration: Path, out: Path, scene: Path | None, overwrite: bool) -> None:
    """Make OUT of IN for another place of its work-piece."""
    task = load(source).task
    now = read_calibration(calibration)
    bound = bind(changed(task, calibration=now.id), scene, now)
    made = moved(task, bound.mechanism, now)
    save(made, out, overwrite=overwrite)
    click.echo(
        f"{out}: {how_far(task, made)}, calibration {made.calibration}; check it with: {how_to_check(out, calibration)}"
    )


def edited(task: Task, words: str, bound: Bound) -> Task:
    """One operation; an EditError for what makes no sense."""
    word, *rest = words.split()
    limits = joint_limits(bound.mechanism)
    try:
        if word in ("trim", "cut", "contact", "free"):
            first, last = (place(task, text) for text in rest[:2])
            if word == "trim":
                return edits.trimmed(task, first, last)
            if word == "cut":
                return edits.without(task, first, last, limits)
            kind = Kind.CONTACT if word == "contact" else Kind.FREE
            return edits.labelled(task, first, last, kind, force=float(rest[2]) if len(rest) > 2 else 0.0)
        return _other(task, word, rest, bound)
    except (IndexError, ValueError) as error:
        if isinstance(error, EditError):
            raise
        raise EditError(f"{words!r} makes no sense; operations are:\n{OPERATIONS}".split("\n")[0]) from None


def _other(task: Task, word: str, rest: list[str], bound: Bound) -> Task:
    limits, mechanism = joint_limits(bound.mechanism), bound.mechanism
    if word == "to":
        return edits.trimmed_to_mark(task, rest[0])
    if word == "wait":
        return edits.waiting(task, place(task, rest[0]), float(rest[1]))
    if word == "act":
        return edits.acting(task, place(task, rest[0]), Action(rest[1], float(rest[2])), float(rest[3]))
    if word == "mark":
        return edits.marked(task, place(task, rest[0]), rest[1])
    if word == "lost":
        return edits.on_link_loss(task, LinkLoss(rest[0]))
    if word == "smooth":
        smooth = edits.smoothed(task, float(rest[0]))
        return changed(smooth, q=closed_path(mechanism, smooth.q))
    if word == "repeat":
        return edits.repeated(task, int(rest[0]), limits)
    if word == "insert":
        return edits.inserted(task, place(task, rest[0]), load(rest[1]).task, limits)
    if word in ("ease", "retime"):
        return _timed(task, word, float(rest[0]) if rest else None, bound)
    first_words = ", ".join(line.split()[0] for line in OPERATIONS.splitlines()[:-1])
    raise EditError(f"no operation {word!r}; there are: {first_words}")


def _timed(task: Task, word: str, number: float | None, bound: Bound) -> Task:
    limits = limits_for(bound.mechanism)
    if word == "retime":
        return retimed(task, bound.mechanism, limits, number).task
    tolerance = TOLERANCE if number is None else 1e-3 * number
    return as_driven(task, bound.mechanism, limits, tolerance=tolerance).task


def place(task: Task, text: str) -> int:
    """A sample, from seconds or the name of a mark."""
    try:
        return task.sample_at(float(text))
    except ValueError:
        return task.mark(text).sample
