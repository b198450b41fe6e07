"""Mesh paths: packages, files, other folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from station.errors import Severity
from station.mad import dumps, load, loads
from station.mad.scene import Scene
from station.mad.urdf import scene_from_urdf


def urdf(*files: str) -> str:
    visuals = "".join(f'<visual><geometry>\n<mesh filename="{f}"/></geometry></visual>' for f in files)
    tip = f'<link name="tip">{visuals.replace("visual", "collision")}</link>'
    joint = '<joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint>'
    return f'<robot name="r"><link name="base">{visuals}</link>{tip}{joint}</robot>'


def meshes_of(scene: Scene) -> list[str | None]:
    """The meshes of the base; those of the tip must be the same."""
    robot = scene.robots[0]
    found = [shape.mesh for shape in robot.base.visual]
    assert [shape.mesh for shape in robot.frames[0].collision] == found
    return found


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """`tmp/src/arm` is a package with one mesh and one URDF."""
    folder = tmp_path / "src" / "arm"
    (folder / "meshes").mkdir(parents=True)
    (folder / "urdf").mkdir()
    (folder / "meshes" / "link.stl").write_text("solid")
    (folder / "urdf" / "arm.urdf").write_text(urdf("package://arm/meshes/link.stl"))
    return folder


@pytest.mark.parametrize("entry", ["src", "src/arm"])
def test_packages_are_looked_up(package: Path, tmp_path: Path, entry: str) -> None:
    scene = load(package / "urdf" / "arm.urdf", package_path=[tmp_path / "nothing", tmp_path / entry])
    assert meshes_of(scene) == ["../meshes/link.stl"]
    assert scene.warnings == ()
    assert scene.file == str(package / "urdf" / "arm.urdf")


def test_of_two_packages_the_one_that_has_the_file(package: Path, tmp_path: Path) -> None:
    (tmp_path / "old" / "arm").mkdir(parents=True)
    scene = load(package / "urdf" / "arm.urdf", package_path=[str(tmp_path / "old"), str(package)])
    assert meshes_of(scene) == ["../meshes/link.stl"]


def test_an_unknown_package_is_one_warning(package: Path, tmp_path: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    scene = load(file, package_path=[tmp_path])
    assert meshes_of(scene) == ["package://arm/meshes/link.stl"]
    (problem,) = scene.warnings
    assert (problem.line, problem.column, problem.severity) == (2, 1, Severity.WARNING)
    said = f"package 'arm' is not in the package path ({tmp_path}); its mesh paths are kept as they are"
    assert problem.text == said
    assert loads(dumps(scene)) == scene


def test_a_file_that_is_not_in_its_package(package: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(urdf("package://arm/meshes/other.stl"))
    scene = load(file, package_path=[package])
    assert meshes_of(scene) == ["../meshes/other.stl"]
    assert [problem.line for problem in scene.warnings] == [2, 3]
    assert "mesh file '../meshes/other.stl' is not there" in scene.warnings[0].text


def test_relative_and_file_paths(package: Path) -> None:
    mesh = package / "meshes" / "link.stl"
    (package / "meshes" / "a b.stl").write_text("solid")
    given = ["../meshes/link.stl", f"file://{mesh}", str(mesh), f"file://{package}/meshes/a%20b.stl"]
    file = package / "urdf" / "arm.urdf"
    file.write_text(urdf(*given))
    scene = load(file)
    assert meshes_of(scene) == ["../meshes/link.stl"] * 3 + ["../meshes/a b.stl"]
    assert scene.warnings == ()


def test_meshes_for_a_mad_file_in_another_folder(package: Path, tmp_path: Path) -> None:
    target = tmp_path / "robots"
    target.mkdir()
    file = package / "urdf" / "arm.urdf"
    text = urdf("package://arm/meshes/link.stl", "../meshes/link.stl", "package://none/x.stl", "http://host/y.dae")
    file.write_text(text)
    scene = scene_from_urdf(text, str(file), [package.parent], mesh_folder=target)
    found = ["../src/arm/meshes/link.stl"] * 2 + ["package://none/x.stl", "http://host/y.dae"]
    assert meshes_of(scene) == found
    assert not any("link.stl" in problem.text for problem in scene.warnings)
    (target / "arm.mad").write_text(dumps(scene))
    again = load(target / "arm.mad")
    assert again == scene
    assert not any("link.stl" in problem.text for problem in again.warnings)


def test_text_from_nowhere_is_beside_the_working_folder(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(package)
    assert meshes_of(scene_from_urdf(urdf("./meshes//link.stl", "package://arm/meshes/link.stl"), "<text>", ["."])) == [
        "meshes/link.stl",
        "meshes/link.stl",
    ]


def test_paths_that_mad_cannot_quote_are_cleaned() -> None:
    scene = scene_from_urdf(urdf("a&quot;b&#10;c.stl"))
    assert meshes_of(scene) == ["a_b_c.stl"]
    assert loads(dumps(scene)) == scene


def test_names_too_long_for_the_system() -> None:
    scene = scene_from_urdf(urdf(f"package://{'x' * 5000}/a.stl"), "<text>", ["."])
    assert len(scene.warnings) == 1
