"""Task files: what was written is read; what was cut, changed or is of another kind is refused in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from station.tasks.recording.schema import Field, Schema
from station.tasks.recording.schema import Kind as FieldKind
from station.tasks.recording.writing import Writer
from station.tasks.task import (
    Action,
    Calibration,
    Kind,
    Reference,
    TaskError,
    TaskFileError,
    TaskMismatchError,
    bind,
    changed,
    content_hash,
    load,
    read_calibration,
    reference_of,
    save,
)
from station.tasks.task.edit import acting, labelled, marked
from station.tasks.task.joints import tool_path, whole_path
from station.tasks.task.moving import moved
from tests.tasks.making import robot_file, scene_of, task_of, wandering


def made(path: Path) -> Path:
    task = labelled(marked(wandering(seconds=0.5), 200, "grasp", "a comment"), 300, 400, Kind.CONTACT, force=20.0)
    save(acting(task, 200, Action("grip", 0.01), 0.1), path)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    task = acting(marked(wandering(seconds=0.5), 200, "grasp", "a comment"), 200, Action("grip", 0.01), 0.1)
    task = changed(task, reference=Reference("fixture", np.eye(4)), calibration="c7")
    digest = save(task, tmp_path / "t.mcap", verified={"hash": "x"})
    again = load(tmp_path / "t.mcap")
    assert again.hash == digest == content_hash(task)
    assert np.array_equal(again.task.q, task.q)
    assert again.task.segments == task.segments
    assert again.task.marks == task.marks
    assert again.task.scene_text == task.scene_text
    assert again.verified == {"hash": "x"}
    with pytest.raises(TaskFileError):
        save(task, tmp_path / "t.mcap")
    save(task, tmp_path / "t.mcap", overwrite=True)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    whole = made(tmp_path / "t.mcap").read_bytes()
    for share in (0.02, 0.3, 0.7, 0.95, 0.999):
        cut = tmp_path / "cut.mcap"
        cut.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(TaskFileError) as caught:
            load(cut)
        assert "\n" not in str(caught.value)


def test_a_changed_byte_is_refused(tmp_path: Path) -> None:
    whole = bytearray(made(tmp_path / "t.mcap").read_bytes())
    for share in (0.2, 0.5, 0.8):
        other = bytearray(whole)
        other[int(share * len(whole))] ^= 0x10
        (tmp_path / "bad.mcap").write_bytes(other)
        with pytest.raises(TaskFileError) as caught:
            load(tmp_path / "bad.mcap")
        assert "\n" not in str(caught.value)


def test_a_file_written_anew_with_another_path_does_not_fit_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("station.tasks.task.file.content_hash", lambda _task: "0" * 64)
        save(wandering(seconds=0.5), tmp_path / "t.mcap")
    with pytest.raises(TaskFileError, match="does not fit its hash"):
        load(tmp_path / "t.mcap")


def test_another_schema_version_is_refused(tmp_path: Path) -> None:
    with Writer(tmp_path / "t.mcap", kind="task") as file:
        file.metadata("task", {"schema": "99", "facts": "{}", "hash": ""})
    with pytest.raises(TaskFileError, match="schema version 99; this program knows 1"):
        load(tmp_path / "t.mcap")


def test_a_recording_of_a_run_is_no_task(tmp_path: Path) -> None:
    with Writer(tmp_path / "r.mcap", kind="run") as file:
        channel = file.channel("/x", Schema("X", (Field("a", FieldKind.REAL),)))
        file.message(channel, 1, {"a": 1.0})
    with pytest.raises(TaskFileError, match="not a task"):
        load(tmp_path / "r.mcap")
    with pytest.raises(TaskFileError, match="no such file"):
        load(tmp_path / "none.mcap")


def test_facts_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    for number, facts in enumerate(("[]", "{}", '{"joints": ["a"]}', "nonsense")):
        path = tmp_path / f"{number}.mcap"
        with Writer(path, kind="task") as file:
            file.metadata("task", {"schema": "1", "facts": facts, "hash": ""})
        with pytest.raises(TaskFileError) as caught:
            load(path)
        assert "\n" not in str(caught.value)


def test_a_scene_that_changed_since_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "bench.mad"
    shutil.copy(robot_file("bench"), copy)
    task = changed(wandering(seconds=0.5), scene_file=str(copy))
    assert bind(task).mechanism.robot.name == "ur5e"
    copy.write_text(copy.read_text(encoding="utf8") + "\n// moved the wall\n", encoding="utf8")
    with pytest.raises(TaskMismatchError, match=r"another version of bench\.mad"):
        bind(task)


def test_another_robot_or_calibration_is_refused() -> None:
    task = wandering(seconds=0.5)
    with pytest.raises(TaskMismatchError, match=r"another version of panda\.mad"):
        bind(task, robot_file("panda"))
    with pytest.raises(TaskMismatchError, match="made with calibration 'nominal', not 'c2'"):
        bind(task, calibration=Calibration("c2"))
    other = changed(task, robot="panda")
    with pytest.raises(TaskMismatchError, match="for robot panda"):
        bind(other)
    with pytest.raises(TaskMismatchError, match="with joints a, b"):
        bind(changed(task, joints=("a", "b", "c", "d", "e", "f")))


def test_a_task_moves_with_its_work_piece() -> None:
    scene = scene_of()
    mechanism = scene["ur5e"]
    reference = reference_of(scene, mechanism, "wall")
    task = changed(wandering(seconds=0.5, size=0.05), reference=reference)
    turned = reference.pose.copy()
    turned[:3, 3] += [0.02, -0.01, 0.03]
    angle = 0.1
    turned[:3, :3] = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    new = moved(task, mechanism, Calibration("c2", {"wall": turned}))
    assert new.calibration == "c2"
    old_tool = tool_path(mechanism, task.frame, whole_path(mechanism, task.q).q)
    new_tool = tool_path(mechanism, task.frame, whole_path(mechanism, new.q).q)
    assert np.abs(np.linalg.inv(turned) @ new_tool - np.linalg.inv(reference.pose) @ old_tool).max() < 2e-5
    far = turned.copy()
    far[0, 3] += 5.0
    with pytest.raises(TaskError, match="away"):
        moved(task, mechanism, Calibration("c3", {"wall": far}))
    with pytest.raises(TaskError, match="has no frame 'wall'"):
        moved(task, mechanism, Calibration("c3"))
    with pytest.raises(TaskError, match="belongs to no frame"):
        moved(task_of(task.q), mechanism, Calibration("c3"))


def test_calibrations_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"id": "c2", "frames": {"wall": np.eye(4).tolist()}}), encoding="utf8")
    assert read_calibration(path).id == "c2"
    for bad in ("nonsense", "{}", '{"id": "a", "frames": {"x": [1]}}', '{"id": "a", "frames": {"x": [[2,0,0,0]]}}'):
        path.write_text(bad, encoding="utf8")
        with pytest.raises(TaskError) as caught:
            read_calibration(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(TaskError, match="there are: world"):
        reference_of(scene_of(), scene_of()["ur5e"], "moon")
