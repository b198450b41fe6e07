"""Mesh paths: `package://` names looked up, and every path written relative to one folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from station.mad.reader import Findings
from station.mad.scene import Body, Place, Robot, Shape
from station.mad.urdf.names import quotable

PACKAGE = "package://"
FILE = "file://"

AnyBody = TypeVar("AnyBody", bound=Body)


@dataclass
class Meshes:
    """Where the meshes of one URDF are."""

    folder: Path  # of the URDF
    packages: Sequence[Path]  # folders that hold packages or are packages
    unknown: set[str] = field(default_factory=set)  # packages that were not found, each told once

    def path(self, given: str, place: Place, findings: Findings) -> str:
        """The path as a scene beside the URDF says it; a package that is not found is noted and left as it is."""
        given = quotable(given)
        if given.startswith(FILE):
            return relative(Path(unquote(given.removeprefix(FILE))), self.folder)
        if not given.startswith(PACKAGE):
            return given if "://" in given else relative(Path(given), self.folder)
        name, _, rest = given.removeprefix(PACKAGE).partition("/")
        found = list(self._candidates(name, rest))
        if not found:
            self._note_unknown(name, place, findings)
            return given
        return relative(next(filter(os.path.isfile, found), found[0]), self.folder)

    def _candidates(self, name: str, rest: str) -> Iterator[Path]:
        for entry in self.packages:
            if os.path.isdir(entry / name):  # noqa: PTH112 - Path.is_dir raises on names that are too long
                yield entry / name / rest
            if entry.absolute().name == name:
                yield entry / rest

    def _note_unknown(self, name: str, place: Place, findings: Findings) -> None:
        if name not in self.unknown:
            self.unknown.add(name)
            looked = ", ".join(map(str, self.packages)) or "none given"
            findings.warning(
                place, f"package '{name}' is not in the package path ({looked}); its mesh paths are kept as they are"
            )


def relative(path: Path, folder: Path) -> str:
    """A path, which may be relative to `folder`, as `folder` sees it; with `/` on every system."""
    return Path(os.path.relpath(folder / path, folder)).as_posix()


def meshes_moved(robot: Robot, folder: Path, to: Path) -> Robot:
    """The robot of a file in `folder`, with mesh paths for a file in the folder `to`."""

    def moved(shape: Shape) -> Shape:
        if shape.mesh is None or "://" in shape.mesh:
            return shape
        return replace(shape, mesh=relative((folder / shape.mesh).absolute(), to))

    def dressed(body: AnyBody) -> AnyBody:
        return replace(body, visual=tuple(map(moved, body.visual)), collision=tuple(map(moved, body.collision)))

    return replace(robot, base=dressed(robot.base), frames=tuple(map(dressed, robot.frames)))
