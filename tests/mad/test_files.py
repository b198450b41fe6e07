"""Files that people give by mistake, and files that come out."""

from __future__ import annotations

import errno
import random
from pathlib import Path

import pytest

import station
from station.mad.files import LARGEST_FILE, save

SMALL = 'RAFF v1.0 A robot a { base { filename ( "base.nff" ) } }'


def refusal(path: Path) -> str:
    with pytest.raises(station.MadError) as caught:
        station.load(path)
    assert len(caught.value.problems) == 1
    return str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    assert refusal(path) == f"{path}: error: there is no such file"
    with pytest.raises(OSError, match="no such file"):  # also the built-in that fits
        station.load(path)


def test_a_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: error: is a directory; give a .mad or .urdf file"


def test_a_device() -> None:
    assert refusal(Path("/dev/zero")) == "/dev/zero: error: is not a regular file"


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "latin.mad"
    path.write_bytes("RAFF A\n// Préhenseur".encode("latin-1"))
    assert refusal(path).startswith(f"{path}:2:6: error: not UTF-8 text (byte 0xe9)")


def test_fifty_megabytes_of_garbage(tmp_path: Path) -> None:
    path = tmp_path / "garbage.mad"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert refusal(path) == f"{path}: error: has 50 MB; a scene has at most 4 MB"


@pytest.mark.parametrize("start", [b"", b"RAFF v1.0 Garbage "])
def test_garbage_of_every_allowed_size(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "garbage.mad"
    path.write_bytes(start + random.Random(1).randbytes(LARGEST_FILE - 100))
    assert "not UTF-8" in refusal(path)
    path.write_bytes(start + b"spam { 1 } " * ((LARGEST_FILE - 100) // 11))
    with pytest.raises(station.MadError):
        station.load(path)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused by the system; acted out, since root may read everything."""
    path = tmp_path / "secret.mad"
    path.write_text(SMALL)

    def refuse(_self: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert refusal(path) == f"{path}: error: cannot be read: Permission denied"


def test_a_xacro_is_sent_to_xacro(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text('<robot name="a" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arm/></robot>')
    assert "run" in refusal(path)
    assert "xacro" in refusal(path)


def test_a_mesh_name_that_no_file_can_have_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    path.write_text(SMALL.replace("base.nff", "x" * 300))
    assert len(station.load(path).warnings) == 1


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert station.load(path).name == "A"


def test_missing_meshes_are_warnings_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    path.write_text(SMALL)
    scene = station.load(path)
    text = "mesh file 'base.nff' is not there; the body is drawn as 'auto'"
    assert [str(warning) for warning in scene.warnings] == [f"{path}:1:30: warning: {text}"]


def test_meshes_are_looked_up_in_the_folder_of_the_robot(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "base.nff").write_text("")
    path = tmp_path / "arm.mad"
    path.write_text(SMALL.replace("base {", 'path "meshes/" base {'))
    assert station.load(path).warnings == ()


def test_saving_never_replaces_a_file_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    scene = station.loads(SMALL)
    save(scene, path)
    with pytest.raises(station.MadFileError, match="exists already; name another file"):
        save(station.loads("RAFF Other"), path)
    assert station.load(path) == scene
    save(station.loads("RAFF Other"), path, overwrite=True)
    assert station.load(path).name == "Other"
    assert [file.name for file in tmp_path.iterdir()] == ["arm.mad"]


def test_saving_into_nowhere_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(station.MadFileError, match="cannot be written: No such file or directory"):
        save(station.loads(SMALL), tmp_path / "nowhere" / "arm.mad")
    with pytest.raises(station.MadError, match="cannot be written as a name"):
        save(station.mad.Scene(name="two words"), tmp_path / "arm.mad")
    assert list(tmp_path.iterdir()) == []
