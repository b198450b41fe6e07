"""How much a mesh file would take, by what it says of itself: looked at before any reader takes memory.

A file of some hundred bytes can ask for gigabytes: by a count that nothing stands behind (glTF, PLY, COLLADA), or by
parts that contain others twice, which contain others twice (glTF, COLLADA). The readers of the view and of collision
(trimesh, assimp) believe both.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

LARGEST_FILE = 200_000_000  # bytes
LARGEST_TEXT = 100_000_000  # bytes of JSON or XML: they grow when they are read
MOST_CORNERS = 10_000_000  # of a mesh with all its copies
PART = 1000  # corners that a node counts as: each takes time of its own, too
HEADER = 65536  # bytes in which the header of a PLY ends

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}  # of a glTF accessor
BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}  # of its components
ELEMENT = re.compile(rb"^element\s+\S+\s+(\d+)", re.MULTILINE)


class MeshSizeError(ValueError):
    """A mesh file that asks for more than it holds; one line without the name of the file."""


def check_size(path: Path) -> None:
    """Refuse a mesh file that would take far more memory than its size explains.

    Raises:
        MeshSizeError: in one line.
        OSError: if the file cannot be read.
    """
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise MeshSizeError(f"has {size / 1e6:.0f} MB; a mesh has at most {LARGEST_FILE / 1e6:.0f} MB")
    checks: Mapping[str, Callable[[Path], None]] = {
        ".gltf": _check_gltf,
        ".glb": _check_gltf,
        ".ply": _check_ply,
        ".dae": _check_dae,
    }
    if path.suffix.lower() in checks:
        try:
            checks[path.suffix.lower()](path)
        except (KeyError, TypeError, IndexError, AttributeError, RecursionError, struct.error, binascii.Error) as error:
            raise MeshSizeError(f"no sound {path.suffix[1:].upper()} file: {type(error).__name__}: {error}") from None


# glTF ----------------------------------------------------------------------------------------------------------------


def _check_gltf(path: Path) -> None:
    """Accessors lie in their buffers, and the scenes with all their copies have at most `MOST_CORNERS`."""
    document, binary = _glb(path.read_bytes()) if path.suffix.lower() == ".glb" else (path.read_bytes(), 0)
    if len(document) > LARGEST_TEXT:
        raise MeshSizeError(f"has {len(document) / 1e6:.0f} MB of JSON; at most {LARGEST_TEXT / 1e6:.0f} MB")
    try:
        tree = json.loads(document)
    except ValueError as error:
        raise MeshSizeError(f"no sound glTF: {error}") from None
    lengths = [_buffer_length(buffer, path, binary) for buffer in tree.get("buffers", ())]
    views = tree.get("bufferViews", ())
    accessors = tree.get("accessors", ())
    for number, accessor in enumerate(accessors):
        _check_accessor(number, accessor, views, lengths)
    corners = [_corners(mesh, accessors) for mesh in tree.get("meshes", ())]
    nodes = tree.get("nodes", ())
    own: dict[Hashable, int] = {
        n: PART + (corners[node["mesh"]] if "mesh" in node else 0) for n, node in enumerate(nodes)
    }
    below: dict[Hashable, list[int]] = {n: node.get("children", []) for n, node in enumerate(nodes)}
    roots = [node for scene in tree.get("scenes", ()) for node in scene.get("nodes", ())]
    _check_copies(own | {"scene": 1}, below | {"scene": roots})


def _glb(data: bytes) -> tuple[bytes, int]:
    """The JSON of a binary glTF, and how many bytes follow it."""
    magic, _version, _length, size, _kind = struct.unpack_from("<4sIIII", data)
    if magic != b"glTF" or 20 + size > len(data):
        raise MeshSizeError("no sound GLB file: its header does not fit")
    return data[20 : 20 + size], len(data) - 20 - size


def _buffer_length(buffer: Mapping[str, Any], path: Path, binary: int) -> int:
    """Bytes that are really there; of a file beside the mesh its own."""
    uri = buffer.get("uri")
    if uri is None:
        return binary
    if uri.startswith("data:"):
        return len(base64.b64decode(uri.partition(",")[2] + "=="))
    beside = path.parent / uri
    length = beside.stat().st_size if beside.is_file() else 0
    if length > LARGEST_FILE:
        raise MeshSizeError(f"{uri} has {length / 1e6:.0f} MB; at most {LARGEST_FILE / 1e6:.0f} MB")
    return length


def _check_accessor(
    number: int, accessor: Mapping[str, Any], views: list[Mapping[str, Any]], lengths: list[int]
) -> None:
    count, each = int(accessor["count"]), COMPONENTS[accessor["type"]] * BYTES[accessor["componentType"]]
    if "bufferView" not in accessor:  # zeros, or given by exceptions
        held = MOST_CORNERS // 10 * each
    else:
        view = views[accessor["bufferView"]]
        start, length = int(view.get("byteOffset", 0)), int(view["byteLength"])
        held = max(0, min(length, lengths[view["buffer"]] - start) - int(accessor.get("byteOffset", 0)))
    if not 0 <= count * each <= held:
        raise MeshSizeError(f"accessor {number} counts {count} × {each} bytes, and there are {held}")


def _corners(mesh: Mapping[str, Any], accessors: list[Mapping[str, Any]]) -> int:
    named = [
        [part[key] for part, key in ((primitive["attributes"], "POSITION"), (primitive, "indices")) if key in part]
        for primitive in mesh["primitives"]
    ]
    return sum(int(accessors[number]["count"]) for numbers in named for number in numbers)


# PLY -----------------------------------------------------------------------------------------------------------------


def _check_ply(path: Path) -> None:
    """Every element takes at least a byte."""
    with path.open("rb") as file:
        header = file.read(HEADER).partition(b"end_header")[0]
    counts, size = [int(count[:20]) for count in ELEMENT.findall(header)], path.stat().st_size
    if sum(counts) > size:
        raise MeshSizeError(f"says that it holds {sum(counts)} elements, in {size} bytes")


# COLLADA -------------------------------------------------------------------------------------------------------------


def _check_dae(path: Path) -> None:
    """No count is above the size of the file, and the scene with all its copies is at most `MOST_CORNERS`."""
    data = path.read_bytes()
    if len(data) > LARGEST_TEXT:
        raise MeshSizeError(f"has {len(data) / 1e6:.0f} MB; a DAE at most {LARGEST_TEXT / 1e6:.0f} MB")
    found = _Collada(len(data))
    try:
        found.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise MeshSizeError(f"no sound DAE file: {error}") from None
    _check_copies(found.own, found.below)


class _Collada:
    """What contains what: nodes, geometries and controllers by their ids; a node without one by a number."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.open: list[Hashable] = []  # of what the parser is in
        self.own: dict[Hashable, int] = {}
        self.below: dict[Hashable, list[Hashable]] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        count = attributes.get("count", "0").strip()
        if count.isdecimal() and int(count[:20]) > self.size:
            raise MeshSizeError(f"says that a <{tag}> holds {count[:20]}, in {self.size} bytes")
        if tag in ("node", "geometry", "controller", "visual_scene"):
            name = attributes.get("id", len(self.own))
            self.own.setdefault(name, PART)
            self.below.setdefault(name, [])
            if self.open:
                self.below[self.open[-1]].append(name)
            self.open.append(name)
        elif self.open and tag in ("triangles", "polylist", "polygons", "trifans", "tristrips", "float_array"):
            self.own[self.open[-1]] += int(count[:20]) if count.isdecimal() else 0
        elif self.open and tag.startswith("instance_"):
            self.below[self.open[-1]].append(attributes.get("url", "").lstrip("#"))

    def end(self, tag: str) -> None:
        if tag in ("node", "geometry", "controller", "visual_scene"):
            self.open.pop()

    def refuse_doctype(self, *_declared: object) -> None:
        raise MeshSizeError("has a <!DOCTYPE …>, whose entities can grow without bound; remove it")


# Copies --------------------------------------------------------------------------------------------------------------


def _check_copies(own: Mapping[Any, int], below: Mapping[Any, Iterable[Any]]) -> None:
    """Count every part as often as it is reached; refuse what contains itself, and more than `MOST_CORNERS`."""
    totals: dict[Any, int] = {}
    for root in own:
        waiting = [(root, False)]
        inside: set[Any] = set()
        while waiting:
            part, left = waiting.pop()
            if left:
                inside.discard(part)
                totals[part] = own[part] + sum(totals.get(other, 0) for other in below[part])
                if totals[part] > MOST_CORNERS:
                    raise MeshSizeError(f"has more than {MOST_CORNERS} corners with all copies of its parts")
            elif part in inside:
                raise MeshSizeError(f"has a part that contains itself: '{part}'")
            elif part in own and part not in totals:
                inside.add(part)
                waiting += [(part, True), *((other, False) for other in below[part])]
