"""`station park` and `station release`, with an emulated arm."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.process import ArmWishes, started
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.bench import Bench
from station.clock import VirtualClock
from station.controllers import in_order_of, open_controller, scene_joints
from station.controllers.controller import Floats
from station.controllers.errors import ControllerBusyError
from station.controllers.shaping import ShapingError
from station.mechanism import Mechanism
from station.run.park import Parked, ParkError, park, release
from station.run.parking_way import Destination, PostureError, destination_of
from station.run.places import DEFAULT_BENCH
from tests.test_cli import mistake, run

pytestmark = pytest.mark.wall_clock

_names = (f"inproc://park-{number}" for number in itertools.count())
AWAY = np.array([0.3, -1.3, 1.2, -1.2, -1.2, 0.4])  # a posture to come from [rad]
HALF = 0.5  # of the limits


class Place:
    """The default bench with an emulated arm, on one virtual clock."""

    def __init__(self, scene: Bench | None = None, start: Floats | None = None) -> None:
        known = station.load(DEFAULT_BENCH)
        self.clock, self.scene = VirtualClock(), scene or known
        self.mechanism = self.scene["ur5e"]
        self.arm: EmulatedArm = emulated_arm(known, start=start)
        name = next(_names)
        self.server = ZeroMqArm(self.arm, name, self.clock)
        self.driver = ArmController(name, self.clock, ZeroMqLink(name, name))
        self.driver.wait_until_ready()
        self.controller = in_order_of(self.driver, scene_joints(self.mechanism.joints))
        self.told: list[str] = []

    def destination(self, name: str | None = None) -> Destination:
        return destination_of(self.scene.robots[0], self.mechanism, name)

    def park(self, to: Destination, share: float = HALF) -> Parked:
        return park(self.scene, self.mechanism, self.controller, to, share, clock=self.clock, tell=self.told.append)

    def close(self) -> None:
        self.driver.close()
        self.server.close()


@pytest.fixture
def place() -> Iterator[Place]:
    with contextlib.closing(Place()) as made:
        yield made


def test_it_parks_at_the_posture_and_then_holds_by_itself(place: Place) -> None:
    place.park(Destination("away", AWAY))
    parked = place.park(place.destination())
    assert parked.posture == "home"
    assert parked.error < 0.01
    assert np.abs(place.arm.reading().q - place.destination().q).max() < 0.01
    assert place.arm.reading().state is ArmState.READY
    assert any("50 % of the limits" in line for line in place.told)
    assert any("% of the way" in line for line in place.told)


def test_a_smaller_share_of_speed_takes_longer(place: Place) -> None:
    fast = place.park(Destination("away", AWAY), 0.8)
    slow = place.park(place.destination(), 0.2)
    assert slow.duration > 1.5 * fast.duration


def test_the_files_limits_bind_where_the_arm_could_do_more() -> None:
    text = DEFAULT_BENCH.read_text(encoding="utf8").replace("speed 180", "speed 2")
    with contextlib.closing(Place(station.loads(text))) as place:
        assert place.arm.capabilities.joints[0].speed == pytest.approx(np.pi)
        place.park(Destination("near", place.arm.reading().q + 0.02))
        told = place.arm.log.setpoints
    speeds = np.abs(np.diff(told["q"], axis=0)) / np.diff(told["stamp"])[:, None]
    assert np.rad2deg(speeds.max()) == pytest.approx(HALF * 2.0, rel=0.01)


def test_an_arm_outside_the_files_range_is_one_line_and_nothing_moves() -> None:
    text = DEFAULT_BENCH.read_text(encoding="utf8").replace("limits { -360 360 }", "limits { -10 10 }", 1)
    with contextlib.closing(Place(station.loads(text), AWAY)) as place:
        with pytest.raises(ParkError) as caught:
            place.park(place.destination())
        assert "joint base is at 0.3 rad, by file and arm allowed are -0.175 to 0.175; lead it" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(place.arm.log.setpoints) == 0


def test_ctrl_c_brakes_and_leaves_the_arm_holding_where_it_is(place: Place) -> None:
    def interrupt(text: str) -> None:
        if "% of the way" in text:
            raise KeyboardInterrupt

    before = place.arm.reading().q.copy()
    with pytest.raises(KeyboardInterrupt):
        park(
            place.scene,
            place.mechanism,
            place.controller,
            Destination("away", AWAY),
            0.3,
            clock=place.clock,
            tell=interrupt,
        )
    there = place.arm.reading()
    assert there.state is ArmState.READY
    assert np.abs(there.q - before).max() > 0.01  # it was on its way
    assert np.abs(there.q - AWAY).max() > 0.05  # and did not get there
    place.clock.advance(0.5)
    assert np.abs(place.arm.reading().q - there.q).max() < 0.01


def test_an_arm_that_is_held_fast_stops_on_the_way(place: Place) -> None:
    place.arm.faults.add("stuck-joint joint=2")
    with pytest.raises(ParkError) as caught:
        place.park(Destination("away", AWAY))
    assert "\n" not in str(caught.value)
    assert place.arm.reading().state is not ArmState.ACTIVE


def test_an_arm_in_fault_or_stopped_is_refused(place: Place) -> None:
    place.arm.stop()
    place.clock.advance(0.1)
    with pytest.raises(ParkError, match="the arm was stopped"):
        place.park(place.destination())
    with pytest.raises(ParkError, match="the arm was stopped"):
        release(place.controller, place.clock)
    place.arm.faults.add("brown-out")
    place.clock.advance(0.1)
    with pytest.raises(ParkError):
        place.park(place.destination())


def test_a_frozen_arm_is_one_line(place: Place) -> None:
    place.arm.faults.add("freeze")
    place.clock.advance(0.1)
    with pytest.raises(ParkError) as caught:
        place.park(place.destination())
    assert "\n" not in str(caught.value)


def test_a_posture_that_there_is_not_is_told_with_those_there_are(place: Place) -> None:
    with pytest.raises(PostureError, match="no posture 'bed'; there are: home, upright"):
        place.destination("bed")
    assert place.destination().name == "home"


def test_a_posture_outside_the_range_of_the_arm_is_refused_and_nothing_moves(place: Place) -> None:
    before = place.arm.reading().q.copy()
    with pytest.raises(ShapingError, match="joint 1"):
        place.park(Destination("far", AWAY + 7.0))
    assert np.abs(place.arm.reading().q - before).max() < 1e-3
    assert place.arm.reading().state is ArmState.READY


def test_a_way_through_the_table_is_refused_and_nothing_moves(place: Place) -> None:
    before = place.arm.reading().q.copy()
    through = AWAY.copy()
    through[1] = 0.3  # the upper arm below the table
    with pytest.raises(PostureError, match="would touch"):
        place.park(Destination("below", through))
    assert np.abs(place.arm.reading().q - before).max() < 1e-3


def test_a_robot_without_postures_says_so(scene_without_postures: tuple[Bench, Mechanism]) -> None:
    scene, mechanism = scene_without_postures
    with pytest.raises(PostureError, match="no posture 'park' or 'home'; there are: none"):
        destination_of(scene.robots[0], mechanism, None)


@pytest.fixture
def scene_without_postures() -> tuple[Bench, Mechanism]:
    scene = station.loads(
        "RAFF v2.0 x\nrobot r { base { }  link 1 { type revolute  pred 0  parameters { theta 0 r 1 alpha 0 d 0 } } }\n"
    )
    return scene, scene["r"]


def test_released_torque_lets_the_arm_sink(place: Place) -> None:
    place.park(Destination("away", AWAY))
    before = place.arm.reading().q.copy()
    release(place.controller, place.clock)
    assert "released" in place.arm.reading().reason
    place.clock.advance(0.3)
    assert np.abs(place.arm.reading().q - before).max() > 0.05


def test_a_second_station_cannot_park(place: Place) -> None:
    detach = place.clock.attach(lambda _: place.driver.newest())
    name = place.server.address
    with pytest.raises(ControllerBusyError, match="another station commands the arm"):
        ArmController(name, place.clock, ZeroMqLink(name, name)).wait_until_ready()
    detach()


# As commands ---------------------------------------------------------------------------------------------


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    assert "no posture 'bed'; there are: home, upright" in mistake("park", "--posture", "bed")
    assert "nobody listens" in mistake("park", "--controller", "tcp://127.0.0.1:9")
    assert "nobody listens" in mistake("release", "--yes", "--controller", "tcp://127.0.0.1:9")
    assert "no such file" in mistake("park", str(tmp_path / "nothing"))


def test_release_asks_and_no_is_no() -> None:
    done = run("release", "--controller", "tcp://127.0.0.1:9")
    assert done.returncode != 0
    assert "the arm may fall: type yes" in done.stderr
    assert "released\n" not in done.stdout


def test_parking_and_releasing_an_arm_in_a_process_of_its_own() -> None:
    # On a busy machine setpoints come in clumps: an arm that bears more than most.
    settings = "watchdog=0.5,speed_margin=3,acceleration_margin=20,following_turn=1"
    with started(ArmWishes(str(DEFAULT_BENCH), settings=settings)) as address:
        done = run("park", "--controller", address, "--posture", "upright", "--speed", "0.5")
        assert done.returncode == 0, done.stderr
        assert "parked at posture 'upright'" in done.stdout
        words = [sys.executable, "-c", "from station.cli import main; main()", "park", "--controller", address]
        with (
            # Where tests run in the background, Ctrl-C is ignored by all that is started there.
            subprocess.Popen(
                [*words, "--speed", "0.02"],
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 no threads here
            ) as slowly,
            open_controller(f"{address}?role=observe") as watcher,
        ):
            assert slowly.stderr is not None
            said = watcher.newest()
            end = time.monotonic() + 60.0
            while watcher.status.value != "active" and time.monotonic() < end and slowly.poll() is None:
                said = watcher.newest() or said
                time.sleep(0.001)
            assert watcher.status.value == "active", slowly.stderr.read()
            os.kill(slowly.pid, signal.SIGINT)
            assert slowly.wait(30.0) == 130
            end = time.monotonic() + 10.0
            while (
                watcher.status.value != "ready" and time.monotonic() < end
            ):  # not looked at for a while, it seems lost
                watcher.newest()
                time.sleep(0.001)
            assert watcher.status.value == "ready"
        done = run("release", "--controller", address, "--yes")
        assert (done.returncode, done.stdout) == (0, "torque released\n"), done.stderr
