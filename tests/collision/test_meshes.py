"""Mesh files: hulls of what is readable, one clear line for what is not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import station
from station.collision import CollisionError, MeshError, Surroundings
from station.collision.solids import hulls_of
from station.errors import StationError
from tests.collision.scenes import write_tetrahedra
from tests.wtk_files import BRICK, BROKEN, HEAD

ONES = np.ones(3)
STL = """solid it
{facets}endsolid it
"""
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n"


def write_scene(folder: Path, robot: str, around: str = "") -> Path:
    file = folder / "scene.mad"
    file.write_text(
        f"RAFF v2.0 Mesh robot lift {{ base {{ }} link 1 {{ parameters {{ 0 3000 0 0 }} type prismatic pred 0"
        f" limits {{ -5000 5000 }} {robot} }} frame 2 {{ pos {{ 0 0 100 }} pred 1 }} }} {around}"
    )
    return file


def surroundings_of(file: Path) -> Surroundings:
    scene = station.load(file)
    return Surroundings(scene, scene["lift"])


def test_an_obj_file_becomes_its_hull(tmp_path: Path) -> None:
    write_tetrahedra(tmp_path / "t.obj", 0.0)
    (found,) = hulls_of(tmp_path / "t.obj", ONES, in_pieces=False)
    assert len(found.points) == 4
    assert len(found.faces) == 4
    inside = found.faces[:, :3] @ [0.1, 0.1, 0.1] - found.faces[:, 3]
    assert (inside < 0.0).all()


def test_an_stl_file_is_read_in_the_unit_of_the_scene(tmp_path: Path) -> None:
    corners = ["0 0 0", "500 0 0", "0 500 0", "0 0 500"]
    sides = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    facets = "".join(FACET.format(*(corners[k] for k in side)) for side in sides)
    (tmp_path / "part.stl").write_text(STL.format(facets=facets))
    file = write_scene(tmp_path, "collision { sphere 100 }", 'obstacle part { mesh "part.stl" }')
    (row,) = surroundings_of(file).distances()
    assert row.distance == pytest.approx(2.4, abs=1e-5)  # the tip is 0.5 m high


def test_nff_of_worldtoolkit_is_felt(tmp_path: Path) -> None:
    (tmp_path / "part.nff").write_text(HEAD + BRICK)
    file = write_scene(tmp_path, "collision { sphere 100 }", 'obstacle part { mesh "part.nff" }')
    (row,) = surroundings_of(file).distances()
    assert row.distance == pytest.approx(2.6, abs=1e-5)  # its top is 0.3 m high


@pytest.mark.parametrize(("content", "said"), list(BROKEN.values())[1:], ids=list(BROKEN)[1:])
def test_broken_nff_of_worldtoolkit_is_one_line_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "part.nff").write_text(content)
    with pytest.raises(MeshError, match=re.escape(said)) as caught:
        hulls_of(tmp_path / "part.nff", ONES, in_pieces=False)
    assert "part.nff" in str(caught.value)


def test_the_scale_of_a_shape_goes_before_the_unit_of_the_file(tmp_path: Path) -> None:
    write_tetrahedra(tmp_path / "part.obj", 0.0)
    file = write_scene(tmp_path, "collision { sphere 100 }", 'obstacle part { mesh "part.obj" scale { 1 1 1000 } }')
    (row,) = surroundings_of(file).distances()
    assert row.distance == pytest.approx(1.9, abs=1e-5)


def test_separate_pieces_of_an_obstacle_are_separate_hulls(tmp_path: Path) -> None:
    write_tetrahedra(tmp_path / "two.obj", -3.0, 2.0)
    around = 'obstacle two { mesh "two.obj" scale { 1000 1000 1000 } }'
    file = write_scene(tmp_path, "collision { sphere 100 }", around)
    surroundings = surroundings_of(file)
    assert [pair.obstacle for pair in surroundings.pairs] == ["two (1)", "two (2)"]
    assert surroundings.distances([0.5])[0].distance > 1.0  # one passes between them


def test_a_mesh_on_a_link_is_one_hull_found_in_the_folder_of_the_robot(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    write_tetrahedra(tmp_path / "meshes" / "two.obj", -3.0, 2.0)
    file = write_scene(tmp_path, 'filename ( "two.obj" )', "obstacle floor { plane }")
    file.write_text(file.read_text().replace("base {", 'path "meshes/" base {'))
    (row,) = surroundings_of(file).distances()
    assert row.distance == pytest.approx(3.0, abs=1e-6)


def test_a_missing_mesh_of_a_body_is_replaced_by_a_bar_and_noted(tmp_path: Path) -> None:
    surroundings = surroundings_of(write_scene(tmp_path, 'filename ( "gone.stl" )', "obstacle floor { plane }"))
    assert surroundings.notes == ("link 1: mesh 'gone.stl' is not there; its body is made up from the joints",)
    assert all(solid.generated for solid in surroundings.solids if not solid.obstacle)
    assert surroundings.pairs


def test_a_missing_mesh_of_an_obstacle_is_refused(tmp_path: Path) -> None:
    file = write_scene(tmp_path, "collision { sphere 100 }", 'obstacle part { mesh "gone.stl" }')
    with pytest.raises(MeshError, match=r"gone\.stl is not there"):
        surroundings_of(file)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("empty.stl", b"", "cannot be read"),
        ("none.stl", b"solid nothing\nendsolid\n", "cannot be read"),
        ("words.obj", b"this is no mesh\n" * 10, "cannot be read|triangles"),
        ("noise.stl", bytes(range(256)) * 3, "cannot be read"),
        ("cut.stl", b"\0" * 80 + b"\xff\0\0\0" + b"\0" * 90, "cannot be read"),
        ("strange.xyz", b"1 2 3", "cannot be read"),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "flat"),
        ("nan.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", "cannot be read|not numbers"),
    ],
)
def test_a_broken_mesh_gives_one_clear_line(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match=why) as caught:
        hulls_of(tmp_path / name, ONES, in_pieces=True)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_mesh_errors_are_station_errors_and_os_errors() -> None:
    assert issubclass(MeshError, StationError)
    assert issubclass(MeshError, OSError)
    assert issubclass(CollisionError, ValueError)
