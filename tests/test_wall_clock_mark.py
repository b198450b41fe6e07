"""Tests of the wall clock are run again when the machine stood still, and only then (tests/conftest.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = """
from benchmarks import stalls

class Still(stalls.Stalls):
    def __init__(self, priority=98, least=0.0): self.saw = {longest} if priority == {which} else 0.0
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def look(self): pass
    def within(self, begin, end): return self.saw

stalls.Stalls = Still
from tests.conftest import *
"""
TESTS = """
from pathlib import Path
import pytest

tries = Path("tries")

@pytest.fixture(scope="module")
def shared():
    tries.write_text((tries.read_text() if tries.exists() else "") + "x")
    return len(tries.read_text())

def test_first(shared): pass

@pytest.mark.wall_clock
def test_second(shared): assert shared == {passes}

def test_marked_or_fails(): assert tries.read_text() == "x" * {seen}
"""


def run(folder: Path, longest: float, passes: int, seen: int, which: int = 98) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST.format(longest=longest, which=which), encoding="utf8")
    (folder / "test_it.py").write_text(TESTS.format(passes=passes, seen=seen), encoding="utf8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = wall_clock\n", encoding="utf8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("which", "why"), [(98, "a processor stood still for 20 ms, "), (0, "0 ms, ordinary programs waited for 20 ms")]
)
def test_a_failure_while_the_machine_stood_still_is_run_again_with_what_it_shares_and_said(
    tmp_path: Path, which: int, why: str
) -> None:
    code, said = run(tmp_path, 0.020, passes=3, seen=3, which=which)
    assert code == 0, said
    assert said.count("run again: test_it.py::test_second: ") == said.count(why) == 2
    assert "3 passed" in said


@pytest.mark.parametrize(("longest", "tries"), [(0.0, 1), (0.020, 3)])
def test_a_failure_stays_one_where_nothing_stood_still_or_it_fails_each_time(
    tmp_path: Path, longest: float, tries: int
) -> None:
    code, said = run(tmp_path, longest, passes=9, seen=tries)
    assert code == 1
    assert "1 failed, 2 passed" in said
