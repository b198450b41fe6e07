from __future__ import annotations

import re
from pathlib import Path

from station.controllers.supervisor import Event, SupervisorState
from station.controllers.supervisor.manual import ARROWS, FIGURE, PROOFS, figure, groups, refreshed

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "safety.md"
TESTS = Path(__file__).parents[1]


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf8")
    assert refreshed(text) == text
    for name in ("Transitions", "Faults", "Events", "SupervisorSettings", "ShapingSettings"):
        assert f"<!-- table {name} -->" in text


def test_the_picture_is_that_of_the_table() -> None:
    assert (DOCS / FIGURE).read_text(encoding="utf8") == figure()
    drawn = {pair for pair in groups() if pair[1] is not SupervisorState.FAULT or pair[0] is SupervisorState.FAULT}
    assert drawn == set(ARROWS)


def test_every_test_that_the_page_names_exists() -> None:
    written = "".join(file.read_text(encoding="utf8") for file in TESTS.rglob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text(encoding="utf8")))
    assert len(named) > 40
    missing = [name for name in named if f"def {name}(" not in written]
    assert not missing


def test_every_test_that_the_page_names_by_its_file_is_there() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE.read_text(encoding="utf8")))
    assert len(named) > 8
    missing = [name for file, name in named if f"def {name}(" not in (DOCS.parent / file).read_text(encoding="utf8")]
    assert not missing


def test_every_event_has_a_test_that_proves_it() -> None:
    assert set(PROOFS) == set(Event) - {Event.NONE}
