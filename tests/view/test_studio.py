"""A design study in a real window on a virtual screen: robots, sliders, mouse, files, sweep; see in_studio.py."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import robots
from benchmarks.virtual_screen import virtual_screen
from tests.view.processes import in_process
from tests.view.test_rewriting import remarks


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[str, Any]:
    """All that happened in one window, under Xvfb where there is one."""
    with virtual_screen("1280x900x24") as display:
        return in_process("tests.view.in_studio", folder, display=display)


def test_the_screen_is_a_real_one(seen: dict[str, Any]) -> None:
    assert seen["platform"] == ("xcb" if shutil.which("Xvfb") else "offscreen")


@pytest.mark.parametrize("name", robots.names())
def test_each_robot_is_loaded_and_a_click_opens_the_panel_of_the_part_under_it(seen: dict[str, Any], name: str) -> None:
    assert seen["robots"][name] == {
        "there": True,
        "banner": False,
        "picked": True,
        "opened": True,
        "drawn_where_it_is": True,
    }


def test_a_slider_moves_the_joint_and_the_loops_follow(seen: dict[str, Any]) -> None:
    told = seen["sliders"]
    assert told["joint_moved"]
    assert told["platform_moved"]
    assert told["drawn"]
    assert told["gap"] < 1e-9
    assert told["no_edit"]
    assert told["highlighted"] == ["theta"]


def test_several_link_panels_are_open_at_once_and_escape_closes_them(seen: dict[str, Any]) -> None:
    assert seen["sliders"]["panels"] == 3
    assert seen["sliders"]["closed"] == 0


def test_a_length_changes_while_the_robot_stands_and_its_loops_stay_closed(seen: dict[str, Any]) -> None:
    told = seen["sliders"]
    assert told["longer"] == pytest.approx(0.004)
    assert told["gap_then"] < 1e-9
    assert told["drawn_then"]
    assert told["modified"]


def test_undo_and_redo_by_their_keys(seen: dict[str, Any]) -> None:
    told = seen["sliders"]
    assert told["undone"]
    assert told["shows"] == pytest.approx(524.0)
    assert told["redone"]


def test_what_is_saved_keeps_everything_but_the_number(seen: dict[str, Any]) -> None:
    assert len(seen["sliders"]["saved"]) == 1
    assert "d 528" in seen["sliders"]["saved"][0]
    assert not seen["sliders"]["modified_then"]


def test_stops_become_relative_and_a_type_that_cannot_be_is_refused(seen: dict[str, Any]) -> None:
    told = seen["sliders"]
    assert told["relative"]
    assert told["refused"].startswith("link 1: fixed: ")
    assert "link 1 is fixed and has no joint" in told["refused"]
    assert told["type_shown"] == "revolute"


def test_a_dragged_part_follows_the_mouse(seen: dict[str, Any]) -> None:
    told = seen["dragging"]
    assert told["grabbed"]
    assert told["follows"]
    assert told["beside_the_mouse"] < 1.5
    assert told["moved"] > 0.02
    assert told["drawn"]
    assert told["gap"] < 1e-9
    assert told["let_go"]
    assert told["view_stood_still"]
    assert told["no_panel"] == 0


def test_out_of_reach_loops_stay_closed_and_stops_are_kept(seen: dict[str, Any]) -> None:
    assert seen["dragging"]["gap_out_of_reach"] < 1e-9
    assert seen["dragging"]["stops_kept"]


def test_with_ctrl_the_view_turns_and_the_robot_stands(seen: dict[str, Any]) -> None:
    assert seen["dragging"]["ctrl_turns"]
    assert seen["dragging"]["ctrl_moves_nothing"]


def test_a_broken_file_is_told_in_the_window_and_the_old_robot_stays(seen: dict[str, Any]) -> None:
    told = seen["reloading"]
    assert told["told"]
    assert "robot.mad:31:5: error: unknown keyword 'paramters' in link 1" in told["banner"]
    assert told["banner"].endswith("the robot is as it was")
    assert told["old_stays"]
    assert told["mended"]


def test_edits_are_not_lost_to_a_save_elsewhere(seen: dict[str, Any]) -> None:
    told = seen["reloading"]
    assert told["warned"]
    assert "was changed by another program; Ctrl+R takes that" in told["warning"]
    assert told["edits_stay"]
    assert told["taken"]


def test_postures_are_kept_and_taken_by_buttons(seen: dict[str, Any]) -> None:
    told = seen["reloading"]
    assert told["posture"]
    assert told["start"]
    assert told["high"]


def test_the_device_on_the_screen_steps_leads_and_springs_back(seen: dict[str, Any]) -> None:
    told = seen["device"]
    assert told["stepped"]
    assert told["led"]
    assert told["sprang_back"]
    assert told["stands"] < 1e-6
    assert told["gap"] < 1e-9


def test_every_key_is_listed_once(seen: dict[str, Any]) -> None:
    keys = seen["end"]["keys"]
    assert keys["Ctrl+Z"] == "Undo"
    assert keys["F1, ?"] == "Keys and mouse"
    single = [key for group in keys for key in group.split(", ")]
    assert len(single) == len(set(single))


def test_a_sweep_is_drawn_written_and_cancelled(seen: dict[str, Any], folder: Path) -> None:
    told = seen["end"]
    assert told["swept"]
    assert told["places"] > 100
    assert told["drawn"]
    assert told["written"]
    assert len((folder / "a.csv").read_text().splitlines()) == told["places"] + 1
    assert told["cancelled"] == "cancelled"


def test_closing_while_sweeping_ends_the_sweep_and_panels_are_remembered(seen: dict[str, Any]) -> None:
    assert seen["end"]["ended_with_the_window"]
    assert seen["end"]["remembered"]


def test_the_saved_file_has_all_remarks(seen: dict[str, Any], folder: Path) -> None:
    assert seen["sliders"]["saved"]
    assert remarks((folder / "robot.mad").read_text())[:5] == remarks(robots.path("delta").read_text())[:5]
