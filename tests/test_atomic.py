"""Files that appear whole or not at all, whoever else can write in their folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from station.atomic import whole_file
from station.mad.files import loads, save


def write(path: Path, data: bytes, overwrite: bool = True) -> None:
    with whole_file(path, overwrite=overwrite) as file:
        file.write(data)


def test_a_file_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    write(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_goes_wrong_leaves_the_older_file(tmp_path: Path) -> None:
    write(tmp_path / "out", b"old")

    def fail() -> None:
        with whole_file(tmp_path / "out") as file:
            file.write(b"ha")
            raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        fail()
    assert (tmp_path / "out").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_older_file_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    write(tmp_path / "out", b"old")
    with pytest.raises(FileExistsError):
        write(tmp_path / "out", b"new", overwrite=False)
    assert (tmp_path / "out").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_link_in_its_place_is_replaced_and_never_followed(tmp_path: Path) -> None:
    (tmp_path / "of a victim").write_bytes(b"precious")
    (tmp_path / "out").symlink_to(tmp_path / "of a victim")
    write(tmp_path / "out", b"new")
    assert (tmp_path / "of a victim").read_bytes() == b"precious"
    assert not (tmp_path / "out").is_symlink()


def test_permissions_are_those_of_the_older_file_else_as_usual(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "out", b"first")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640
    (tmp_path / "out").chmod(0o600)
    write(tmp_path / "out", b"second")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    write(tmp_path / ("n" * 255), b"new")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"new"


def test_a_scene_is_not_written_through_a_link_whose_name_was_guessed(tmp_path: Path) -> None:
    victim = tmp_path / "of a victim"
    victim.write_bytes(b"precious")
    (tmp_path / f".out.mad.{os.getpid()}.part").symlink_to(victim)
    save(loads('RAFF v1.0 A robot a { base { filename ( "base.nff" ) } }'), tmp_path / "out.mad")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / "out.mad").is_file()
