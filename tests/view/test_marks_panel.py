"""The panel that chooses marks and keeps viewpoints, in a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.view.processes import in_process


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in the panel."""
    folder: Path = tmp_path_factory.mktemp("marks")
    return in_process("tests.view.in_marks", folder)


def test_quantities_and_marks_are_chosen_in_the_panel(seen: dict[str, Any]) -> None:
    assert seen["shown"] == [["nearness", "colour"], ["temperature", "sphere"]]
    assert seen["left"] == ["temperature"]
    assert seen["layers"] == ["all", True]


def test_what_cannot_be_known_is_said_in_the_panel(seen: dict[str, Any]) -> None:
    assert seen["notes"] == "temperature: not known (no temperature is measured)"


def test_the_panel_shows_what_others_have_chosen(seen: dict[str, Any]) -> None:
    assert seen["choices"] == {"speed": "arrow"}
    assert seen["others"] == ["off", False]


def test_a_viewpoint_is_saved_found_again_and_forgotten(seen: dict[str, Any]) -> None:
    assert seen["back"]
    assert seen["forgotten"] == 0


def test_what_is_not_possible_is_said_at_the_bottom(seen: dict[str, Any]) -> None:
    assert seen["refused"] == "'top' is a viewpoint that is always there; give yours another name"
    assert seen["nothing_chosen"] == "choose a viewpoint in the list first"
    assert seen["broken"].endswith("move it away to begin anew")
