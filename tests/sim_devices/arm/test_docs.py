"""docs/emulated_arm.md tells what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim_devices.arm import ARM_KINDS, ArmSettings
from station.devices.parameter import about

PAGE = Path(__file__).parents[3] / "docs" / "emulated_arm.md"


def table(name: str) -> list[str]:
    found = re.search(rf"<!-- table {name} -->\n(.*?)<!-- end -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1].splitlines()[2:]


def fault_rows() -> list[str]:
    rows = []
    for kind, (what, numbers) in ARM_KINDS.items():
        told = ", ".join(f"{name}={value:g}" for name, value in numbers.items())
        rows.append(f"| `{kind}` | {what} | {told} |")
    return rows


def setting_rows() -> list[str]:
    rows = []
    for name, default, description in about(ArmSettings):
        told = " ".join(f"{value:g}" for value in (default if isinstance(default, tuple) else (default,)))
        rows.append(f"| `{name}` | {told} | {description.unit} | {description.allowed} | {description.meaning} |")
    return rows


def test_the_table_of_faults_is_that_of_the_code() -> None:
    assert table("faults") == fault_rows()


def test_the_table_of_settings_is_that_of_the_code() -> None:
    assert table("settings") == setting_rows()


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PAGE.parents[1])
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    assert "arm" in names
