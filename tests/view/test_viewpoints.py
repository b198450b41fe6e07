"""Viewpoints that are kept under a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from station.view.camera import Camera, PoseCamera
from station.view.errors import ViewpointFileError, ViewRequestError
from station.view.viewpoints import Viewpoints
from tests.view.pictures import scene


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings that are nobody's."""
    monkeypatch.setenv("STATION_VIEW_SETTINGS", str(tmp_path / "settings"))
    return tmp_path / "settings"


def test_a_viewpoint_is_the_same_another_day() -> None:
    view = scene("panda")
    view.camera.turn(0.3, 0.1)
    view.camera.pan(0.1, -0.2)
    kept = view.camera.copy()
    view.save_viewpoint("bench")
    again = scene("panda")
    again.look("bench", 1.5)
    np.testing.assert_allclose(again.camera.centre, kept.centre)
    for name in ("distance", "azimuth", "elevation", "opening"):
        assert getattr(again.camera, name) == pytest.approx(getattr(kept, name))


def test_a_camera_on_the_tool_rides_again() -> None:
    view = scene("panda")
    view.look("tool", 1.5)
    view.save_viewpoint("over the gripper")
    again = scene("panda")
    again.look("over the gripper", 1.5)
    assert isinstance(again.camera, PoseCamera)
    assert again.camera.carrier == ("panda", 9)


def test_each_scene_has_its_own(folder: Path) -> None:
    Viewpoints("a").save("near", Camera(distance=1.0))
    Viewpoints("b").save("near", Camera(distance=2.0))
    Viewpoints("b").save("far", Camera(distance=9.0))
    assert Viewpoints("a").names() == ("near",)
    assert Viewpoints("b").names() == ("far", "near")
    assert Viewpoints("a").camera("near").distance == 1.0
    Viewpoints("b").remove("far")
    Viewpoints("b").remove("never there")
    assert Viewpoints("b").names() == ("near",)
    assert [path.name for path in folder.iterdir()] == ["viewpoints.json"]


def test_a_saved_viewpoint_is_replaced_by_one_of_its_name() -> None:
    kept = Viewpoints("a")
    kept.save("near", Camera(distance=1.0))
    kept.save(" near ", Camera(distance=3.0))
    assert kept.camera("near").distance == 3.0


@pytest.mark.parametrize("name", ["", "   ", "a" * 41, "two\nlines", "top", "tool"])
def test_names_that_cannot_be_used_are_refused(name: str) -> None:
    with pytest.raises(ViewRequestError):
        Viewpoints("a").save(name, Camera())
    assert Viewpoints("a").names() == ()


def test_a_viewpoint_that_there_is_not_lists_those_there_are() -> None:
    view = scene("panda")
    view.save_viewpoint("bench")
    with pytest.raises(
        ViewRequestError, match="no viewpoint 'lab'; there are: perspective, front, side, top, tool, bench"
    ):
        view.look("lab", 1.0)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[1, 2]", '{"panda": 3}', "\x00", '{"panda": {"near": NaN}}', "[" * 30_000]
)
def test_a_broken_file_is_one_clear_line_and_is_not_overwritten(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "viewpoints.json").write_text(text)
    for act in (lambda: Viewpoints("panda").names(), lambda: Viewpoints("panda").save("near", Camera())):
        with pytest.raises(ViewpointFileError, match="move it away to begin anew"):
            act()
    assert (folder / "viewpoints.json").read_text() == text


@pytest.mark.parametrize(
    "entry", ["{}", '{"centre": [0, 0], "distance": 1}', '{"distance": "near"}', "[]", '{"centre": [0, 0, "NaN"]}']
)
def test_a_broken_entry_is_one_clear_line(folder: Path, entry: str) -> None:
    folder.mkdir()
    (folder / "viewpoints.json").write_text(f'{{"panda": {{"near": {entry}}}}}')
    with pytest.raises(ViewpointFileError, match="viewpoint 'near' cannot be used; save it anew"):
        Viewpoints("panda").camera("near")


def test_a_viewpoint_that_rides_on_a_robot_that_is_gone_is_refused() -> None:
    view = scene("panda")
    view.viewpoints.save("elsewhere", PoseCamera(carrier=("hal", 9)))
    with pytest.raises(ViewRequestError, match="rides on part 9 of hal, which is not in this scene"):
        view.look("elsewhere", 1.0)


def test_a_folder_that_cannot_be_written_is_one_clear_line(folder: Path) -> None:
    folder.write_text("a file, not a folder")
    with pytest.raises(ViewpointFileError, match="cannot be"):
        Viewpoints("a").save("near", Camera())


def test_without_the_variable_the_settings_of_the_user_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STATION_VIEW_SETTINGS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Viewpoints("a").path == tmp_path / "haptic-station" / "viewpoints.json"
    assert Viewpoints("a", tmp_path).path == tmp_path / "viewpoints.json"
