"""Keys: made, read, refused; and a real encrypted link that lets in those who are in the allow-list."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from firmware_bridge.arm.curve import Endpoint
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.controllers import open_controller
from station.controllers.errors import ControllerAddressError, ControllerDeniedError, ControllerError
from station.keys import KeyFileError, KeyFiles, make_keys, opened_by, read_allowed, read_keys, read_public
from tests.controllers.double import DoubleArm


class Running:
    """An arm that lives in a thread."""

    def __init__(self, server: ZeroMqArm) -> None:
        self.server = server
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self) -> None:
        while not self._end.is_set():
            self.server.run(0.02)

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.server.close()


@pytest.fixture
def arm_keys(tmp_path: Path) -> KeyFiles:
    return make_keys("arm", tmp_path / "arm")


@pytest.fixture
def known(tmp_path: Path) -> KeyFiles:
    """Keys of a station that is in the allow-list."""
    files = make_keys("station", tmp_path / "station")
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "bench.key").write_bytes(files.public.read_bytes())
    return files


@pytest.fixture
def running(tmp_path: Path, arm_keys: KeyFiles, known: KeyFiles) -> Iterator[Running]:
    del known
    arm = Running(ZeroMqArm(DoubleArm(), key=arm_keys.secret, allowed=tmp_path / "allowed"))
    yield arm
    arm.close()


def test_a_known_key_is_let_in(running: Running, arm_keys: KeyFiles, known: KeyFiles) -> None:
    url = f"{running.server.address}?server={arm_keys.public}&key={known.secret}"
    with open_controller(url) as controller:
        assert controller.capabilities.model == "double"
    assert running.server.keys_refused == 0


def test_an_unknown_key_is_refused_and_counted(running: Running, arm_keys: KeyFiles, tmp_path: Path) -> None:
    stranger = make_keys("stranger", tmp_path / "stranger")
    with pytest.raises(ControllerDeniedError, match="the arm refused the keys") as caught:
        open_controller(f"{running.server.address}?server={arm_keys.public}&key={stranger.secret}")
    assert "\n" not in str(caught.value)
    assert running.server.keys_refused > 0
    assert not running.server.desk.seats.sessions


def test_the_key_of_another_arm_and_no_key_at_all_do_not_help(
    running: Running, known: KeyFiles, tmp_path: Path
) -> None:
    other = make_keys("other", tmp_path / "other")
    with pytest.raises(ControllerError):
        open_controller(f"{running.server.address}?server={other.public}&key={known.secret}")
    with pytest.raises(ControllerError):
        open_controller(running.server.address)  # plain, to an arm that wants keys
    assert not running.server.desk.seats.sessions


def test_plain_sockets_reach_nothing_behind_a_door(running: Running) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(running.server.address)
    socket.send(b"let me in")
    assert not socket.poll(200)
    socket.close()
    context.term()
    assert running.server.desk.refused.total() == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "*", "10.0.0.1", "arm.example"])
def test_an_arm_that_others_can_reach_needs_keys(host: str) -> None:
    with pytest.raises(ControllerAddressError, match="needs keys"):
        ZeroMqArm(DoubleArm(), Endpoint(host, 0))


def test_an_arm_with_keys_needs_a_list_of_those_it_lets_in(arm_keys: KeyFiles, tmp_path: Path) -> None:
    with pytest.raises(ControllerAddressError, match="name the folder"):
        ZeroMqArm(DoubleArm(), key=arm_keys.secret)
    with pytest.raises(KeyFileError, match="is no folder"):
        ZeroMqArm(DoubleArm(), key=arm_keys.secret, allowed=tmp_path / "nowhere")


def test_keys_are_two_files_of_which_one_is_secret(tmp_path: Path) -> None:
    files = make_keys("bench-1", tmp_path / "keys")
    assert files.secret.stat().st_mode & 0o777 == 0o600
    assert read_keys(files.secret).public == read_public(files.public) == read_public(files.secret)
    assert read_allowed(tmp_path / "keys") == {read_public(files.public)}
    assert len(read_keys(files.secret).secret) == 40


def test_keys_are_not_overwritten_by_mistake(tmp_path: Path) -> None:
    first = make_keys("bench", tmp_path)
    before = first.secret.read_bytes()
    with pytest.raises(KeyFileError, match="is there already"):
        make_keys("bench", tmp_path)
    assert first.secret.read_bytes() == before
    make_keys("bench", tmp_path, replace=True)
    assert first.secret.read_bytes() != before


@pytest.mark.parametrize("name", ["", "../x", "a b", "a/b", ".hidden", "x" * 65])
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="cannot name a key"):
        make_keys(name, tmp_path)


def test_key_files_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    files = make_keys("bench", tmp_path)
    with pytest.raises(KeyFileError, match="holds no secret key"):
        read_keys(files.public)
    files.secret.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        read_keys(files.secret)
    with pytest.raises(KeyFileError, match="cannot be read"):
        read_public(tmp_path / "nothing.key")
    (tmp_path / "junk.key").write_text("hello")
    with pytest.raises(KeyFileError, match="holds no key"):
        read_public(tmp_path / "junk.key")
    (tmp_path / "short.key").write_text('curve\n    public-key = "abc"\n')
    with pytest.raises(KeyFileError, match="damaged"):
        read_public(tmp_path / "short.key")
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyFileError, match="cannot be written"):
        make_keys("x", tmp_path / "file")


def test_keys_are_looked_for_here_and_then_where_they_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    kept = make_keys("arm")
    assert read_keys(Path("arm.key_secret")).public == read_public(Path("arm.key")) == read_public(kept.public)
    here = make_keys("arm", Path())
    assert read_keys(Path("arm.key_secret")).public == read_public(here.public) != read_public(kept.public)
    (kept.public.parent / "allowed").mkdir()
    assert read_allowed(Path("allowed")) == frozenset()
    with pytest.raises(
        KeyFileError, match=r"other.key cannot be read: it is neither here nor in .*haptic-station/keys"
    ):
        read_public(Path("other.key"))


def test_options_for_a_station_name_a_key_of_this_user_that_is_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    make_keys("arm")
    make_keys("another")
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    secret = Path("arm.key_secret")
    assert opened_by(secret, allowed) == {"server": "arm.key"}  # that of the station lies elsewhere
    mine = make_keys("station", tmp_path / "here")
    (allowed / "bench.key").write_bytes(mine.public.read_bytes())
    assert "key" not in opened_by(secret, allowed)
    monkeypatch.chdir(tmp_path / "here")
    assert opened_by(secret, allowed) == {"server": "arm.key", "key": str(mine.secret)}


def test_an_arm_on_the_newer_loopback_is_found_too() -> None:
    try:
        arm = Running(ZeroMqArm(DoubleArm(), Endpoint("[::1]", 0)))
    except ControllerError:
        pytest.skip("this machine has no IPv6")
    with open_controller(arm.server.address) as controller:
        assert controller.capabilities.model == "double"
    arm.close()
