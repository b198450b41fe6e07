"""What `station view --task` shows of a task: its path on the robot, checked anew, with everything that was found."""

from __future__ import annotations

from pathlib import Path

from station.tasks.task import bind, load
from station.tasks.task.binding import Calibration
from station.tasks.verify import VerifySettings, make_workbench, verify
from station.tasks.verify.motion import Motion
from station.tasks.verify.noting import settings_in
from station.tasks.verify.results import Finding
from station.view.task import ShownFinding, ShownMark, ShownSegment, ShownTask


def read_task(path: Path, scene: Path | None = None) -> tuple[Path, ShownTask]:
    """Read a task, check it with the settings that it was last checked with, and make it ready to be drawn.

    Args:
        path: the task file.
        scene: the scene file, if it is no longer where the task says.

    Raises:
        TaskError: if it is no task, or was made with another scene.
    """
    file = load(path)
    task = file.task
    bound = bind(task, scene, Calibration(task.calibration))  # looking at it needs none
    settings = settings_in(file.verified) if file.verified else VerifySettings()
    verdict = verify(task, make_workbench(bound.scene, bound.mechanism, settings, frame=task.frame))
    motion = Motion.of(task, bound.mechanism)
    period = task.period
    return Path(scene or task.scene_file), ShownTask(
        task.name,
        task.robot,
        period,
        motion.whole,
        motion.tool,
        tuple(ShownSegment(part.begin * period, part.end * period, part.kind, part.name) for part in task.segments),
        tuple(_shown(finding) for finding in verdict.findings),
        tuple(ShownMark(mark.sample * period, mark.name) for mark in task.marks),
        verdict.notes,
    )


def _shown(finding: Finding) -> ShownFinding:
    worst = finding.begin if finding.at is None else finding.at.time
    return ShownFinding(finding.check.value, finding.text, finding.begin, finding.end, worst)
