"""docs/first_hour.md: its robot and its tests work, its pictures are there, its pages exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import station
from station.mad.leading import frame_text, led_frame

pytestmark = pytest.mark.wall_clock

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "first_hour.md").read_text(encoding="utf-8")


def test_the_parallel_robot_of_the_page_is_led_by_its_pen() -> None:
    (text,) = re.findall(r"```\n(RAFF.*?)```", PAGE, re.DOTALL)
    scene = station.loads(text)
    robot = scene["swing"]
    assert robot.mobility == 2
    led = led_frame(robot.robot)
    assert led is not None
    assert f"the hand leads {frame_text(robot.robot, led.id)}, {led.why}" in PAGE


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    (text,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "test_mine.py").write_text(text)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE))))
def test_what_the_page_points_to_is_there(name: str) -> None:
    assert (DOCS / name).is_file()
