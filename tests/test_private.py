"""Folders of this user alone, and what processes leave in them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sim_devices.running import noted, running
from station import private
from station.private import IN_MEMORY, OwnFolder, PrivateFolderError, living, runtime_folder, runtime_folders
from station.servo.shared import StateReader, StateWriter
from station.servo.shared.runtime import sweep

HOLD = """
import time
from station.private import OwnFolder
folder = OwnFolder("test")
print(folder.path, flush=True)
time.sleep(600)
"""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in memory in which anybody can make folders, as in /dev/shm; the session has none. After `tmp_path`."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as name:
        made = Path(name)
        made.chmod(0o1777)
        monkeypatch.setattr(private, "IN_MEMORY", made)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(made / "none"))
        monkeypatch.setattr(tempfile, "tempdir", str(made))
        yield made


def usual(base: Path) -> Path:
    return base / f"haptic-station-{os.geteuid()}"


def test_the_folder_is_this_users_and_closed_to_others(base: Path) -> None:
    assert runtime_folder() == usual(base)
    assert usual(base).stat().st_mode & 0o7777 == 0o700
    assert runtime_folders()[0] == usual(base)


def test_the_folder_of_the_session_comes_first(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = base / "session"
    session.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(session))
    assert runtime_folder() == usual(session)
    session.chmod(0o755)  # not what a session has
    assert runtime_folder() == usual(base)


def test_a_session_whose_folder_is_on_a_disk_does_not_hold_what_must_be_in_memory(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = base / "session"
    session.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(session))
    monkeypatch.setattr(private, "_in_memory", lambda place: place == base)
    assert runtime_folder() == usual(base)
    monkeypatch.setattr(private, "_in_memory", lambda _: False)
    assert runtime_folder() == usual(session)


@pytest.mark.parametrize("squatted", ["a link", "a file", "open to others", "of another user"])
def test_who_takes_the_name_first_blocks_nobody(base: Path, squatted: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "precious.state").write_bytes(b"precious")
    if squatted == "a link":
        usual(base).symlink_to(elsewhere)
    elif squatted == "a file":
        usual(base).write_bytes(b"")
    else:
        usual(base).mkdir()
        usual(base).chmod(0o777 if squatted == "open to others" else 0o700)
        if squatted == "of another user":
            if os.geteuid() != 0:
                usual(base).chmod(0o755)  # only root can give a folder away; not being private is refused alike
            else:
                os.chown(usual(base), 65534, 65534)
    with StateWriter(2, name="arm") as writer:
        assert writer.path.parent != usual(base)
        assert writer.path.parent.parent == base
        writer.publish()
        assert StateReader().path == writer.path  # found all the same
        assert runtime_folder() == writer.path.parent  # and by the next one too
    assert (elsewhere / "precious.state").read_bytes() == b"precious"
    assert [path.name for path in elsewhere.iterdir()] == ["precious.state"]


def test_without_any_place_there_is_one_line_that_says_what_to_do(base: Path) -> None:
    base.chmod(0o777)  # others could exchange what is in there
    with pytest.raises(PrivateFolderError, match="set XDG_RUNTIME_DIR") as caught:
        runtime_folder()
    assert "\n" not in str(caught.value)
    assert runtime_folders() == []
    with noted("arm", "tcp://127.0.0.1:5"):  # works, though nobody finds it
        assert running() == []


def test_a_sweep_goes_through_no_link(base: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "precious.state").write_bytes(b"precious")
    (base / "link").symlink_to(elsewhere)
    assert sweep(base / "link") == []
    (runtime_folder() / "linked.state").symlink_to(elsewhere / "precious.state")
    (runtime_folder() / "linked.folder").symlink_to(elsewhere)
    StateWriter(2).close()
    with OwnFolder("test"):
        assert (elsewhere / "precious.state").read_bytes() == b"precious"


def test_a_note_of_an_emulator_is_found_while_it_lives_and_written_through_no_link(base: Path, tmp_path: Path) -> None:
    victim = tmp_path / "of a victim"
    victim.write_bytes(b"precious")
    usual(base).mkdir()
    usual(base).chmod(0o777)
    (usual(base) / f"{os.getpid()}.json").symlink_to(victim)
    with noted("arm", "tcp://127.0.0.1:5"):
        assert [(note.kind, note.address, note.process) for note in running()] == [
            ("arm", "tcp://127.0.0.1:5", os.getpid())
        ]
    assert running() == []
    assert victim.read_bytes() == b"precious"


def test_own_folders_go_with_their_process(base: Path) -> None:
    with OwnFolder("test") as folder:
        (folder / "inside").write_bytes(b"")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert living("test") == [folder]
        assert living("tes") == []
    assert not folder.exists()
    kept = OwnFolder("test")
    path = kept.path
    kept.close()
    kept.close()
    assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_process_leaves_that_was_ended_suddenly_goes_at_the_next_start(
    base: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = base / "session"
    session.mkdir(mode=0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(session)}
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    with process.stdout:
        left = Path(process.stdout.readline().strip())
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(session))
        assert living("test") == [left]
        with OwnFolder("other"):
            assert left.is_dir()  # its owner lives
        process.send_signal(number)
        process.wait(60.0)
    assert living("test") == []
    assert left.is_dir()
    StateWriter(2).close()
    assert not left.exists()
