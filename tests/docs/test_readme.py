"""What the README shows is what the program does."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf8")


def test_the_console_example() -> None:
    example = README.partition("$ station check macdac\n")[2].partition("\n\n- ")[0]
    command = [sys.executable, "-c", "from station.cli import main; main()", "check", "macdac"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert textwrap.dedent(example).strip() == printed.strip()


def test_the_python_example() -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code) == 1
    subprocess.run([sys.executable, "-c", code[0]], cwd=Path(__file__).parents[2], check=True, capture_output=True)


def test_the_number_of_robots() -> None:
    import robots

    assert f"**{len(robots.names())} robots**" in README
