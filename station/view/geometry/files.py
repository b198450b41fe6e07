"""Mesh files: NFF and DXF by readers of our own, STL, OBJ, PLY, glTF and DAE by trimesh."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from station.mesh_sizes import MeshSizeError, check_size
from station.view.errors import MeshError
from station.view.geometry.dxf import read_dxf
from station.view.geometry.mesh import Floats, Mesh, creased, joined
from station.view.geometry.nff import read_nff

OWN = {".nff": read_nff, ".dxf": read_dxf}
BY_TRIMESH = (".stl", ".obj", ".ply", ".gltf", ".glb", ".dae")
MOST_PIXELS = 10_000_000  # of a texture


def read_mesh(path: str | Path) -> Mesh:
    """The mesh in a file, numbers as they stand there; read once as long as the file does not change.

    Raises:
        MeshError: in one line, if it is not there, not readable, or holds no surface.
    """
    try:
        stat = Path(path).stat()
    except (OSError, ValueError) as error:
        raise MeshError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return _read(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _read(name: str, _changed: int, _size: int) -> Mesh:
    path = Path(name)
    suffix = path.suffix.lower()
    try:
        check_size(path)
    except MeshSizeError as error:
        raise MeshError(f"{path}: {error}") from None
    except OSError as error:
        raise MeshError(f"{path}: cannot be read: {error.strerror or error}") from None
    if suffix in OWN:
        try:
            mesh = OWN[suffix](path.read_text(encoding="utf8", errors="replace"))
        except MeshError as error:
            raise MeshError(f"{path}: {error}") from None
        except OSError as error:
            raise MeshError(f"{path}: cannot be read: {error.strerror or error}") from None
    elif suffix in BY_TRIMESH:
        mesh = _by_trimesh(path)
    else:
        known = ", ".join([*OWN, *BY_TRIMESH])
        raise MeshError(f"{path}: '{path.suffix}' is no mesh format; known are: {known}")
    if not len(mesh.faces):
        raise MeshError(f"{path}: holds no surface")
    if not np.isfinite(mesh.points).all():
        raise MeshError(f"{path}: has a corner that is not finite")
    return mesh


def _by_trimesh(path: Path) -> Mesh:
    import trimesh  # only here: few scenes have meshes, and it takes half a second to load
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS  # a small file can hold a huge texture; beyond twice this it is an error
    try:
        loaded = trimesh.load_scene(path, process=False)
        parts = [part for part in loaded.dump() if isinstance(part, trimesh.Trimesh) and len(part.faces)]
        return joined(creased(part.vertices, part.faces, _face_colours(part)) for part in parts)
    except Exception as error:  # a broken file can make its reader fail in any way
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise MeshError(f"{path}: no sound {path.suffix[1:].upper()} file: {reason}") from None


def _face_colours(part: Any) -> Floats | None:
    """Colours of the file; nothing where it has none, so that the robot's own are taken."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind != "texture":
        colours = np.asarray(visual.face_colors, np.float32)
    else:
        # A texture is taken as its colour at each corner, a material without one as its main colour.
        corners = np.asarray(visual.to_color().vertex_colors, np.float32)
        if corners.shape == (len(part.vertices), 4):
            colours = corners[part.faces].mean(axis=1)
        else:
            colours = np.tile(np.asarray(visual.material.main_color, np.float32), (len(part.faces), 1))
    return colours / np.float32(255.0)
