"""A station that is watched from elsewhere: real sockets, real keys, and everything that can be wrong on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

import station
from firmware_bridge.arm.curve import Endpoint
from station.kernel import Floats
from station.keys import KeyFileError, KeyFiles, make_keys
from station.run.places import DEFAULT_BENCH
from station.servo.shared import Acting, ServoState, StateReader, StateWriter
from station.view.follow import Follower, Link
from station.view.scene_view import SceneView
from station.view.sharing.access import place_to_publish, place_to_watch
from station.view.sharing.errors import ShareAddressError, SharingError
from station.view.sharing.publisher import Publisher
from station.view.sharing.watcher import WatchedStation
from station.view.sharing.wire import Greeting
from tests.servo.test_parts import gantries, hands_on
from tests.view.pictures import scene

pytestmark = pytest.mark.wall_clock

PATIENCE = 30.0  # [s]
TEXT = {"robot": "panda", "rate": 1000.0}


class Shared:
    """A publisher that lives in a thread."""

    def __init__(
        self,
        state: StateReader,
        url: str = "tcp://127.0.0.1:0",
        scene_text: str = "",
        further: tuple[StateReader, ...] = (),
    ) -> None:
        place, lock = place_to_publish(url)
        self.publisher = Publisher(state, Greeting(state.text, scene_text, "panda.mad"), place, lock, further)
        self.address = str(self.publisher.address)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self.publisher.run, args=(self._end.is_set,))
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.publisher.close()


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[StateWriter]:
    with StateWriter(7, TEXT, folder=tmp_path) as made:
        publish(made, np.zeros(7))
        yield made


@pytest.fixture
def shared(writer: StateWriter) -> Iterator[Shared]:
    with StateReader(writer.path) as state, closing(Shared(state)) as made:
        yield made


def publish(writer: StateWriter, q: Floats) -> None:
    writer.shared.tick += 1
    writer.shared.time += 0.001
    writer.shared.predicted_q[:] = q
    writer.shared.measured_q[:] = q
    writer.shared.predicted_pose[:] = writer.shared.measured_pose[:] = np.eye(4)
    writer.publish()


def until(true: Callable[[], bool]) -> bool:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


@contextmanager
def watching(url: str) -> Iterator[WatchedStation]:
    """Watch a station for a while."""
    source = WatchedStation(url)
    try:
        yield source
    finally:
        source.disconnect()


def test_what_is_published_is_what_the_station_shows(writer: StateWriter, shared: Shared) -> None:
    with watching(shared.address) as source:
        assert source.wait(PATIENCE).text == TEXT
        q = np.linspace(0.1, 0.7, 7)
        writer.shared.state = ServoState.ENGAGED
        publish(writer, q)
        assert until(lambda: (moment := source.look()).snapshot is not None and bool(moment.snapshot.state[0]))
        moment = source.look()
        assert moment.snapshot is not None
        np.testing.assert_array_equal(moment.snapshot.predicted_q, q)
        assert (moment.link, moment.joints, moment.epoch) == (Link.FOLLOWING, 7, writer.epoch)
        assert source.commands is None
        assert source.trouble == ""


def test_a_scene_follows_a_station_far_away(writer: StateWriter, shared: Shared) -> None:
    view = scene("panda")
    follower = Follower(view)
    q = view.robots["panda"].q + 0.1
    with watching(shared.address) as source:
        follower.use(source)
        publish(writer, q)
        assert until(lambda: follower.update() and bool(np.allclose(view.robots["panda"].q, q)))
        assert follower.link is Link.FOLLOWING


def test_all_parts_of_a_station_are_published(tmp_path: Path) -> None:
    text = gantries("left", "right")
    view = SceneView(station.loads(text))
    follower = Follower(view)
    with (
        hands_on(text, tmp_path, "left", "right") as bench,
        StateReader(bench.servo.parts[0].writer.path) as first,
        StateReader(bench.servo.parts[1].writer.path) as second,
        closing(Shared(first, further=(second,))) as shared,
        watching(shared.address) as source,
    ):
        follower.use(source)
        bench.press("left")
        bench.servo.parts[0].shared.predicted_q[:] = 0.01
        bench.servo.parts[1].shared.predicted_q[:] = 0.02
        for part in bench.servo.parts:
            part.writer.publish()
        assert until(lambda: follower.update() and bool(np.allclose(view.robots["robot2"].q, 0.02)))
        assert np.allclose(view.robots["robot1"].q, 0.01)
        assert [part.who for part in follower.parts] == ["left", "right"]
        states = [int(part.moment.snapshot.state[0]) for part in follower.parts if part.moment.snapshot is not None]
        assert states == [ServoState.ENGAGED, ServoState.READY]
        assert follower.parts[1].source.commands is None
        assert source.greeting is not None
        assert source.greeting.parts == 2


def test_ticks_are_thinned_but_no_event_gets_lost(writer: StateWriter, shared: Shared) -> None:
    with watching(shared.address) as source:
        source.wait(PATIENCE)
        assert until(lambda: source.look().snapshot is not None)
        for number in range(400):
            writer.shared.acting = Acting.JOINT_STOP if number == 201 else Acting.NONE  # for a single tick
            publish(writer, np.zeros(7))
        rows: list[object] = []

        def came() -> bool:
            moment = source.look()
            rows.extend(moment.recorded("acting")[:, 0] if len(moment.records) else [])
            return 1 in rows and rows[-1] == 0

        assert until(came)
        assert rows.count(1) == 1
        assert len(rows) < 200


def test_a_publisher_that_dies_is_told_and_found_again(writer: StateWriter) -> None:
    view = scene("panda")
    follower = Follower(view)
    with StateReader(writer.path) as state:
        first = Shared(state)
        with watching(first.address) as source:
            follower.use(source)
            assert until(lambda: follower.update() and follower.link is Link.FOLLOWING)
            first.close()
            assert until(lambda: follower.update() and follower.link is Link.SILENT)
            assert follower.trouble.startswith("no data for ")
            assert view.status[-1] == follower.trouble
            assert view.robots["panda"].predicted.age is not None
            with closing(Shared(state, f"tcp://127.0.0.1:{first.publisher.address.port}")):
                assert until(lambda: follower.update() and follower.link is Link.FOLLOWING)
                assert "no data" not in view.status[-1]


def test_a_station_that_ends_is_told_from_afar(writer: StateWriter, shared: Shared) -> None:
    with watching(shared.address) as source:
        assert until(lambda: source.look().link is Link.FOLLOWING)
        writer.close()
        assert until(lambda: source.look().link is Link.ENDED)


def test_the_scene_that_is_sent_is_the_one_that_is_drawn(writer: StateWriter) -> None:
    bench = station.load(DEFAULT_BENCH)
    with (
        StateReader(writer.path) as state,
        closing(Shared(state, scene_text=station.dumps(bench))) as made,
        watching(made.address) as source,
    ):
        drawn = SceneView(station.loads(source.wait(PATIENCE).scene))
    here = SceneView(bench)
    assert list(drawn.robots) == list(here.robots)
    np.testing.assert_allclose(drawn.robots["ur5e"].points(), here.robots["ur5e"].points(), atol=1e-9)


# Keys ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def keys(tmp_path: Path) -> tuple[KeyFiles, KeyFiles, Path]:
    """Of the station, of somebody who may watch, and the allow-list."""
    own, friend, allowed = make_keys("station", tmp_path / "s"), make_keys("friend", tmp_path / "f"), tmp_path / "in"
    allowed.mkdir()
    (allowed / "friend.key").write_bytes(friend.public.read_bytes())
    return own, friend, allowed


@pytest.fixture
def locked(writer: StateWriter, keys: tuple[KeyFiles, KeyFiles, Path]) -> Iterator[Shared]:
    own, _, allowed = keys
    url = f"tcp://127.0.0.1:0?key={own.secret}&allowed={allowed}"
    with StateReader(writer.path) as state, closing(Shared(state, url)) as made:
        yield made


def test_who_is_in_the_list_may_watch(locked: Shared, keys: tuple[KeyFiles, KeyFiles, Path]) -> None:
    own, friend, _ = keys
    with watching(f"{locked.address}?server={own.public}&key={friend.secret}") as source:
        assert source.wait(PATIENCE).text == TEXT
        assert until(lambda: source.look().link is Link.FOLLOWING)


def test_who_is_not_in_the_list_sees_nothing_and_is_told(
    locked: Shared, keys: tuple[KeyFiles, KeyFiles, Path], tmp_path: Path
) -> None:
    stranger = make_keys("stranger", tmp_path / "x")
    with watching(f"{locked.address}?server={keys[0].public}&key={stranger.secret}") as source:
        with pytest.raises(SharingError, match="the station refused the keys") as caught:
            source.wait(PATIENCE)
        assert "\n" not in str(caught.value)
        assert source.look().snapshot is None
    assert locked.publisher.guard is not None
    assert locked.publisher.guard.refused > 0


def test_without_a_key_nothing_comes_out_of_a_locked_publication(locked: Shared) -> None:
    with watching(locked.address) as source:
        with pytest.raises(SharingError):
            source.wait(1.0)
        assert source.received == 0


def test_a_wrong_server_key_is_refused(locked: Shared, keys: tuple[KeyFiles, KeyFiles, Path]) -> None:
    _, friend, _ = keys
    with (
        watching(f"{locked.address}?server={friend.public}&key={friend.secret}") as source,
        pytest.raises(SharingError),
    ):
        source.wait(1.0)


def test_beyond_this_machine_nothing_is_plain(
    writer: StateWriter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    with pytest.raises(ShareAddressError, match="must be encrypted; make keys with: station keys"):
        place_to_publish("tcp://0.0.0.0:5601")
    with pytest.raises(ShareAddressError, match="must be encrypted; add"):
        place_to_watch("tcp://192.0.2.7:5601")
    with StateReader(writer.path) as state, pytest.raises(SharingError, match="on this machine only"):
        Publisher(state, Greeting({}, "", ""), Endpoint("0.0.0.0", 0))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("udp://127.0.0.1:1", "write tcp://host:port"),
        ("tcp://127.0.0.1", "write tcp://host:port"),
        ("tcp://127.0.0.1:99999", "write tcp://host:port"),
        ("tcp://127.0.0.1:1?colour=red", "unknown option 'colour'"),
        ("tcp://127.0.0.1:1?key=x", "key needs server too"),
        ("nonsense", "is not a device address"),
    ],
)
def test_an_address_that_is_none_is_told_in_one_line(url: str, told: str) -> None:
    with pytest.raises(ShareAddressError, match=told) as caught:
        place_to_watch(url)
    assert "\n" not in str(caught.value)


def test_a_missing_key_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="cannot be read"):
        place_to_publish(f"tcp://127.0.0.1:0?key={tmp_path / 'no.key_secret'}&allowed={tmp_path}")


def test_a_port_that_is_taken_is_told(writer: StateWriter, shared: Shared) -> None:
    with StateReader(writer.path) as state, pytest.raises(SharingError, match="cannot be published at"):
        Publisher(state, Greeting({}, "", ""), shared.publisher.address)
