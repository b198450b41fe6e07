"""Debian's spacenavd on our emulated Magellan, and our client on its socket: both against something not ours."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.spacemouse.spacenavd import SCHEME, Spacenav
from sim_devices.spacemouse import MagellanEmulator, ScriptedHand
from station.clock import WALL
from station.devices.address import parse_address
from station.devices.device import Sample
from station.devices.errors import DeviceError

DAEMON = shutil.which("spacenavd")
LONGEST = 30.0  # the daemon waits 3 s for a Spaceball before it asks for a Magellan; the machine may be busy [s]
pytestmark = [
    pytest.mark.wall_clock,
    pytest.mark.skipif(DAEMON is None, reason="spacenavd is not installed (apt-get install spacenavd)"),
]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[tuple[ScriptedHand, Spacenav]]:
    hand = ScriptedHand()
    emulator = MagellanEmulator(motion=hand)
    stop = threading.Event()

    def live() -> None:
        while not stop.is_set():
            emulator.run(0.01)

    thread = threading.Thread(target=live)
    thread.start()
    (tmp_path / "run").mkdir()  # Debian's daemon makes its socket at run/spnav.sock below its own folder
    settings = tmp_path / "spnavrc"
    settings.write_text(f"serial = {emulator.end.name}\ndead-zone = 0\nrepeat-interval = 20\n")
    daemon = subprocess.Popen(
        [str(DAEMON), "-d", "-c", str(settings), "-l", str(tmp_path / "log")],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    device = None
    try:
        device = wait_until_open(f"spacenav:{tmp_path / 'run' / 'spnav.sock'}")
        yield hand, device
    finally:
        if device is not None:
            device.close()
        daemon.terminate()  # before the line is hung up: it would spin
        daemon.wait()
        stop.set()
        thread.join()
        emulator.close()


def wait_until_open(url: str) -> Spacenav:
    end = WALL.now() + LONGEST
    while True:
        try:
            device = SCHEME.open(parse_address(url), WALL)
        except DeviceError:
            if WALL.now() > end:
                raise
            WALL.sleep_until(WALL.now() + 0.1)
        else:
            assert isinstance(device, Spacenav)
            return device


def wait_for_sample(device: Spacenav, pose: tuple[float, ...], buttons: int) -> Sample:
    """The first sample with this place [mm] and these buttons."""
    end = WALL.now() + LONGEST
    seen = None
    while WALL.now() < end:
        seen = device.newest() or seen
        if seen is not None and np.allclose(1000.0 * seen.pose[:3, 3], pose, atol=0.05) and seen.buttons == buttons:
            return seen
        WALL.sleep_until(WALL.now() + 0.001)
    raise AssertionError(f"not seen; last: {seen}, {device.status}, {device.reason}")


def test_the_cap_reaches_the_station_by_way_of_the_daemon(bench: tuple[ScriptedHand, Spacenav]) -> None:
    """Full deflection of a Magellan is 400 counts, more than the 350 of other caps: half of it is 0.857 mm."""
    hand, device = bench
    assert device.version == 1
    wait_for_sample(device, (0.0, 0.0, 0.0), 0)
    hand.move(lambda _: (-0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    wait_for_sample(device, (-0.857, 0.0, 0.0), 0)
    hand.move(lambda _: (0.0, 0.5, 0.25, 0.0, 0.0, 0.0))
    hand.press(2)
    wait_for_sample(device, (0.0, 0.857, 0.429), 4)
    hand.move(lambda _: (0.0, 0.0, 0.0, 0.25, 0.0, 0.0))
    hand.release(2)
    turned = wait_for_sample(device, (0.0, 0.0, 0.0), 0)
    end = WALL.now() + LONGEST
    while turned.pose[2, 1] < 0.019:  # rotation about x, to the operator: 0.0199 rad
        assert WALL.now() < end, turned
        turned = device.newest() or turned
        WALL.sleep_until(WALL.now() + 0.001)
    hand.move(None)
    wait_for_sample(device, (0.0, 0.0, 0.0), 0)
