"""The window on a virtual screen: drawn, clicked on, dragged, following a station, and closed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.virtual_screen import virtual_screen
from station.view.errors import NoGraphicsError
from station.view.screen import check_screen
from tests.view.processes import ROOT, in_process


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A virtual screen of our own."""
    with virtual_screen("800x600x24") as display:
        if display is None:
            pytest.skip("no Xvfb on this machine")
        yield display


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened in a window that needs no OpenGL of a screen, and here not even a screen."""
    return in_process("tests.view.in_window", tmp_path_factory.mktemp("state"), "auto", "all")


def test_a_window_drawn_by_the_card_does_the_same(screen: str, tmp_path: Path) -> None:
    by_card = in_process("tests.view.in_window", tmp_path, "card", "short", display=screen)
    assert by_card["kind"] == "CardCanvas"
    assert by_card["colours"] > 200
    test_a_click_picks_the_link_under_it(by_card)
    test_a_click_into_empty_space_picks_nothing(by_card)
    test_dragging_turns_and_moves_and_the_wheel_goes_nearer(by_card)


def test_the_window_draws_the_robot(seen: dict[str, Any]) -> None:
    assert seen["drawn"]
    assert seen["kind"] == "ImageCanvas"
    assert seen["colours"] > 200


def test_a_click_picks_the_link_under_it(seen: dict[str, Any]) -> None:
    clicks = seen["clicks"]
    assert clicks["picked"] == [2]
    assert clicks["said"].startswith("puma560: link 2 “shoulder” at ")
    assert clicks["highlighted"] > 50


def test_a_click_into_empty_space_picks_nothing(seen: dict[str, Any]) -> None:
    assert seen["clicks"]["unpicked"] == []
    assert seen["clicks"]["said_then"] == ""


def test_dragging_turns_and_moves_and_the_wheel_goes_nearer(seen: dict[str, Any]) -> None:
    drags = seen["drags"]
    assert drags["turned"] == pytest.approx(-60 * 0.4 * 3.14159 / 180.0, rel=0.01)
    assert drags["moved"] > 0.01
    assert drags["nearer"] == pytest.approx(0.88)


def test_panes_and_theme_can_be_changed(seen: dict[str, Any]) -> None:
    assert seen["split"] == ["top", "front", "side", "tool"]
    assert all(share > 0.03 for share in seen["panes_drawn"]), seen["panes_drawn"]
    assert max(seen["dark"]) < 40
    assert seen["stereo"] == "stereo: side by side"


def test_a_running_station_is_followed_with_its_lag_and_its_end_is_survived(seen: dict[str, Any]) -> None:
    assert seen["follows"] == {"followed": True, "lag_is_right": True, "grows_stale": True, "end_is_told": True}


def test_a_picture_that_cannot_be_drawn_leaves_the_window_standing(seen: dict[str, Any]) -> None:
    assert seen["survives"]


def test_edges_are_smooth_once_nothing_moves(seen: dict[str, Any]) -> None:
    changed, by = seen["smooth"]
    assert 0.002 < changed < 0.1  # edges, and nothing but edges
    assert abs(by) < 1.0


def test_nothing_is_drawn_while_nothing_changes(seen: dict[str, Any]) -> None:
    assert seen["idle_frames"] <= 1


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "no screen .DISPLAY is not set.; pictures need no screen: station view FILE --png out.png"),
        ({"DISPLAY": ":987"}, "no screen answers at DISPLAY=:987"),
        ({"DISPLAY": "nonsense"}, "no screen answers at DISPLAY=nonsense"),
        ({"DISPLAY": "127.0.0.1:987"}, "no screen answers at DISPLAY=127.0.0.1:987"),
        ({"DISPLAY": ":987", "QT_QPA_PLATFORM": "xcb"}, "no screen answers at DISPLAY=:987"),
    ],
)
def test_no_screen_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], said: str) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(NoGraphicsError, match=said):
        check_screen()


def test_a_screen_that_answers_is_accepted(screen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", screen)
    check_screen()


def test_pictures_are_drawn_beside_a_screen_as_well(screen: str, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    code = "import sys; from station.view.command import view_command; view_command(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, "scara", "--png", str(out), "--size", "64x48"],
        env={**os.environ, "DISPLAY": screen},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"\x89PNG")


def test_the_servo_never_loads_a_window_system() -> None:
    code = "import sys, station.servo.shared, station.haptics, station.mechanism; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "station" in loaded
    assert not loaded & {"vispy", "PySide6", "trimesh", "pyqtgraph"}
