"""The worked example of docs/tasks.md runs as it is printed, with an emulated arm on a virtual clock."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.tasks.execute.places import assert_nothing_beyond_limits, gripper_at, off_the_path, place
from tests.tasks.making import robot_file

pytestmark = pytest.mark.wall_clock

DOCS = Path(__file__).parents[2] / "docs" / "tasks.md"


def test_the_worked_example_runs(tmp_path: Path) -> None:
    found = re.search(r"<!-- example -->\n```python\n(.*?)```", DOCS.read_text(encoding="utf8"), re.DOTALL)
    assert found is not None
    with place(log_time=120.0) as made, gripper_at(made.clock) as gripping:
        names = {
            "file": robot_file("bench"),
            "folder": tmp_path,
            "controller": made.controller,
            "clock": made.clock,
            "gripper": gripping.tool,
        }
        exec(compile(found.group(1), str(DOCS), "exec"), names)  # the text of our own manual
        words = [happening.text for happening in names["player"].happenings]  # type: ignore[attr-defined]
        assert [text for text in words if text.startswith(("grip", "open"))] == ["grip 0.02", "open 0.05"]
        assert gripping.width == pytest.approx(0.05, abs=1e-3)
        task = names["task"]
        log = made.arm.log.ticks
        on = float(log["time"][np.argmax(np.abs(log["true"] - task.q[0]).max(axis=1) < 0.0015)])  # type: ignore[attr-defined]
        assert off_the_path(made, task, on) < 0.003  # type: ignore[arg-type]
        assert float(np.linalg.norm(log["wrench"][:, :3], axis=1).max()) > 3.0  # it did stand on the table
        assert_nothing_beyond_limits(made)
