"""Files live and die with their servo, and readers notice."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from station.private import runtime_folder
from station.servo.shared import (
    BusyError,
    CommandClient,
    CommandIntake,
    Hold,
    NoServoError,
    StateReader,
    StateWriter,
    running,
)
from station.servo.shared.runtime import sweep
from tests.servo.shared.processes import other_servo


def lives(reader: StateReader) -> bool:
    return reader.alive  # asked anew each time


def test_a_servo_that_ends_removes_its_files_and_readers_keep_the_last_state(folder: Path) -> None:
    with StateWriter(2, folder=folder) as writer, CommandIntake(2, folder=folder):
        writer.shared.tick = 7
        writer.publish()
        reader = StateReader(folder=folder)
        assert lives(reader)
        assert reader.process == os.getpid()
    assert not list(folder.iterdir())
    assert not lives(reader)
    moment = reader.read()
    assert moment is not None
    assert moment.tick[0] == 7


def test_closing_twice_is_harmless(folder: Path) -> None:
    writer = StateWriter(2, folder=folder)
    reader = StateReader(folder=folder)
    for item in (writer, reader):
        item.close()
        item.close()


def test_a_reader_that_ends_leaves_the_servo_its_files(writer: StateWriter) -> None:
    StateReader(writer.path).close()
    assert StateReader(writer.path).alive


def test_a_killed_servo_is_noticed_and_its_files_are_swept_away(folder: Path) -> None:
    with other_servo(folder, "stand") as process:
        reader, client = StateReader(folder=folder), CommandClient(folder=folder)
        assert lives(reader)
        assert reader.process == process.pid
        assert client.ask(Hold(), patience=20.0).accepted
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20.0)
        assert not lives(reader)
        with pytest.raises(NoServoError, match="ended"):
            client.send(Hold())
        assert reader.read() is not None
    assert running(folder) == []
    with pytest.raises(NoServoError, match="no servo runs"):
        StateReader(folder=folder)
    assert {path.name for path in sweep(folder)} == {"other.state", "other.commands"}
    reader.close()
    client.close()


def test_a_servo_started_again_is_another_one(folder: Path) -> None:
    with StateWriter(2, name="arm", folder=folder) as first:
        before = StateReader(first.path)
    with StateWriter(2, name="arm", folder=folder) as second:
        after = StateReader(second.path)
        assert not before.alive
        assert after.alive
        assert after.epoch > before.epoch


def test_two_servos_cannot_have_one_name(folder: Path) -> None:
    with StateWriter(2, name="arm", folder=folder) as writer:
        with pytest.raises(BusyError, match="another name"):
            StateWriter(2, name="arm", folder=folder)
        assert StateReader(writer.path).alive


def test_the_servo_that_was_started_last_is_found_first(folder: Path) -> None:
    with StateWriter(2, name="old", folder=folder) as old, StateWriter(3, name="new", folder=folder) as new:
        os.utime(old.path, (1.0, 1.0))
        assert running(folder) == [new.path, old.path]
        assert StateReader(folder=folder).layout.joints == 3


def test_sweeping_spares_the_living_and_what_is_being_made(writer: StateWriter, folder: Path) -> None:
    (folder / "dead.state").write_bytes(b"anything")
    (folder / ".young.state").write_bytes(b"")
    (folder / "notes.txt").write_bytes(b"")
    assert [path.name for path in sweep(folder)] == ["dead.state"]
    assert writer.path.exists()


def test_a_child_of_fork_does_not_keep_a_dead_servo_alive(folder: Path) -> None:
    child_lives, told = os.pipe()
    go_on, let_go = os.pipe()
    servo = os.fork()
    if servo == 0:  # the servo, which has a child and then dies without a word
        try:
            os.close(let_go)
            writer = StateWriter(2, name="parent", folder=folder)
            if os.fork() == 0:
                os.write(told, b"x" if writer.path.exists() else b"?")
                os.read(go_on, 1)  # until the test lets go
        finally:
            os._exit(0)
    os.close(told)
    os.close(go_on)
    try:
        assert os.read(child_lives, 1) == b"x"
        os.waitpid(servo, 0)
        assert [path.name for path in folder.iterdir()] == ["parent.state"]
        assert running(folder) == []
    finally:
        os.close(child_lives)
        os.close(let_go)


def test_files_are_for_their_owner_only(writer: StateWriter, intake: CommandIntake) -> None:
    for path in (writer.path, intake.path):
        assert path.stat().st_mode & 0o777 == 0o600
    assert runtime_folder().stat().st_mode & 0o777 == 0o700


def test_a_missing_servo_is_one_line_with_what_to_do(folder: Path) -> None:
    for make in (StateReader, CommandClient):
        with pytest.raises(NoServoError, match="station run") as caught:
            make(folder=folder)
        assert "\n" not in str(caught.value)
        with pytest.raises(NoServoError, match="no such servo"):
            make(folder / "none.state")
