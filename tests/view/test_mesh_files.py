"""Mesh files of every kind, sound and broken."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from station.view.errors import MeshError
from station.view.geometry.files import read_mesh
from station.view.geometry.mesh import Mesh
from tests.wtk_files import BRICK, BROKEN, HEAD, SHEET

NFF = """# a unit cube's top, a ball, a cone
v
from 1 1 1
at 0 0 0
up 0 0 1
angle 40
hither 1
resolution 64 64
b 0.1 0.1 0.1
l 4 3 2
f 1 0.5 0 1 0 0 0 0
p 4
0 0 1
1 0 1
1 1 1
0 1 1
pp 3
0 0 0  0 0 1
1 0 0  0 0 1
0 1 0  0 0 1
f 0 0 1 1 0 0 0 0
s 2 0 0 0.5
c
0 0 0 0.2
0 0 1 0.1
"""

FACE = "0\n3DFACE\n8\n0\n10\n0\n20\n0\n30\n0\n11\n2\n21\n0\n31\n0\n12\n2\n22\n3\n32\n0\n13\n0\n23\n3\n33\n0\n"
END = "0\nENDSEC\n0\nEOF\n"
START = "0\nSECTION\n2\nENTITIES\n"


def volume(mesh: Mesh) -> float:
    """That a closed mesh holds; positive if its faces look outwards."""
    a, b, c = (mesh.points[mesh.faces[:, corner]].astype(float) for corner in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb", "gltf", "dae"])
def test_common_formats_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"brick.{suffix}"
    parts = trimesh.creation.box((1.0, 2.0, 3.0)).export(file_type=suffix)
    for name, data in parts.items() if isinstance(parts, dict) else [("", parts)]:
        place = tmp_path / name if name and name != "model.gltf" else path
        place.write_bytes(data.encode() if isinstance(data, str) else data)
    mesh = read_mesh(path)
    np.testing.assert_allclose(np.ptp(mesh.points, axis=0), (1.0, 2.0, 3.0), rtol=1e-5)
    assert volume(mesh) == pytest.approx(6.0, rel=1e-4)
    sharp = np.abs(mesh.normals).max(axis=1)
    np.testing.assert_allclose(sharp, 1.0, atol=1e-5)  # a brick keeps its edges


def test_round_things_are_smooth(tmp_path: Path) -> None:
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(3).export(path)
    mesh = read_mesh(path)
    away = np.einsum("ij,ij->i", mesh.normals, mesh.points)
    assert away.min() > 0.99


def test_nff_has_polygons_balls_and_cones(tmp_path: Path) -> None:
    path = tmp_path / "thing.nff"
    path.write_text(NFF)
    mesh = read_mesh(path)
    np.testing.assert_allclose(mesh.points.max(axis=0), (2.5, 1.0, 1.0), atol=0.01)
    orange = np.isclose(mesh.colours, (1.0, 0.5, 0.0, 1.0)).all(axis=1)
    assert orange.sum() == 9  # two triangles and one
    assert np.isclose(mesh.colours[~orange], (0.0, 0.0, 1.0, 1.0)).all()


def test_nff_of_worldtoolkit_has_objects_colours_and_normals(tmp_path: Path) -> None:
    path = tmp_path / "thing.nff"
    path.write_text(HEAD + BRICK + SHEET)
    mesh = read_mesh(path)
    assert len(mesh.faces) == 13
    brick, sheet = mesh._replace(faces=mesh.faces[:12]), slice(36, 39)
    assert volume(brick) == pytest.approx(100 * 200 * 300)  # all sides look outwards
    colours = mesh.colours[:36].reshape(6, 6, 4)
    np.testing.assert_array_equal(colours[:5], np.broadcast_to([1, 0, 0, 1], (5, 6, 4)))
    np.testing.assert_array_equal(colours[5], np.broadcast_to([0, 1, 0, 1], (6, 4)))
    np.testing.assert_array_equal(mesh.colours[sheet], [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 1]])
    half = 0.5**0.5
    np.testing.assert_allclose(mesh.normals[sheet], [[0, 0, 1], [0, half, half], [0, 0, 1]], atol=1e-6)
    np.testing.assert_allclose(np.abs(mesh.normals[:36]).max(axis=1), 1.0, atol=1e-6)  # a brick keeps its edges


@pytest.mark.parametrize("text", ["NFF\r\nversion 1.0\r\n", "\n// first of all\nnff // that is it\n"])
def test_worldtoolkits_header_may_look_otherwise(tmp_path: Path, text: str) -> None:
    path = tmp_path / "thing.nff"
    path.write_text(text + SHEET, newline="")
    assert len(read_mesh(path).faces) == 1


@pytest.mark.parametrize(("content", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_of_worldtoolkit_is_one_line_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "thing.nff"
    path.write_text(content)
    with pytest.raises(MeshError, match=re.escape(said)) as caught:
        read_mesh(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_dxf_has_faces_polyfaces_and_nets(tmp_path: Path) -> None:
    vertices = "".join(
        f"0\nVERTEX\n8\n0\n10\n{x}\n20\n{y}\n30\n5\n70\n192\n" for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))
    )
    polyface = (
        f"0\nPOLYLINE\n70\n64\n71\n4\n72\n1\n{vertices}0\nVERTEX\n70\n128\n71\n1\n72\n2\n73\n-3\n74\n4\n0\nSEQEND\n"
    )
    points = "".join(f"0\nVERTEX\n10\n{x}\n20\n{y}\n30\n9\n70\n64\n" for x in range(3) for y in range(2))
    net = f"0\nPOLYLINE\n70\n16\n71\n3\n72\n2\n{points}0\nSEQEND\n"
    path = tmp_path / "thing.dxf"
    path.write_text(START + FACE + polyface + net + END)
    mesh = read_mesh(path)
    heights = sorted(set(mesh.points[:, 2].tolist()))
    assert heights == [0.0, 5.0, 9.0]
    assert len(mesh.faces) == 2 + 2 + 4


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.nff", "p 4\n0 0 0\n1 0 0\n", "line 1: 4 lines of numbers are due, and the file ends after 2"),
        ("a.nff", "p 2\n0 0 0\n1 0 0\n", "a polygon of 2 corners"),
        ("a.nff", "p 3\n0 0 0\n1 0 zero\n0 1 0\n", "line 3: '1 0 zero' should be 3 numbers"),
        ("a.nff", "p 3\n0 0 0\n1 0 nan\n0 1 0\n", "line 3: 3 finite numbers"),
        ("a.nff", "quark 3\n", "'quark' is no word of NFF"),
        ("a.nff", "# nothing\n", "holds no surface"),
        ("a.dxf", "", "it is empty"),
        ("a.dxf", "zero\nSECTION\n", "no sound DXF"),
        ("a.dxf", START + "0\nLINE\n10\n0\n" + END, "no surface in it"),
        (
            "a.dxf",
            START + "0\nPOLYLINE\n70\n64\n0\nVERTEX\n70\n128\n71\n7\n72\n8\n73\n9\n" + END,
            "names corner 9 of 0",
        ),
        ("a.stl", "solid but not really", "holds no surface"),
        ("a.stl", "neither text nor numbers", "holds no surface"),
        ("a.obj", "", "OBJ|no surface"),
        ("a.glb", "glTF, said the file, and lied", "GLB"),
        ("a.gltf", "{}", "GLTF|no surface"),
        ("a.dae", "<COLLADA>", "DAE"),
        ("a.step", "ISO-10303-21;", "'.step' is no mesh format; known are: .nff, .dxf, .stl"),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path: Path, name: str, content: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(MeshError, match=said) as caught:
        read_mesh(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="No such file"):
        read_mesh(tmp_path / "gone.stl")


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "brick.stl"
    for side in (1.0, 2.0):
        trimesh.creation.icosphere(int(side), radius=side).export(path)  # another size in bytes, too
        assert np.ptp(read_mesh(path).points[:, 0]) == pytest.approx(2.0 * side, rel=0.1)


@pytest.mark.parametrize("suffix", ["glb", "ply", "dae"])
def test_colours_of_a_file_are_kept(tmp_path: Path, suffix: str) -> None:
    brick = trimesh.creation.box((1.0, 1.0, 1.0))
    brick.visual.face_colors = (255, 0, 0, 255)
    if suffix == "dae":  # has materials instead of colours of faces
        visuals: Any = trimesh.visual
        material = visuals.material.PBRMaterial(baseColorFactor=(255, 0, 0, 255))
        brick.visual = visuals.TextureVisuals(material=material)
    path = tmp_path / f"brick.{suffix}"
    path.write_bytes(brick.export(file_type=suffix))
    colours = read_mesh(path).colours
    np.testing.assert_allclose(colours[:, :3], np.tile((1.0, 0.0, 0.0), (len(colours), 1)), atol=0.02)
