"""The manual of the language says what the program does: its examples run, its tables and grammar are the real ones."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import station
from station.mad.manual import blocks, refreshed
from station.mad.schema import layout_of

ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "mad.md").read_text(encoding="utf8")
EXAMPLES = re.findall(r"```(mad|mad-wrong|console|python)\n(.*?)```", MANUAL, re.DOTALL)
SCENES = [text for language, text in EXAMPLES if language == "mad"]


def test_tables_and_grammar_are_fresh() -> None:
    assert refreshed(MANUAL) == MANUAL, "run: make docs"


@pytest.mark.parametrize("text", SCENES, ids=[text.split()[2] for text in SCENES])
def test_every_example_loads_without_a_warning(text: str) -> None:
    scene = station.loads(text)
    assert scene.warnings == ()
    assert station.loads(station.dumps(scene)) == scene


def test_every_keyword_has_a_table_and_an_example() -> None:
    words = set(re.findall(r"\w+", re.sub(r"(^|\s)//.*", "", "\n".join(SCENES))))
    for name, item in blocks().items():
        assert f"<!-- table {name} -->" in MANUAL or name == "Obstacle"
        for entry in layout_of(item).entries:
            assert set(entry.keys) <= words, f"no example of '{entry.keys}' of {name}"


def test_the_worked_example_is_the_shipped_robot() -> None:
    text = next(text for text in SCENES if "RAFF v1.0 PlanarHybrid" in text)
    shipped = station.load(ROOT / "robots" / "planar-hybrid.mad").robots[0]
    written = station.loads(text).robots[0]
    assert [link.parameters for link in written.links] == [link.parameters for link in shipped.links]
    assert [link.stops for link in written.links] == [link.stops for link in shipped.links]
    assert [(frame.pos, frame.ori) for frame in written.frames] == [(frame.pos, frame.ori) for frame in shipped.frames]
    assert written.constraints == shipped.constraints


def test_what_the_console_shows_is_what_it_prints(tmp_path: Path) -> None:
    """A console example speaks of the scene before it, saved under the name that it uses."""
    seen = 0
    for (_, scene), (language, console) in pairwise(EXAMPLES):
        if language != "console":
            continue
        command, _, output = console.partition("\n")
        arguments = shlex.split(command.removeprefix("$ "))
        (tmp_path / arguments[-1]).write_text(scene, encoding="utf8")
        run = [sys.executable, "-c", "from station.cli import main; main()", *arguments[1:]]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stdout + done.stderr == output
        seen += 1
    assert seen == 3


def test_the_python_example_prints_what_its_comments_say(tmp_path: Path) -> None:
    (tmp_path / "first.mad").write_text(SCENES[0], encoding="utf8")
    code = next(text for language, text in EXAMPLES if language == "python")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = re.findall(r"print\(.*\)\s+# (.*)", code)
    assert done.stdout.splitlines() == said
