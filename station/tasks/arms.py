"""Addresses of arms for the robots of a task: `--controller URL`, or `--controller ROBOT=URL` for each of several."""

from __future__ import annotations

from collections.abc import Sequence

from station.address_option import address_in
from station.tasks.task import TaskError


def arms_of(asked: Sequence[str], robots: Sequence[str]) -> dict[str, str]:
    """By the names of the robots; a TaskError for a robot that is not there, is named twice, or is not named."""
    found: dict[str, str] = {}
    for text in asked:
        name, url = address_in(text)
        if name is None and len(robots) > 1:
            raise TaskError(f"--controller {url}: of which robot? write ROBOT={url}; there are: {', '.join(robots)}")
        robot = robots[0] if name is None else name
        if robot not in robots:
            raise TaskError(f"--controller {text}: the task has no robot {robot}; there are: {', '.join(robots)}")
        if robot in found:
            raise TaskError(f"--controller {text}: robot {robot} has an arm already, {found[robot]}")
        found[robot] = url
    return found
