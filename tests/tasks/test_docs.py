"""The worked example of docs/tasks.md runs as it is printed, with an emulated arm on a virtual clock."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from station.tasks.task import Action
from tests.tasks.execute.places import Place, assert_nothing_beyond_limits, off_the_path, place
from tests.tasks.making import robot_file

DOCS = Path(__file__).parents[2] / "docs" / "tasks.md"


class Fingers:
    """A gripper that is done after a while."""

    trouble = ""

    def __init__(self, made: Place) -> None:
        self._made, self._until = made, 0.0
        self.done: list[Action] = []

    def check(self, action: Action) -> str:
        return "" if action.word in ("grip", "open") else "it can grip and open"

    def begin(self, action: Action) -> None:
        self.done.append(action)
        self._until = self._made.clock.now() + 0.3

    @property
    def busy(self) -> bool:
        return self._made.clock.now() < self._until


def test_the_worked_example_runs(tmp_path: Path) -> None:
    found = re.search(r"<!-- example -->\n```python\n(.*?)```", DOCS.read_text(encoding="utf8"), re.DOTALL)
    assert found is not None
    with place(log_time=120.0) as made:
        gripper = Fingers(made)
        names = {
            "file": robot_file("bench"),
            "folder": tmp_path,
            "controller": made.controller,
            "clock": made.clock,
            "gripper": gripper,
        }
        exec(compile(found.group(1), str(DOCS), "exec"), names)  # the text of our own manual
        assert [action.word for action in gripper.done] == ["grip", "open"]
        task = names["task"]
        log = made.arm.log.ticks
        on = float(log["time"][np.argmax(np.abs(log["true"] - task.q[0]).max(axis=1) < 0.0015)])  # type: ignore[attr-defined]
        assert off_the_path(made, task, on) < 0.003  # type: ignore[arg-type]
        assert float(np.linalg.norm(log["wrench"][:, :3], axis=1).max()) > 3.0  # it did stand on the table
        assert_nothing_beyond_limits(made)
