"""Files and text in, scenes out: the doors of `station.mad`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from station.atomic import whole_file
from station.errors import MadError, MadFileError, Problem
from station.mad.build import build
from station.mad.checks import check
from station.mad.reader import Findings
from station.mad.scene import Scene
from station.mad.schema import keywords_under
from station.mad.syntax import parse
from station.mad.writer import dumps

LARGEST_FILE = 4_000_000  # bytes; some 30,000 links, and small enough to refuse garbage soon


def load(path: str | Path, package_path: Sequence[str | Path] = ()) -> Scene:
    """Read a scene from a `.mad` or `.urdf` file.

    Args:
        path: the file.
        package_path: folders in which the `package://` names of a URDF are looked up.

    Raises:
        MadError: with every problem of the file, each with its line and column.
        MadFileError: if the file cannot be read; also an OSError.
    """
    path = Path(path)
    text = read_text(path)
    if path.suffix.lower() in (".urdf", ".xacro") or text.lstrip().startswith("<"):
        from station.mad.urdf import scene_from_urdf

        return scene_from_urdf(text, str(path), package_path)
    return loads(text, str(path))


def loads(text: str, file: str = "<text>") -> Scene:
    """Read a scene from MAD text; `file` is the name used in messages, and mesh files are looked up beside it."""
    findings = Findings(file)
    with _collector_paused():
        raw = parse(text, file, keywords_under(Scene))
        return check(build(raw, findings), findings)


def save(scene: Scene, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a scene as MAD text, whole or not at all.

    Raises:
        MadError: if the language cannot say what the scene holds.
        MadFileError: if the file is there already and `overwrite` is not given, or cannot be written.
    """
    write_text(Path(path), dumps(scene), overwrite=overwrite)


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write a text, whole or not at all; raises MadFileError if it cannot be, or is there already."""
    try:
        with whole_file(path, overwrite=overwrite) as file:
            file.write(text.encode())
    except FileExistsError:
        _refuse(path, "exists already; name another file, or delete it")
    except OSError as error:
        _refuse(path, f"cannot be written: {error.strerror or error}")


def read_text(path: Path) -> str:
    """The text of a file that a person may have chosen by mistake; raises MadError that says what it is instead."""
    try:
        if path.is_dir():
            _refuse(path, "is a directory; give a .mad or .urdf file")
        if not path.exists():
            _refuse(path, "there is no such file")
        if not path.is_file():
            _refuse(path, "is not a regular file")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            _refuse(path, f"has {size / 1e6:.0f} MB; a scene has at most {LARGEST_FILE / 1e6:.0f} MB")
        data = path.read_bytes()
    except OSError as error:
        if isinstance(error, MadError):
            raise
        _refuse(path, f"cannot be read: {error.strerror or error}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        what = f"not UTF-8 text (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        raise MadError([Problem(str(path), line, column, what)]) from None


def _refuse(path: Path, why: str) -> NoReturn:
    raise MadFileError([Problem(str(path), 0, 0, why)]) from None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Parsing makes many objects and no cycles: the collector would rescan them all again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
