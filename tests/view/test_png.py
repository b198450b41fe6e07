"""`render_png` and `station view … --png`: pictures in files, and one clear line for every mistake."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import robots
import station
from station.view.command import view_command
from station.view.drawing import backend, library
from station.view.errors import NoGraphicsError, ViewRequestError
from station.view.png import PictureFileError, render_png
from station.view.scene_view import SceneView
from tests.view.pictures import BAR, background, bare, differs, picture


def run(*arguments: str) -> Result:
    return CliRunner().invoke(view_command, [*arguments])


def size_of(path: Path) -> tuple[int, int]:
    """Width and height in the header of a PNG file."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def test_the_command_writes_a_picture_of_the_size_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "arm.png"
    result = run("macdac", "--png", str(out), "--size", "200x120", "--theme", "dark", "--view", "top")
    assert result.exit_code == 0, result.output
    assert "200 × 120 pixels" in result.output
    assert size_of(out) == (200, 120)


def test_the_command_writes_stereo_pictures(tmp_path: Path) -> None:
    pictures = set()
    for mode in ("off", "side-by-side", "anaglyph"):
        out = tmp_path / f"{mode}.png"
        assert run("macdac", "--png", str(out), "--size", "96x64", "--stereo", mode).exit_code == 0
        pictures.add(out.read_bytes())
    assert len(pictures) == 3
    with pytest.raises(ViewRequestError, match="no stereo 'smell'; there are: off, side by side, anaglyph"):
        render_png(station.load(robots.path("macdac")), tmp_path / "a.png", stereo="smell")


def test_a_posture_and_its_joint_values_give_the_same_picture(tmp_path: Path) -> None:
    bench = station.load(robots.path("puma560"))
    views = [
        render_png(bench, tmp_path / "a.png", size=(64, 48), posture="ready"),
        render_png(bench, tmp_path / "b.png", size=(64, 48), q=np.radians([0, -90, 90, 0, 0, 0])),
    ]
    np.testing.assert_allclose(views[0].robots["puma560"].q, views[1].robots["puma560"].q, atol=1e-9)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (
        run("puma560", "--png", str(tmp_path / "c.png"), "--size", "64x48", "--pose", "0,-90,90,0,0,0").exit_code == 0
    )
    assert (tmp_path / "c.png").read_bytes() == (tmp_path / "a.png").read_bytes()


def test_a_posture_of_a_robot_with_loops_is_closed(tmp_path: Path) -> None:
    bench = station.load(robots.path("3-rpr"))
    view = render_png(bench, tmp_path / "a.png", size=(64, 48), posture="mode-4")
    robot = view.robots["3-rpr"]
    np.testing.assert_allclose(robot.pose(6), robot.pose(10), atol=1e-6)


@pytest.mark.parametrize("view", ["perspective", "front", "side", "top", "tool"])
def test_every_viewpoint_shows_something(tmp_path: Path, view: str) -> None:
    scene = render_png(station.load(robots.path("robuter-ulm")), tmp_path / "a.png", size=(160, 120), view=view)
    assert differs(picture(scene, size=(160, 120)), background(scene)).mean() > 0.02


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pose", "sitting"], "neither a posture .home, ready, stretch. nor joint values"),
        (["--pose", "1,2,3"], "3 joint values; robot puma560 has 6"),
        (["--pose", "home", "--robot", "arm"], "no robot 'arm' in puma560; there are: puma560"),
        (["--size", "wide"], "'wide' is no size; write width and height as in 1280x800"),
        (["--size", "0x20"], "each side can be 1 to"),
        (["--size", "90000x20"], "each side can be 1 to"),
        (["--png", "/nowhere/a.png"], "/nowhere/a.png: cannot be written: No such file"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = run("puma560", "--png", str(tmp_path / "a.png"), "--size", "64x48", *arguments)
    assert isinstance(result.exception, ViewRequestError | PictureFileError)
    assert "\n" not in str(result.exception)
    with pytest.raises(type(result.exception), match=said):
        raise result.exception


def test_an_unknown_posture_or_theme_lists_those_there_are(tmp_path: Path) -> None:
    bench = station.load(robots.path("panda"))
    with pytest.raises(ViewRequestError, match="no posture 'rest'; there are: home"):
        render_png(bench, tmp_path / "a.png", posture="rest")
    with pytest.raises(ViewRequestError, match="no theme 'pink'; there are: light, dark"):
        render_png(bench, tmp_path / "a.png", theme="pink")
    with pytest.raises(ViewRequestError, match="takes 7 finite joint values"):
        render_png(bench, tmp_path / "a.png", q=[0.0, 0.0])


def test_a_broken_mesh_is_told_and_the_robot_is_drawn_without_it(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_text("no mesh at all")
    text = BAR.replace("visual { box { 200 200 20 }  colour { 1 0 0 } }", 'filename ( "arm.stl" )')
    (tmp_path / "bar.mad").write_text(text)
    view = bare(SceneView(station.load(tmp_path / "bar.mad")))
    assert len(view.problems) == 1
    assert view.problems[0].startswith(f"bar, link 1: {tmp_path}/arm.stl: holds no surface")
    assert differs(picture(view), background(view)).mean() > 0.01
    result = run(str(tmp_path / "bar.mad"), "--png", str(tmp_path / "a.png"), "--size", "64x48")
    assert result.exit_code == 0
    assert "not drawn: bar, link 1" in result.output


def test_no_opengl_is_one_clear_line() -> None:
    """EGL is told to use an X server that is not there."""
    code = (
        "from station.view.command import view_command as v; v(['panda', '--png', '/dev/null'], standalone_mode=False)"
    )
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "EGL_PLATFORM": "x11"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert "NoGraphicsError: no OpenGL for pictures (" in last
    assert "apt-get install libegl1 libgl1 libfontconfig1" in last


def test_a_card_that_cannot_read_textures_for_corners_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = backend.offscreen_canvas()
    monkeypatch.setattr(library.gl, "glGetParameter", lambda _name: 0)
    with pytest.raises(NoGraphicsError, match="LIBGL_ALWAYS_SOFTWARE=1"):
        backend.check_card(canvas)
