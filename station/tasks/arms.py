"""Addresses of arms for the robots of a task: `--controller URL`, or `--controller ROBOT=URL` for each of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from station.address_option import address_in
from station.emulated import addresses_of, is_emulated, launched_arm, launched_arms, physics_of
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


def started_arms(stack: ExitStack, urls: Mapping[str, str], scene: str) -> dict[str, str]:
    """The same addresses, with emulated arms started, as long as the stack lasts; those that are tied share physics."""
    emulated = {robot: url for robot, url in urls.items() if is_emulated(url)}
    found = dict(urls)
    launched = []
    for names in physics_of(scene, list(emulated)) if emulated else ():
        made = {name: emulated[name] for name in names}
        arms = launched_arms(made, scene) if len(names) > 1 else launched_arm(made[names[0]], scene, names[0])
        launched.append((names, stack.enter_context(arms)))
    for names, arms in launched:
        found |= addresses_of(names, arms.address())
    return found
