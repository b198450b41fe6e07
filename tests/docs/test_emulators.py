"""docs/emulators.md says what is."""

from __future__ import annotations

import re
from pathlib import Path

from sim_devices.faults import KINDS

MANUAL = (Path(__file__).parents[2] / "docs" / "emulators.md").read_text(encoding="utf-8")


def test_the_table_of_faults_is_that_of_the_program() -> None:
    table = MANUAL.split("<!-- table faults -->")[1].split("<!-- end -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    told = {row[0].strip("`"): (row[1], row[2].rstrip(" |") if len(row) > 2 else "") for row in rows}
    numbers = {kind: ", ".join(f"{name}={value:g}" for name, value in KINDS[kind][1].items()) for kind in KINDS}
    assert told == {kind: (KINDS[kind][0], numbers[kind]) for kind in KINDS}


def test_the_example_of_a_virtual_clock_runs() -> None:
    (example,) = re.findall(r"```python\n(from station.clock.*?)```", MANUAL, re.DOTALL)
    exec(compile(example, "docs/emulators.md", "exec"), {})
