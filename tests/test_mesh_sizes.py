"""Mesh files that ask for more than they hold are refused before any memory is taken."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.collision.results import MeshError as CollisionMeshError
from station.collision.solids import hulls_of
from station.view.errors import MeshError
from station.view.geometry.files import read_mesh

PLY = "ply\nformat {} 1.0\nelement vertex 300000000\nproperty float x\nelement face 100000000\n" + (
    "property list uchar int vertex_indices\nend_header\n0 0 0\n"
)
TRIANGLE = """<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0
</float_array></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"""


def gltf(count: int = 3, children: int = 0, **more: Any) -> dict[str, Any]:
    """A triangle; each of `children` nodes contains the next one twice."""
    nodes: list[dict[str, Any]] = [{"children": [n + 1, n + 1]} for n in range(children)]
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [*nodes, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": count, "type": "VEC3", **more}],
        "bufferViews": [{"buffer": 0, "byteLength": 10**12}],
        "buffers": [{"byteLength": 10**12, "uri": "data:;base64,AAAAAAAA"}],
    }


def glb(tree: dict[str, Any]) -> bytes:
    text = json.dumps(tree).encode()
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


def collada(inside: str) -> str:
    return f'<COLLADA version="1.4.1">{inside}</COLLADA>'


TWICE = "".join(
    f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>' for i in range(40)
)
GREEDY: dict[str, tuple[str, str | bytes, str]] = {
    "zeros": ("a.gltf", json.dumps(gltf(count=400_000_000)), "accessor 0 counts 400000000 × 12 bytes"),
    "beyond its buffer": ("a.gltf", json.dumps(gltf(count=9, bufferView=0)), "counts 9 × 12 bytes, and there are 6"),
    "negative": ("a.gltf", json.dumps(gltf(count=-1)), "accessor 0 counts -1"),
    "in a GLB": ("a.glb", glb(gltf(count=400_000_000)), "accessor 0 counts 400000000"),
    "twice": ("a.gltf", json.dumps(gltf(children=40)), "more than 10000000 corners with all copies"),
    "in a circle": ("a.gltf", json.dumps(gltf() | {"nodes": [{"children": [0]}]}), "contains itself"),
    "no such view": ("a.gltf", json.dumps(gltf(bufferView=7)), "no sound GLTF file"),
    "deep": ("a.gltf", "[" * 100_000, "no sound G"),
    "PLY": ("a.ply", PLY.format("binary_little_endian"), "holds 400000000 elements, in"),
    "PLY in text": ("a.ply", PLY.format("ascii"), "holds 400000000 elements, in"),
    "DAE": ("a.dae", collada(TRIANGLE.replace('"9"', '"4000000000"')), "<float_array> holds 4000000000, in"),
    "DAE twice": (
        "a.dae",
        collada(f'{TRIANGLE}<library_nodes>{TWICE}<node id="n40"><instance_geometry url="#g"/></node></library_nodes>'),
        "more than 10000000 corners with all copies",
    ),
    "DAE in a circle": ("a.dae", collada('<node id="n"><instance_node url="#n"/></node>'), "contains itself"),
    "DAE entities": ("a.dae", '<!DOCTYPE a [<!ENTITY b "c">]>' + collada(TRIANGLE), "DOCTYPE"),
    "many balls": ("a.nff", "s 0 0 0 1\n" * 10_001, "more than 10000 balls and cones"),
}


@pytest.mark.parametrize("name", GREEDY)
def test_a_greedy_mesh_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    file, content, said = GREEDY[name]
    path = tmp_path / file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError, match=said) as caught:
        read_mesh(path)
    assert "\n" not in str(caught.value)
    if path.suffix != ".nff":
        with pytest.raises(CollisionMeshError, match=said):
            hulls_of(path, np.ones(3), in_pieces=False)


def test_greedy_meshes_take_no_memory(tmp_path: Path) -> None:
    """All of them in a process that may take a gigabyte at most."""
    for number, (file, content, _said) in enumerate(GREEDY.values()):
        if not file.endswith(".nff"):
            data = content if isinstance(content, bytes) else content.encode()
            (tmp_path / f"{number}{Path(file).suffix}").write_bytes(data)
    code = f"""
import resource
from pathlib import Path
from station.mesh_sizes import MeshSizeError, check_size
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for path in Path({str(tmp_path)!r}).iterdir():
    try:
        check_size(path)
    except MeshSizeError:
        print("refused")
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["refused"] * (len(GREEDY) - 1)
