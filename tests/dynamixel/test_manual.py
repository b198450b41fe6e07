"""docs/vendor_buses.md says what is: its tables of options, its example, the tests it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_bridge.dynamixel.scheme import OPTIONS as DYNAMIXEL
from firmware_bridge.robotiq.opening import OPTIONS as ROBOTIQ
from firmware_bridge.ur.scheme import OPTIONS as UR

ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "vendor_buses.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "options"), [("dynamixel", DYNAMIXEL), ("ur", UR), ("robotiq", ROBOTIQ)])
def test_options_are_those_of_the_program(name: str, options: tuple[str, ...]) -> None:
    table = MANUAL.split(f"<!-- options {name} -->")[1].split("<!-- end -->")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(options)


def test_files_it_names_are_there() -> None:
    named = re.findall(r"`((?:tests|firmware_bridge|sim_devices)/[\w/.]+)`", MANUAL)
    assert len(named) > 8
    for path in named:
        assert (ROOT / path).exists(), path


def test_its_example_is_python() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)
    compile(example, "docs/vendor_buses.md", "exec")
