"""A design: edited, undone, saved, reloaded; all without a window."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from station.bench import loads
from station.errors import MadError, StationError
from station.view.design.errors import DesignError, one_line
from station.view.design.history import MOST, History
from station.view.design.model import Design
from station.view.design.rewriting import with_numbers
from tests.view.designing import delta_file, design_of, longer
from tests.view.test_rewriting import degrees, remarks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return delta_file(tmp_path)


# Edits -----------------------------------------------------------------------------------------------------


def test_an_edit_changes_the_robot_and_it_stands_where_it_stood(path: Path) -> None:
    design = design_of(path)
    design.set_joint("delta", 1, design.joint_value("delta", 1) + 0.2)
    before = design.joint_values("delta")
    assert longer(design)
    assert np.abs(design.joint_values("delta") - before).max() < 0.1
    assert design.bench["delta"].closure_error.metres < 1e-9
    assert design.rebuilt == {"delta"}
    assert design.dirty


def test_an_edit_that_cannot_be_leaves_everything_as_it_was(path: Path) -> None:
    design = design_of(path)
    bench, text = design.bench, design.text
    with pytest.raises(StationError, match="cannot be assembled"):
        longer(design, by=5.0)
    with pytest.raises(MadError, match="is outside its stops"):
        design.edit(lambda s: with_numbers(s, "delta", 1, "limits", {"lo": degrees("40")}), "stops")
    assert design.bench is bench
    assert design.text == text
    assert design.history.undoes is None


def test_edits_are_undone_and_done_again(path: Path) -> None:
    design = design_of(path)
    texts = [design.text]
    for part in (2, 4):
        longer(design, part, by=0.0)
        longer(design, part, by=0.001)
        texts.append(design.text)
    assert design.undo() == "d"
    assert design.text == texts[1]
    assert design.undo() == "d"
    assert not design.dirty
    assert design.undo() is None
    assert design.redo() == "d"
    assert design.text == texts[1]
    longer(design, 7)
    assert design.redo() is None


def test_edits_of_one_gesture_are_undone_at_once(path: Path) -> None:
    design = design_of(path)
    for _ in range(5):
        longer(design, by=0.001, gesture="slider")
    design.history.end_gesture()
    longer(design, by=0.001, gesture="slider")
    design.undo()
    assert design.dirty
    design.undo()
    assert not design.dirty


def test_only_so_many_edits_are_remembered() -> None:
    history = History("0")
    for number in range(MOST + 50):
        history.add(str(number + 1), "edit")
    count = 0
    while history.peek(-1) is not None:
        history.go(-1)
        count += 1
    assert count == MOST - 1


def test_robots_that_an_edit_does_not_touch_are_kept(tmp_path: Path) -> None:
    text = robots.path("scara").read_text()
    second = text[text.index("robot ") :].replace("robot scara", "robot other", 1)
    both = tmp_path / "two.mad"
    both.write_text(text + second)
    design = design_of(both)
    names = [robot.name for robot in design.bench.robots]
    kept, changed = design.bench[names[0]], design.bench[names[1]]
    link = design.robot(names[1]).links[1]
    design.edit(lambda s: with_numbers(s, names[1], link.id, "parameters", {"d": link.parameters.d + 0.1}), "d")
    assert design.bench[names[0]] is kept
    assert design.bench[names[1]] is not changed


# The file --------------------------------------------------------------------------------------------------


def test_what_is_saved_keeps_remarks_and_mode_and_reads_back(path: Path) -> None:
    design, before = design_of(path), path.read_text()
    longer(design)
    assert design.save() == path
    assert not design.dirty
    assert remarks(path.read_text()) == remarks(before)
    changed = [new for old, new in zip(before.splitlines(), path.read_text().splitlines(), strict=True) if old != new]
    assert len(changed) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert station.load(path) == design.bench
    assert [item.name for item in path.parent.iterdir()] == ["delta.mad"]


def test_a_mark_before_the_text_and_line_ends_are_kept(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    before = path.read_bytes()
    design = design_of(path)
    longer(design)
    design.save()
    after = path.read_bytes()
    assert after.startswith((b"\xef\xbb\xbfRAFF", b"\xef\xbb\xbf/*"))
    assert after.count(b"\r\n") == before.count(b"\r\n") == after.count(b"\n")


def test_a_file_that_others_changed_is_not_overwritten(path: Path) -> None:
    design = design_of(path)
    longer(design)
    path.write_text(path.read_text() + "\n// from elsewhere\n")
    assert design.outdated
    with pytest.raises(DesignError, match="was changed by another program; reload it, or save under another name"):
        design.save()
    assert path.read_text().endswith("// from elsewhere\n")
    other = path.with_name("other.mad")
    assert design.save(other) == other
    assert not design.outdated


def test_a_folder_that_cannot_be_written_is_told_in_one_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, before = design_of(path), path.read_text()
    longer(design)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(DesignError, match="cannot be written: Permission denied"):
        design.save()
    assert path.read_text() == before
    assert [item.name for item in path.parent.iterdir()] == ["delta.mad"]


def test_a_link_to_a_file_stays_a_link(path: Path) -> None:
    link = path.with_name("link.mad")
    link.symlink_to(path)
    design = design_of(link)
    longer(design)
    design.save()
    assert link.is_symlink()
    assert path.read_text() == design.text


def test_a_broken_file_is_told_and_a_mended_one_taken(path: Path) -> None:
    design, good = design_of(path), path.read_text()
    path.write_text(good.replace("parameters", "paramters", 1))
    assert design.outdated
    bench = design.bench
    with pytest.raises(MadError, match="unknown keyword 'paramters'"):
        design.reload()
    assert design.bench is bench
    file = design.file
    assert file is not None
    assert not bool(file.changed)
    path.write_text(good.replace("theta", "theta  ", 1) + "\n")
    assert file.changed
    assert design.reload()
    assert not design.dirty
    design.undo()
    assert design.text == good


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"RAFF v2.0 Nothing\n", b"<robot name='x'/>"])
def test_whatever_a_file_turns_into_the_robot_stays(path: Path, content: bytes) -> None:
    design = design_of(path)
    path.write_bytes(content)
    with pytest.raises(StationError) as caught:
        design.reload()
    assert "\n" not in one_line(caught.value)
    assert design.bench.robots


def test_a_file_that_vanished_is_no_change(path: Path) -> None:
    design = design_of(path)
    path.unlink()
    assert not design.outdated
    with pytest.raises(MadError, match="there is no such file"):
        design.reload()


def test_what_is_no_mad_file_is_saved_under_another_name(tmp_path: Path) -> None:
    design = Design(loads(robots.path("scara").read_text()))
    with pytest.raises(DesignError, match=r"save it under a name that ends in \.mad"):
        design.save()
    with pytest.raises(DesignError, match=r"a MAD file has a name that ends in \.mad"):
        design.save(tmp_path / "scara.txt")
    assert station.load(design.save(tmp_path / "scara.mad")).robots == design.bench.robots
