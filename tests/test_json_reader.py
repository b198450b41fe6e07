"""JSON from outside: what Python's own reader would choke on is one line, wherever it is read."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from calibration.collection import Collection, read_collection
from calibration.registration.approaching import read_approaches
from calibration.registration.features import read_piece
from calibration.results import Result, Subject, read_results, write_result
from firmware_bridge.instrument.lines import about_of, message_of, reading_of
from firmware_bridge.usb_bus.messages import LENGTH, LinkEndedError, receive_message
from sim_devices.running import running
from station.cli import station
from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.replay.description import from_text, to_text
from station.errors import StationError
from station.json_reader import DEEPEST, LARGEST, JsonError, parse_json, read_json
from station.tasks.recording.facts import calibrations_in
from station.tasks.recording.schema import Field, Kind, Schema, schema_of
from station.tasks.recording.writing import Writer
from station.tasks.task import TaskFileError, load, save
from station.tasks.task.binding import read_calibration
from station.tasks.task.hashing import facts_of
from station.tasks.verify import VerifySettings
from station.tasks.verify.noting import settings_in
from station.view.sharing.wire import read_greeting
from station.view.viewpoints import Viewpoints
from tests.json_mutants import JsonMutator
from tests.tasks.execute.places import there_and_back

COUNT = int(os.environ.get("FUZZ_MESSAGES", "1500")) // 10
SEED = int(os.environ.get("FUZZ_SEED", "1"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 30_000, "x.json:1:65: brackets more than 64 deep; allowed: 64"),
        ('[\n "[[",' + "[" * 64, "x.json:2:70: brackets more than 64 deep"),
        ("[1e999]", "x.json: the number 1e999; allowed: finite numbers"),
        ("[NaN]", "the number NaN; allowed: finite numbers"),
        ("[-Infinity]", "the number -Infinity; allowed"),
        ("[1" + "0" * 400 + "]", "the number 10000000000000000000…; allowed: .* whole ones of at most 64 bits"),
        (f"[{2**64}]", "whole ones of at most 64 bits"),
        (f"[{-(2**63) - 1}]", "whole ones of at most 64 bits"),
        ('["\\ud800"]', "half a character"),
        ('{"a": 1,\n"b" 2}', "x.json:2:5: no JSON"),
        ("", "x.json:1:1: no JSON"),
        (b"[\xff]", "not UTF-8 at byte 1"),
        ("[" + " " * 100 + "]", "more than 50 bytes of JSON; allowed: 50"),
    ],
)
def test_what_is_too_deep_too_large_or_not_finite_is_one_line(text: str | bytes, says: str) -> None:
    with pytest.raises(JsonError, match=says) as caught:
        parse_json(text, "x.json", 50 if len(text) < 200 and len(text) > 100 else LARGEST)
    assert "\n" not in str(caught.value)


def test_what_is_allowed_is_read_as_it_stands(tmp_path: Path) -> None:
    deep = "[" * DEEPEST + "]" * DEEPEST
    brackets = json.dumps(["[" * 1000, '\\"{[', *([["x"]] * 100)])
    for text in (deep, brackets, f"[{2**64 - 1}, {-(2**63)}, 1e308, -0.5]", '["\\ud83d\\ude00 é"]', "null"):
        assert parse_json(text, "x") == json.loads(text)
    (tmp_path / "x.json").write_bytes(b'\xef\xbb\xbf{"a": "\xc3\xa9"}')  # some editors write a mark first
    assert read_json(tmp_path / "x.json") == {"a": "é"}


def test_a_string_without_an_end_takes_no_longer_for_its_quotes() -> None:
    with pytest.raises(JsonError, match="unterminated"):
        parse_json("[" + "[]," * 65 + '"' + '\\"' * 1_000_000, "x")  # hours, if each quote were looked at anew


# Every reader of a file or a message -----------------------------------------------------------------------

Read = Callable[[str, Path], object]
PIECE: dict[str, Any] = {
    "piece": "block",
    "features": {
        "top": {"kind": "plane", "place": [0, 0, 0.1], "direction": [0, 0, 1]},
        "ball": {"kind": "sphere", "place": [0.1, 0.1, 0.1], "radius": 0.02, "inside": False},
    },
}
FRAMES: dict[str, Any] = {
    "id": "a",
    "frames": {"fixture": np.eye(4).tolist()},
    "sources": {"fixture": {"part": "frame fixture", "result": "1234"}},
}
GREETING = {"text": {"robot": "x", "joints": [{"name": "a", "low": None}]}, "scene": "Robot…", "name": "station"}
ABOUT = {"instrument": 1, "model": "T", "serial_number": "1", "measures": "pose", "noise": 1e-5, "turn_noise": 1e-4}
READING = {"number": 7, "position": [0.1, 0.2, 0.3], "rotation": np.eye(3).ravel().tolist()}
VIEWS = {"scene": {"mine": {"distance": 1, "azimuth": 0, "elevation": 0, "opening": 45, "centre": [0, 0, 0]}}}
DEVICE = Capabilities(
    model="m",
    serial_number="s",
    axes=(Axis(kind=AxisKind.ABSOLUTE), Axis(), Axis(), Axis(), Axis(), Axis()),
    buttons=("a",),
    grip=False,
    rate=1000.0,
    homing=False,
)
EVENT = Schema(
    "Event", (Field("text", Kind.TEXT, (), "", "what"), Field("at", Kind.REAL, None, "s", "when")), 1, "an event"
)


def refusal(read: Callable[[], object]) -> str:
    """What a StationError says; empty: there is none. Any other error ends the test."""
    try:
        read()
    except StationError as error:
        return str(error)
    return ""


def in_file(read: Callable[[Path], object]) -> Read:
    def reads(text: str, folder: Path) -> object:
        path = folder / "x.json"
        path.write_text(text, encoding="utf8")
        return read(path)

    return reads


def an_instrument(text: str, _: Path) -> object:
    message = message_of(text.encode())
    return None if message is None else (about_of(message), reading_of(message, "pose"))


def usb(text: str, _: Path) -> object:
    here, there = socket.socketpair()
    with here, there:
        data = text.encode()[: 1 << 15]
        there.sendall(LENGTH.pack(len(data)) + data)
        try:
            return receive_message(here)
        except LinkEndedError:
            return None


def a_description(text: str, _: Path) -> object:
    try:
        return from_text(text)
    except ValueError:  # as its only caller expects
        return None


def viewpoints(text: str, folder: Path) -> object:
    kept = Viewpoints("scene", folder)
    kept.path.write_text(text, encoding="utf8")
    return kept.names() and kept.camera("mine")


READERS: dict[str, tuple[Any, Read]] = {
    "work-piece": (PIECE, in_file(read_piece)),
    "approaches": ([["top", [0, 0, 0.2], [0, 0, -1]]] * 2, in_file(read_approaches)),
    "frames": (FRAMES, in_file(read_calibration)),
    "greeting": (GREETING, lambda text, _: read_greeting(text.encode())),
    "instrument": (ABOUT, an_instrument),
    "reading": (READING, an_instrument),
    "usb": ({"do": "open", "handle": 1, "with": [1, 2], "data": "00"}, usb),
    "description": (json.loads(to_text(DEVICE)), a_description),
    "schema": (json.loads(EVENT.text), lambda text, _: schema_of("haptic_station/msg/Event", "jsonschema", text, 1)),
    "calibrations": (
        {"part": "robot x", "result": "12"},
        lambda text, _: calibrations_in({"robot x": text, "ids": "1"}),
    ),
    "note": ({"clearance": 0.01}, lambda text, _: settings_in({"settings": text})),
    "viewpoints": (VIEWS, viewpoints),
}


@pytest.mark.parametrize("name", READERS)
def test_mutants_of_a_document_are_refused_in_one_line_or_make_sense(name: str, tmp_path: Path) -> None:
    document, read = READERS[name]
    make = JsonMutator(document, SEED)
    for number in range(COUNT):
        text = make()
        assert "\n" not in refusal(partial(read, text, tmp_path)), (number, text[:200])


def test_mutants_of_results_and_collections_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    results, lines = tmp_path / "results.json", tmp_path / "poses.jsonl"
    result = Result(method="zeros", subject=Subject.device("SN-7", "arm"), values={"gain": [1.0]}, data_hash="ab")
    write_result(results, result)
    held = Collection(lines, Subject.device("SN-7"), [[0.1, 0.2]], {"arm": "SN-7"})
    held.add(0, {"joints": [0.1, 0.2]})
    head, observation = lines.read_text().splitlines()
    makers = [JsonMutator(json.loads(text), SEED) for text in (results.read_text(), head, observation)]
    for _ in range(COUNT):
        results.write_text(makers[0]())
        lines.write_text(f"{makers[1]()}\n{observation}\n" if _ % 2 else f"{head}\n{makers[2]()}\n")
        for read, path in ((read_results, results), (read_collection, lines)):
            before = path.read_bytes()
            assert "\n" not in refusal(partial(read, path)), before[:200]
            assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["[" * 30_000, '{"id": "a", "frames": {"x": 1e999}}'])
def test_no_command_dies_of_a_file_that_is_too_deep_or_not_finite(tmp_path: Path, text: str) -> None:
    bad, task, out = tmp_path / "bad.json", tmp_path / "task.mcap", tmp_path / "out"
    bad.write_text(text)
    save(there_and_back(), task)
    for words in (
        f"calibrate show {bad}",
        f"calibrate apply {bad} ur5e --out {out}",
        f"calibrate report {bad} -o {out}",
        f"calibrate register {bad} {tmp_path}/touches --out {out} --frames {tmp_path}/frames --tip 1",
        f"task move {task} --calibration {bad} -o {out}",
        f"verify {task} --calibration {bad}",
        f"verify {task} --payload {bad}",
        f"execute {task} --calibration {bad} --controller tcp://127.0.0.1:9",
        f"beside --controller tcp://127.0.0.1:9 --listen tcp://127.0.0.1:0 --calibration {bad}",
    ):
        done = CliRunner().invoke(station, words.split(), standalone_mode=False)
        assert isinstance(done.exception, StationError), (words, done.exception)
        assert str(bad) in str(done.exception)
        assert "allowed: " in str(done.exception)
        assert "\n" not in str(done.exception)
        assert not out.exists()


@pytest.mark.parametrize("facts", ["[" * 30_000, '{"joints": [], "period": 1e999}', "[]", '{"joints": 5}'])
def test_a_task_with_facts_that_make_no_sense_is_refused_in_one_line(tmp_path: Path, facts: str) -> None:
    path = tmp_path / "task.mcap"
    with Writer(path, kind="task") as file:
        file.metadata("task", {"facts": facts, "hash": "x", "schema": "1", "scene_file": ""})
        file.attachment("scene.mad", b"", "text/plain")
    with pytest.raises(TaskFileError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_mutants_of_a_tasks_facts_are_refused_in_one_line(tmp_path: Path) -> None:
    task, path = there_and_back(), tmp_path / "task.mcap"
    facts = {**facts_of(task), "reference": ["fixture", np.eye(4).ravel().tolist()], "marks": [[0, "a", "b"]]}
    make = JsonMutator(facts, SEED)
    for number in range(COUNT):
        text = make()
        with Writer(path, overwrite=True, kind="task") as file:
            file.metadata("task", {"facts": text, "hash": "x", "schema": "1", "scene_file": ""})
            file.attachment("scene.mad", task.scene_text.encode(), "text/plain")
        said = refusal(partial(load, path))
        assert said.startswith(str(path)), (number, text[:200])
        assert "\n" not in said


def test_a_note_of_an_emulator_that_makes_no_sense_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim_devices.running.living", lambda _kind: [tmp_path])
    for text in ("[" * 30_000, "[]", '{"kind": 1e999}', "{"):
        (tmp_path / "emulator.json").write_text(text)
        assert running() == []
    (tmp_path / "emulator.json").write_text('{"kind": "arm", "address": "tcp://127.0.0.1:5", "process": 7}')
    assert running() == [("arm", "tcp://127.0.0.1:5", 7)]


def test_settings_of_a_check_are_read_as_they_were_written() -> None:
    assert settings_in({"settings": json.dumps({"clearance": 0.01})}) == VerifySettings(clearance=0.01)
