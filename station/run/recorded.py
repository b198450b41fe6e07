"""A recorded run through the eyes of those who watch running ones: summary and report."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from station.atomic import whole_file
from station.child import python_module
from station.errors import StationError
from station.monitor import Collector, Ending, Run
from station.private import OwnFolder
from station.servo.shared.parts import opened_parts
from station.tasks.recording.errors import RecordingFileError
from station.tasks.replay import Player, Ticks
from station.tasks.report.curves import Curves, Moment
from station.tasks.report.page import Picture, heading, sections

PICTURE_WITHIN = 120.0  # [s]
PICTURE_SIZE = "640x480"

Tell = Callable[[str], object]


def watched_run(ticks: Ticks, tell: Tell = lambda _: None) -> Run:
    """What a dashboard would have collected: every tick, as fast as it goes."""
    with OwnFolder("recorded") as place:
        player = Player(ticks, folder=place, name="replay")
        with player, opened_parts(player.path) as (state, *further):
            collector = Collector(state, further=further)
            for times, rows in ticks.parts():
                tell(f"reading, {100.0 * (times[0] - ticks.start_ns) / max(ticks.end_ns - ticks.start_ns, 1):.0f} %")
                for first in range(0, len(rows), 1000):
                    player.show(times[first : first + 1000], rows[first : first + 1000])
                    collector.poll()
            collector.ending = Ending.SERVO_ENDED
            return collector.run()


def scene_of(ticks: Ticks, folder: Path) -> Path | None:
    """The file of the recorded scene: where it was, if it is still the same; else as it is in the recording."""
    told = ticks.text.get("file")
    if not isinstance(told, str) or Path(told).name not in ticks.recording.attachments:
        return None
    kept = ticks.recording.attachments[Path(told).name]
    original = Path(told)
    if original.is_file() and original.read_bytes() == kept:
        return original  # its meshes are beside it
    path = folder / original.name
    path.write_bytes(kept)
    return path


def pictures_of(ticks: Ticks, moments: list[Moment], tell: Tell) -> tuple[list[Picture], list[str]]:
    """Pictures of the robot, drawn by `station view`; what could not be drawn is told in a line."""
    found: list[Picture] = []
    with OwnFolder("recorded") as place:
        scene = scene_of(ticks, place)
        if scene is None:
            return [], ["no pictures: the scene is not in the recording"]
        for number, moment in enumerate(moments):
            tell(f"drawing the robot {moment.title}")
            out = place / f"{number}.png"
            trouble = _draw(scene, ticks, moment, out)
            if trouble:
                return found, [f"no pictures: {trouble}"]
            found.append(Picture(f"{moment.title} ({moment.time:.2f} s)", out.read_bytes()))
    return found, []


def _draw(scene: Path, ticks: Ticks, moment: Moment, out: Path) -> str:
    """Draw one picture; returns what went wrong."""
    shown = ",".join(f"{value:.6f}" for value in _in_file_units(ticks, moment))
    robot = str(ticks.text.get("robot", ""))
    command = python_module("station", "view", str(scene), "--png", str(out), "--robot", robot)
    command += [f"--pose={shown}", "--size", PICTURE_SIZE]
    try:
        done = subprocess.run(  # noqa: S603 (our own command, without a shell)
            command, capture_output=True, text=True, timeout=PICTURE_WITHIN, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"drawing took longer than {PICTURE_WITHIN:.0f} s"
    if done.returncode or not out.is_file():
        lines = (done.stderr or done.stdout).strip().splitlines()
        return lines[-1] if lines else f"station view ended with code {done.returncode}"
    return ""


def _in_file_units(ticks: Ticks, moment: Moment) -> list[float]:
    """Joint values as MAD files have them [° | mm]."""
    joints = ticks.text.get("joints")
    kinds = [joint.get("type") for joint in joints] if isinstance(joints, list) else []
    values = []
    for number, value in enumerate(np.nan_to_num(moment.q)):
        slides = number < len(kinds) and kinds[number] == "prismatic"
        values.append(1e3 * value if slides else math.degrees(value))
    return values


def write_report(ticks: Ticks, path: Path, *, overwrite: bool, pictures: bool, tell: Tell = lambda _: None) -> Path:
    """One page about a recorded run; raises a StationError with one line."""
    from station.monitor.pages import html

    check_page(path, overwrite)
    run = watched_run(ticks, tell)
    told = []
    for part in (ticks, *ticks.further):
        curves = Curves(part)
        shown, notes = pictures_of(part, curves.moments, tell) if pictures else ([], [])
        tell("drawing the plots")
        told += [heading(part)] if ticks.further else []
        told.append(sections(part, curves, shown, notes))
    page = html(run).decode().replace("</main>", "\n".join([*told, "</main>"]), 1)
    try:
        with whole_file(path) as file:
            file.write(page.encode())
    except OSError as error:
        raise RecordingFileError(f"{path}: cannot be written ({error.strerror})") from None
    return path


class PageError(StationError, ValueError):
    """A page that cannot be written there."""


def check_page(path: Path, overwrite: bool) -> None:
    """Mistakes are told before the work."""
    if path.suffix.lower() != ".html":
        raise PageError(f"{path}: the report of a recording ends in .html")
    if path.exists() and not overwrite:
        raise PageError(f"{path}: there is a file already; write over it with --overwrite")
    if not path.absolute().parent.is_dir():
        raise PageError(f"{path}: there is no folder {path.absolute().parent}")
